"""From the value a model wrote to the arguments of a tool: envelopes off, types by schema, nothing invented."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from react_engine.parsers.control import find_end_token, strip_end_tokens
from react_engine.parsers.envelopes import unwrap
from react_engine.parsers.index import KnownTool
from react_engine.parsers.literals import Bare, CallArguments, number, read_value
from react_engine.parsers.markup import is_marker
from react_engine.parsers.names import fold
from react_engine.parsers.values import Raw, settle_raw
from react_engine.shapes import Shape, coerce, problems
from react_engine.shapes.shape import fits
from react_engine.types import Arguments, Problem, Span, Tolerance

# Words in angle brackets are one unless they are markup; so is a variable alone.
_MARKUP = (
    r"(?:br|hr|wbr|div|span|img|pre|svg|html|head|nav|table|t[drh]|tbody|ul|ol|li|em|strong|sup|sub|h[1-6]"
    r"|think|tool_calls?|tool_response|function_calls?)"
)
_PLACEHOLDER = re.compile(
    rf"<(?!{_MARKUP}>)[ ]?[^\W\d][^<>\n=!|｜]{{1,60}}(?<!/)>|"
    r"\$\{?[A-Z_]{2,40}\}?|\{\{?[\w .]{1,40}\}?\}|\.\.\.|…"
)
_PLACEHOLDER_BEGINS = frozenset("<${.…")
_LEXICAL_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*)?\.?\d+(?:[eE][+-]?\d+)?|[-+]?\d+\.")
_LEVELS = 6


class Settled(NamedTuple):
    """Arguments typed by the schema. ``fits`` is False where a type is still wrong: validation says how."""

    arguments: Arguments | None
    tolerances: tuple[Tolerance, ...] = ()
    problem: Problem | None = None
    fits: bool = True


def settle_value(value: Any, tool: KnownTool, span: Span, *, repaired: bool = False) -> Settled:
    """Arguments out of any value: an object, a list around one, call arguments, text around one, one bare value.

    ``repaired``: the value was not valid as written. Then it must fit, since nothing vouches for the repair.
    """
    if isinstance(value, CallArguments):
        value = _named(value, tool)
    if isinstance(value, str) and not isinstance(value, Bare) and (inner := decoded(value)) is not None:
        settled = settle_value(inner, tool, span, repaired=repaired)
        if settled.problem is None:
            return settled._replace(tolerances=(Tolerance("double-encoded", span), *settled.tolerances))
    if isinstance(value, dict):
        return settle(value, tool, span, repaired=repaired)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and _is_around(value[0], tool):
        settled = settle(value[0], tool, span, repaired=repaired)
        return settled._replace(tolerances=(Tolerance("list-around-arguments", span), *settled.tolerances))
    if value is None or value in ([], ""):
        return settle({}, tool, span)
    if (sole := tool.sole_parameter) is not None:
        if isinstance(value, list) and len(value) == 1 and not tool.shape.properties[sole].allows("array"):
            value = value[0]
        settled = settle({sole: value}, tool, span)
        if settled.fits:
            return settled._replace(tolerances=(Tolerance("unnamed-argument", span), *settled.tolerances))
    message = f"{tool.name} takes the parameters {', '.join(tool.parameters) or 'none'}; found {repr(value)[:80]}."
    return Settled(None, problem=Problem("wrong-arguments", message, "Write them as one JSON object.", span))


def object_in(value: Any) -> dict[str, Any] | None:
    """The object that a value is, or holds as text or in a list; None if it holds none."""
    if isinstance(value, str) and not isinstance(value, Bare):
        value = decoded(value)
    if isinstance(value, CallArguments):
        value = value.keywords
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def decoded(text: str) -> Any:
    """The object or list that a text holds, encoded once or more; None if it holds none."""
    for _ in range(3):
        if text.lstrip()[:1] not in ("{", "[", '"', "｛", "［"):
            return None
        read = read_value(text, 0, len(text))
        if read.error is not None or not read.complete or text[read.end :].strip():
            return None
        if isinstance(read.value, (dict, list)):
            return read.value
        if not isinstance(read.value, str):
            return None
        text = read.value
    return None


def _is_around(inner: dict[str, Any], tool: KnownTool) -> bool:
    """Whether a list around ``inner`` is packaging: its keys are parameters, or no parameter takes the list itself."""
    shape, sole = tool.shape, tool.sole_parameter
    if sole is None or not shape.properties[sole].allows("array") or shape.properties[sole].allows("object"):
        return True
    items = shape.properties[sole].items
    own = items is not None and bool(inner.keys() & items.properties.keys())
    return not own and inner.keys() <= shape.properties.keys() and shape.required <= inner.keys()


def _named(call: CallArguments, tool: KnownTool) -> Any:
    """Call arguments as a mapping: positional values go to the parameters in schema order, if they fill them."""
    if not call.positional:
        return call.keywords
    if len(call.positional) == 1 and not call.keywords:
        return call.positional[0]
    names = tool.parameters
    required = [name for name in names if name in tool.shape.required]
    if len(required) - len(call.keywords) <= len(call.positional) <= len(names):
        filled = dict(zip(names, call.positional, strict=False))
        if not filled.keys() & call.keywords.keys():
            return {**filled, **call.keywords}
    return call.positional


def settle(written: dict[str, Any], tool: KnownTool, span: Span, *, repaired: bool = False) -> Settled:
    """The arguments of ``tool`` out of an object found at ``span``."""
    shape = tool.shape
    if (plain := plainly(written, tool)) is not None:
        return Settled(plain)
    names: list[tuple[str, bool]] = []
    unwrapped = unwrap(written, tool, names)
    if unwrapped is None:
        return Settled(None, problem=_schema_echo(tool, span))
    if not isinstance(unwrapped, dict):
        settled = settle_value(unwrapped, tool, span, repaired=repaired)
        return settled._replace(tolerances=(*_reported(names, span), *settled.tolerances))
    resolved = without_bare(unwrapped, shape)
    resolved = _respelled(resolved, shape, names)
    coerced = coerce(resolved, shape)
    names.extend((repair.name, repair.lossy) for repair in coerced.repairs)
    if (problem := _missing(coerced.value, tool, span) or _ellipsis(coerced.value, tool, span)) is not None:
        return Settled(None, _reported(names, span), problem)
    if not coerced.fits and (repaired or resolved is not unwrapped):
        return Settled(None, _reported(names, span), _misfit(coerced.value, tool, span), fits=False)
    return Settled(coerced.value, _reported(names, span), fits=coerced.fits)


_SCALARS = frozenset({str, int, float, bool, type(None)})


def fits_as_written(arguments: dict[str, Any], tool: KnownTool) -> bool:
    """Whether arguments are plain values of the tool's own parameters that fit its schema."""
    shape, plain = tool.shape, tool.plain
    for key, item in arguments.items():
        if type(item) not in plain.get(key, ()) or item == "..." or item == "…":
            break
    else:
        return shape.required <= arguments.keys()
    if not arguments.keys() <= shape.properties.keys():
        return False
    if any(type(item) not in _SCALARS or item in ("...", "…") for item in arguments.values()):
        return False
    return fits(arguments, shape, exact=True)


