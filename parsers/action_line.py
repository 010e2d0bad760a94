"""The line of an action: which tool it names, and where arguments may begin behind the name."""

from __future__ import annotations

import re
from typing import NamedTuple

from react_engine.parsers.index import ToolIndex
from react_engine.parsers.names import ResolvedName, head_of

_INLINE_INPUT = re.compile(
    r"[\s,;|.–—-]+(?:action[ _]?input|input|arguments?|args|parameters|with)\s*[:：=]\s*"
    r"|[ ](?:with|using)(?:[ ](?:the[ ])?(?:input|arguments?|args|parameters))?[ ]?[:：]?[ ]?(?=[{(])",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"[\s`'\"*_\]>」】]*(?P<separator>[:：,，=|]?)\s*")
_INDEX = re.compile(r":\d{1,4}(?=\s{0,4}[({\[（｛])")
_BRACKETED = re.compile(r"\w\[[^\[\]]{1,200}\]\s*\Z")
_OPENERS = "{[(（｛［\"'"
_OTHER_NAME = re.compile(r"\s*(?:,|/|\||&|\+|\band\b|\bor\b|\bthen\b|和|或|、)\s*[`'\"*\[]*([\w.\-/:]+)", re.IGNORECASE)


class ActionLine(NamedTuple):
    """What an action line names. ``behind`` is the offset where arguments may begin; ``name`` None if no tool fits.

    ``also`` is another tool that the line names as well.
    """

    name: ResolvedName | None
    behind: int
    also: str = ""


def read_action_line(index: ToolIndex, text: str, start: int, end: int, line: str, *, has_input: bool) -> ActionLine:
    """Read ``text[start:end]``, whose bare content is ``line``. ``has_input``: the arguments stand elsewhere."""
    whole = index.resolve(line)
    if whole.kind == "known" and (has_input or line in index or _BRACKETED.search(line) is None):
        return ActionLine(whole, end)
    head = head_of(line)
    name = index.resolve(head) if head else whole
    behind = start + text[start:end].find(head) + len(head) if head else end
    if name.kind != "known" and head and (has_input or behind < end):
        slip = index.names.near(name.name)
        if len(slip) == 1:
            name = ResolvedName("known", slip[0], "misspelled-name", lossy=True)
    if name.kind != "known" and (spaced := _leading_words(line, index)) is not None:
        name, behind = index.resolve(spaced), start + text[start:end].find(spaced) + len(spaced)
    if name.kind != "known" and has_input and (named := _named_in(line, index)) is not None:
        return ActionLine(named, end)
    if name.kind != "known":
        return ActionLine(None, end)
    other = _OTHER_NAME.match(text, behind, end)
    if other is not None and other[1] in index and other[1] != name.name:
        return ActionLine(None, end, other[1])
    if has_input:
        return ActionLine(name, end)
    return _arguments_behind(name, text, behind, end)


def _arguments_behind(name: ResolvedName, text: str, behind: int, end: int) -> ActionLine:
    """Arguments on the line itself: in brackets or quotes, or behind a separator. Other words make it a sentence."""
    if inline := _INLINE_INPUT.match(text, behind, end):
        return ActionLine(name, inline.end())
    separator = ""
    if index := _INDEX.match(text, behind, end):
        behind = index.end()
    if behind < end and text[behind] not in _OPENERS and (match := _AFTER_NAME.match(text, behind, end)):
        behind, separator = match.end(), match["separator"]
    if behind < end and text[behind] not in _OPENERS and not separator:
        return ActionLine(None, end)
    return ActionLine(name, behind)


def _leading_words(line: str, index: ToolIndex) -> str | None:
    """A registered name with blanks in it at the start of the line."""
    lower = line.lower()
    fitting = [name for name in index.tools if " " in name and lower.startswith(name.lower())]
    return line[: len(max(fitting, key=len))] if fitting else None


_WORD = re.compile(r"(?<![\w.\-/])[^\W\d][\w.\-/]{1,127}(?<![.\-/])")
_REQUEST = re.compile(
    r"(?:i (?:will|should|need to|want to|am going to|have to)(?: now)?|let me|let's|we should|next,?|now,?)?\s*"
    r"(?:use|using|call|calling|run|running|invoke|query|try)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:not|never|no|without|instead|avoid|rather|unless|if|or|don[’']t|can[’']t|won[’']t)\b|\?", re.IGNORECASE
)


def _named_in(line: str, index: ToolIndex) -> ResolvedName | None:
    """The tool that a request names: one alone, exactly, in words that ask for its use."""
    if len(line) > 300 or _REQUEST.match(line.strip(" `'\"*[")) is None or _REFUSAL.search(line):
        return None
    named = {word for word in _WORD.findall(line) if word in index and not word.isalpha()}
    return ResolvedName("known", named.pop(), "name-in-sentence", lossy=True) if len(named) == 1 else None
