"""ReAct text: Thought, Action, Action Input, Observation, Final Answer, in any decoration and language.

The labels cut the text into fields; this module decides what the fields mean. The first complete field
decides: an action before an answer is a call, after an answer nothing is one, and an observation that the
model wrote itself ends the reply.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from react_engine.labels import Field
from react_engine.parsers.action_line import read_action_line
from react_engine.parsers.arguments import ReadArguments
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import MOST_CALLS, Draft
from react_engine.parsers.fences import fenced_body
from react_engine.parsers.final_answer import BRACKETED, FINISH, as_text, unbolded
from react_engine.parsers.inline_step import read_closing_object, read_inline_step
from react_engine.parsers.labels import Label
from react_engine.parsers.literals import read_value, skip_blanks
from react_engine.parsers.marked import find_openers, read_marked
from react_engine.parsers.markup import markup
from react_engine.parsers.names import ResolvedName, fold, head_of, is_identifier
from react_engine.parsers.objects import FINAL_NAMES, NO_ACTION_NAMES
from react_engine.parsers.packed_step import ECHO, OPENERS, call_behind_answer_label, is_packed, read_packed
from react_engine.parsers.regions import Region
from react_engine.parsers.settle import without_bare
from react_engine.types import Span, Tolerance

_ANSWER_BEHIND_ACTION = re.compile(r"[*_`\"']{0,3}final[ _]?answer[*_`\"']{0,3}\s{0,4}[:：]\s*", re.IGNORECASE)
_VALUES_BEHIND = re.compile(r"\s*[(\[{（]\s*(?:[\"'{\[\d-]|[^\W\d]\w{0,60}\s{0,4}[=:])")
_TOOL_LIST = re.compile(r"\s{0,8}```\w{0,10}\s{0,8}\[\s{0,40}\{\s{0,40}\"tool_name\"")
_BRACED_NAME = re.compile(r"\{\s?[\w.\-/]{1,128}\s?\}[ \t]*(?:\n|\Z)")
_TAG = re.compile(r"<([\w.\-/]{1,128})>")
_STOP_WORD = re.compile(r"\n[ \t*_]*Observation[ *_]*[:：][ \t*_]*\s*\Z")
_WRITTEN_BREAKS = re.compile(r"(?:\\[nrt]|\s)++\Z")


class Part(NamedTuple):
    """One labelled stretch of the text: from ``start`` (behind the label) to ``end`` (before the next)."""

    label: Label
    start: int
    end: int
    last: bool


def begins_tool_list(text: str, start: int, end: int) -> bool:
    """Whether what stands behind a label is a list of calls in a fence."""
    return _TOOL_LIST.match(text, start, end) is not None


def read_react(draft: Draft, start: int, end: int, labels: list[Label]) -> None:
    """Read the labelled text in ``draft.raw[start:end]`` into ``draft``."""
    _Reading(draft, start, end, labels).run()


class _Reading:
    def __init__(self, draft: Draft, start: int, end: int, labels: list[Label]) -> None:
        self.draft, self.start, self.end = draft, start, end
        self.text = draft.raw
        ends = [label.start for label in labels[1:]] + [end]
        self.parts = [
            Part(label, label.end, part_end, last=number == len(labels) - 1)
            for number, (label, part_end) in enumerate(zip(labels, ends, strict=True))
        ]
        self.position = 0

    def run(self) -> None:
        before = strip_end_tokens(self.text[self.start : self.parts[0].label.start])
        if self._is_tool_list(self.parts[0]):
            self.draft.dialect = dialect_of("labels", "listed")
            self.draft.visible.extend(part for part in [before.strip()] if part)
        else:
            self.draft.think(before)
        while self.position < len(self.parts):
            part = self.parts[self.position]
            self.position += 1
            if self._field(part) or self.draft.is_full():
                break
        if not self.draft.calls and self.draft.answer is None and not self.draft.problems:
            self._nothing()

    def _is_tool_list(self, part: Part) -> bool:
        """Whether an action is a list of calls: then the text before it is for the user and no thought."""
        return part.label.field is Field.ACTION and begins_tool_list(self.text, part.start, part.end)

    def _field(self, part: Part) -> bool:
        """Take in one part. True ends the reading."""
        match part.label.field:
            case Field.THOUGHT:
                return self._thought(part)
            case Field.ACTION:
                return self._action(part)
            case Field.INPUT:
                self._stray_input(part)
            case Field.OBSERVATION:
                return self._observation(part)
            case Field.ANSWER:
                return self._answer(part)
            case Field.QUESTION:
                return bool(self.draft.calls)
        return False

    def _content(self, part: Part) -> str:
        return self.text[part.start : part.end]

    def _thought(self, part: Part) -> bool:
        """A thought; with no label behind it, the step may stand on its line."""
        ends = part.last or self.parts[self.position].label.field is Field.OBSERVATION
        if part.last and read_inline_step(self.draft, part.start, part.end):
            return self.draft.answer is not None
        if ends and read_closing_object(self.draft, part.start, part.end):
            return self.draft.answer is not None
        self.draft.think(strip_end_tokens(self._content(part)))
        return False

    def _observation(self, part: Part) -> bool:
        if self._content(part).strip() or not part.last:
            self.draft.invented = Span(part.label.start, len(self.text))
        return True

    def _stray_input(self, part: Part) -> None:
        """An input without an action: read only if it is a whole call by itself, or if its action follows."""
        following = self.parts[self.position : self.position + 2]
        if len(following) == 1 and following[0].label.field is Field.ACTION:
            self.position += 1
            self.draft.note("input-before-action", part.label.span)
            self._action(following[0], [part._replace(last=False)])
        elif not read_packed(self.draft, part.start, part.end):
            self.draft.problem(
                "no-action",
                "There is an Action Input without an Action before it.",
                "Write Action: with a tool's name, then Action Input: with a JSON object.",
                Span(part.label.start, part.end),
            )

    def _answer(self, part: Part) -> bool:
        if call_behind_answer_label(self.draft, part.label, part.start, part.end):
            return False
        end = self._answer_end(part)
        content = strip_end_tokens(self.text[part.start : end]).strip()
        content = unbolded(content, part.label)
        if not content:
            code = "truncated" if self.draft.cut else "no-answer"
            self.draft.problem(
                code, "The final answer is empty.", "Write the answer behind its label.", part.label.span
            )
            return True
        self.draft.answer = content
        self.draft.visible.append(content)
        self.draft.truncated = self.draft.truncated or (self.draft.cut and end >= self.end)
        if end < self.end:
            self.draft.note("text-after-answer", Span(end, self.end))
        return True

    def _answer_end(self, part: Part) -> int:
        """An answer runs to the end, or to a step that the model went on to write."""
        for number in range(self.position, len(self.parts)):
            label = self.parts[number].label
            following = self.parts[number + 1].label.field if number + 1 < len(self.parts) else None
            if label.field is Field.ACTION and self._names_tool(self.parts[number]):
                return label.start
            if label.field in (Field.THOUGHT, Field.QUESTION) and following in (Field.ACTION, Field.THOUGHT):
                return label.start
            if label.field is Field.THOUGHT and label.plain and following is Field.ANSWER:
                return label.start
            if label.field is Field.OBSERVATION and following in (Field.THOUGHT, Field.ACTION):
                return label.start
            if label.field is Field.OBSERVATION and label.plain and following is None:
                return label.start
        stop_word = _STOP_WORD.search(self.text, max(part.start, self.end - 40), self.end)
        return stop_word.start() if stop_word is not None else self.end

    def _names_tool(self, part: Part) -> bool:
        first_line = self._content(part).strip().split("\n", 1)[0]
        return any(self.draft.index.resolve(word).kind == "known" for word in (first_line, head_of(first_line)) if word)

    def _action(self, part: Part, inputs: list[Part] | None = None) -> bool:
        """One action with its inputs, those behind it if none are given. True if it turned out to be an answer."""
        inputs = self._inputs() if inputs is None else inputs
        content_start = skip_blanks(self.text, part.start, part.end)
        if content_start >= part.end:
            return self._nameless(part, inputs)
        if (
            _BRACED_NAME.match(self.text, content_start, part.end) is None
            and is_packed(self.text, content_start, part.end)
            and read_packed(self.draft, content_start, part.end)
        ):
            return self.draft.answer is not None
        if not inputs and self._marked(part, content_start):
            return False
        if (fence := fenced_body(self.text, content_start, part.end)) is not None and inputs:
            content_start = skip_blanks(self.text, fence.start, fence.end)
            part = part._replace(end=fence.end)
        line_end = self.text.find("\n", content_start, part.end)
        line_end = part.end if line_end == -1 else line_end
        line = _WRITTEN_BREAKS.sub("", strip_end_tokens(self.text[content_start:line_end]).strip())
        if ECHO.search(line):
            self.draft.echo(Span(part.label.start, part.end))
            return False
        if self._cut_in_name(part, line_end, inputs):
            return False
        head = head_of(line)
        folded = fold(line) or fold(head)
        registered = any(self.draft.index.resolve(word).kind == "known" for word in (line, head) if word)
        called = fold(re.split(r"[(\[]", line, maxsplit=1)[0])
        if not registered and (folded in FINAL_NAMES or fold(head) in FINISH or called in FINISH):
            return self._final_action(part, line, inputs)
        if (
            not registered
            and not inputs
            and (answer := _ANSWER_BEHIND_ACTION.match(self.text, content_start, part.end))
        ):
            self.draft.note("answer-as-action", part.label.span)
            return self._answer(part._replace(start=answer.end()))
        if not registered and folded in NO_ACTION_NAMES:
            self.draft.note("no-action", Span(part.label.start, part.end))
            return False
        self._named(part, content_start, line_end, line, inputs)
        return False

    def _marked(self, part: Part, start: int) -> bool:
        """Whether a call of another form stands behind the label, between its own markers."""
        if markup().opener.match(self.text, start, part.end) is None:
            return False
        openers = find_openers(self.text, start, part.end)
        if not openers or openers[0].start != start or not read_marked(self.draft, start, part.end, openers):
            return False
        self.draft.note("marked-action", part.label.span)
        return True

    def _inputs(self) -> list[Part]:
        """The inputs that follow the action directly."""
        inputs = []
        while self.position < len(self.parts) and self.parts[self.position].label.field is Field.INPUT:
            inputs.append(self.parts[self.position])
            self.position += 1
        return inputs

    def _named(self, part: Part, start: int, line_end: int, line: str, inputs: list[Part]) -> None:
        has_input = any(map(self._filled, inputs)) or (bool(inputs) and self.draft.cut)
        if has_input and line.endswith(")") and not self.draft.cut and self._says_nothing(inputs):
            has_input = False  # the arguments stand behind the name
        read = read_action_line(self.draft.index, self.text, start, line_end, line, has_input=has_input)
        name, behind = read.name, read.behind
        if name is None:
            self._unknown_action(part, line, inputs, read.also)
            return
        span_end = inputs[-1].end if inputs else part.end
        span = Span(part.label.start, span_end)
        extra = self._decoration(part, inputs)
        if has_input:
            self._with_inputs(name, part.label.start, inputs, extra)
            return
        if inputs and not _VALUES_BEHIND.match(self.text, behind, part.end):
            behind = part.end  # a remark
        end = part.end
        if (tag := _TAG.match(self.text, start, line_end)) is not None:  # in a tag named after the tool
            closer = self.text.rfind(f"</{tag[1]}>", behind, end)
            end = end if closer == -1 else closer
        region = Region(
            self.text, behind, end, cut=self.draft.cut and not inputs and part.last, delimited=not part.last
        )
        if region.cut and not self.draft.index[name.name].parameters:
            region = region._replace(cut=False)
        self.draft.call(name, span, self.draft.arguments(region, name), extra)

    def _filled(self, part: Part) -> bool:
        return bool(self._content(part).strip())

    def _says_nothing(self, inputs: list[Part]) -> bool:
        return all(fold(self._content(part)) in NO_ACTION_NAMES or not self._filled(part) for part in inputs)

    def _with_inputs(self, name: ResolvedName, start: int, inputs: list[Part], extra: list[Tolerance]) -> None:
        """A call for each input that can be read; the first problem if none can."""
        readings = [(item, self.draft.arguments(self._region(item), name)) for item in inputs[:MOST_CALLS]]
        good = [(item, reading) for item, reading in readings if reading.problem is None]
        while len(good) > 1 and good[-1][1].arguments == good[-2][1].arguments:
            good.pop()  # the same once more
        if len(good) > 1:
            extra.append(Tolerance("several-inputs", inputs[1].label.span))
        for item, reading in good or readings[:1]:
            if self.draft.is_full():
                break
            self.draft.call(name, Span(start, item.end), reading, extra)
            start = item.end

    def _region(self, part: Part) -> Region:
        """The region of an input. A string left open at a label may go on behind it: then the labels are its text."""
        region = Region(self.text, part.start, part.end, cut=self.draft.cut and part.last, delimited=not part.last)
        start = skip_blanks(self.text, part.start, part.end)
        if part.last or start >= part.end or self.text[start] not in OPENERS:
            return region
        read = read_value(self.text, start, part.end, closed=False)
        if not any(tolerance.name == "unclosed-string" for tolerance in read.tolerances):
            return region._replace(known=(start, read)) if read.complete and read.error is None else region
        whole = read_value(self.text, start, self.end, closed=False)
        if whole.error is None and whole.complete and all(item.name != "inner-quotes" for item in whole.tolerances):
            while self.position < len(self.parts) and self.parts[self.position].label.start < whole.end:
                self.position += 1
            return region._replace(end=whole.end, cut=False, delimited=True)
        self.position = len(self.parts)  # nothing may be read from inside an open string
        return region

    def _unknown_action(self, part: Part, line: str, inputs: list[Part], also: str) -> None:
        """No tool has the name. A well-formed call keeps it, for the engine to say so; anything else is a problem."""
        span = Span(part.label.start, inputs[-1].end if inputs else part.end)
        if also:
            self.draft.problem("ambiguous-tool", f"The action names more than one tool: {line!r}.", "Name one.", span)
            return
        name = self.draft.index.resolve(line)
        if name.kind == "unknown" and is_identifier(line) and inputs:
            start = skip_blanks(self.text, inputs[0].start, inputs[0].end)
            if start < inputs[0].end and self.text[start] in "{｛":
                read = read_value(self.text, start, inputs[0].end, closed=not (self.draft.cut and inputs[0].last))
                if read.error is None and read.complete and isinstance(read.value, dict):
                    self.draft.call(name, span, ReadArguments(without_bare(read.value), read.end, read.tolerances))
                    return
        if self.draft.resolve(line, span, marked=False) is not None:
            self.draft.unknown(line, span)

    def _nameless(self, part: Part, inputs: list[Part]) -> bool:
        for item in inputs:
            if read_packed(self.draft, item.start, item.end):
                return self.draft.answer is not None
        code = "truncated" if self.draft.cut and part.last else "no-action"
        self.draft.problem(
            code, "The action names no tool.", "Write Action: with a tool's name.", Span(part.label.start, part.end)
        )
        return False

    def _cut_in_name(self, part: Part, line_end: int, inputs: list[Part]) -> bool:
        behind = inputs and inputs[0].start > part.start
        if behind or not (self.draft.cut and part.last and line_end >= self.end):
            return False
        if any(char in self.text[part.start : line_end] for char in "({["):
            return False
        self.draft.problem(
            "truncated",
            "The reply was cut off in the action.",
            "Write the step again.",
            Span(part.label.start, part.end),
        )
        return True

    def _final_action(self, part: Part, line: str, inputs: list[Part]) -> bool:
        """``Action: Final Answer``, ``Finish[42]``: the input is the answer."""
        if inputs:
            content = self._content(inputs[0])
        elif (bracket := BRACKETED.match(line)) is not None:
            content = bracket[1]
        else:
            content = self._content(part).strip()[len(line) :]
        content = as_text(strip_end_tokens(content).strip().removesuffix("\nEnd Action").rstrip())
        if not content or self.draft.calls:
            if not content:
                self.draft.problem(
                    "no-answer", "The final answer is empty.", "Write it behind Final Answer:.", part.label.span
                )
            return bool(self.draft.calls)
        self.draft.answer = content
        self.draft.visible.append(content)
        self.draft.note("answer-as-action", part.label.span)
        return True

    def _decoration(self, part: Part, inputs: list[Part]) -> list[Tolerance]:
        labels = [part.label, *(item.label for item in inputs[:1])]
        found = [Tolerance("decorated-label", label.span) for label in labels if not label.plain]
        if not inputs:
            found.append(Tolerance("missing-input-label", Span(part.end, part.end)))
        return found[:1] if not inputs and found else found

    def _nothing(self) -> None:
        if self.draft.cut:
            self.draft.problem("truncated", "The reply was cut off before an action or an answer.", "Be brief.")
            return
        self.draft.problem(
            "no-action",
            "There is neither an action nor a final answer.",
            "Go on with Action: and Action Input:, or with Final Answer:.",
        )
