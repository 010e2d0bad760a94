"""The argument ladder: from the text behind a tool's name to arguments typed by its schema.

JSON; JSON with named repairs; Python literals; call syntax and ``key: value`` lines; one bare value for a
tool with one parameter. Where several readings are possible the schema decides: the first one on the ladder
that fits wins. None fits: a problem that says what was expected, for the model to correct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import structs

from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.element_tree import Elements, Unclosed
from react_engine.parsers.fences import leading_fence
from react_engine.parsers.index import KnownTool
from react_engine.parsers.literals import (
    Bare,
    CallArguments,
    Value,
    read_call_arguments,
    read_strict,
    read_unescaped,
    read_value,
    skip_blanks,
)
from react_engine.parsers.regions import Region, inside, unpacked
from react_engine.parsers.settle import Settled, fits_as_written, settle, settle_value, without_leaks
from react_engine.parsers.tokens import KEYWORD
from react_engine.parsers.yaml_lines import read_yaml
from react_engine.types import Arguments, Problem, Span, Tolerance


class ReadArguments(NamedTuple):
    """Arguments that were read, or the problem that stands in their way. ``end`` is behind what was used."""

    arguments: Arguments | None
    end: int
    tolerances: tuple[Tolerance, ...] = ()
    problem: Problem | None = None


_EMPTY = re.compile(
    r"[\s`'\"()\[\]{}]{0,12}(?:none|null|n/?a|nil|empty|no(?:ne)?\s+(?:input|arguments?|parameters?)[\w\s]{0,40}|\(.{0,60}\)|无|なし|없음)?"
    r"[\s`'\".()\[\]{}]{0,12}",
    re.IGNORECASE,
)
_NOISE = re.compile(r"[\s}\])`｝；;,.'\"]*(?:</?[\w|:.-]{0,40}>?\s*)*")
_BROKEN_OBJECT = re.compile(r"[{｛]\s*(?:[\"'“”‘’{}\[\\]|\Z|[\w-]{1,60}\s*[:：])")
_OPENING = re.compile(r"[{\[｛［(（\"'“‘]|`(?!``)")
_PIPES = re.compile(r"[^|\n]*[^|\s](?:\|[^|\s][^|\n]*)+")
_QUOTED_MEMBER = re.compile(r"[\"'“”][^\"'“”\n]{1,80}[\"'“”]\s*[:：]")
_OBJECT_BEHIND_WORDS = re.compile(r"[^{｛\n]{1,120}(?=[{｛])")


def read_arguments(region: Region, tool: KnownTool) -> ReadArguments:
    """The arguments for ``tool`` that stand in ``region``."""
    region = unpacked(region)
    if (plain := as_written(region.text, region.start, region.end, tool)) is not None:
        return ReadArguments(plain, region.end)
    first_problem: ReadArguments | None = None
    for reading in _ladder(region, tool):
        if reading.problem is None or reading.problem.code in _FINAL:
            arguments, leaks = without_leaks(reading.arguments or {}, region.content, region.span)
            return reading._replace(arguments=arguments, tolerances=(*reading.tolerances, *leaks)) if leaks else reading
        first_problem = first_problem or reading
    return first_problem or _nothing(region, tool)


def as_written(text: str, start: int, end: int, tool: KnownTool) -> Arguments | None:
    """An object of plain values that fits as it stands: most calls are that, and no step of the ladder changes it."""
    if start >= end or text[start] != "{" or text.find("<", start, end) != -1 or text.find("[", start, end) != -1:
        return None
    read = read_strict(text, start, end)
    if read is None or read.end != end or not fits_as_written(read.value, tool):
        return None
    arguments: Arguments = read.value
    return arguments


# What a plainer reading of the same text must not gloss over.
_FINAL = frozenset(
    {"truncated", "not-a-number", "too-deep", "expression", "schema-echo", "placeholder", "wrong-type", "no-values"}
)


def _ladder(region: Region, tool: KnownTool) -> Iterator[ReadArguments]:
    text, start, end = region.text, region.start, region.end
    if not tool.shape.properties and _EMPTY.fullmatch(text, start, end):
        yield ReadArguments({}, end)
    if (around := inside(region, tool)) is not None and (reading := _structured(around, tool)).problem is None:
        yield _with(reading, Tolerance("wrapped-arguments", region.span))
    member = _QUOTED_MEMBER.match(text, start, end)
    opened = member is None and start < end and _OPENING.match(text, start)
    if opened:
        yield _structured(region, tool)
    if (fence := leading_fence(text, start, end)) is not None and not region.cut:
        inner = region._replace(start=skip_blanks(text, fence.start, fence.end), end=fence.end, delimited=True)
        if inner.start < inner.end and _OPENING.match(text, inner.start):
            yield _with(_structured(inner, tool), Tolerance("text-after-arguments", Span(fence.outer_end, end)))
    if start < end and text[start] == "<" and (tagged := _in_tags(region, tool)) is not None:
        yield tagged
    if (entries := read_yaml(text, start, end)) is not None and entries.keys() <= tool.shape.properties.keys():
        if not region.cut:
            settled = settle(entries, tool, region.span, repaired=True)
            yield _settled(settled, end, (Tolerance("yaml", region.span),))
    if (keywords := _keywords(region, tool)) is not None:
        yield keywords
    yield from _embedded(region, tool)
    if not _BROKEN_OBJECT.match(text, start, end):
        yield from _bare(region, tool)
    yield _nothing(region, tool)


def _with(read: ReadArguments, tolerance: Tolerance) -> ReadArguments:
    return read._replace(tolerances=(tolerance, *read.tolerances)) if read.problem is None else read


def _structured(region: Region, tool: KnownTool) -> ReadArguments:
    """JSON, Python literals, or the parentheses of a call."""
    text, start, end = region.text, region.start, region.end
    if text[start] in "(（":
        read = read_call_arguments(text, start + 1, end, closed=not region.cut)
    elif region.known is not None and region.known[0] == start:
        read = region.known[1]
    else:
        read = read_value(text, start, end, closed=not region.cut)
    if read.error is not None:
        return _unescaped(region, tool) or _malformed(region, read)
    structured = isinstance(read.value, (dict, list, CallArguments))
    if region.cut and (not read.complete or read.guessed or not structured):
        return ReadArguments(None, read.end, problem=_truncated(tool, Span(start, read.end)))
    if not read.complete and any(tolerance.name == "unclosed-string" for tolerance in read.tolerances):
        return ReadArguments(None, read.end, problem=_truncated(tool, Span(start, read.end)))
    if (words := _words_in_brackets(region, read.value)) is not None:
        if _belongs_to_words(region, words):
            return ReadArguments(None, end, problem=wrong_arguments(tool, region.span, region.content))
        return _in_words(region, words, tool)
    tolerances = read.tolerances if region.delimited else tuple(_undelimited(read.tolerances))
    rest = _NOISE.match(text, read.end, end)
    behind = rest.end() if rest else read.end
    if behind < end:
        if isinstance(read.value, str) and text[start] in "\"'“‘`":
            return _quoted_text(region, tool)
        members = text.find('":', behind, end) != -1  # what was cut off may have been a part of the arguments
        tolerances += (Tolerance("text-after-arguments", Span(behind, end), lossy=members),)
    elif text[read.end : behind].strip():
        tolerances += (Tolerance("noise-after-arguments", Span(read.end, behind)),)
    span = Span(start, read.end)
    return _settled(settle_value(read.value, tool, span, repaired=bool(read.tolerances)), end, tolerances)


def _undelimited(tolerances: tuple[Tolerance, ...]) -> Iterator[Tolerance]:
    """Closing a bracket at the end of the reply is a choice: more may have been meant."""
    for tolerance in tolerances:
        yield structs.replace(tolerance, lossy=True) if tolerance.name == "missing-closer" else tolerance


def _words_in_brackets(region: Region, value: Any) -> Span | None:
    """The inside of ``(…)`` or ``[…]`` that holds plain words, to the last closer; None if it holds values."""
    items = value.positional if isinstance(value, CallArguments) and not value.keywords else value
    if not isinstance(items, list) or not any(isinstance(item, Bare) for item in items):
        return None
    close = max(region.text.rfind(char, region.start, region.end) for char in ")]）］")
    return Span(region.start + 1, close) if close > region.start else None


def _belongs_to_words(region: Region, words: Span) -> bool:
    """Whether the brackets are a part of the words: text stands behind them, they close and open again, or nest."""
    text, start = region.text, region.start
    inside, closer = text[words.start : words.end], ")" if text[start] in "(（" else "]"
    first_close, next_open = inside.find(closer), inside.rfind("(" if closer == ")" else "[")
    if text[words.end + 1 : region.end].strip(" .;`\"'\n") or -1 < first_close < next_open:
        return True
    behind_name = start > 0 and not text[start - 1].isspace()
    return closer == "]" and not behind_name and any(char in inside for char in "()[]{}")


def _in_words(region: Region, words: Span, tool: KnownTool) -> ReadArguments:
    """Words in brackets as the value of the one parameter, unless they only repeat the signature."""
    written = region.text[words.start : words.end]
    within = region._replace(start=words.start, end=words.end)
    if "=" in written and (keywords := _keywords(within, tool)) is not None and keywords.problem is None:
        return keywords._replace(end=region.end)
    names = {word.split(":")[0].split("=")[0].strip(" *?") for word in re.split(r"[,，]", written)}
    if names & tool.shape.properties.keys() or tool.sole_parameter is None:
        return ReadArguments(
            None, region.end, problem=structs.replace(wrong_arguments(tool, words, written), code="no-values")
        )
    readings = _bare(within, tool)
    return next(readings, None) or _nothing(region, tool)


_TWO_QUOTATIONS = re.compile(r"\"[^\"\n]{0,200}[^\s\"]\"\s[^\n]{0,400}?\s\"[^\s\"][^\"\n]{0,200}\"")


def _quoted_text(region: Region, tool: KnownTool) -> ReadArguments:
    """Quoted text with quotes inside: only the outer pair is packaging."""
    text, start, end = region.text, region.start, region.end
    if end - start >= 2 and text[end - 1] in "\"'”’`" and _TWO_QUOTATIONS.fullmatch(text, start, end) is None:
        settled = settle_value(text[start + 1 : end - 1], tool, region.span)
        return _settled(settled, end, (Tolerance("quotes", region.span),))
    return ReadArguments(None, end, problem=wrong_arguments(tool, region.span, region.content))


def _unescaped(region: Region, tool: KnownTool) -> ReadArguments | None:
    """An object whose quotes are all escaped, as if it stood in a string."""
    read = None if region.cut else read_unescaped(region.text, region.start, region.end)
    if read is None:
        return None
    return _settled(settle_value(read.value, tool, region.span, repaired=True), region.end, read.tolerances)


def _keywords(region: Region, tool: KnownTool) -> ReadArguments | None:
    """``a=1, b=2``, a line each, or members without braces: only if every key is a parameter of the tool."""
    text, start, end = region.text, region.start, region.end
    read = read_call_arguments(text, start, end, closed=not region.cut, parentheses=False)
    if read.problem_code == "expression" and (key := KEYWORD.match(text, start, end)) is not None:
        known = key[0].rstrip(" =:：") in tool.shape.properties
        return _malformed(region, read) if known else None
    if read.error is not None or not isinstance(read.value, CallArguments):
        return None
    keywords = read.value.keywords
    if read.value.positional or not keywords or not keywords.keys() <= tool.shape.properties.keys():
        return None
    span = Span(start, read.end)
    if region.cut:
        return ReadArguments(None, end, problem=_truncated(tool, span))
    named = Tolerance("keyword-arguments", span)
    return _settled(settle(keywords, tool, span, repaired=True), end, (named, *read.tolerances))


def _in_tags(region: Region, tool: KnownTool) -> ReadArguments | None:
    """A tag for each argument, all of them parameters of the tool and nothing beside them."""
    try:
        members, after = Elements(region.text, region.end, "").members(region.start, tool.shape)
    except Unclosed:
        return None
    if region.cut or not members or not members.keys() <= tool.shape.properties.keys():
        return None
    if region.text[after : region.end].strip():
        return None
    settled = settle(members, tool, region.span, repaired=True)
    return _settled(settled, region.end, (Tolerance("tagged-arguments", region.span),))


def _embedded(region: Region, tool: KnownTool) -> Iterator[ReadArguments]:
    """An object behind a few words, if all its keys are parameters of the tool."""
    words = _OBJECT_BEHIND_WORDS.match(region.text, region.start, region.end)
    if words is None or region.cut:
        return
    read = read_value(region.text, words.end(), region.end)
    if read.error is None and read.complete and isinstance(read.value, dict) and read.value:
        if read.value.keys() <= tool.shape.properties.keys() and not region.text[read.end : region.end].strip(" .\n"):
            span = Span(words.end(), read.end)
            settled = settle(read.value, tool, span, repaired=True)
            yield _settled(
                settled, region.end, (Tolerance("text-before-arguments", Span(*words.span())), *read.tolerances)
            )


def _bare(region: Region, tool: KnownTool) -> Iterator[ReadArguments]:
    """The whole region as the value of the tool's one parameter."""
    sole = tool.sole_parameter
    if sole is None or region.start >= region.end:
        return
    span, content = region.span, region.content
    if region.cut:
        yield ReadArguments(None, region.end, problem=_truncated(tool, span))
        return
    if content == "None" and sole in tool.shape.required:
        return  # Python's word for no input at all
    if any(
        f'"{name}"' in content and re.search(rf'"{re.escape(name)}"\s*[:：]', content) for name in tool.shape.properties
    ):
        return  # a broken object, no value
    pieces = content.count("|") + 1
    if 3 <= pieces <= len(tool.shape.properties) and _PIPES.fullmatch(content):
        return  # values of several parameters
    settled = settle({sole: Bare(strip_end_tokens(content))}, tool, span)
    if settled.fits:
        yield _settled(settled, region.end, (Tolerance("unnamed-argument", span),))


