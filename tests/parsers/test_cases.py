"""The reader against its cases, and what must hold for every reply: spans, streaming, cutting short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

import react_engine
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.stream import Reader, Shown
from react_engine.types import Reading
from tests.parsers.case_files import Case, load_cases

CASES = load_cases()
CALLING = [case for case in CASES if case.calls]
OFFSETS_PER_TEXT = 12  # of two pieces
CUTS_PER_TEXT = 100

# A closer that was never opened makes thought of all before it, so a cut before it reads another text.
CLOSER = re.compile(r"</(?:think|thinking)>|\[/THINK\]|<\|END_THINKING\|>|<\|inner_suffix\|>")

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
every_calling_case = pytest.mark.parametrize("case", CALLING, ids=lambda case: case.id)


@cache
def _index(names: tuple[str, ...]) -> ToolIndex:
    tools = {tool["name"]: tool for case in CASES for tool in case.tools}
    return ToolIndex([tools[name] for name in names])


def index_of(case: Case) -> Any:
    """The tools of a case, prepared once for all cases that share them."""
    return _index(tuple(tool["name"] for tool in case.tools))


def read(case: Case, text: str | None = None, finish_reason: str | None = None) -> Reading:
    """The reading of a case, or of another text with the tools of the case."""
    whole = case.text if text is None else text
    return react_engine.read(whole, index_of(case), finish_reason=finish_reason or case.finish_reason)


def alike(left: object, right: object) -> bool:
    """Whether two JSON values are the same: 1 is 1.0, true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(alike(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(alike(*pair) for pair in zip(left, right, strict=True))
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right


def calls_of(reading: Reading) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of every call, in order."""
    return [(call.name, call.arguments) for call in reading.calls]


def same_calls(left: Iterable[tuple[str, Any]], right: Iterable[tuple[str, Any]]) -> bool:
    """Whether two lists of calls are equal in order, names and arguments."""
    return alike([[name, arguments] for name, arguments in left], [[name, arguments] for name, arguments in right])


def folded(text: str) -> str:
    """The text without blanks."""
    return re.sub(r"\s+", "", text)


def picked(offsets: range, most: int) -> Iterator[int]:
    """All offsets, or evenly spread ones where there are too many."""
    return iter(offsets[:: max(1, -(-len(offsets) // most))])


@every_case
def test_reply_is_read_as_its_case_says(case: Case) -> None:
    reading = read(case)
    told = f"{case.note}\n{case.text}\n-> {reading}"
    assert same_calls(calls_of(reading), case.calls), f"calls differ: {told}"
    if case.final is not None:
        assert (reading.answer or "").strip() == case.final.strip(), f"answer differs: {told}"
    if case.error is not None:
        assert reading.answer is None, f"an answer where an error belongs: {told}"
        assert reading.problems, f"no problem reported: {told}"


@every_case
def test_every_span_lies_within_the_text(case: Case) -> None:
    reading = read(case)
    spans = [call.span for call in reading.calls]
    spans += [tolerance.span for call in reading.calls for tolerance in call.tolerances]
    spans += [tolerance.span for tolerance in reading.tolerances]
    spans += [problem.span for problem in reading.problems]
    spans.append(reading.invented)
    for span in filter(None, spans):
        assert 0 <= span.start <= span.end <= len(case.text), span
    for call in reading.calls:
        assert call.span is not None
        assert call.raw == case.text[call.span.start : call.span.end]


def fed(case: Case, pieces: Iterable[str]) -> tuple[Reading, dict[str, str]]:
    """The reading of the pieces and what was shown meanwhile, by kind."""
    reader = Reader(index_of(case))
    shown: dict[str, str] = {"thought": "", "text": "", "answer": ""}
    for piece in pieces:
        for item in reader.feed(piece):
            if isinstance(item, Shown):
                shown[item.kind] += item.text
    return reader.close(case.finish_reason), shown


def check_shown(case: Case, reading: Reading, shown: dict[str, str]) -> None:
    """What was shown early is part of what was read in the end, and no part of a call."""
    assert (reading.answer or "").startswith(shown["answer"]), f"shown {shown['answer']!r}, read {reading.answer!r}"
    if not CLOSER.search(case.text):
        assert folded(shown["thought"]) in folded(reading.reasoning or "")
    for call in reading.calls:
        assert not call.raw or call.raw not in shown["answer"] + shown["text"]


@every_case
def test_any_split_into_two_pieces_gives_the_same_reading(case: Case) -> None:
    whole = read(case)
    for offset in picked(range(len(case.text) + 1), OFFSETS_PER_TEXT):
        reading, shown = fed(case, (case.text[:offset], case.text[offset:]))
        assert reading == whole, offset
        check_shown(case, reading, shown)


@every_case
def test_one_piece_and_single_characters_give_the_same_reading(case: Case) -> None:
    whole = read(case)
    for pieces in ([case.text], list(case.text)):
        reading, shown = fed(case, pieces)
        assert reading == whole
        check_shown(case, reading, shown)


@every_calling_case
def test_cutting_a_reply_short_never_makes_another_call(case: Case) -> None:
    whole = calls_of(read(case))
    closers = [match.end() for match in CLOSER.finditer(case.text)]
    for offset in picked(range(closers[-1] if closers else 0, len(case.text)), CUTS_PER_TEXT):
        for call in calls_of(read(case, case.text[:offset], "length")):
            assert any(same_calls([call], [other]) for other in whole), f"cut at {offset}: {call}"


def test_a_very_long_line_is_read_like_a_short_one() -> None:
    filler = "flour, water and salt; " * 4000
    case = next(case for case in CASES if case.id == "label-case-lower")
    step = f'Thought: {filler}\nAction: find_book\nAction Input: {{"title": "{filler}"}}'
    assert calls_of(read(case, step)) == [("find_book", {"title": filler})]
    assert read(case, step).reasoning == filler.strip()
    assert read(case, filler).answer == filler.strip()


def test_cases_hold_a_fair_share_of_replies_without_a_call() -> None:
    assert len(CASES) - len(CALLING) >= 0.35 * len(CASES)
