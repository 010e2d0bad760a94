"""Tools out of the user's Python: a module, an object in it, or a file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.tools.function import tool
from react_engine.tools.registry import Registry
from react_engine.tools.tool import Tool

_OBJECT = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def load_tools(spec: str) -> list[Tool]:
    """The tools that ``"module:object"``, ``"module"``, ``"file.py"`` or ``"file.py:object"`` holds.

    The object is a tool, a function, a ``Registry``, a ``Tool`` class that needs no arguments, or a list of these.
    Of a module all of ``tools`` is taken if it has that, else the tools named in ``__all__``, else every tool in
    it, in the order of definition. A file is run each time, so that a changed one loads again; its folder, and for
    modules the current one, is appended to ``sys.path`` as Python itself does for a script.

    Raises ConfigurationError when there is no such file, module or object, when its code fails (with the line),
    and when no tool is in it.
    """
    source, name = _split(spec)
    if not source.endswith(".py") and not _OBJECT.fullmatch(source):
        raise ConfigurationError(
            f"{spec!r} names no tools. Write module:object, module, file.py or file.py:object; modules with dots."
        )
    module = _run_file(Path(source), spec) if source.endswith(".py") else _import(source, spec)
    found = _in_module(module, spec) if not name else _in_object(_attribute(module, name, spec), spec)
    if not found:
        raise ConfigurationError(
            f"No tool is in {spec!r}. Decorate functions with @tool, or put them in a list named tools."
        )
    return found


def _split(spec: str) -> tuple[str, str]:
    source, colon, name = spec.rpartition(":")
    if colon and source and _OBJECT.fullmatch(name) and not name.endswith(".py"):
        return source, name
    return spec, ""


def _import(name: str, spec: str) -> ModuleType:
    _append_path(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as err:
        if err.name is not None and (name == err.name or name.startswith(f"{err.name}.")):
            hint = f" For a file write {name}.py." if Path(f"{name}.py").is_file() else ""
            raise ConfigurationError(f"There is no module {err.name!r} for the tools {spec!r}.{hint}") from err
        raise _failed(spec, err) from err
    except (Exception, SystemExit) as err:
        raise _failed(spec, err) from err


def _run_file(path: Path, spec: str) -> ModuleType:
    try:
        there = path.is_file()
    except ValueError:  # a NUL in it
        there = False
    if not there:
        raise ConfigurationError(f"There is no file {str(path)!r} for the tools {spec!r} (looked in {Path.cwd()}).")
    path = path.resolve()
    _append_path(path.parent)
    name = f"react_engine_tools_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ConfigurationError(f"Python cannot load {str(path)!r}.")
    module = importlib.util.module_from_spec(found)
    previous = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses and pydantic look their module up there
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as err:
        if previous is None:
            del sys.modules[name]
        else:
            sys.modules[name] = previous
        raise _failed(spec, err) from err
    return module


def _append_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _failed(spec: str, error: BaseException) -> ConfigurationError:
    """What went wrong, and in which line of the user's code."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}, line {error.lineno}"
        return ConfigurationError(f"The tools {spec!r} have a syntax error in {place}: {error.msg}.")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    place = f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return ConfigurationError(f"The tools {spec!r} failed to load{place}: {type(error).__name__}: {error}")


def _is_machinery(filename: str) -> bool:
    return (
        filename.startswith("<frozen")
        or Path(filename).is_relative_to(Path(__file__).parent)
        or (Path(filename) == Path(importlib.__file__))
    )


def _attribute(module: ModuleType, name: str, spec: str) -> Any:
    current: Any = module
    for step in name.split("."):
        if not hasattr(current, step):
            names = [known for known in dir(current) if not known.startswith("_")]
            close = get_close_matches(step, names, n=3)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise ConfigurationError(
                f"There is no {step!r} in {getattr(current, '__name__', current)!s} ({spec}).{hint}"
            )
        current = getattr(current, step)
    return current


def _in_object(value: Any, spec: str) -> list[Tool]:
    if isinstance(value, Tool):
        return [value]
    if isinstance(value, Registry):
        return list(value)
    if isinstance(value, ModuleType):
        return _in_module(value, spec)
    if isinstance(value, type) and issubclass(value, Tool):
        try:
            return [value()]
        except TypeError as err:
            raise ConfigurationError(f"{value.__name__} in {spec!r} cannot be made without arguments: {err}") from err
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return _unique(found for item in value for found in _in_object(item, spec))
    if callable(value) and not isinstance(value, type):
        return [tool(value)]
    raise ConfigurationError(
        f"{value!r:.100} in {spec!r} is no tool. Give a tool, a function, a Registry, or a list of these."
    )


def _in_module(module: ModuleType, spec: str) -> list[Tool]:
    listed = getattr(module, "tools", None)
    if isinstance(listed, (Registry, list, tuple)):
        return _in_object(listed, spec)
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    values = [getattr(module, name, None) for name in names]
    return _unique(
        found for value in values if isinstance(value, (Tool, Registry)) for found in _in_object(value, spec)
    )


def _unique(tools: Iterable[Tool]) -> list[Tool]:
    return list({id(found): found for found in tools}.values())
