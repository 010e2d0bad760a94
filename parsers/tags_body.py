"""Bodies with one tag for each argument: raw values, which end where markup can go on.

Values are text that nobody escaped, so a closing tag counts only if what follows it is markup as well: another
argument, the end of the call, another call, the end of the reply. A tag that was never closed ends at the next
argument or, at the start of a line, at the end of the call. One call may mix the forms of several families; a tag in
it that no form fits makes the call unreadable, since the argument would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from react_engine.parsers.body import Body, Frame, behind_closers, cut_off, stands_alone, unreadable
from react_engine.parsers.dialects import Tags
from react_engine.parsers.draft import Draft
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.values import Raw
from react_engine.types import Span, Tolerance

_GAP = re.compile(r"(?:\s|\\n|,)*")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_MOST_NESTED = 64
_ELEMENT = re.compile(r"<[ ]?(?P<key>[^\W\d][\w.-]{0,127})[ ]?>")
LIKE_ARGUMENT = re.compile(r"<[^\w<>/]{0,4}(?:[\w-]{1,16}:|\w{1,8}[|｜]{1,2})?(?:param|arg)[^<>]{0,160}>")
_LIKE_TAG = re.compile(r"<[^\w<>/]{0,4}[^\W\d][^<>]{0,160}>")


class _Argument(NamedTuple):
    """One argument: its key, where its value stands, whether it was closed, and what its tag says of it.

    ``mixed``: it stands in another form than those of the call.
    """

    key: str
    value: Span
    end: int
    closed: bool
    hint: str
    mixed: bool = False


def read(draft: Draft, frame: Frame) -> Body | None:
    """The call whose arguments stand in tags from the opener's body on."""
    opener, text = frame.opener, draft.raw
    tags = opener.tags
    if tags is None:
        raise AssertionError("tags without a form")
    name = draft.index.resolve(opener.name)
    own = opener.dialect.self_named
    if own and name.kind != "known" and not _inside_block(text, opener.start):
        return None
    scan = _Scan(draft, frame, tags, set(draft.index[name.name].shape.properties) if name.kind == "known" else set())
    arguments = list(scan.arguments(opener.body))
    position = arguments[-1].end
    lost = scan.lost_from(position)
    after = behind_closers(text, position if lost is None else lost, frame.end)
    span = Span(opener.start, after)
    ended = after > position or not draft.cut
    if not all(argument.closed for argument in arguments) or not ended:
        if own and name.kind != "known":
            return None
        return (
            cut_off(draft, opener.start, frame.end)
            if after >= frame.end
            else unreadable(draft, "an argument is not closed", opener.start, after)
        )
    if lost is not None:
        return unreadable(draft, "a tag in it belongs to no argument", opener.start, after)
    if own and not stands_alone(draft, frame, after):
        return None
    draft.call_from(
        CallIntent(opener.name, _values(text, arguments, opener.dialect.tags or tags, tags), opener.id),
        span, marked=True, extra=tuple(scan.tolerances.values()),
    )  # fmt: skip
    return Body(after)


def _inside_block(text: str, start: int) -> bool:
    """Whether a marker of a block of calls stands directly before."""
    before = text[max(0, start - 60) : start].rstrip()
    return before.endswith(">") and before.rfind("<") != -1 and "call" in before[before.rfind("<") :].lower()


