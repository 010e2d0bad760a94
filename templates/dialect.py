"""The prompt side of a trained dialect: tools, calls and results as the model's family was trained to see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import Dialect
from react_engine.parsers.dialects.writing import STEMS, fill
from react_engine.parsers.index import ToolIndex
from react_engine.templates.listing import json_forms, listed_tool
from react_engine.templates.markers import guarded, holds_marker
from react_engine.templates.notation import compact_json, guarded_json
from react_engine.templates.steps import StepWriter
from react_engine.templates.views import SchemaLike
from react_engine.types import Problem, Status, ToolCall, ToolResult

if TYPE_CHECKING:
    from react_engine.templates.render import Templates

_LISTED = ("python", "typescript", "xml", "declaration")
_MOST_STOPS = 4  # what the strictest servers take
_ERROR = {"en": "Error: ", "zh": "错误: "}
_KNOWN = {"en": "I look up Smok.", "zh": "我来查询 Smok。"}
_SAID = {"en": "Smok is 300 years old.", "zh": "Smok 有 300 岁。"}
_FOUND = {"en": "Smok, 300 years, green", "zh": "Smok,300 岁,绿色"}


@dataclass(frozen=True, slots=True)
class Example:
    """The worked example of a prompt, written in the dialect; its tools are nobody's."""

    call: str
    calls: str
    step: str
    observation: str
    answer: str


class DialectTemplates:
    """What ``Templates`` has, in a trained dialect: made by ``Templates.in_dialect``.

    ``tools`` are those on offer: with their schemas every step is written so that it reads back as it was.

    Raises:
        ConfigurationError: the dialect is one that no prompt can ask for, or its own example does not read back.
    """

    thoughts = True
    label_of_a_step = ""
    examples: Sequence[Mapping[str, Any]] = ()

    def __init__(self, base: Templates, dialect: Dialect, tools: Iterable[Any] | ToolIndex = ()) -> None:
        if dialect.template is None or dialect.writing is None:
            raise ConfigurationError(f"The dialect {dialect.name!r} is only read: it has no template and no writing.")
        self.base, self.dialect, self.writing = base, dialect, dialect.writing
        self.language = base.language
        index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
        self._writer = StepWriter(dialect, index, self._arguments)
        self._check()

    def _check(self) -> None:
        calls = [ToolCall("dragon_lookup", {"dragon": "Smok"})]
        self._arguments(calls[0].arguments)  # an error in a template of the user's own is told here
        tools = ToolIndex([{"name": "dragon_lookup", "parameters": {"properties": {"dragon": {"type": "string"}}}}])
        text = self._writer.step("", calls, None)
        if not self._writer.reads_back(text, calls, tools):
            raise ConfigurationError(
                f"The dialect {self.dialect.name!r} does not read what it writes: {text!r} holds no call of "
                "dragon_lookup to the reader. Compare writing with openers, head and closers; "
                f"`react-engine parse` with --dialect {self.dialect.name} says what it misses."
            )

    @property
    def stop(self) -> tuple[str, ...]:
        """The words at which a server should stop the reply: results that a model invents, and the end of a turn."""
        return tuple(dict.fromkeys((*self.dialect.results, *self.dialect.stop)))[:_MOST_STOPS]

    @cached_property
    def example(self) -> Example:
        """The worked example."""
        look, feed = (
            ToolCall("dragon_lookup", {"dragon": "Smok"}),
            ToolCall("dragon_feed", {"dragon": "Fafni", "kg": 2}),
        )
        result = ToolResult("", "dragon_lookup", Status.SUCCESS, _FOUND[self.language])
        return Example(
            call=self._writer.step("", [look], None),
            calls=self._writer.step("", [look, feed], None),
            step=self._writer.step(_KNOWN[self.language], [look], None),
            observation=self.observation([result]),
            answer=self._writer.step("", (), _SAID[self.language]),
        )

    def tools(self, tools: Sequence[SchemaLike]) -> str:
        """The list of tools alone, as the family's own prompt has it."""
        pattern = self.writing.tool
        listed = [fill(pattern, self._tool_words(tool, pattern)) for tool in tools]
        return fill(self.writing.tools, {"tools": self.writing.between_tools.join(listed)})

    def _tool_words(self, tool: SchemaLike, pattern: str) -> dict[str, str]:
        words = json_forms(tool)
        for name in _LISTED:
            if f"${name}" in pattern:
                words[name] = self.base.render(f"tool_{name}.j2", tool=listed_tool(tool), dialect=self.dialect)
        return words

    def system(
        self,
        tools: Sequence[SchemaLike],
        *,
        instructions: str = "",
        rendering: str = "",
        tool_choice: str = "auto",
    ) -> str:
        """The system text: how to write a call, an example, ``instructions``, and the tools last.

        See ``Templates.system``; ``rendering`` is not looked at, since the family's own prompt decides.
        """
        offered = tools if tool_choice != "none" else ()
        return self.base.render(
            f"dialect.{self.language}.j2",
            dialect=self.dialect,
            example=self.example,
            instructions=instructions.strip(),
            tools=self.tools(offered) if offered else "",
            tool_choice=tool_choice,
        )

    def step(self, thought: str | None = None, calls: Sequence[ToolCall] = (), answer: str | None = None) -> str:
        """A step of the transcript as the family writes it, and as the reader reads it back."""
        return self._writer.step(thought or "", calls, answer)

    def observation(self, results: Sequence[ToolResult]) -> str:
        """What came of the calls of a step, in their order. No output can end its frame or open a call."""
        pieces = [fill(self.writing.result, self._result(result, number)) for number, result in enumerate(results)]
        return fill(self.writing.results, {"results": self.writing.between_results.join(pieces)})

    def _result(self, result: ToolResult, number: int) -> dict[str, str]:
        text = result.text if result.ok else f"{_ERROR[self.language]}{result.text}"
        if result.hint:
            text = f"{text} {result.hint}"
        written = compact_json(text)
        if holds_marker(written, self.dialect):
            written = guarded_json(text)
        place = self._writer.place(result.name, result.call_id, number)
        return {**place, "text": guarded(text, self.dialect), "json": written}

    def repair(self, raw: str, problems: Sequence[Problem]) -> str:
        """What to tell a model whose reply could not be read."""
        return self.base.render(
            f"dialect_repair.{self.language}.j2",
            raw=self.base.quoted(raw),
            problems=list(problems),
            dialect=self.dialect,
            example=self.example,
        )

    def forced_answer(self, reason: str = "") -> str:
        """The request to answer now, from what is known. ``reason`` is a sentence: why no further step is allowed."""
        return self.base.render(
            f"dialect_forced.{self.language}.j2", reason=guarded(reason, self.dialect), dialect=self.dialect
        )

    def _arguments(self, arguments: Mapping[str, Any]) -> str:
        template, written = self.dialect.template or "", dict(arguments)
        if template in STEMS:
            return self.base.render_exactly(f"{template}.j2", arguments=written, dialect=self.dialect)
        place = f"the dialect {self.dialect.name!r}"
        return self.base.render_source(template, place, arguments=written, dialect=self.dialect)
