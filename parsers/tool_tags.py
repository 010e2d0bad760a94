"""Tags named after tools: ``<get_weather><city>Oslo</city></get_weather>``, or with the arguments as attributes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.element_tree import Elements, Unclosed
from react_engine.parsers.index import KnownTool
from react_engine.parsers.literals import read_value
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.values import Raw
from react_engine.types import Span

_TAG = re.compile(
    r"^[ \t]{0,8}<(?P<name>[^\W\d][\w.\- ]{0,80}?)(?P<attributes>(?:\s{1,4}[^\W\d][\w-]{0,60}\s?=\s?(?:\"[^\"\n]*\"|'[^'\n]*')){0,32})\s{0,4}"
    r"(?P<void>/)?>",
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"([^\W\d][\w-]{0,60})\s?=\s?(?:\"([^\"\n]*)\"|'([^'\n]*)')")


def read_tool_tags(draft: Draft, start: int, end: int, hidden: Callable[[int], bool]) -> bool:
    """Calls in tags named after tools, at line starts. False when there is none."""
    text, position, found_any = draft.raw, start, False
    visible: list[str] = []
    for tag in _TAG.finditer(text, start, end):
        if draft.tries.left < 0:
            break
        if tag.start() < position or hidden(tag.start()):
            continue
        name = draft.index.resolve(tag["name"].strip())
        if name.kind != "known" or not _same(tag["name"], name.name):
            continue
        read = _arguments(draft, draft.index[name.name], tag, end)
        draft.tries.spend(read[1] - tag.start() if read is not None else min(end - tag.start(), 2000))
        if read is None:
            if draft.cut and text.find(f"</{tag['name'].strip()}", tag.end(), end) == -1:
                draft.problem(
                    "truncated", "The call was cut off.", "Write the whole call again.", Span(tag.start(), end)
                )
                visible.append(text[position : tag.start()])
                position, found_any = end, True
                break
            continue
        arguments, behind = read
        probe = draft.probe(dialect_of("tools"))
        probe.call_from(CallIntent(name.name, arguments), Span(tag.start(), behind), marked=False)
        if not probe.calls:
            continue
        draft.absorb(probe)
        draft.dialect, found_any = probe.dialect, True
        visible.append(text[position : tag.start()])
        position = behind
    if found_any:
        visible.append(text[position:end])
        draft.visible[:0] = [part for part in (strip_end_tokens(piece).strip() for piece in visible) if part]
    return found_any


def _same(written: str, name: str) -> bool:
    """Whether a tag is the tool's name but for blanks and case: a shorter tag may be any markup."""
    return re.sub(r"[\W_]", "", written).lower() == re.sub(r"[\W_]", "", name).lower()


def _arguments(draft: Draft, tool: KnownTool, tag: re.Match[str], end: int) -> tuple[Any, int] | None:
    """(the arguments of a tag, the offset behind its end), None if it is not closed."""
    text = draft.raw
    given: dict[str, Any] = {
        match[1]: Raw(match[2] if match[2] is not None else match[3])
        for match in _ATTRIBUTE.finditer(tag["attributes"])
    }
    if tag["void"]:
        return given, tag.end()
    closing = f"</{tag['name'].strip()}>"
    close = text.find(closing, tag.end(), end)
    if close == -1:
        return _without_end(draft, tool, tag, end)
    inner = text[tag.end() : close].strip()
    if not inner:
        return given, close + len(closing)
    if inner[0] in "{[":
        read = read_value(inner, 0, len(inner))
        if read.error is None and read.complete and not inner[read.end :].strip():
            return (read.value if not given else {**given, **read.value}), close + len(closing)
    try:
        members, position = Elements(text, end, "").members(tag.end(), tool.shape)
    except Unclosed:
        return None
    if members and text[position:end].lstrip().startswith(closing):
        return {**given, **_off_their_lines(members)}, text.index(closing, position) + len(closing)
    if not given and tool.sole_parameter is not None and not members:
        return {tool.sole_parameter: Raw(inner)}, close + len(closing)
    return None


def _without_end(draft: Draft, tool: KnownTool, tag: re.Match[str], end: int) -> tuple[Any, int] | None:
    """Arguments in whole tags of their own, up to the end of the reply: only the tool's closing tag is missing."""
    try:
        members, position = Elements(draft.raw, end, "").members(tag.end(), tool.shape)
    except Unclosed:
        return None
    known = members.keys() <= tool.shape.properties.keys() and tool.shape.required <= members.keys()
    if draft.cut or not members or not known or draft.raw[position:end].strip():
        return None
    return _off_their_lines(members), end


def _off_their_lines(members: dict[str, Any]) -> dict[str, Any]:
    """Values on lines of their own without the line break on either side: it belongs to the markup."""
    return {
        key: Raw(value[1:-1], value.hint)
        if isinstance(value, Raw) and len(value) > 1 and value[0] == "\n" == value[-1]
        else value
        for key, value in members.items()
    }
