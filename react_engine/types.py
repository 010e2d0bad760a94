"""The values that flow through the engine: frozen, plain, without behaviour that does I/O.

Everything here can be built by hand, compared with ``==``, pickled and printed. Both paths, native
and prompt, end in the same values, so nothing behind them asks where a call came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from msgspec import Struct

Arguments = dict[str, Any]
PathName = Literal["native", "prompt"]


class Span(NamedTuple):
    """Half-open range of character offsets into a raw text."""

    start: int
    end: int


class Tolerance(Struct, frozen=True):
    """One deviation from the trained form that the reader accepted.

    ``lossy`` says that another reading was possible and the reader had to choose; a lossless one
    has a single meaning. ``span`` indexes the raw text of the reply.
    """

    name: str
    span: Span
    lossy: bool = False


class Problem(Struct, frozen=True):
    """Something in a reply that could not be read, told to the model and to people.

    ``code`` is stable and meant for programs, ``message`` says what was found and what was
    expected, ``hint`` what to write instead.
    """

    code: str
    message: str
    hint: str = ""
    span: Span | None = None


class ToolCall(Struct, frozen=True):
    """One call of a tool, wherever it was read from.

    ``id`` is empty until a server or the engine gives one. ``raw`` and ``span`` are the text it was
    read from (empty for native calls). ``dialect`` names the format, ``"native"`` for ``tool_calls``.
    """

    name: str
    arguments: Arguments
    id: str = ""
    raw: str = ""
    span: Span | None = None
    dialect: str = ""
    tolerances: tuple[Tolerance, ...] = ()
    problem: Problem | None = None
    """Set when a native call could not be read: it is answered with this problem and never runs."""

    @property
    def lossy(self) -> bool:
        """Whether any tolerance that produced this call had to choose between meanings."""
        return any(tolerance.lossy for tolerance in self.tolerances)


class Status(StrEnum):
    """How one call ended."""

    SUCCESS = "success"
    VALIDATION_ERROR = "validation_error"
    UNKNOWN_TOOL = "unknown_tool"
    EXECUTION_ERROR = "execution_error"
    TIMEOUT = "timeout"
    BUSINESS_ERROR = "business_error"
    DENIED = "denied"
    RATE_LIMITED = "rate_limited"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one call.

    ``text`` is what the model is shown: the output, or what went wrong. ``hint`` says what to do
    about it. ``value`` is the object the tool returned, before it became text. ``elapsed`` is in
    seconds, over all ``attempts``. ``cut`` counts characters removed by the size limit, ``redacted``
    the secrets that were masked. ``secret`` says that the text is for the model alone: it stays out of
    the repr and must stay out of logs and traces.
    """

    call_id: str
    name: str
    status: Status
    text: str
    hint: str = ""
    code: str = ""
    value: Any = None
    attempts: int = 1
    elapsed: float = 0.0
    cached: bool = False
    cut: int = 0
    redacted: int = 0
    secret: bool = False

    def __repr__(self) -> str:
        shown = (
            f"{item.name}={'<secret>' if self.secret and item.name in ('text', 'hint') else repr(getattr(self, item.name))}"
            for item in fields(self)
        )
        return f"ToolResult({', '.join(shown)})"

    @property
    def ok(self) -> bool:
        """Whether the tool ran and gave its result."""
        return self.status is Status.SUCCESS


class Reading(Struct, frozen=True):
    """What one reply was read as.

    ``text`` is what is visible outside calls and reasoning; ``answer`` is the part of it meant for
    the user, or None. A ReAct thought counts as ``reasoning``. ``invented`` is the span of an
    observation that the model wrote itself, with everything behind it. ``truncated`` says that the
    reply was cut before it was complete.
    """

    calls: tuple[ToolCall, ...] = ()
    answer: str | None = None
    text: str = ""
    reasoning: str | None = None
    problems: tuple[Problem, ...] = ()
    tolerances: tuple[Tolerance, ...] = ()
    truncated: bool = False
    invented: Span | None = None
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one request or of a whole run. ``cost`` is in US dollars, None if unknown."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    @property
    def total_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            sum(known) if known else None,
        )


Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a transcript, in no model's format: a path renders it into one.

    An assistant message may carry ``calls`` and a ``thought``; a tool message carries ``results``,
    one for each call of the assistant message before it. ``parts`` holds content that is not text
    (images, in OpenAI's shape) and is passed on as it is.
    """

    role: Role
    text: str = ""
    thought: str | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    parts: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def system(cls, text: str) -> Message:
        """A message from whoever runs the engine."""
        return cls("system", text)

    @classmethod
    def user(cls, text: str) -> Message:
        """A message from the user."""
        return cls("user", text)

    @classmethod
    def assistant(cls, text: str = "", *, thought: str | None = None, calls: Sequence[ToolCall] = ()) -> Message:
        """A turn of the model: an answer, or calls with the text that came before them."""
        return cls("assistant", text, thought=thought, calls=tuple(calls))

    @classmethod
    def tool(cls, results: Sequence[ToolResult]) -> Message:
        """The results of the assistant's calls."""
        return cls("tool", results=tuple(results))


Transcript = tuple[Message, ...]
