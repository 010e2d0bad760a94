"""Stretches of a reply that hold arguments, and what models put around them."""

from __future__ import annotations

import re
from typing import NamedTuple

from react_engine.parsers.fences import fenced_body
from react_engine.parsers.index import KnownTool
from react_engine.parsers.literals import Value, skip_blanks
from react_engine.types import Span

_LANGUAGE_LEFT = re.compile(r"json[ \t]*\r?\n(?=\s{0,8}[{\[])")
_PACKING_TAG = re.compile(r"<(input|arguments|args|parameters|json|action_input|tool_input)>(?=\s{0,8}[{\[])")
_OBJECT_IN_TICK = re.compile(r"`(?=[{\[])")
# What a stop word leaves behind when it is cut: a part of the label, or the label without its colon.
_STOP_REMAINDER = re.compile(
    r"\n[ \t*_#>]*(?:O(?:b(?:s(?:e(?:r(?:v(?:a(?:t(?:i(?:on?)?)?)?)?)?)?)?)?)?|观察?|觀察|観察|観測|관찰|End Action|PAUSE)[ \t*:：]*\Z"
)


class Region(NamedTuple):
    """A stretch of the raw text that holds arguments.

    ``cut``: the text ends here because a limit stopped the model, so an open value must not be closed.
    ``delimited``: something behind the region (a label, a closing tag) shows that the model was done.
    ``known``: a whole value that was read already, and where it begins.
    """

    text: str
    start: int
    end: int
    cut: bool = False
    delimited: bool = True
    known: tuple[int, Value] | None = None

    @property
    def span(self) -> Span:
        """Where the region stands."""
        return Span(self.start, self.end)

    @property
    def content(self) -> str:
        """The text of the region."""
        return self.text[self.start : self.end]


def before_stop_remainder(text: str, start: int, end: int) -> int:
    """``end`` without blanks and without what stop words left behind."""
    for _ in range(3):
        while end > start and text[end - 1].isspace():
            end -= 1
        match = _STOP_REMAINDER.search(text, max(start, end - 32), end)
        if match is None:
            break
        end = match.start()
    return end


def unpacked(region: Region) -> Region:
    """The region without blanks, a code fence or backticks around it, and without half a stop word."""
    text, start, end = region.text, region.start, region.end
    end = before_stop_remainder(text, start, end)
    for _ in range(3):
        start = skip_blanks(text, start, end)
        if text.startswith("dict(", start, end):
            start += 4
        if word := _LANGUAGE_LEFT.match(text, start, end):
            start = word.end()
        while end > start and text[end - 1].isspace():
            end -= 1
        fence = fenced_body(text, start, end)
        if fence is None or (region.cut and fence.closed and fence.end >= end):
            break
        start, end = fence.start, fence.end
    if end - start > 1 and text[start] == "`" == text[end - 1] and "`" not in text[start + 1 : end - 1]:
        start, end = start + 1, end - 1
    return region._replace(start=start, end=end)


def inside(region: Region, tool: KnownTool) -> Region | None:
    """The arguments inside of what was put around them: a call of the tool, a tag, backticks with a remark behind."""
    text, start, end = region.text, region.start, region.end
    if region.cut:
        return None
    if text.startswith(f"{tool.name}(", start, end) and text[end - 1] == ")":
        return region._replace(start=start + len(tool.name))
    if (tag := _PACKING_TAG.match(text, start, end)) is not None and tag[1] not in tool.shape.properties:
        return (
            region._replace(start=tag.end(), end=end - len(tag[1]) - 3)
            if text.endswith(f"</{tag[1]}>", 0, end)
            else None
        )
    if _OBJECT_IN_TICK.match(text, start, end) and (close := text.find("`\n", start, end)) != -1:
        return region._replace(start=start + 1, end=close)
    return None