def plainly(written: dict[str, Any], tool: KnownTool) -> dict[str, Any] | None:
    """Plain values of the tool's own parameters that fit once their types are settled: nothing else is to be done."""
    shape, types = tool.shape, tool.plain
    properties = shape.properties
    if not written.keys() <= properties.keys():
        return None
    settled, simple = {}, True
    for key, value in written.items():
        kind = type(value)
        if kind is Raw:
            value = settle_raw(value, properties[key])
            kind = type(value)
        elif kind is Bare:
            value = settle_bare(value, properties[key])
            kind = type(value)
        if kind not in _SCALARS:
            return None
        if kind is str and ("<" in value or "[" in value or value in ("...", "…") or is_placeholder(value)):
            return None
        simple = simple and kind in types.get(key, ())
        settled[key] = value
    fit = shape.required <= settled.keys() if simple else fits(settled, shape, exact=True)
    return settled if fit else None


def _reported(names: list[tuple[str, bool]], span: Span) -> tuple[Tolerance, ...]:
    return tuple(Tolerance(name, span, lossy) for name, lossy in dict(names).items())


def is_placeholder(value: Any) -> bool:
    """Whether a value is a stand-in from a template or a manual rather than a value."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return text[:1] in _PLACEHOLDER_BEGINS and _PLACEHOLDER.fullmatch(text) is not None


def holds_placeholder(value: Any, written: str, depth: int = 0) -> bool:
    """Whether any value in it is a stand-in that stands in ``written`` as it is: what was escaped was meant."""
    if isinstance(value, Mapping):
        return depth < _LEVELS and any(holds_placeholder(item, written, depth + 1) for item in value.values())
    if isinstance(value, list):
        return depth < _LEVELS and any(holds_placeholder(item, written, depth + 1) for item in value)
    return is_placeholder(value) and value.strip() in written and not is_marker(value.strip())


def _ellipsis(arguments: Mapping[str, Any], tool: KnownTool, span: Span) -> Problem | None:
    """Dots in the place of an item or a value: something was left out."""
    if not any(isinstance(value, (list, dict)) or value in ("...", "…") for value in arguments.values()):
        return None
    if not _holds_dots(arguments):
        return None
    return Problem("placeholder", f"The arguments of {tool.name} are not written out.", "Write every value.", span)


def _holds_dots(value: Any, depth: int = 0) -> bool:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return depth < _LEVELS and any(_holds_dots(item, depth + 1) for item in value)
    return value in ("...", "…")


def without_bare(value: Any, shape: Shape | None = None) -> Any:
    """Unquoted scalars settled by their schema; the same object where there is none."""
    if isinstance(value, Raw):
        return settle_raw(value, shape)
    if isinstance(value, Bare):
        return settle_bare(value, shape)
    if isinstance(value, dict):
        properties = shape.properties if shape is not None else {}
        items = {key: without_bare(item, properties.get(key)) for key, item in value.items()}
        return items if any(items[key] is not value[key] for key in value) else value
    if isinstance(value, list):
        below = shape.items if shape is not None else None
        settled = [without_bare(item, below) for item in value]
        return settled if any(a is not b for a, b in zip(settled, value, strict=True)) else value
    return value


def settle_bare(word: str, shape: Shape | None) -> Any:
    """What an unquoted scalar means: text where the schema allows text, else a number, else text."""
    text = str(word)
    if shape is not None and shape.types and shape.allows("string"):
        return text
    if _LEXICAL_NUMBER.fullmatch(text):
        digits = text.replace("_", "")
        whole = re.fullmatch(r"[-+]?\d+", digits) is not None
        if whole or not (shape is not None and shape.types and not shape.allows("number")):
            return number(digits, is_float=not whole)
    return text


def _respelled(arguments: dict[str, Any], shape: Shape, names: list[tuple[str, bool]]) -> dict[str, Any]:
    """Keys that differ from one parameter only in case or separators get its name."""
    unknown = [key for key in arguments if key not in shape.properties]
    if not unknown or not shape.properties:
        return arguments
    free: dict[str, list[str]] = {}
    for name in shape.properties:
        if name not in arguments:
            free.setdefault(fold(name), []).append(name)
    renamed = {
        key: free[fold(key)].pop() for key in unknown if isinstance(key, str) and len(free.get(fold(key), ())) == 1
    }
    if not renamed:
        return arguments
    names.append(("respelled-key", False))
    return {renamed.get(key, key): value for key, value in arguments.items()}


def without_leaks(arguments: Arguments, written: str, span: Span) -> tuple[Arguments, tuple[Tolerance, ...]]:
    """The arguments without turn ends that leaked into values: those that stand in ``written`` as they are."""
    if find_end_token(written, 0, len(written)) is None:
        return arguments, ()
    cleaned = _clean(arguments)
    return cleaned, () if cleaned is arguments else (Tolerance("end-token-removed", span),)


def _clean(value: Any) -> Any:
    """The value without leaked turn ends; the same object when there is none."""
    if isinstance(value, str):
        cleaned = strip_end_tokens(value)
        return value if cleaned == value else cleaned
    if isinstance(value, dict):
        items = {key: _clean(item) for key, item in value.items()}
        return items if any(items[key] is not value[key] for key in value) else value
    if isinstance(value, list):
        cleaned_list = [_clean(item) for item in value]
        return cleaned_list if any(a is not b for a, b in zip(cleaned_list, value, strict=True)) else value
    return value


def _missing(arguments: Mapping[str, Any], tool: KnownTool, span: Span) -> Problem | None:
    """The required parameters that have no value; null is none where the schema does not take it."""
    properties = tool.shape.properties
    missing = [
        name
        for name in tool.shape.required
        if name not in arguments
        or (arguments[name] is None and name in properties and not properties[name].allows("null"))
    ]
    if not missing:
        return None
    missing.sort(key=tool.parameters.index if set(missing) <= properties.keys() else str)
    given = ", ".join(map(str, arguments)) or "nothing"
    return Problem(
        "missing-argument",
        f"{tool.name} requires {', '.join(missing)}; given: {given}.",
        f"Call {tool.name} again with {' and '.join(missing)}.",
        span,
    )


def _misfit(arguments: Mapping[str, Any], tool: KnownTool, span: Span) -> Problem:
    """A repaired value that the schema does not take."""
    found = problems(arguments, tool.shape)
    said = "; ".join(
        f"{'.'.join(map(str, item.path))}: expected {item.expected}, found {item.found}" for item in found[:3]
    )
    return Problem("wrong-type", f"The arguments of {tool.name} do not fit: {said}.", "Write them as valid JSON.", span)


def _schema_echo(tool: KnownTool, span: Span) -> Problem:
    return Problem(
        "schema-echo",
        f"The arguments of {tool.name} repeat its schema instead of giving values.",
        f"Give values for {', '.join(tool.parameters) or 'no parameter'} as one JSON object.",
        span,
    )
