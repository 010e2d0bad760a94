"""``read``: one reply in, one ``Reading`` out, whatever the model wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from msgspec import structs

from react_engine.labels import Field
from react_engine.parsers import bare, fields, lines, marked, python_text, tool_tags
from react_engine.parsers.clean import Reply, read_answer, read_clean
from react_engine.parsers.control import NEXT_TURN, content_end, content_start, find_end_token
from react_engine.parsers.dialects import Dialect, beside, dialect_named, dialect_of, frame_of, is_known
from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import STEP_FENCES, Fence, fenced_body, find_fences
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labelled import read_labelled, read_step_fence
from react_engine.parsers.labels import find_labels
from react_engine.parsers.literals import skip_blanks
from react_engine.parsers.messages import read_channel_words, read_messages
from react_engine.parsers.plain import plain_text
from react_engine.parsers.quotations import Quotations
from react_engine.parsers.react import read_react
from react_engine.parsers.reasoning import MARKERS, Reasoning, find_reasoning, leading_channel_end
from react_engine.parsers.strictness import checked_strictness, only_trained_form, with_guesses
from react_engine.types import Reading, Span

_CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"})

_NOTHING_HIDDEN = Quotations()
_LEAD = re.compile(
    r"\s*+(?:<\|python_(?:tag|start)\|>|<assistant>|(?:assistant|ai)\s{0,2}[:：](?=\s*+[{\[]))?+\s*+"
    r"(?:content=(?:''|\"\"|None)\s++)?+(?:(?:tool|function)_calls?\s{0,2}[:=](?=\s*+[{\[]))?+",
    re.IGNORECASE,
)
"""What may stand before a step in JSON that is the whole reply: a marker, the speaker, the name of a field."""
_KNOWN_REASONING = frozenset(MARKERS)


def read(
    text: str,
    tools: Iterable[Any] | ToolIndex = (),
    dialect: str | Dialect = "auto",
    strictness: str = "tolerant",
    *,
    finish_reason: str | None = None,
    reasoning: Sequence[tuple[str, str]] = MARKERS,
    calls_in_reasoning: bool = False,
) -> Reading:
    """Read a reply.

    ``tools`` are mappings with ``name``, ``description`` and ``parameters`` (JSON Schema), ``Tool`` objects, a
    ``Registry``, or a ``ToolIndex`` made once. ``dialect`` is a hint, the name of a dialect or one of your own;
    ``"auto"`` needs none. ``strictness`` is ``"strict"`` (only calls in the trained form, that of ``dialect`` if it is
    given), ``"tolerant"``, or ``"lenient"`` (what cannot be read is repaired by guessing, and marked as lossy).
    ``finish_reason`` is the server's word for why the reply ended: a reply that was cut is never completed by guessing.
    ``calls_in_reasoning``: calls there are meant, and count before those outside.
    Never raises for what a model wrote; raises ConfigurationError for an unknown dialect or strictness, or a broken tool.
    """
    index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
    cut = finish_reason is not None and was_cut(finish_reason)
    if dialect == "auto" and strictness == "tolerant":
        return _read(text, index, "", cut, reasoning, calls_in_reasoning)
    record = None if dialect == "auto" else dialect if isinstance(dialect, Dialect) else dialect_named(dialect)
    level = strictness if strictness == "tolerant" else checked_strictness(strictness)
    if record is None:
        reading = found = _read(text, index, "", cut, reasoning, calls_in_reasoning)
    else:
        if new := tuple(pair for pair in record.reasoning if pair not in reasoning and "*" not in pair[0]):
            reasoning = (*reasoning, *new)
        with nullcontext() if is_known(record) else beside(record):
            reading = found = _read(text, index, record.name, cut, reasoning, calls_in_reasoning)
            if level == "strict":
                found = _read(text, index, "", cut, reasoning, calls_in_reasoning)
    if level == "strict":
        return only_trained_form(reading, found, record)
    return with_guesses(reading, text, index) if level == "lenient" and not cut else reading


def _read(
    text: str, index: ToolIndex, name: str, cut: bool, reasoning: Sequence[tuple[str, str]], calls_in_reasoning: bool
) -> Reading:
    if not cut and not calls_in_reasoning and (reasoning is MARKERS or _KNOWN_REASONING.issuperset(reasoning)):
        clean = read_answer(text, name) or read_clean(Reply(text, index, name))
        if clean is not None:
            return clean
    if calls_in_reasoning:
        found = _Reply(text, index, name, cut, reasoning, in_reasoning=True).read()
        if found.calls:
            shown, inner = plain_text(found.text, reasoning)
            behind, thought = plain_text(found.reasoning or "", reasoning)
            thoughts = [part for part in (thought, behind, inner) if part]
            return structs.replace(found, text=shown, reasoning="\n".join(thoughts) or None)
    return _Reply(text, index, name, cut, reasoning).read()


def was_cut(finish_reason: str | None) -> bool:
    """Whether a server's word for why the reply ended says that a limit stopped the model."""
    return (finish_reason or "").lower() in _CUT_REASONS


