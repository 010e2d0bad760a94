"""Paths for callers that speak a chat API: conversations without tools, one call at a time, answers in JSON."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from msgspec import structs

from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.parsers.plain import plain_text
from react_engine.parsers.reader import was_cut
from react_engine.paths.base import Ask, Delta, Path, PathReading, StreamReader
from react_engine.paths.native import NativePath
from react_engine.types import PathName, Problem, Reading, ToolCall

UNFIT = "unfit-answer"
"""The dialect of a reading whose answer is not in the form that was asked for; its text is the answer."""
_ID_SIGNS = string.ascii_letters + string.digits


class PlainPath(NativePath):
    """A conversation without tools: whatever the model says is the answer, only its reasoning is set apart."""

    def __init__(self, profile: ModelProfile, instructions: str = "", omitted: frozenset[str] = frozenset()) -> None:
        super().__init__(profile, (), instructions, omitted=omitted)

    def read(self, reply: Reply) -> PathReading:
        """The text as the answer."""
        text, reasoning = plain_text(reply.text, self.profile.reasoning)
        thoughts = "\n".join(part for part in (reply.reasoning, reasoning) if part)
        cut = was_cut(reply.finish_reason)
        return PathReading(Reading(answer=text, text=text, reasoning=thoughts or None, truncated=cut), reply.text)

    def stream_reader(self) -> PlainStream:  # type: ignore[override]
        """A reader for one streamed reply."""
        return PlainStream(self.profile.reasoning)


class PlainStream:
    """Shows everything at once, reasoning apart; only what may be a marker waits."""

    done = False

    def __init__(self, reasoning: tuple[tuple[str, str], ...]) -> None:
        self._closers = dict(reasoning)
        self._closer = ""
        self._pending = ""
        self._blank = {"thought": "", "answer": ""}
        self._begun: set[str] = set()
        self._parted: set[str] = set()  # kinds whose next piece begins a new part

    def feed(self, chunk: Chunk) -> list[Delta]:
        """What became safe to show with this chunk."""
        deltas = [Delta("thought", chunk.reasoning)] if chunk.reasoning else []
        self._pending += chunk.text
        while self._pending:
            marks = [self._closer] if self._closer else list(self._closers)
            places = [(place, mark) for mark in marks if (place := self._pending.find(mark)) != -1]
            if not places:
                held = begun_mark(self._pending, marks)
                self._show(self._pending[: len(self._pending) - held], deltas)
                self._pending = self._pending[len(self._pending) - held :]
                break
            place, mark = min(places)
            self._show(self._pending[:place], deltas)
            self._pending = self._pending[place + len(mark) :]
            self._blank = {"thought": "", "answer": ""}
            self._parted = set(self._begun)
            self._closer = "" if self._closer else self._closers[mark]
        return deltas

    def _show(self, text: str, deltas: list[Delta]) -> None:
        """Blanks around a piece are not shown; those between two parts of it wait for the second."""
        kind = "thought" if self._closer else "answer"
        fresh = kind not in self._begun or kind in self._parted
        bare = text.rstrip()
        if not bare:
            self._blank[kind] += "" if fresh else text
            return
        lead = "\n" if kind in self._parted else self._blank[kind]
        self._blank[kind] = text[len(bare) :]
        self._begun.add(kind)
        self._parted.discard(kind)
        deltas.append(Delta(kind, lead + (bare.lstrip() if fresh else bare)))


def begun_mark(text: str, marks: Sequence[str]) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    longest = max(map(len, marks), default=1) - 1
    return next(
        (size for size in range(min(longest, len(text)), 0, -1) if any(m.startswith(text[-size:]) for m in marks)), 0
    )


class AnswerFormat:
    """The JSON that an answer has to be: any object, or one that fits ``schema``.

    Raises ConfigurationError for a schema that is broken.
    """

    def __init__(self, schema: Mapping[str, Any] | None = None, name: str = "answer") -> None:
        self.schema = dict(schema) if schema is not None else None
        self._name = name
        _ = self._checker

    @cached_property
    def _checker(self) -> Any:
        from react_engine.tools.json_schema import compile_checker

        return compile_checker(self.schema, self._name) if self.schema is not None else None

    @property
    def instructions(self) -> str:
        """How to ask a model for it."""
        if self.schema is None:
            return "The answer to the user must be one JSON object and nothing else."
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"The answer to the user must be JSON and nothing else, and fit this JSON Schema: {schema}"

    def read(self, answer: str) -> tuple[str, Problem | None]:
        """The answer without a fence around it, and what is wrong with it."""
        text = _unfenced(answer)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            return answer, Problem(UNFIT, f"The answer is no JSON: {error}.", "Answer with JSON and nothing else.")
        if self._checker is None:
            if isinstance(value, dict):
                return text, None
            return answer, Problem(UNFIT, "The answer is JSON, but no object.", "Answer with one JSON object.")
        wrong = next(self._checker.iter_errors(value), None)
        if wrong is None:
            return text, None
        place = "/".join(map(str, wrong.absolute_path)) or "its top"
        message = f"The answer does not fit the JSON Schema at {place}: {wrong.message[:300]}."
        return answer, Problem(UNFIT, message, "Answer again with JSON that fits.")


def _unfenced(text: str) -> str:
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        return bare[bare.index("\n") + 1 : -3].strip()
    return bare


class TurnPath:
    """A path whose readings can be handed on: calls have ids, and the answer its form.

    ``one_call``: only the first call counts. ``form``: what the answer has to be. ``stop`` and ``passed``: words and
    parameters for the server, where the model's own text is what the client gets; around labels they would harm.
    """

    def __init__(
        self,
        inner: Path,
        *,
        one_call: bool = False,
        form: AnswerFormat | None = None,
        stop: tuple[str, ...] = (),
        passed: Mapping[str, Any] | None = None,
    ) -> None:
        self.name: PathName = inner.name
        self.inner, self._one_call, self._form = inner, one_call, form
        self._stop, self._passed = stop, passed or {}

    def request(self, ask: Ask) -> ModelRequest:
        """The request for the next step."""
        request = self.inner.request(ask)
        if self.name == "native" and (self._stop or self._passed):
            return replace(request, stop=self._stop, sampling={**request.sampling, **self._passed})
        return request

    def read(self, reply: Reply) -> PathReading:
        """What the reply says."""
        read = self.inner.read(reply)
        reading = read.reading
        if reading.calls:
            calls = reading.calls[:1] if self._one_call else reading.calls
            return replace(read, reading=structs.replace(reading, calls=tuple(map(_with_id, calls))))
        if reading.answer is not None and self._form is not None:
            answer, problem = self._form.read(reading.answer)
            if problem is None:
                return replace(read, reading=structs.replace(reading, answer=answer))
            unfit = structs.replace(reading, answer=None, text=answer, problems=(problem,), dialect=UNFIT)
            return replace(read, reading=unfit)
        return read

    def stream_reader(self) -> StreamReader:
        """A reader for one streamed reply."""
        return self.inner.stream_reader()


def _with_id(call: ToolCall) -> ToolCall:
    """Nine letters and digits, which the strictest servers take, and which no other conversation has."""
    return call if call.id else structs.replace(call, id="".join(secrets.choice(_ID_SIGNS) for _ in range(9)))