class _Scan:
    """Finds where the values of one call end."""

    def __init__(self, draft: Draft, frame: Frame, tags: Tags, known: set[str]) -> None:
        self.text, self.end = draft.raw, frame.end
        self.tags, self.known = tags, known
        self.closers = frame.opener.dialect.literal_closers
        self.structure = markup().structure(tags)
        self.damaged = False
        self.swallowed: set[str] = set()
        self.closings: dict[str, int] = {}
        self.nesting = not draft.unnested
        self.draft = draft
        self.is_message = frame.opener.dialect.frame == "messages" and not draft.cut  # its end closes what is open
        self.seen: set[str] = set()
        self.tolerances: dict[str, Tolerance] = {}

    def arguments(self, position: int) -> Iterator[_Argument]:
        """The arguments from ``position`` on, in order."""
        position, ended = yield from self._plain(position)
        own = self.tags
        while not ended and not self.damaged and (found := self._next(position)) is not None:
            opening, tags = found
            key, start = opening["key"].strip(), opening.end()
            self.tags, self.structure = tags, markup().structure(tags)
            value_end, position, closed = self._value(start)
            self._look_into(start, value_end, closed=position > value_end)
            self.tags, self.structure = own, markup().structure(own)
            if key in self.seen:
                self._note("duplicate-key", opening.start(), start, lossy=True)
            self.seen.add(key)
            yield _Argument(key, Span(start, value_end), position, closed, _hint(opening), tags is not own)

    def lost_from(self, position: int) -> int | None:
        """Where the call goes on if a tag in it was not read as an argument, which would be lost; None if none was."""
        if self.damaged or self.swallowed - self.seen:
            return position
        at = self._skip(position)
        if at >= self.end:
            return None
        following = self.structure.search(self.text, at, self.end)
        closed = following is not None and following.lastgroup in ("close", "end")
        stop = following.start() if following is not None else self.end
        tag = _LIKE_TAG.search(self.text, at, stop) if closed else LIKE_ARGUMENT.match(self.text, at, self.end)
        if tag is None:
            return None
        return max(stop, tag.end())

    def _plain(self, position: int) -> Generator[_Argument, None, tuple[int, bool]]:
        """The arguments whose values hold nothing that could be markup, as far as they follow each other.

        Returns where to go on, and whether the call ends there.
        """
        pattern, words = self.tags.plain, markup().words
        found = pattern.match(self.text, position, self.end)
        while found is not None:
            key, value, after = found["key"].strip(), Span(*found.span("plain_value")), found.end()
            following = pattern.match(self.text, after, self.end)
            ended = following is None and self._closes(after)
            if key in self.seen or words.search(self.text, *value) is not None:
                break
            if following is None and not ended and not self._fits(after):
                break
            self.seen.add(key)
            yield _Argument(key, value, after, True, _hint(found))
            if ended:
                return after, True
            position, found = after, following
        return position, False

    def _closes(self, position: int) -> bool:
        """Whether nothing but the marker that ends a call can follow."""
        at = self._skip(position)
        if self.tags.opener.match(self.text, at, self.end) or self.tags.closer.match(self.text, at, self.end):
            return False
        return markup().closer.match(self.text, at, self.end) is not None

    def _next(self, position: int) -> tuple[re.Match[str], Tags] | None:
        """The next argument, behind blanks, and its form; text between two arguments is left out and reported."""
        at = self._skip(position)
        opening = self.tags.opener.match(self.text, at, self.end)
        if opening is not None:
            return opening, self.tags
        if not self.seen:
            return None
        if (mixed := self._mixed(at)) is not None:
            return mixed
        if at >= self.end or self.structure.match(self.text, at, self.end):
            return None
        following = self.structure.search(self.text, at, self.end)
        if following is None or following.lastgroup != "open" or "\n" not in self.text[at : following.start()]:
            return None
        if _LIKE_TAG.search(self.text, at, following.start()):
            return None
        self._note("text-between-arguments", at, following.start(), lossy=True)
        opening = self.tags.opener.match(self.text, following.start(), self.end)
        return (opening, self.tags) if opening is not None else None

    def _look_into(self, start: int, end: int, *, closed: bool) -> None:
        """Note the parameters whose tags stand in a value: one that comes nowhere else may have been swallowed by it."""
        patterns = [tags.opener for tags in markup().tags if tags.open != self.tags.open and tags.open.startswith("<")]
        if not closed:
            patterns.append(_ELEMENT)
        tag = LIKE_ARGUMENT.search(self.text, start, end) if closed else _LIKE_TAG.search(self.text, start, end)
        if tag is None or (closed and self.tags.closer.search(self.text, start, end)):
            return  # nothing, or whole arguments: they are quoted
        for pattern in patterns:
            self.swallowed.update(
                found["key"].strip() for found in pattern.finditer(self.text, tag.start(), end)
                if found["key"].strip() in self.known
            )  # fmt: skip

    def _mixed(self, at: int) -> tuple[re.Match[str], Tags] | None:
        """An argument in the form of another family, or in a tag of its own name: only one that the tool has."""
        if at >= self.end or self.text[at] != "<":
            return None
        for tags in markup().tags:
            if tags.open != self.tags.open and tags.open.startswith("<"):
                opening = tags.opener.match(self.text, at, self.end)
                if opening is not None and self._is_missing(opening["key"].strip()):
                    return opening, tags
        element = _ELEMENT.match(self.text, at, self.end)
        if element is None or not self._is_missing(element["key"]):
            return None
        key = re.escape(element["key"])
        tags = Tags(rf"<[ ]?(?P<key>{key})[ ]?>", rf"</[ ]?{key}[ ]?>")
        close = self.closings.get(key, -1)
        if close < element.end():  # kept, so that each part of the text is searched once
            found = tags.closer.search(self.text, element.end(), self.end)
            close = self.closings[key] = found.end() if found else self.end + 1
        if close > self.end:
            return None
        behind = self.structure.match(self.text, self._skip(close), self.end)
        return None if behind is not None and behind.lastgroup == "close" else (element, tags)

    def _is_missing(self, key: str) -> bool:
        """Whether a known parameter has no value yet."""
        return key in self.known and key not in self.seen

    def _value(self, start: int) -> tuple[int, int, bool]:
        """(where the value ends, where to go on, whether something closed it)."""
        position, depth, first_call = start, 0, -1
        unfit: tuple[int, int] | None = None
        if self.text.startswith(_CDATA, start):
            close = self.text.find(_CDATA_END, start, self.end)
            position = close if close != -1 else start
        for token in self.structure.finditer(self.text, position, self.end):
            kind, at, after = token.lastgroup, token.start(), token.end()
            if kind == "close":
                if depth == 0 and self._fits(after):
                    return at, after, True
                if unfit is None and self._is_damaged(start, at, after):
                    self.damaged = True
                    return at, after, True
                unfit = unfit or (at, after)
            elif kind == "open":
                if depth:
                    continue
                if unfit is not None:
                    break
                if self._begins_line(at) or (token["key"].strip() in self.known - self.seen):
                    self._note("missing-closer", at, at)
                    return at, at, True
            elif kind == "end":
                if depth:
                    depth -= 1
                elif unfit is not None and not self._begins_line(at):
                    continue
                elif self._ends_call(at, after):
                    if unfit is not None:
                        break
                    self._note("missing-closer", at, at)
                    return at, at, True
            elif self._begins_line(at) and unfit is None:
                if not self.nesting:
                    self._note("missing-closer", at, at)
                    return at, at, True
                first_call = at if first_call == -1 else first_call
                depth += 1
                if depth > _MOST_NESTED:
                    break
        if unfit is not None:
            self._note("text-between-arguments", unfit[1], unfit[1], lossy=True)
            return unfit[0], unfit[1], True
        if first_call != -1:  # what looked like a call in a value was the next call
            self.draft.unnested, self.nesting = True, False
            self._note("missing-closer", first_call, first_call)
            return first_call, first_call, True
        if self.is_message:
            self._note("missing-closer", self.end, self.end, lossy=True)
        return self.end, self.end, self.is_message

    def _fits(self, position: int) -> bool:
        """Whether markup or the end follows."""
        at = self._skip(position)
        if at >= self.end:
            return True
        following = self.structure.match(self.text, at, self.end)
        if following is None:
            return self._mixed(at) is not None
        if following.lastgroup != "close" or at > position:
            return True
        return self.text.startswith(self.closers, at)  # the pattern that ends a value may match what ends a call, too

    def _is_damaged(self, start: int, at: int, after: int) -> bool:
        """Whether the tag behind a closer is that of an argument, but none that can be read, and not part of a quotation."""
        following = LIKE_ARGUMENT.match(self.text, self._skip(after), self.end)
        return following is not None and LIKE_ARGUMENT.search(self.text, start, at) is None

    def _ends_call(self, start: int, after: int) -> bool:
        """Whether the end marker at ``start`` ends the call although the value before it is open."""
        at = self._skip(after)
        if at >= self.end:
            return True
        following = self.structure.match(self.text, at, self.end)
        if following is not None:
            return following.lastgroup in ("end", "call")
        if not self._begins_line(start):
            return False
        further = self.structure.search(self.text, at, self.end)
        return further is None or further.lastgroup in ("call", "end", "open")

    def _skip(self, position: int) -> int:
        match = _GAP.match(self.text, position, self.end)
        return match.end() if match else position

    def _begins_line(self, position: int) -> bool:
        before = self.text[max(0, position - 40) : position].rstrip(" \t")
        return not before or before[-1] in "\n" or before.endswith("\\n")

    def _note(self, name: str, start: int, end: int, *, lossy: bool = False) -> None:
        self.tolerances.setdefault(name, Tolerance(name, Span(start, end), lossy))