class _Reply:
    """One reply on its way to a reading: what is reasoning, what is fenced, and who reads the rest."""

    def __init__(
        self,
        text: str,
        index: ToolIndex,
        dialect: str,
        cut: bool,
        markers: Sequence[tuple[str, str]],
        in_reasoning: bool = False,
    ) -> None:
        self.text = text
        self.index = index
        self.told = dialect
        self.draft = Draft(text, index, dialect, cut)
        self.markers = markers
        self.in_reasoning = in_reasoning
        self.fences: list[Fence] = []
        self.hidden = _NOTHING_HIDDEN

    def read(self) -> Reading:
        draft, text = self.draft, self.text
        start = content_start(text)
        end = max(start, content_end(text))
        if read_messages(draft, start, end, self.told) or read_channel_words(draft, start, end):
            return draft.finish()
        end = self._end_of_turn(leading_channel_end(text, start, end), end)
        thinking = find_reasoning(text, start, end, self.markers) if not self.in_reasoning else Reasoning()
        for body in thinking.bodies:
            draft.think(text[body.start : body.end])
        if thinking.blocks and not text[start : thinking.blocks[0].start].strip():
            start = content_start(text, thinking.blocks[0].end)
            if read_messages(draft, start, end, self.told):
                return draft.finish()
        if thinking.blocks and thinking.blocks[-1].end == end > start:
            end = max(start, thinking.blocks[-1].start)
        if thinking.open_at is not None:
            return self._unclosed(thinking, start, end)
        self._content(start, end, thinking)
        return draft.finish()

    def _end_of_turn(self, start: int, end: int) -> int:
        """The reply ends where another turn begins: what follows was made up."""
        token = find_end_token(self.text, start, end)
        turn_end: int | None = None
        while token is not None:
            position = skip_blanks(self.text, token.end(), end)
            turn_end = token.start() if turn_end is None else turn_end
            if position >= end:
                return turn_end
            if NEXT_TURN.match(self.text, position, end):
                self.draft.invented = Span(token.end(), len(self.text))
                return turn_end
            following = find_end_token(self.text, position, end)
            if following is not None and following.start() > position:
                turn_end = None
            token = following
        return end

    def _unclosed(self, thinking: Reasoning, start: int, end: int) -> Reading:
        """Thinking that never closes: only complete calls behind it count, and what precedes them is thought."""
        draft, opened = self.draft, thinking.open_at
        if opened is None:
            raise AssertionError("called without an open block")
        before = self.text[start : opened.start].strip()
        if before and self._decided_before(start, opened, thinking):
            return self.draft.finish()
        probe = draft.probe()
        openers = marked.find_openers(self.text, opened.end, end, self.hidden, self.told)
        if openers:
            marked.read_marked(probe, openers[0].start, end, openers)
            call_start = openers[0].start
        else:
            labels = [label for label in find_labels(self.text, opened.end, end) if label.field is Field.ACTION]
            call_start = labels[-1].start if labels else end
            if labels:
                inner = list(find_labels(self.text, call_start, end))
                read_react(probe, call_start, end, inner)
        if probe.calls and not probe.problems and self._ends_in_calls(probe, end):
            draft.think(marked.without_markers(self.text[opened.end : call_start]))
            draft.calls, draft.tolerances = probe.calls, draft.tolerances + probe.tolerances
            draft.invented, draft.dialect = probe.invented, probe.dialect
            draft.note("unclosed-reasoning", opened, lossy=True)
            draft.visible = [before] if before else []
            return draft.finish()
        draft.think(self.text[opened.end : end])
        if before:
            self._content(start, opened.start, thinking)
        elif draft.cut:
            draft.problem("truncated", "The reply was cut off while thinking.", "Think less and act.", opened)
        else:
            draft.problem(
                "no-answer", "The reasoning never ends; there is no answer outside it.", "Close it, then act.", opened
            )
        return draft.finish()

    def _ends_in_calls(self, probe: Draft, end: int) -> bool:
        """Whether nothing but packaging follows the last call: a doubt behind it takes it back."""
        last = probe.calls[-1].span
        stop = probe.invented.start if probe.invented is not None else end
        return last is None or not marked.without_markers(self.text[last.end : stop]).strip(" \n`}]*")

    def _decided_before(self, start: int, opened: Span, thinking: Reasoning) -> bool:
        """Whether a labelled answer or a call stands before the open block: the first that is complete decides."""
        probe = _Reply(self.text, self.index, self.draft.dialect, False, self.markers, self.in_reasoning)
        probe.draft.thoughts = list(self.draft.thoughts)
        probe._content(start, opened.start, thinking)
        decided = bool(probe.draft.calls) or (
            probe.draft.answer is not None and frame_of(probe.draft.dialect) == "labels"
        )
        if decided:
            probe.draft.think(self.text[opened.end :])
            probe.draft.cut = self.draft.cut
            self.draft = probe.draft
        return decided

    def _content(self, start: int, end: int, thinking: Reasoning) -> None:
        """What the reply says outside reasoning: the first form that fits reads it, else it is the answer."""
        text, draft = self.text, self.draft
        self.fences = find_fences(text, start, end) if "```" in text or "~~~" in text else []
        first, last = _stripped_start(text, start, end), _stripped_end(text, start, end)
        if last - first > 2 and text[first] == "`" == text[last - 1] and "`" not in text[first + 1 : last - 1]:
            start, end = first + 1, last - 1  # the whole reply as inline code
        thought = [(block.start, block.end) for block in thinking.blocks]
        whole = fenced_body(text, first, last)
        if thought:
            self.hidden = Quotations(thought)
            if whole is not None and not text[whole.start : thought[0][0]].strip():
                whole = whole._replace(start=max(whole.start, min(whole.end, thought[0][1])))
        if self._whole(start, end, whole):
            return
        if hidden := [(fence.outer_start, fence.outer_end) for fence in self.fences if fence.closed or draft.cut]:
            self.hidden = Quotations([*hidden, *thought])
        if lines.read_lines(draft, start, end, self.told) or python_text.read_whole(draft, start, end):
            return
        asked = bare.answers_the_tool_question(text, start, end) and not self._acts(start, end)
        if not asked and (self._among_text(start, end) or self._only_a_broken_call(first, last)):
            return
        bare.read_text(draft, start, end, thinking.blocks)

    def _whole(self, start: int, end: int, fence: Fence | None) -> bool:
        """Whether all of it is one step: in a fence, or as an object."""
        draft = self.draft
        if fence is not None and draft.cut and not fence.closed and bare.read_object(draft, fence.start, fence.end):
            return True
        if fence is None or fence.end <= fence.start or (draft.cut and not fence.closed):
            if bare.read_nothing_to_call(draft, start, end):
                return True
            return self._object(start, end) and self._named("json")
        found, self.fences = self.fences, [one for one in self.fences if one.outer_start > fence.outer_start]
        if bare.read_object(draft, fence.start, fence.end):
            return True
        if self._is_step_fence(fence) and (
            read_labelled(draft, fence.start, fence.end, self.hidden) or self._marked(fence.start, fence.end)
        ):
            return True
        self.fences = found
        return False

    def _among_text(self, start: int, end: int) -> bool:
        """Whether calls or a step stand in the text, in one of the forms that text may surround."""
        draft, hidden, fenced = self.draft, self.hidden, dialect_of("object", "fenced")
        if (
            read_labelled(draft, start, end, hidden)
            or self._marked(start, end)
            or fields.read_fields(draft, start, end)
        ):
            return True
        if (result := marked.find_result(self.text, start, end)) is not None:
            end = result  # what the model writes as a result is no call
        fences = [fence for fence in self.fences if fence.outer_start < end]
        return (
            (bare.read_fences(draft, start, end, fences) and self._named(fenced))
            or read_step_fence(draft, start, end, fences)
            or python_text.read_code_fences(draft, start, end, fences)
            or python_text.read_lists(draft, start, end, hidden)
            or tool_tags.read_tool_tags(draft, start, end, hidden)
            or (bare.read_last_object(draft, start, end, fences) and self._named(fenced))
        )

    def _named(self, dialect: str) -> bool:
        """Say what the form is called, if no dialect was told."""
        self.draft.dialect = self.draft.dialect or dialect
        return True

    def _only_a_broken_call(self, first: int, last: int) -> bool:
        """Whether nothing but an empty or unfinished call is there; then that is the problem."""
        text, draft = self.text, self.draft
        shown = any(fence.closed and fence.outer_start == first and fence.outer_end < last for fence in self.fences)
        if shown or not (marked.is_empty_block(text, first, last) or marked.begins_unfinished(text, first, last)):
            return False
        code, message = (
            ("truncated", "The call was cut off.")
            if draft.cut
            else ("malformed-call", "The marked call holds no tool name with arguments.")
        )
        draft.problem(code, message, "Write the whole call.", Span(first, last))
        return True

    def _object(self, start: int, end: int) -> bool:
        """Whether the whole is a step in JSON, a result that the model wrote behind it aside."""
        lead = _LEAD.match(self.text, start, end)
        start = lead.end() if lead else start
        if bare.read_object(self.draft, start, end, is_reply=True):
            return True
        result = marked.find_result(self.text, start, end)
        if result is None or not self.text[start:result].strip() or not bare.read_object(self.draft, start, result):
            return False
        self.draft.invented = Span(result, len(self.text))
        return True

    def _acts(self, start: int, end: int) -> bool:
        return any(label.field is Field.ACTION for label in find_labels(self.text, start, end))

    def _is_step_fence(self, fence: Fence) -> bool:
        """Whether a fence around the whole reply can hold a step: source code that quotes one cannot."""
        if fence.language in STEP_FENCES:
            return True
        labels = find_labels(self.text, fence.start, fence.end)
        return bool(labels) and not self.text[fence.start : labels[0].start].strip()

    def _marked(self, start: int, end: int) -> bool:
        openers = marked.find_openers(self.text, start, end, self.hidden, self.told)
        return bool(openers) and marked.read_marked(self.draft, start, end, openers)


def _stripped_start(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _stripped_end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
