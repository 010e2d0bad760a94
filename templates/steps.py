"""Steps in a trained dialect: thought, calls or answer as the family writes them, in a form that reads back.

The natural form comes first: text between tags as it is, strings of JSON with no more escapes than they need. Where
the reader would not take a step back as it was (a value holds the tag that ends it, a thought holds a fence …), the
arguments are written as JSON whose strings are escapes, and the thought between ``<think>`` markers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import Dialect
from react_engine.parsers.dialects.writing import THINK, Writing, fill
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.templates.markers import guarded, guarded_answer
from react_engine.templates.neutralise import without_tokens
from react_engine.templates.notation import compact_json, guarded_json
from react_engine.templates.views import one_line
from react_engine.types import Reading, ToolCall

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"

_ESCAPING = ("json", "python")  # in the others text stands as it is
_SURROGATE = re.compile("[\ud800-\udfff]")

RenderArguments = Callable[[Mapping[str, Any]], str]


class StepWriter:
    """Writes steps in one dialect. ``tools`` are those on offer: their schemas say what reads back."""

    def __init__(self, dialect: Dialect, tools: ToolIndex, arguments: RenderArguments) -> None:
        if dialect.writing is None:
            raise ConfigurationError(f"The dialect {dialect.name!r} says nothing of how it is written.")
        self.dialect, self.tools = dialect, tools
        self.writing: Writing = dialect.writing
        self._arguments = arguments

    def step(self, thought: str, calls: Sequence[ToolCall], answer: str | None) -> str:
        """The text of a step."""
        thought = guarded(thought, self.dialect).strip()
        if not calls:
            return self._thought(thought) + (self._answer(answer) if answer is not None else "")
        forms = list(self._forms(thought, calls))
        tools = self._with_unknown(calls)
        return next((form for form in forms if self.reads_back(form, calls, tools)), forms[0])

    def _forms(self, thought: str, calls: Sequence[ToolCall]) -> Iterator[str]:
        """The ways to write a step, the most natural first."""
        written = [text for text in (self._natural(calls), self._calls(calls, guarded_json)) if text is not None]
        for text in written:
            yield self._thought(thought) + text
        for text in written if thought and self.writing.thought != THINK else ():
            yield fill(THINK, {"thought": thought}) + text

    def _natural(self, calls: Sequence[ToolCall]) -> str | None:
        if self.dialect.template not in _ESCAPING and any(_holds_token(call.arguments) for call in calls):
            return None
        try:
            return self._calls(calls, self._arguments)
        except ConfigurationError:  # nested deeper than the template can follow
            return None

    def _calls(self, calls: Sequence[ToolCall], arguments: RenderArguments) -> str:
        pieces = [
            fill(self.writing.call, {**self.place(call.name, call.id, number), "arguments": arguments(call.arguments)})
            for number, call in enumerate(calls)
        ]
        around = self.writing.several if len(calls) > 1 and self.writing.several else self.writing.calls
        return fill(around, {"calls": self.writing.between.join(pieces)})

    def place(self, name: str, call_id: str, number: int) -> dict[str, str]:
        """What a pattern can say of a call or result: its name, its id, its place in the step."""
        name = one_line(name)
        return {
            "name": name,
            "quoted": compact_json(name),
            "id": self._id(call_id, number),
            "number": str(number),
            "order": str(number + 1),
        }

    def _id(self, call_id: str, number: int) -> str:
        length = self.writing.id_length
        if not length:
            return re.sub(r"[^\w.:-]", "_", call_id) or str(number)
        if len(call_id) == length and call_id.isascii() and call_id.isalnum():
            return call_id
        value = int.from_bytes(hashlib.sha256((call_id or str(number)).encode("utf-8", "replace")).digest(), "big")
        letters = []
        for _ in range(length):
            value, digit = divmod(value, len(_ALPHABET))
            letters.append(_ALPHABET[digit])
        return "".join(letters)

    def _thought(self, thought: str) -> str:
        return fill(self.writing.thought, {"thought": thought}) if thought else ""

    def _answer(self, answer: str) -> str:
        text = guarded_answer(answer, self.dialect).strip()
        return fill(self.writing.answer, {"answer": text, "quoted": compact_json(text)})

    def _with_unknown(self, calls: Sequence[ToolCall]) -> ToolIndex:
        """The tools on offer, and those that a step calls beside them."""
        unknown = dict.fromkeys(call.name for call in calls if call.name not in self.tools)
        if not unknown:
            return self.tools
        return ToolIndex([*self.tools.tools.values(), *({"name": name, "parameters": {}} for name in unknown)])

    def reads_back(self, text: str, calls: Sequence[ToolCall], tools: ToolIndex) -> bool:
        """Whether the reader takes just these calls out of a text."""
        return _said(read(text, tools, self.dialect)) == [(call.name, _canonical(call.arguments)) for call in calls]


def _holds_token(value: Any) -> bool:
    """Whether a text in a value holds what a server could take for a control token, or cannot take at all."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return True
    return without_tokens(text) != text or _SURROGATE.search(text) is not None


def _said(reading: Reading) -> list[tuple[str, str]]:
    return [(call.name, _canonical(call.arguments)) for call in reading.calls]


def _canonical(arguments: Mapping[str, Any]) -> str:
    """Arguments as a text that tells 1 from 1.0 and from true."""
    return json.dumps(arguments, sort_keys=True, default=str)
