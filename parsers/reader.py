"""``read``: one reply in, one ``Reading`` out, whatever the model wrote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from react_engine.labels import Field
from react_engine.parsers import bare, marked
from react_engine.parsers.control import NEXT_TURN, content_start, find_end_token, strip_end_tokens
from react_engine.parsers.dialects import dialect_named
from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import Fence, fenced_body, find_fences
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import Label, find_labels, step_labels
from react_engine.parsers.names import head_of
from react_engine.parsers.react import read_react
from react_engine.parsers.reasoning import MARKERS, Reasoning, find_reasoning
from react_engine.types import Reading, Span

CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"})
"""Values of ``finish_reason`` that say: a limit stopped the model."""

_STRONG_THOUGHTS = frozenset({"thinking", "reasoning", "reflection"})  # these words head ordinary paragraphs, too


def read(
    text: str,
    tools: Iterable[Any] | ToolIndex = (),
    dialect: str = "auto",
    *,
    finish_reason: str | None = None,
    reasoning: Sequence[tuple[str, str]] = MARKERS,
    calls_in_reasoning: bool = False,
) -> Reading:
    """Read a reply.

    ``tools`` are mappings with ``name``, ``description`` and ``parameters`` (JSON Schema), ``Tool`` objects, a
    ``Registry``, or a ``ToolIndex`` made once. ``dialect`` is a hint; ``"auto"`` needs none. ``finish_reason``
    is the server's word for why the reply ended: a reply that was cut is never completed by guessing.
    Never raises for what a model wrote; raises ConfigurationError for an unknown dialect or a broken tool.
    """
    index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
    name = "" if dialect == "auto" else dialect_named(dialect).name
    cut = (finish_reason or "").lower() in CUT_REASONS
    return _Reply(text, index, name, cut, reasoning, calls_in_reasoning).read()


def plain_text(text: str, reasoning: Sequence[tuple[str, str]] = MARKERS) -> tuple[str, str | None]:
    """(what is visible outside reasoning, the reasoning or None), with no look at calls or labels."""
    start, end = content_start(text), len(text)
    thinking = find_reasoning(text, start, end, reasoning)
    blocks, bodies = list(thinking.blocks), list(thinking.bodies)
    if thinking.open_at is not None:
        blocks.append(Span(thinking.open_at.start, end))
        bodies.append(Span(thinking.open_at.end, end))
    visible, position = [], start
    for block in blocks:
        visible.append(text[position : block.start])
        position = block.end
    visible.append(text[position:end])
    thoughts = [text[body.start : body.end].strip() for body in bodies]
    shown = "\n".join(part for piece in visible if (part := strip_end_tokens(piece).strip()))
    return shown, "\n".join(thought for thought in thoughts if thought) or None


class _Reply:
    """One reply on its way to a reading: what is reasoning, what is fenced, and who reads the rest."""

    def __init__(
        self,
        text: str,
        index: ToolIndex,
        dialect: str,
        cut: bool,
        markers: Sequence[tuple[str, str]],
        in_reasoning: bool,
    ) -> None:
        self.text = text
        self.index = index
        self.draft = Draft(text, index, dialect, cut)
        self.markers = markers
        self.in_reasoning = in_reasoning
        self.fences: list[Fence] = []
        self.hidden_starts: list[int] = []
        self.hidden_ends: list[int] = []

    def read(self) -> Reading:
        draft, text = self.draft, self.text
        start, end = content_start(text), len(text)
        end = self._end_of_turn(start, end)
        thinking = find_reasoning(text, start, end, self.markers) if not self.in_reasoning else Reasoning()
        for body in thinking.bodies:
            draft.think(text[body.start : body.end])
        if thinking.blocks and not text[start : thinking.blocks[0].start].strip():
            start = thinking.blocks[0].end
        if thinking.blocks and thinking.blocks[-1].end == end > start:
            end = max(start, thinking.blocks[-1].start)
        if thinking.open_at is not None:
            return self._unclosed(thinking, start, end)
        self._content(start, end, thinking)
        return draft.finish()

    def _end_of_turn(self, start: int, end: int) -> int:
        """The reply ends where another turn begins: what follows was made up."""
        token = find_end_token(self.text, start, end)
        while token is not None:
            behind = self.text[token.end() : end].lstrip()
            if not behind:
                return token.start()
            if NEXT_TURN.match(behind):
                self.draft.invented = Span(token.end(), len(self.text))
                return token.start()
            token = find_end_token(self.text, token.end(), end)
        return end

    def _unclosed(self, thinking: Reasoning, start: int, end: int) -> Reading:
        """Thinking that never closes: only complete calls behind it count, and what precedes them is thought."""
        draft, opened = self.draft, thinking.open_at
        if opened is None:
            raise AssertionError("called without an open block")
        before = self.text[start : opened.start].strip()
        if before and self._decided_before(start, opened, thinking):
            return self.draft.finish()
        probe = Draft(self.text, self.index, draft.dialect, draft.cut)
        openers = marked.find_openers(self.text, opened.end, end, self._hidden)
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
            draft.think(self.text[opened.end : call_start])
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
        return last is None or not marked.without_closers(self.text[last.end : stop]).strip(" \n`}]*")

    def _decided_before(self, start: int, opened: Span, thinking: Reasoning) -> bool:
        """Whether a labelled answer or a call stands before the open block: the first that is complete decides."""
        probe = _Reply(self.text, self.index, self.draft.dialect, False, self.markers, self.in_reasoning)
        probe.draft.thoughts = list(self.draft.thoughts)
        probe._content(start, opened.start, thinking)
        decided = bool(probe.draft.calls) or (
            probe.draft.answer is not None and probe.draft.dialect.startswith("react")
        )
        if decided:
            probe.draft.think(self.text[opened.end :])
            probe.draft.cut = self.draft.cut
            self.draft = probe.draft
        return decided

    def _content(self, start: int, end: int, thinking: Reasoning) -> None:
        text, draft = self.text, self.draft
        self.fences = find_fences(text, start, end) if "```" in text or "~~~" in text else []
        first, last = _stripped_start(text, start, end), _stripped_end(text, start, end)
        if last - first > 2 and text[first] == "`" == text[last - 1] and "`" not in text[first + 1 : last - 1]:
            start, end = first + 1, last - 1  # the whole reply as inline code
        whole = fenced_body(text, first, last)
        if whole is not None and whole.end > whole.start and (whole.closed or not draft.cut):
            self.fences = [fence for fence in self.fences if fence.outer_start > whole.outer_start]
            if bare.read_object(draft, whole.start, whole.end):
                return
            if self._is_step_fence(whole) and (
                self._labelled(whole.start, whole.end) or self._marked(whole.start, whole.end)
            ):
                return
            self.fences = find_fences(text, start, end)
        elif self._object(start, end):
            draft.dialect = draft.dialect or "json"
            return
        self._hide(thinking)
        if bare.answers_the_tool_question(text, start, end) and not self._acts(start, end):
            bare.read_text(draft, start, end, thinking.blocks)
            return
        if self._labelled(start, end) or self._marked(start, end):
            return
        if bare.read_fences(draft, start, end, self.fences) or bare.read_last_object(draft, start, end):
            draft.dialect = draft.dialect or "json_fenced"
            return
        if marked.is_empty_block(text, first, last):
            draft.problem(
                "malformed-call",
                "The marked call holds no tool name with arguments.",
                "Write it as JSON.",
                Span(first, last),
            )
            return
        bare.read_text(draft, start, end, thinking.blocks)

    def _object(self, start: int, end: int) -> bool:
        """Whether the whole is a step in JSON, a result that the model wrote behind it aside."""
        start = marked.strip_python_tag(self.text, start, end)
        if bare.read_object(self.draft, start, end):
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
        if fence.language in (
            "",
            "text",
            "txt",
            "json",
            "react",
            "markdown",
            "md",
            "plaintext",
            "xml",
            "tool_call",
            "yaml",
        ):
            return True
        labels = find_labels(self.text, fence.start, fence.end)
        return bool(labels) and not self.text[fence.start : labels[0].start].strip()

    def _hide(self, thinking: Reasoning) -> None:
        """Markers and labels inside closed fences and reasoning are quotations."""
        spans = sorted(
            [(fence.outer_start, fence.outer_end) for fence in self.fences if fence.closed or self.draft.cut]
            + [(block.start, block.end) for block in thinking.blocks]
        )
        self.hidden_starts = [span[0] for span in spans]
        self.hidden_ends = [span[1] for span in spans]

    def _hidden(self, position: int) -> bool:
        number = bisect_right(self.hidden_starts, position) - 1
        return number >= 0 and position < self.hidden_ends[number]

    def _marked(self, start: int, end: int) -> bool:
        openers = marked.find_openers(self.text, start, end, self._hidden)
        if not openers:
            return False
        marked.read_marked(self.draft, start, end, openers)
        return True

    def _labelled(self, start: int, end: int) -> bool:
        labels = [label for label in find_labels(self.text, start, end) if not self._hidden(label.start)]
        labels = self._counting(step_labels(self.text, start, end, labels))
        if not labels or not self._is_react(labels, start, end):
            return False
        openers = marked.find_openers(self.text, start, end, self._hidden)
        if openers:
            deciding = [label.start for label in labels if label.field in (Field.ACTION, Field.ANSWER)]
            if not deciding or openers[0].start < deciding[0]:
                return self._thought_then_marked(start, end, labels, openers)
        self.draft.dialect = self.draft.dialect or "react"
        read_react(self.draft, start, end, labels)
        return True

    def _counting(self, labels: list[Label]) -> list[Label]:
        """Without the labels that have no colon, unless others or a tool's name show that they belong to a step."""
        strong = [label for label in labels if not label.weak]
        if len(strong) == len(labels):
            return labels
        if any(label.field in (Field.THOUGHT, Field.ACTION, Field.ANSWER) for label in strong):
            return labels
        fields = [label.field for label in labels]
        if Field.ACTION in fields and Field.INPUT in fields and self._names_a_tool(labels, len(self.text)):
            return labels
        headed = any(label.word.lower().startswith("final") for label in labels) and Field.THOUGHT in fields
        return labels if headed else strong

    def _thought_then_marked(self, start: int, end: int, labels: list[Label], openers: list[marked.Opener]) -> bool:
        first = labels[0]
        if first.field is Field.THOUGHT and first.start < openers[0].start:
            self.draft.think(self.text[first.end : openers[0].start])
            start = openers[0].start
        marked.read_marked(self.draft, start, end, openers)
        return True

    def _is_react(self, labels: list[Label], start: int, end: int) -> bool:
        """Whether the labels make a step, or are headings of ordinary text."""
        fields = {label.field for label in labels}
        thoughts = [x for x in labels if x.field is Field.THOUGHT and x.word.lower() not in _STRONG_THOUGHTS]
        if self.draft.dialect in ("react", "react_answer", "react_json", "toolllama_react"):
            return bool(fields & {Field.THOUGHT, Field.ACTION, Field.ANSWER, Field.OBSERVATION})
        if thoughts:
            return True
        if Field.ACTION in fields and (Field.INPUT in fields or self._names_a_tool(labels, start)):
            return True
        answers = [label for label in labels if label.field is Field.ANSWER]
        if Field.QUESTION in fields and len(answers) != 1:
            return False
        return len(answers) == 1 or (len(answers) > 1 and _is_final(answers[0]))

    def _names_a_tool(self, labels: list[Label], start: int) -> bool:
        for label in labels:
            if label.field is not Field.ACTION:
                continue
            line = self.text[label.end : label.end + 400].strip().split("\n", 1)[0]
            if any(word and self.index.resolve(word).kind == "known" for word in (line, head_of(line))):
                return True
            if line[:1] in "{[`" or (label.plain and not self.text[start : label.start].strip()):
                return True
        return False


def _is_final(label: Label) -> bool:
    return "final" in label.word.lower()


def _stripped_start(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _stripped_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