def _hint(opening: re.Match[str]) -> str:
    """What the tag says of its value."""
    groups = opening.re.groupindex
    hint = (opening["string"] if "string" in groups else "") or (opening["type"] if "type" in groups else "") or ""
    return {"true": "string", "false": "json"}.get(hint, hint)


def _values(text: str, arguments: list[_Argument], own: Tags, written: Tags) -> dict[str, Any]:
    """The raw values by key; line breaks that belong to the markup are taken off."""
    lines = own.lines if own.close == written.close else written.lines
    pieces = [text[argument.value.start : argument.value.end] for argument in arguments]
    alike = [piece for argument, piece in zip(arguments, pieces, strict=True) if not argument.mixed]
    if lines == "auto" or (lines == "always" and len(alike) > 1):
        stripped = all(piece.startswith(("\n", "\r\n")) or not piece for piece in alike)
    else:
        stripped = lines == "always"
    values: dict[str, Any] = {}
    for argument, piece in zip(arguments, pieces, strict=True):
        if argument.key in values and own.first:
            continue
        on_line = piece.startswith(("\n", "\r\n")) if argument.mixed else stripped
        value = _on_line(piece) if on_line else piece
        if not on_line and argument.end == argument.value.end:  # without its closer it ends before the break
            value = _before_break(value)
        if value.startswith(_CDATA) and value.rstrip().endswith(_CDATA_END):
            values[argument.key] = Raw(value[len(_CDATA) : value.rindex(_CDATA_END)], "string")
        else:
            values[argument.key] = Raw(value, argument.hint or ("decode" if own.json else ""))
    return values


def _on_line(piece: str) -> str:
    """A value without the line break before and behind it."""
    piece = piece.removeprefix("\r\n").removeprefix("\n") if piece[:1] in "\r\n" else piece
    return _before_break(piece)


def _before_break(piece: str) -> str:
    return piece.removesuffix("\n").removesuffix("\r") if piece.endswith("\n") else piece
