"""Reads the settings: ``react-engine.toml``, then ``REACT_ENGINE_…``, then arguments; the last that speaks wins.

The file is the one that is named (by argument or ``REACT_ENGINE_CONFIG``), or the nearest ``react-engine.toml``
from the working folder upwards to the root of the repository (the folder with ``.git``) or the home folder, or
the one in the user's config folder. One file is read; files are not merged.

A variable's name is the key in capitals, with two underscores between section and key:
``REACT_ENGINE_LIMITS__STEPS=5``. Lists are written as JSON or with commas, tables as JSON
(``REACT_ENGINE_MODELS='{"ollama/*": {"function_calling": true}}'``). In ``[limits]`` the text ``"none"`` takes a
limit away.

Unknown keys are refused everywhere. Keys of servers have no place here: ``api_key_env`` names the variable that
holds one.

The three come as one shape, leaves: a place (section and key) with a value and who says it. Unknown keys, and values
that look like secrets, are refused here; ``settings`` checks what fits once all leaves are together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_engine.checking import looks_like_key, require_known, shown
from react_engine.errors import ConfigurationError, nearest
from react_engine.folders import CACHE_VARIABLE, STATE_VARIABLE, config_folder
from react_engine.models.profile import Source
from react_engine.models.record import FIELD_NAMES
from react_engine.toml_lines import line_of, read_toml

FILE_NAME = "react-engine.toml"
CONFIG_VARIABLE = "REACT_ENGINE_CONFIG"
_PREFIX = "REACT_ENGINE_"
_OTHER_VARIABLES = (CONFIG_VARIABLE, CACHE_VARIABLE, STATE_VARIABLE)
_PASSWORD = re.compile(r"://[^/@\s]+@")

Place = tuple[str, ...]
Leaves = dict[Place, tuple[Any, Source]]


@dataclass(frozen=True, slots=True)
class Keys:
    """Which settings there are: those outside of sections, and those of each. ``models`` and ``dialects`` are open."""

    top: tuple[str, ...]
    inside: Mapping[str, tuple[str, ...]]

    @property
    def sections(self) -> tuple[str, ...]:
        """The names of all sections."""
        return (*self.inside, "models", "dialects")

    def places(self) -> Iterator[Place]:
        """Every place that a variable can name."""
        yield from ((key,) for key in (*self.top, *self.sections))
        yield from ((section, key) for section, names in self.inside.items() for key in names)


def find_file(folder: Path) -> Path | None:
    """The file that is used in a folder when none is named."""
    home = Path.home()
    for place in (folder, *folder.parents):
        if (place / FILE_NAME).is_file():
            return place / FILE_NAME
        if (place / ".git").exists() or place == home:
            break
    own = config_folder() / FILE_NAME
    return own if own.is_file() else None


def named_file(path: Path | str | None, environ: Mapping[str, str]) -> Path | None:
    """The file that an argument or a variable names. Raises ``ConfigurationError`` if it is not there."""
    named, by = (path, "") if path is not None else (environ.get(CONFIG_VARIABLE), f" named by {CONFIG_VARIABLE}")
    if not named:
        return None
    file = Path(named).expanduser()
    if not file.is_file():
        raise ConfigurationError(f"There is no settings file {shown(str(file))}{by}. `react-engine init` writes one.")
    return file


def from_file(file: Path, keys: Keys) -> Leaves:
    """The leaves of a TOML file. Raises ``ConfigurationError`` with file and line."""
    text, table = read_toml(file, str(file))

    def source(place: Place) -> Source:
        line = line_of(text, place)
        return Source("config", f"{file}, line {line}" if line else str(file))

    leaves = dict(_leaves(table, source, keys))
    value, origin = leaves.get(("templates", "folder"), (None, Source("default")))
    if isinstance(value, str):  # a path in a file is meant from where the file stands
        leaves["templates", "folder"] = (str(file.absolute().parent / Path(value).expanduser()), origin)
    value, origin = leaves.get(("dialect_files",), (None, Source("default")))
    if isinstance(value, list):
        paths = [
            str(file.absolute().parent / Path(item).expanduser()) if isinstance(item, str) else item for item in value
        ]
        leaves[("dialect_files",)] = (paths, origin)
    for place, (value, origin) in leaves.items():
        if place[-1] == "api_base" and isinstance(value, str) and _PASSWORD.search(value):
            raise ConfigurationError(
                f"{where_of(origin, place)}: the address holds a password, which has no place in a file. Name the "
                'variable that holds the key: api_key_env = "MY_KEY".'
            )
    return leaves


def from_environment(environ: Mapping[str, str], keys: Keys) -> Leaves:
    """The leaves of the variables ``REACT_ENGINE_…``. Raises ``ConfigurationError`` that names the variable."""
    known = {_PREFIX + "__".join(place).upper(): place for place in keys.places()}
    leaves: Leaves = {}
    for variable, text in sorted(environ.items()):
        name = variable.upper()
        if not name.startswith(_PREFIX) or name in _OTHER_VARIABLES:
            continue
        if name not in known:
            guess = nearest(name, (*known, *_OTHER_VARIABLES))
            raise ConfigurationError(f"The environment variable {variable} is no setting of react-engine.{guess}")
        if not text.strip():  # how a variable is unset where it cannot be removed
            continue
        source = Source("environment", variable)
        leaves |= _said_by(source, known[name], _decoded(text), keys)
    return leaves


def _decoded(text: str) -> Any:
    """A list or table written as JSON; anything else stays text."""
    if text.strip()[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def from_arguments(overrides: Mapping[str, Any], keys: Keys) -> Leaves:
    """The leaves of arguments, by section or dotted name; None is not set."""
    source = Source("argument")
    leaves: Leaves = {}
    for name, value in overrides.items():
        place = (name,) if name in keys.sections else tuple(name.split(".", 1))
        leaves |= _said_by(source, place, value, keys)
    return {place: leaf for place, leaf in leaves.items() if leaf[0] is not None}


def _said_by(source: Source, place: Place, value: Any, keys: Keys) -> Leaves:
    for key in reversed(place):
        value = {key: value}
    return dict(_leaves(value, lambda _: source, keys))


def _leaves(
    table: Mapping[str, Any], source: Callable[[Place], Source], keys: Keys
) -> Iterator[tuple[Place, tuple[Any, Source]]]:
    """Every setting of a table with who says it. Raises ``ConfigurationError`` for keys that are not known."""
    for section, inside in table.items():
        if section not in keys.sections:
            yield _leaf((section,), inside, source, (*keys.top, *keys.sections))
        elif section == "models":
            for name, said in _table(inside, (section,), source).items():
                for key, value in _table(said, (section, name), source).items():
                    yield _leaf((section, name, key), value, source, FIELD_NAMES)
        elif section == "dialects":
            yield from _dialect_leaves(_table(inside, (section,), source), source)
        else:
            for key, value in _table(inside, (section,), source).items():
                yield _leaf((section, key), value, source, keys.inside[section])


def _dialect_leaves(
    table: Mapping[str, Any], source: Callable[[Place], Source]
) -> Iterator[tuple[Place, tuple[Any, Source]]]:
    """The tables of the user's dialects, whole; checked here, where the lines are known."""
    from react_engine.dialect_tables import dialects_of

    def where(place: Place) -> str:
        return where_of(source(("dialects", *place)), ("dialects", *place))

    for dialect in dialects_of(table, where):
        yield ("dialects", dialect.name), (dialect, source(("dialects", dialect.name)))