def _settled(settled: Settled, end: int, tolerances: tuple[Tolerance, ...]) -> ReadArguments:
    return ReadArguments(settled.arguments, end, tolerances + settled.tolerances, settled.problem)


def _nothing(region: Region, tool: KnownTool) -> ReadArguments:
    if region.cut and tool.shape.properties:
        return ReadArguments(None, region.end, problem=_truncated(tool, region.span))
    if not region.content.strip():
        return _settled(settle({}, tool, region.span), region.end, ())
    if not tool.shape.properties:
        return ReadArguments({}, region.end, (Tolerance("input-ignored", region.span),))
    return ReadArguments(None, region.end, problem=wrong_arguments(tool, region.span, region.content))


def _malformed(region: Region, read: Value) -> ReadArguments:
    code, found = read.error or ("malformed", "text")
    message = f"The arguments could not be read: found {found}."
    hint = "Write them as one JSON object with double-quoted keys."
    if code == "not-a-number":
        message, hint = f"The arguments hold {found}.", "Give a real number, or leave the parameter out."
    span = Span(read.end, min(read.end + 20, region.end))
    as_code = code == "expression" and region.text[region.start] == "["  # all of it may be meant as code
    code = "malformed-arguments" if as_code else read.problem_code
    return ReadArguments(None, read.end, problem=Problem(code, message, hint, span))


def _truncated(tool: KnownTool, span: Span) -> Problem:
    return Problem(
        "truncated",
        f"The call of {tool.name} was cut off before its arguments were complete.",
        "Write the whole call again, shorter if need be.",
        span,
    )


def wrong_arguments(tool: KnownTool, span: Span, found: str) -> Problem:
    """The problem of values without names, or of words in place of values."""
    names = ", ".join(tool.parameters) or "none"
    shown = found if len(found) <= 80 else found[:77] + "..."
    return Problem(
        "wrong-arguments",
        f"{tool.name} takes the parameters {names}; found {shown!r}.",
        'Write them as one JSON object, for example {"name": "value"}.',
        span,
    )
