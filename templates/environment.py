"""The Jinja sandbox in which prompts are rendered, and the check of templates that a user brings.

Jinja is imported when the first template is used, not with this module.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from jinja2 import Environment, Template, TemplateSyntaxError

Context = Mapping[str, Any]
MAX_OUTPUT = 4_000_000  # characters of one rendered text: more than any context holds
MAX_RANGE = 10_000
MAX_REPEAT = 1_000_000


def read_overrides(overrides: Path | str | Mapping[str, str] | None, known: Collection[str]) -> dict[str, str]:
    """The user's templates by file name, from a folder or a mapping; ``.j2`` may be left out in a mapping.

    Raises:
        ConfigurationError: no such folder, a file that is not UTF-8, or a name that is no template of the package.
    """
    if overrides is None:
        return {}
    if isinstance(overrides, Mapping):
        found = {name if name.endswith(".j2") else f"{name}.j2": source for name, source in overrides.items()}
        place = ""
    else:
        found, place = _read_folder(Path(overrides)), f" in {overrides}"
    for name in found:
        if name not in known:
            close = get_close_matches(name, known, n=1, cutoff=0.0)
            raise ConfigurationError(
                f"There is no template {name!r} to replace{place}. Did you mean {close[0]!r}? "
                f"The templates are {', '.join(sorted(known))}."
            )
    return found


def _read_folder(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise ConfigurationError(f"The template folder {str(folder)!r} does not exist. Give a folder with .j2 files.")
    try:
        found = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.j2"))}
    except (OSError, UnicodeDecodeError) as err:
        raise ConfigurationError(f"A template in {str(folder)!r} cannot be read as UTF-8 text: {err}.") from err
    if not found:
        raise ConfigurationError(f"The template folder {str(folder)!r} has no .j2 file in it.")
    return found


def make_environment(overrides: Mapping[str, str], filters: Mapping[str, Any]) -> Environment:
    """A sandbox that finds the user's templates first, and the package's own also under ``default/``."""
    from jinja2 import ChoiceLoader, DictLoader, PackageLoader, PrefixLoader, StrictUndefined
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        """Immutable, without attributes that lead out of it, and without operators that fill the memory."""

        intercepted_binops = frozenset({"*", "**"})

        def getattr(self, obj: Any, attribute: str) -> Any:
            # What templates are given are plain values.
            kind: Any = type(obj)
            if attribute in _fields_of(kind):
                return getattr(obj, attribute)
            return super().getattr(obj, attribute)

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            sizes = [len(side) for side in (left, right) if hasattr(side, "__len__")]
            counts = [side for side in (left, right) if isinstance(side, (int, float))]
            if operator == "**" or (sizes and counts and sizes[0] * counts[0] > MAX_REPEAT):
                raise SecurityError(f"{operator} would make a value that is too large")
            return super().call_binop(context, operator, left, right)

    own = PackageLoader("react_engine.templates", "")
    environment = Sandbox(
        loader=ChoiceLoader([DictLoader(overrides), own, PrefixLoader({"default": own})]),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text
        keep_trailing_newline=False,  # the line end of a file is no part of the text
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(filters)
    environment.globals["range"] = _short_range
    return environment


@cache
def _fields_of(kind: type) -> frozenset[str]:
    return frozenset(f.name for f in fields(kind) if not f.name.startswith("_")) if is_dataclass(kind) else frozenset()


def _short_range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > MAX_RANGE:
        raise OverflowError(f"range is too long, the limit is {MAX_RANGE}")
    return numbers


def render_file(environment: Environment, name: str, context: Context, origin: str = "") -> str:
    """One template rendered with ``context``; ``origin`` is said in errors, such as the user's folder.

    Raises:
        ConfigurationError: a syntax error, an unknown variable, anything that fails while it is rendered, or a text
            beyond ``MAX_OUTPUT``; with template, line and the variables that exist.
    """
    return _rendered(lambda: environment.get_template(name), context, name, origin)


def render_source(environment: Environment, source: str, place: str, context: Context) -> str:
    """A template given as its source. Raises ConfigurationError as ``render_file`` does."""
    return _rendered(lambda: environment.from_string(source), context, f"of {place}", "")


def _rendered(template: Callable[[], Template], context: Context, name: str, origin: str) -> str:
    from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError

    place = f"{origin}{name}"
    try:
        return "".join(_bounded(template().generate(context)))
    except TemplateSyntaxError as err:
        raise _syntax_error(err, f"{origin}{err.name or name}") from err
    except UndefinedError as err:
        raise ConfigurationError(f"Template {place}, line {_line_of(err)}: {err.message}. {_exist(context)}") from err
    except (TemplateError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError, AttributeError) as err:
        if isinstance(err, ConfigurationError):
            raise
        raise ConfigurationError(
            f"Template {place}, line {_line_of(err)}: {type(err).__name__}: {str(err).rstrip('.')}."
        ) from err


def _bounded(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces by the hundred, as long as they do not become too many."""
    size = 0
    while batch := tuple(islice(pieces, 100)):
        text = "".join(batch)
        size += len(text)
        if size > MAX_OUTPUT:
            raise ConfigurationError(f"A template gave more than {MAX_OUTPUT:,} characters. Does a loop repeat?")
        yield text


def check_file(environment: Environment, name: str, source: str, context: Context, origin: str = "") -> None:
    """Refuse a template that has a syntax error or names a variable that ``context`` does not have.

    Branches that sample data would not reach are looked at as well.
    """
    from jinja2 import TemplateSyntaxError, meta, nodes

    try:
        tree = environment.parse(source, name, name)
        unknown = meta.find_undeclared_variables(tree) - context.keys() - environment.globals.keys()
    except TemplateSyntaxError as err:
        raise _syntax_error(err, f"{origin}{name}") from err
    for node in tree.find_all(nodes.Name):
        if node.name in unknown:
            close = get_close_matches(node.name, context, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ConfigurationError(
                f"Template {origin}{name}, line {node.lineno}: there is no variable {node.name!r}.{hint} {_exist(context)}"
            )
    render_file(environment, name, context, origin)


def _syntax_error(error: TemplateSyntaxError, place: str) -> ConfigurationError:
    return ConfigurationError(f"Template {place}, line {error.lineno}: syntax error: {str(error.message).rstrip('.')}.")


def _line_of(error: BaseException) -> int | str:
    """The line of the template. Jinja puts templates into the traceback, those from strings as ``<template>``."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == "<template>" or frame.filename.endswith(".j2")]
    return lines[-1] or "?" if lines else "?"


def _exist(context: Context) -> str:
    return f"Variables: {', '.join(sorted(context))}."
