"""Every exception of the engine, and how messages name what was probably meant.

::

    ReactEngineError
    ├─ ConfigurationError (also ValueError)  settings, templates, tables: wrong before anything ran
    ├─ ToolError                             raised by tools for the model; code and hint
    │  ├─ UnknownTool     (also KeyError)    a name that is not registered
    │  └─ InvalidArguments                   arguments that do not fit the tool
    ├─ ModelError                            the model or its server
    │  ├─ ModelTimeout
    │  ├─ RateLimited
    │  ├─ ContextTooLong
    │  ├─ ToolsRefused                       the server takes no ``tools``
    │  └─ ModelUnavailable                   server down, weights missing, key refused
    └─ LimitReached                          (``runs``) a run ended without what was asked of it; carries the run

Tool errors have the model as their reader: the engine turns them into results. The others have a person as their reader. No error logs, all survive pickling.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from react_engine.types import Problem


class ReactEngineError(Exception):
    """Base of all errors raised by react-engine."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.__dict__.update(data)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(self.__dict__))


def _rebuild(kind: type[ReactEngineError], args: tuple[Any, ...], data: dict[str, Any]) -> ReactEngineError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(data)
    return error


class ConfigurationError(ReactEngineError, ValueError):
    """A setting, template, table or registration that cannot be used as given."""


class ToolError(ReactEngineError):
    """Raise it in a tool for a failure that the model should know of and decide about.

    ``code`` is a short constant such as ``"CITY_NOT_FOUND"``; ``hint`` says what to do instead.
    The result gets the status ``business_error`` and is never retried.
    """

    def __init__(self, message: str, *, code: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint


class UnknownTool(ToolError, KeyError):
    """A name that no registered tool has; the message lists the closest names."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        names = list(known)
        self.name = name
        self.close = get_close_matches(name, names, n=3, cutoff=0.5)
        if self.close:
            hint = f"Did you mean {' or '.join(self.close)}?"
        elif names:
            hint = f"Available tools: {', '.join(names[:20])}."
        else:
            hint = "No tool is available."
        super().__init__(f"There is no tool named {name!r}.", code="unknown_tool", hint=hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


class InvalidArguments(ToolError):
    """Arguments that do not fit the tool; ``problems`` names each field."""

    def __init__(self, tool: str, problems: tuple[Problem, ...]) -> None:
        self.tool = tool
        self.problems = problems
        detail = " ".join(problem.message for problem in problems)
        hint = " ".join(problem.hint for problem in problems if problem.hint)
        super().__init__(f"The arguments for {tool} are not valid. {detail}", code="invalid_arguments", hint=hint)


class ModelError(ReactEngineError):
    """A model or its server failed. ``retryable`` says whether the same request may succeed later.

    ``refused`` names the part of the request that the server does not take (``stop``, ``system``, …).
    ``retry_after`` is in seconds, if the server asked for a pause. ``generation`` is what the model had
    written when the server itself could not read a call in it.
    """

    refused: str | None = None
    retry_after: float | None = None
    generation: str = ""

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        status: int | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.model = model
        self.status = status
        self.request_id = request_id
        self.retryable = retryable
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class ModelTimeout(ModelError):
    """No answer within the time allowed."""


class RateLimited(ModelError):
    """The server asks to slow down (429)."""


class ContextTooLong(ModelError):
    """The request does not fit into the model's context."""


class ToolsRefused(ModelError):
    """The server refuses requests with ``tools`` for this model."""


class ModelUnavailable(ModelError):
    """The model cannot be reached or loaded: server down, key refused, weights missing."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``" Did you mean …?"``, or nothing when no known name is near."""
    by_plain = {item.lower().replace("-", "_"): item for item in known}
    close = get_close_matches(name.lower().replace("-", "_"), by_plain, n=1, cutoff=0.6)
    return f" Did you mean {by_plain[close[0]]}?" if close else ""


def nearest_or_all(name: str, known: Iterable[str]) -> str:
    """``" Did you mean …?"``, or which names there are."""
    names = tuple(known)
    return nearest(name, names) or f" Known are: {', '.join(names)}."
