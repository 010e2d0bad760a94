"""Dialects of your own from TOML: ``[dialects.NAME]`` in ``react-engine.toml``, or a file that holds nothing else.

The keys are the fields of ``Dialect``; ``tags`` and ``writing`` are tables with the fields of ``Tags`` and ``Writing``.
``like`` names a dialect whose fields are taken over where a table says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from react_engine.checking import checked, require_known, shown
from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import Dialect, Tags, Writing, dialect_named
from react_engine.toml_lines import line_of, read_toml

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Where = Callable[[tuple[str, ...]], str]
"""Says the place of a key below a dialect's table, as errors begin."""

_TABLES: Mapping[str, type[Tags | Writing]] = {"tags": Tags, "writing": Writing}
KEYS = ("like", *(field.name for field in fields(Dialect) if field.name != "name"))


def load_dialects(path: Path | str) -> tuple[Dialect, ...]:
    """The dialects of a TOML file, to give to ``register_dialect`` or ``read``.

    Raises ConfigurationError, with file, line and key: a file that is not there or no TOML, an unknown key (with the
    nearest one), a value of another type, or a record that cannot work.
    """
    file = Path(path)
    text, table = read_toml(file, f"The file of dialects {str(file)!r}")

    def where(place: tuple[str, ...]) -> str:
        line = line_of(text, place)
        return f"{file}{f', line {line}' if line else ''}, {'.'.join(place)}"

    for key in table:
        if key != "dialects":
            raise ConfigurationError(
                f"{where((key,))}: a file of dialects holds tables [dialects.NAME] and nothing else."
            )
    return dialects_of(table.get("dialects", {}), lambda place: where(("dialects", *place)))


def dialects_of(table: Any, where: Where) -> tuple[Dialect, ...]:
    """The dialects of the tables by name. ``like`` may name one that stands before it."""
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"{where(())}: expected tables [dialects.NAME], found {shown(table)}.")
    found: dict[str, Dialect] = {}
    for name, said in table.items():
        found[name] = _dialect(name, said, found, where)
    return tuple(found.values())


def _dialect(name: str, said: Any, before: Mapping[str, Dialect], where: Where) -> Dialect:
    if not isinstance(said, Mapping):
        raise ConfigurationError(f"{where((name,))}: expected a table, found {shown(said)}.")
    for key in said:
        require_known([key], KEYS, where((name, key)))
    values = _checked(
        Dialect, {key: value for key, value in said.items() if key not in ("like", *_TABLES)}, (name,), where
    )
    base = _base(said.get("like"), before, where((name, "like")))
    for key, kind in _TABLES.items():
        if key in said:
            values[key] = _inner(kind, said[key], getattr(base, key, None), (name, key), where)
    if base is None and "frame" not in values:
        raise ConfigurationError(
            f'{where((name,))}: a dialect needs a frame, such as frame = "marked", or like = "hermes" to start from '
            "one that is known."
        )
    record = replace(base, name=name, **values) if base is not None else Dialect(name, **values)
    try:
        record.check()
    except ConfigurationError as error:
        raise ConfigurationError(f"{where((name,))}: {error}") from error
    return record


def _base(like: Any, before: Mapping[str, Dialect], where: str) -> Dialect | None:
    if like is None:
        return None
    if not isinstance(like, str):
        raise ConfigurationError(f"{where}: expected the name of a dialect, found {shown(like)}.")
    if like in before:
        return before[like]
    try:
        return dialect_named(like)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from error


def _inner(kind: Any, said: Any, base: Any, place: tuple[str, ...], where: Where) -> Any:
    """A table below a dialect's own."""
    if not isinstance(said, Mapping):
        raise ConfigurationError(f"{where(place)}: expected a table, found {shown(said)}.")
    known = tuple(field.name for field in fields(kind))
    for key in said:
        require_known([key], known, where((*place, key)))
    values = _checked(kind, said, place, where)
    if isinstance(base, kind):
        return replace(base, **values)
    for field in fields(kind):
        if field.default is MISSING and field.name not in values:
            raise ConfigurationError(f"{where(place)}: {field.name} is missing.")
    return kind(**values)


def _checked(kind: Any, said: Mapping[str, Any], place: tuple[str, ...], where: Where) -> dict[str, Any]:
    """The values of a table, each of its field's type."""
    values = {}
    for key, value in said.items():
        at = where((*place, key))
        try:
            values[key] = checked(_adapter(kind, key), value, lambda _, at=at: at)  # type: ignore[misc]
        except ConfigurationError as error:
            if (wanted := _EXPECTED.get(_hints(kind)[key])) is None:
                raise
            raise ConfigurationError(f"{at}: expected {wanted}, found {shown(value)}.") from error
    return values


_EXPECTED: Mapping[Any, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    str | None: "a text",
    tuple[str, ...]: "a list of texts",
    tuple[tuple[str, str], ...]: "a list of pairs of texts",
}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _adapter(kind: Any, key: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(_hints(kind)[key])
