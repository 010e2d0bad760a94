"""Step style to prompt: everything that the prompt path says to a model is rendered here from Jinja files.

Each file can be replaced by the user. What replaces it is checked when it is loaded, so that a mistake is reported
before a model is asked. Rendering is pure: the same values give the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError
from react_engine.labels import LABELS, LabelSet
from react_engine.templates.environment import (
    check_file,
    make_environment,
    read_overrides,
    render_file,
    render_source,
)
from react_engine.templates.filters import FILTERS
from react_engine.templates.markers import inert
from react_engine.templates.neutralise import without_tokens
from react_engine.templates.notation import compact_json
from react_engine.templates.samples import Kind, sample_contexts
from react_engine.templates.views import (
    SchemaLike,
    SignatureLike,
    ToolView,
    call_view,
    one_line,
    result_view,
    schema_view,
    shortened,
    signature_view,
    turn_view,
)
from react_engine.types import Problem, ToolCall, ToolResult

if TYPE_CHECKING:
    from jinja2 import Environment

    from react_engine.parsers.dialects import Dialect
    from react_engine.parsers.index import ToolIndex
    from react_engine.templates.dialect import DialectTemplates

QUOTED = 400  # characters of a slip that are quoted back
# In the words of the worked examples: "Known: nothing. Next: answer." or the use of a tool.
_GATE = ("Known: nothing. Next:", "answer")
_UNKNOWN = {"en": "Known: the {} is not known yet. Next:", "zh": "已知:还不知道 {}。下一步:"}
RENDERINGS = ("signature", "schema")

FILES: Mapping[str, Kind] = {
    "react.en.j2": "system",
    "react.zh.j2": "system",
    "react_brief.en.j2": "system",
    "react_brief.zh.j2": "system",
    "react_turns.en.j2": "guide",
    "react_turns.zh.j2": "guide",
    "react_tools.j2": "system",
    "react_step.j2": "step",
    "react_observation.en.j2": "observation",
    "react_observation.zh.j2": "observation",
    "react_repair.en.j2": "repair",
    "react_repair.zh.j2": "repair",
    "react_forced.en.j2": "forced",
    "react_forced.zh.j2": "forced",
    "react_completion.j2": "completion",
    "dialect.en.j2": "dialect",
    "dialect.zh.j2": "dialect",
    "dialect_repair.en.j2": "dialect_repair",
    "dialect_repair.zh.j2": "dialect_repair",
    "dialect_forced.en.j2": "dialect_forced",
    "dialect_forced.zh.j2": "dialect_forced",
    "json.j2": "arguments",
    "tags.j2": "arguments",
    "elements.j2": "arguments",
    "quoted.j2": "arguments",
    "python.j2": "arguments",
    "tool_python.j2": "tool",
    "tool_typescript.j2": "tool",
    "tool_xml.j2": "tool",
    "tool_declaration.j2": "tool",
    "react_json.en.j2": "guide",
    "react_json.zh.j2": "guide",
    "native_guide.en.j2": "guide",
    "native_guide.zh.j2": "guide",
    "native_repair.en.j2": "repair",
    "native_repair.zh.j2": "repair",
}
"""The templates of the package, and what each renders."""


class Templates:
    """The prompt templates of one language, with the user's own in place of some.

    ``overrides`` is a folder, or a mapping of names to sources; the file names are those of the package (``FILES``),
    and the package's version is always there as ``default/NAME``, to include or to extend. ``labels`` replaces the
    labels of the language.

    Raises:
        ConfigurationError: no such language or folder; an override that replaces nothing, has a syntax error, names
            an unknown variable or fails on sample data; with file, line and the variables that exist.
    """

    thoughts = True
    """Whether steps have a thought."""

    def __init__(
        self,
        language: str = "en",
        overrides: Path | str | Mapping[str, str] | None = None,
        labels: LabelSet | None = None,
    ) -> None:
        if language not in LABELS:
            raise ConfigurationError(f"There are no templates in language {language!r}, only in {', '.join(LABELS)}.")
        self.language = language
        self.labels = labels or LABELS[language]
        self._origin = "" if overrides is None or isinstance(overrides, Mapping) else f"{Path(overrides)}/"
        self._overrides = read_overrides(overrides, FILES)
        if self._overrides:
            self._check()

    def _check(self) -> None:
        contexts = sample_contexts(self.labels)
        for name, source in self._overrides.items():
            for context in contexts[FILES[name]]:
                check_file(self._environment, name, source, context, self._origin)

    @property
    def stop(self) -> tuple[str, ...]:
        """The words at which a server should stop the reply."""
        return self.labels.stop

    @property
    def label_of_a_step(self) -> str:
        """The label with which a step begins, and a begun reply ends."""
        return f"{self.labels.thought}:"

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        """Worked examples that are turns of the conversation: none, they stand in the system text."""
        return ()

    @property
    def gate_lead(self) -> str | None:
        """A thought begun so that its next word tells whether a tool is wanted; None where there is none that models
        were calibrated on: in another language, or with a system text of the user's own."""
        return _GATE[0] if self.language == "en" and "react.en.j2" not in self._overrides else None

    def unknown_lead(self, name: str) -> str:
        """A thought begun behind an objection: what a value was made up for is not known. Empty where thoughts have
        another shape."""
        return _UNKNOWN[self.language].format(name) if f"react.{self.language}.j2" not in self._overrides else ""

    @property
    def gate_word(self) -> str:
        """The word with which such a thought goes on when no tool is wanted."""
        return _GATE[1]

    def tools(self, tools: Sequence[SignatureLike] | Sequence[SchemaLike], rendering: str = "signature") -> str:
        """The list of tools alone."""
        views = _views(tools, rendering)
        return self.render("react_tools.j2", tools=views, rendering=rendering, instructions="", tool_choice="auto")

    def system(
        self,
        tools: Sequence[SignatureLike] | Sequence[SchemaLike],
        *,
        instructions: str = "",
        rendering: str = "signature",
        tool_choice: str = "auto",
    ) -> str:
        """The system text: how to write a step, worked examples, ``instructions``, the tools.

        What does not depend on the task comes first, so that a server's prompt cache holds it. ``rendering`` is
        ``"signature"`` (one line a tool, one an argument) or ``"schema"`` (compact JSON Schema; then ``tools`` have a
        ``schema``). ``tool_choice`` is ``"auto"``, ``"required"``, ``"none"`` or the name of a tool.
        """
        return self._system("react", tools, instructions, rendering, tool_choice)

    def _system(self, stem: str, tools: Sequence[Any], instructions: str, rendering: str, tool_choice: str) -> str:
        return self.render(
            f"{stem}.{self.language}.j2",
            tools=_views(tools, rendering) if tool_choice != "none" else [],
            instructions=instructions.strip(),
            rendering=rendering,
            tool_choice=tool_choice,
        )

    def step(self, thought: str | None = None, calls: Sequence[ToolCall] = (), answer: str | None = None) -> str:
        """A step of the transcript in the form that the model is asked for, and that the reader reads back."""
        return self.render(
            "react_step.j2",
            thought=inert(thought or "").strip(),
            calls=[call_view(call) for call in calls],
            answer=None if answer is None else without_tokens(answer).strip(),
        )

    def observation(self, results: Sequence[ToolResult]) -> str:
        """What came of the calls of a step, in their order. Output is neutralised, whatever template shows it."""
        return self.render(f"react_observation.{self.language}.j2", results=[result_view(result) for result in results])

    def repair(self, raw: str, problems: Sequence[Problem]) -> str:
        """What to tell a model whose reply could not be read: the slip, what is wrong with it, how to write it."""
        return self.render(
            f"react_repair.{self.language}.j2", raw=self.quoted(raw), problems=list(problems), thoughts=self.thoughts
        )

    def native_repair(self, raw: str, problems: Sequence[Problem]) -> str:
        """The same for the native path, where no text form is asked for."""
        return self.render(f"native_repair.{self.language}.j2", raw=self.quoted(raw), problems=list(problems))

    def native_guide(self) -> str:
        """How to go on after a call, for a model whose native calls leak into its text."""
        return self.render(f"native_guide.{self.language}.j2")

    def json_note(self) -> str:
        """How to write a step as one JSON object, where the server holds replies to a JSON Schema."""
        return self.render(f"react_json.{self.language}.j2")

    def forced_answer(self, reason: str = "") -> str:
        """The request to answer now, from what is known. ``reason`` is a sentence: why no further step is allowed."""
        return self.render(f"react_forced.{self.language}.j2", reason=one_line(reason))

    def continued(self, messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Prompt messages with results inside the assistant's turn, for servers that go on with such a turn.

        Steps and observations that follow one another become one assistant message, and the last message is the
        assistant's, ending in the label of the thought to come (where steps have one). Small models keep to the form better this way.
        """
        merged: list[Mapping[str, Any]] = []
        for message in messages:
            turn = turn_view(message, self.labels.observation)
            if merged and merged[-1]["role"] == "assistant" and (turn.role == "assistant" or turn.observation):
                merged[-1] = {**merged[-1], "content": f"{merged[-1]['content']}\n{turn.text}"}
            else:
                merged.append(message)
        begun = f"{merged.pop()['content']}\n" if merged and merged[-1]["role"] == "assistant" else ""
        text = f"{begun}{self.label_of_a_step}"
        return [*merged, {"role": "assistant", "content": text}] if text else merged

    def conversation(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """Prompt messages (``role`` and ``content``) as one text, for base models.

        It ends in the label of the thought to come, so the reply begins with the thought itself.
        """
        turns = [turn_view(message, self.labels.observation) for message in messages]
        return self.render("react_completion.j2", messages=turns)

    def without_thoughts(self) -> Templates:
        """The templates that ask for steps without thoughts; these ones where the user replaced the system text alone."""
        from react_engine.templates.brief import BriefTemplates

        replaced = f"react.{self.language}.j2" in self._overrides
        if replaced and f"react_brief.{self.language}.j2" not in self._overrides:
            return self
        return BriefTemplates(self)

    def in_dialect(self, dialect: Dialect | str, tools: Iterable[Any] | ToolIndex = ()) -> Templates | DialectTemplates:
        """The templates that speak a trained dialect; these ones for ReAct, and where no prompt can ask for it.

        ``tools`` are those on offer: with their schemas every step reads back as it was. Raises ConfigurationError
        for an unknown dialect, and for one that does not read what it writes.
        """
        from react_engine.parsers.dialects import dialect_named
        from react_engine.templates.dialect import DialectTemplates

        record = dialect_named(dialect) if isinstance(dialect, str) else dialect
        return DialectTemplates(self, record, tools) if record.taught and record.name != "react" else self

    @cached_property
    def _environment(self) -> Environment:
        return make_environment(self._overrides, FILTERS)

    def render(self, name: str, **context: Any) -> str:
        """A template of ``FILES`` with its variables, without blanks around it."""
        return self.render_exactly(name, **context).strip()

    def render_exactly(self, name: str, **context: Any) -> str:
        """A template of ``FILES`` with its variables, blanks around it included."""
        origin = self._origin if name in self._overrides else ""
        return render_file(self._environment, name, {"labels": self.labels, **context}, origin)

    def render_source(self, source: str, place: str, **context: Any) -> str:
        """A template given as its source; ``place`` says in errors where it comes from."""
        return render_source(self._environment, source, place, {"labels": self.labels, **context})

    def quoted(self, raw: str) -> str:
        """A slip as a JSON string: on one line, so that none of its labels stands at the start of one."""
        return compact_json(shortened(raw, QUOTED)) if raw.strip() else ""


def _views(tools: Sequence[Any], rendering: str) -> list[ToolView]:
    if rendering not in RENDERINGS:
        raise ConfigurationError(f"Tools are rendered as {' or '.join(RENDERINGS)}, not as {rendering!r}.")
    view = schema_view if rendering == "schema" else signature_view
    return [view(tool) for tool in tools]
