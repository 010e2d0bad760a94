"""Whatever can be fuzzed: the engine's reader, a function of the user's, or another library in a process of its own."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol

from react_engine.errors import ConfigurationError
from react_engine.fuzz import contract
from react_engine.fuzz.cases import Case
from react_engine.fuzz.judge import Read
from react_engine.fuzz.meaning import Call
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read

STREAMED = 4
"""One in so many replies is also read as a stream, and compared."""


class Parser(Protocol):
    """Reads a case. Nothing that it does is an exception: what it dies of is in the ``Read``."""

    def __call__(self, case: Case, /) -> Read:
        """What it makes of the reply."""
        ...


def own(case: Case, *, streamed: int = STREAMED) -> Read:
    """The engine's reader, told nothing, with its contract checked."""
    try:
        index = ToolIndex(case.tools)
        began = time.process_time()
        reading = read(case.text, index, finish_reason=case.finish)
        seconds = time.process_time() - began
        rng = Random(case.id)
        stream = rng if streamed and rng.randrange(streamed) == 0 and len(case.text) < 20_000 else None
        violation = contract.violation(case.text, index, case.finish, reading, stream)
    except Exception as error:  # noqa: BLE001 - whatever a reply provokes is a finding
        return Read(error=_named(error))
    calls = tuple(Call(call.name, call.arguments) for call in reading.calls)
    return Read(calls, reading.answer, seconds, violation=violation)


def parser_of(spec: str) -> Parser:
    """The parser that ``module:function`` or ``file.py:function`` names; the reader itself for an empty text.

    The function is called as ``parse(text, tools)``: the raw reply, and a list of mappings with ``name``,
    ``description`` and ``parameters``. It gives the calls as a list of mappings (or objects) with ``name`` and
    ``arguments``, or a mapping (or object) with ``calls`` and ``answer``. An empty list or None is a refusal; so is
    an exception of a class in its attribute ``refusals``. Any other exception is a crash.

    Raises ConfigurationError where there is no such function.
    """
    return own if not spec else partial(_foreign, _function(spec))


def _function(spec: str) -> Callable[..., Any]:
    module, colon, name = spec.rpartition(":")
    if not colon or not module or not name:
        raise ConfigurationError(f"Expected module:function or file.py:function, found {spec!r}.")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = _file(Path(module)) if module.endswith(".py") else importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, OSError, SyntaxError) as error:
        raise ConfigurationError(f"There is no parser {spec!r}: {error}.") from error
    if not callable(found):
        raise ConfigurationError(f"{spec!r} is a {type(found).__name__}; expected a function of (text, tools).")
    function: Callable[..., Any] = found
    return function


def _file(path: Path) -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"fuzzed_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _foreign(parse: Callable[..., Any], case: Case) -> Read:
    refusals = tuple(getattr(parse, "refusals", ()))
    began = time.process_time()
    try:
        given = parse(case.text, case.tools)
    except refusals:
        return Read(seconds=time.process_time() - began)
    except Exception as error:  # noqa: BLE001 - what the parser dies of is a finding
        return Read(seconds=time.process_time() - began, error=_named(error))
    seconds = time.process_time() - began
    try:
        calls, answer = as_calls(given)
    except (TypeError, KeyError, ValueError) as error:
        return Read(seconds=seconds, error=f"gave what is no list of calls: {error}")
    return Read(calls, answer, seconds)


def as_calls(given: Any) -> tuple[tuple[Call, ...], str | None]:
    """The calls and the answer in what a parser gave. Raises TypeError or KeyError for anything else."""
    answer = None
    if given is not None and not isinstance(given, (list, tuple)):
        answer, given = _field(given, "answer", None), _field(given, "calls")
    calls = []
    for item in given or ():
        name, arguments = _field(item, "name"), _field(item, "arguments")
        if not isinstance(name, str) or not isinstance(arguments, Mapping):
            raise TypeError(
                f"expected a name and a mapping of arguments, found {name!r} and {type(arguments).__name__}"
            )
        calls.append(Call(name, dict(arguments)))
    return tuple(calls), answer


_MISSING: Any = object()


def _field(item: Any, name: str, default: Any = _MISSING) -> Any:
    found = item.get(name, default) if isinstance(item, Mapping) else getattr(item, name, default)
    if found is _MISSING:
        raise KeyError(name)
    return found


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
