"""Replies as addressed messages: a header with recipient and channel, a body, an end.

The recipient decides what a message is: a tool's name makes a call, anything else text or reasoning. So what is
quoted in an answer stays a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from react_engine.parsers.body import Frame
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.dialects import Dialect, dialect_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import read_strict
from react_engine.parsers.marked import READERS, read_marked, without_markers
from react_engine.parsers.markup import Messages, markup
from react_engine.parsers.openers import MOST_OPENERS, PACKAGING, Opener, body_kind, find_openers
from react_engine.parsers.regions import Region
from react_engine.types import Span

_CHANNEL = re.compile(r"(?:<\|channel\|>|\A\s*|assistant\s*)(analysis|commentary|final)\b")
_THINKS = frozenset({"self", "analysis"})
_SPEAKS = frozenset({"user", "all", "commentary", "final", "assistant", ""})
_FUNCTION = re.compile(r"(?:functions?[./:])?(.+)", re.DOTALL)


class _Message(NamedTuple):
    """A message: its header and body in the text, whom it is for, and on which channel it speaks."""

    header: Span
    body: Span
    recipient: str
    channel: str


def read_messages(draft: Draft, start: int, end: int, told: str) -> bool:
    """Whether the text consists of messages; then they are read into ``draft``."""
    forms = markup().messages
    for form in sorted(forms, key=lambda form: form.dialect.name != told) if told else forms:
        if draft.raw.find(form.opener, start, end) != -1:
            dialect = form.dialect
            found = list(islice(_messages(draft.raw, start, end, form), MOST_OPENERS))
            if found and _is_addressed(draft, found, dialect):
                for message in found:
                    if draft.is_full():
                        break
                    _read(draft, message, dialect)
                _settle(draft, dialect)
                return True
    return False


_CHANNEL_WORDS = re.compile(r"analysis(?P<thought>[A-Z].*?)assistantfinal(?=\S)", re.DOTALL)


def read_channel_words(draft: Draft, start: int, end: int) -> bool:
    """Whether the text is thinking and an answer whose special tokens were dropped: their channels are left as words."""
    words = _CHANNEL_WORDS.match(draft.raw, start, end)
    if words is None or "to=" in words["thought"]:
        return False
    draft.think(words["thought"])
    draft.answer = strip_end_tokens(draft.raw[words.end() : end]).strip()
    draft.visible.append(draft.answer)
    draft.truncated, draft.dialect = draft.cut, draft.dialect or dialect_of("messages", "addressed")
    return True


def _messages(text: str, start: int, end: int, form: Messages) -> Iterator[_Message]:
    """The messages in order; nothing when the text before the first is no header."""
    position = start
    while (mark := text.find(form.opener, position, end)) != -1:
        begin = max(position, mark - 400)
        header = text[begin:mark]
        match = form.header.fullmatch(header)
        if match is None and position > start:  # stray text between two messages
            tails = [tail for tail in form.header.finditer(header) if tail.end() == len(header) and tail[0]]
            match = tails[-1] if tails else None
        if match is None:
            return
        header = match[0]
        close = _body_end(text, mark + len(form.opener), end, form.ends)
        names = re.findall(r"to=([^\s<]{1,128})", header) or [match.groupdict().get("name") or ""]
        recipient = next((name for name in names if name not in _SPEAKS | _THINKS), names[0])
        channel = _CHANNEL.search(header)
        yield _Message(
            Span(begin, mark), Span(mark + len(form.opener), close), recipient, channel[1] if channel else ""
        )
        position = close
        while (token := form.ends.match(text, position, end)) is not None and token[0] not in (
            "<|start|>",
            "<|channel|>",
            "<|from|>",
        ):
            position = token.end()


def _body_end(text: str, start: int, end: int, ends: re.Pattern[str]) -> int:
    """Where a body ends: at an end marker that stands outside a JSON value."""
    packaging = PACKAGING.match(text, start, end)
    body = packaging.end() if packaging else start
    if body < end and text[body] in "{[":
        read = read_strict(text, body, end)
        if read is not None:
            start = read.end
    close = ends.search(text, start, end)
    return close.start() if close is not None else end


def _is_addressed(draft: Draft, found: list[_Message], dialect: Dialect) -> bool:
    """Whether the headers say something: a recipient, a channel, or the marker of a message itself."""
    first = found[0]
    if dialect.openers[0] == "<|message|>":
        return True
    name = draft.index.resolve(first.recipient) if first.recipient else None
    return (
        first.recipient in _SPEAKS - {""} or (name is not None and name.kind == "known") or "<|recipient|>" in draft.raw
    )


def _read(draft: Draft, message: _Message, dialect: Dialect) -> None:
    text, body = draft.raw, message.body
    recipient = message.recipient
    if recipient in _THINKS or (not recipient and message.channel in _THINKS):
        draft.think(text[body.start : body.end])
        return
    if recipient in _SPEAKS:
        shown = strip_end_tokens(text[body.start : body.end]).strip()
        if shown:
            draft.visible.append(shown)
        if message.channel in ("final", "") and shown and not draft.calls:
            draft.answer = f"{draft.answer}\n{shown}" if draft.answer else shown
            draft.truncated = draft.truncated or (draft.cut and body.end >= len(text))
        return
    _call(draft, message, dialect)


def _call(draft: Draft, message: _Message, dialect: Dialect) -> None:
    match = _FUNCTION.fullmatch(message.recipient)
    name = match[1] if match else message.recipient
    body = message.body
    cut, draft.cut = draft.cut, draft.cut and body.end >= len(draft.raw)
    draft.dialect = draft.dialect or dialect.name
    openers = find_openers(draft.raw, body.start, body.end)
    if (
        openers
        and not without_markers(draft.raw[body.start : openers[0].start]).strip()
        and openers[0].dialect.variant != "addressed"
    ):
        visible = list(draft.visible)
        if read_marked(draft, body.start, body.end, openers):
            draft.visible[:] = visible
            draft.cut = cut
            return
    packaging = PACKAGING.match(draft.raw, body.start, body.end)
    at = packaging.end() if packaging else body.start
    kind, tags = body_kind(markup(), dialect, draft.raw, at, body.end, name)
    opener = Opener(message.header.start, at, kind, dialect, name, "", tags, message.header.start)
    tool = draft.index.resolve(name)
    if not kind and at < body.end and tool.kind == "known" and draft.index[tool.name].sole_parameter is not None:
        region = Region(draft.raw, at, body.end, cut=draft.cut, delimited=not draft.cut)
        draft.call(tool, Span(message.header.start, body.end), draft.arguments(region, tool))
    elif not kind or READERS[kind](draft, Frame(opener, body.end, body.end)) is None:
        draft.problem(
            "malformed-arguments",
            f"The message to {name} holds no arguments.",
            "Write them as one JSON object.",
            Span(message.header.start, body.end),
        )
    draft.cut = cut


def _settle(draft: Draft, dialect: Dialect) -> None:
    draft.dialect = draft.dialect or dialect.name
    if not draft.calls and draft.answer is None and draft.visible and not draft.problems:
        draft.answer = "\n".join(draft.visible)
    if not draft.calls and draft.answer is None and not draft.problems:
        draft.problem("no-answer", "There is only reasoning, no action and no answer.", "Act, or give the answer.")
