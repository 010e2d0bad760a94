"""The settings of a program that uses the engine: frozen values, read once at the edge; ``config`` says from where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from react_engine.checking import checked
from react_engine.config import (
    Keys,
    Leaves,
    find_file,
    from_arguments,
    from_environment,
    from_file,
    named_file,
    where_of,
)
from react_engine.errors import ConfigurationError
from react_engine.limits import Limits
from react_engine.models.profile import Source
from react_engine.models.record import SAMPLING_NAMES, Record, checked_fields, checked_sampling
from react_engine.parsers.dialects import Dialect, register_dialect
from react_engine.settings_sections import RequestSettings, TemplateSettings, ToolSettings, setting

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, complete and checked. ``sources`` says who decided each, by dotted name.

    ``sampling``, ``models`` and ``dialects`` hold only what was set, ``dialects`` those of ``dialect_files`` as well.
    ``file`` is the file that was read, if there was one.
    """

    model: str = setting("local/qwen2.5-coder-1.5b", "The model, where none is named.")
    path: Literal["auto", "native", "prompt"] = setting(
        "auto", 'How tools are offered: "native" by the server\'s tools, "prompt" in the text, "auto" by the model.'
    )
    dialect: str | None = setting(None, 'The text format of calls on the prompt path, for every model: "react", …')
    dialect_files: tuple[str, ...] = setting((), "Files with dialects of your own, [dialects.NAME] in each.")
    language: Literal["en", "zh"] = setting("en", 'The language of the prompts: "en" or "zh".')
    limits: Limits = field(default_factory=Limits)
    requests: RequestSettings = field(default_factory=RequestSettings)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    templates: TemplateSettings = field(default_factory=TemplateSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    models: tuple[Record, ...] = ()
    dialects: tuple[Dialect, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, compare=False)
    file: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ConfigurationError('The model has no name; write one such as "local/qwen2.5-coder-1.5b".')

    @classmethod
    def load(
        cls,
        path: Path | str | None = None,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> Settings:
        """The settings for a program; the module ``config`` says where they come from.

        ``path`` names the file; ``environ`` defaults to the process's. ``overrides`` are arguments: sections as
        mappings, or dotted names (``{"limits.steps": 5}``); None is not set. Raises ``ConfigurationError`` that names
        file and line, variable or argument, what was expected and what was found.
        """
        environ = os.environ if environ is None else environ
        file = named_file(path, environ) or find_file(Path.cwd())
        keys = _known_keys()
        leaves = from_file(file, keys) if file is not None else {}
        leaves |= from_environment(environ, keys)
        leaves |= from_arguments(overrides or {}, keys)
        return _settings(leaves, file)

    def teach_dialects(self) -> None:
        """Make the dialects of these settings known to the reader, for the whole process."""
        if self.dialects:
            register_dialect(*self.dialects)

    def source_of(self, name: str) -> Source:
        """Who decided a setting, or the first of a section."""
        if name in self.sources:
            return self.sources[name]
        inside = (source for key, source in self.sources.items() if key.startswith(f"{name}."))
        return next(inside, Source("default"))


def _settings(leaves: Leaves, file: Path | None) -> Settings:
    values: dict[str, dict[str, Any]] = {section: {} for section in ("", "sampling", *_kinds())}
    records: dict[tuple[str, Source], dict[str, Any]] = {}
    dialects: list[Dialect] = []
    for place, (value, source) in leaves.items():
        where = where_of(source, place)
        if place[0] == "dialects":
            dialects.append(value)
        elif place[0] == "models":
            said = checked_fields({place[2]: value}, where_of(source, place[:2]))
            # One record for each origin: a pattern in the environment stands before the same one in the file.
            origin = Source(source.kind, where_of(Source(source.kind, _file_or_variable(source)), place[:2]))
            records.setdefault((place[1], origin), {}).update(said)
        elif place[0] == "sampling":
            values["sampling"] |= checked_sampling({place[1]: value}, where_of(source, place[:1]))
        else:
            section, key = ("", place[0]) if len(place) == 1 else place
            values[section][key] = _value(section, key, value, where)
    values[""].setdefault("dialect_files", ())
    filed = [dialect for name in values[""]["dialect_files"] for dialect in _from_file(name, leaves)]
    own = {dialect.name for dialect in dialects}
    kinds = _kinds()
    whole = {section: kinds[section](**values[section]) for section in kinds if section}
    return Settings(
        **values[""],
        **whole,
        sampling=values["sampling"],
        dialects=(*(dialect for dialect in filed if dialect.name not in own), *dialects),
        models=tuple(Record(name, said, source) for (name, source), said in records.items()),
        sources={".".join(place): source for place, (_, source) in leaves.items()},
        file=file,
    )


_LISTS = (("tools", "toolbox"), ("tools", "load"), ("", "dialect_files"))


def _from_file(name: str, leaves: Leaves) -> tuple[Dialect, ...]:
    from react_engine.dialect_tables import load_dialects

    try:
        return load_dialects(Path(name).expanduser())
    except ConfigurationError as error:
        raise ConfigurationError(f"{where_of(leaves[('dialect_files',)][1], ('dialect_files',))}: {error}") from error


def _value(section: str, key: str, value: Any, where: str) -> Any:
    kind = _kinds()[section]
    if section == "limits" and isinstance(value, str) and value.strip().lower() == "none":
        value = None
    elif isinstance(value, str) and (section, key) in _LISTS:
        value = [item.strip() for item in value.split(",") if item.strip()]
    # Text is converted, since variables hold nothing else; other values must be of their type (true is no number).
    final = checked(_adapter(section, key, not isinstance(value, str)), _listless(value), lambda _: where)
    try:
        kind(**{key: final})
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    return final


def _listless(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _file_or_variable(source: Source) -> str:
    return source.detail.rpartition(", line ")[0] or source.detail


@cache
def _kinds() -> dict[str, Any]:
    """The dataclass of each section; the one of the settings outside of sections is ``Settings`` itself."""
    hints = get_type_hints(Settings)
    return {"": Settings} | {item.name: hints[item.name] for item in fields(Settings) if is_dataclass(hints[item.name])}


@cache
def _known_keys() -> Keys:
    top = tuple(item.name for item in fields(Settings) if "explanation" in item.metadata)
    inside = {name: tuple(item.name for item in fields(kind)) for name, kind in _kinds().items() if name}
    return Keys(top, inside | {"sampling": (*SAMPLING_NAMES, "extra")})


@cache
def _adapter(section: str, key: str, strict: bool) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(get_type_hints(_kinds()[section])[key], config=ConfigDict(strict=strict, allow_inf_nan=False))