def _leaf(
    place: Place, value: Any, source: Callable[[Place], Source], known: tuple[str, ...]
) -> tuple[Place, tuple[Any, Source]]:
    origin = source(place)
    if place[-1] in ("api_key", "token", "password"):
        raise ConfigurationError(
            f"{where_of(origin, place)}: keys have no place in the settings. Keep it in an environment variable and name "
            'that one: api_key_env = "MY_KEY".'
        )
    require_known([place[-1]], known, where_of(origin, place[:-1]))
    if looks_like_key(repr(value)):
        raise ConfigurationError(
            f"{where_of(origin, place)}: the value looks like a key (it is not shown). Keep it in an environment variable "
            'and name that one: api_key_env = "MY_KEY".'
        )
    return place, (value, origin)


def _table(value: Any, place: Place, source: Callable[[Place], Source]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{where_of(source(place), place)}: expected a table, found {shown(value)}.")
    return {str(key): inside for key, inside in value.items()}


def where_of(source: Source, place: Place) -> str:
    """A setting and who says it, as errors begin."""
    dotted = ".".join(key if re.fullmatch(r"[\w-]+", key) else json.dumps(key, ensure_ascii=False) for key in place)
    return f"{source.detail or 'Arguments'}{', ' if dotted else ''}{dotted}"
