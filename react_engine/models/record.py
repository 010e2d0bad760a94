"""What somebody says of a model: some fields of its profile, the names they are meant for, and who says so.

User settings, learned facts and arguments all become checked records here, so the table that resolves them
never meets a wrong value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from react_engine.checking import checked, require_known
from react_engine.errors import ConfigurationError
from react_engine.models.profile import ModelProfile, Source

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FIELD_NAMES = tuple(item.name for item in fields(ModelProfile) if item.name not in ("name", "sources"))
"""The fields of a profile that a record may set, in the order of the profile."""

SAMPLING_NAMES = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "repeat_penalty",
    "reasoning_effort",
)
"""Sampling parameters by the names of OpenAI's API and of common servers; others go under ``extra``."""

# Where the words of pydantic would describe one branch of a union, or a pattern.
_EXPECTED = {
    "function_calling": 'true, false or "auto"',
    "reasoning": 'a list of pairs of markers, such as [["<think>", "</think>"]]',
    "api_key_env": 'the name of an environment variable that holds the key, such as "MY_KEY" (never the key itself)',
    "constraints": 'a list out of "gbnf", "json_schema" and "structured_outputs"',
    "gate": 'two chances between 0 and 1, such as [0.01, 0.2], or "off"',
    "constraint": '"auto", "on", "off" or a form: "gbnf", "json_schema", "structured_outputs"',
}


@dataclass(frozen=True, slots=True)
class Record:
    """``fields`` hold for the model named ``pattern``, or for all that it matches (``*`` and ``?``, any case)."""

    pattern: str
    fields: Mapping[str, Any]
    source: Source

    def matches(self, name: str) -> bool:
        """Whether the record is meant for a model."""
        if name == self.pattern:
            return True
        return _is_pattern(self.pattern) and fnmatchcase(name.lower(), self.pattern.lower().replace("[", "[[]"))

    @property
    def weight(self) -> tuple[bool, int]:
        """How specific the record is: a plain name before a pattern, more literal characters before fewer."""
        return (not _is_pattern(self.pattern), sum(character not in "*?" for character in self.pattern))


def _is_pattern(text: str) -> bool:
    return "*" in text or "?" in text


def matching(records: Iterable[Record], name: str) -> list[Record]:
    """The records meant for a model, the most specific first; of two equally specific ones the later first."""
    found = [(record.weight, index, record) for index, record in enumerate(records) if record.matches(name)]
    return [record for *_, record in sorted(found, key=lambda item: item[:2], reverse=True)]


def checked_fields(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Fields of a profile, checked and in their final types; what is None is left out.

    Raises ``ConfigurationError`` that names ``where``, the field, what was expected and what was found.
    """
    for name in given:
        if name in ("api_key", "key", "token"):
            raise ConfigurationError(
                f"{where}: {name} would put a secret into the settings. Keep the key in an environment variable "
                'and name the variable: api_key_env = "MY_KEY".'
            )
    require_known(given, FIELD_NAMES, where)
    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(given.get("sampling"), Mapping):
        given["sampling"] = checked_sampling(given["sampling"], f"{where}, sampling")
    return _dumped(_adapter(), given, where)


def overridden(profile: ModelProfile, given: Mapping[str, Any]) -> ModelProfile:
    """A profile with other values for some of its fields; ``"auto"`` leaves a field as it is.

    Raises ``ConfigurationError`` for fields and values that no profile has.
    """
    if not given:
        return profile
    fields_given = checked_fields(given, f"Arguments for the model {profile.name!r}")
    changed = {name: value for name, value in fields_given.items() if value != "auto"}
    said = {name: Source("argument") for name in changed}
    if "sampling" in changed:
        said |= {f"sampling.{name}": Source("argument") for name in changed["sampling"]}
        changed["sampling"] = {**profile.sampling, **changed["sampling"]}
    return replace(profile, **changed, sources={**profile.sources, **said})


def checked_sampling(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Sampling parameters, checked; those under ``extra`` are taken over as they are."""
    require_known(given, (*SAMPLING_NAMES, "extra"), where, note="Others that the server takes go under extra.")
    given = {name: value for name, value in given.items() if value is not None}
    values = _dumped(_sampling_adapter(), given, where)
    return {**values.pop("extra", {}), **values}


def _dumped(adapter: TypeAdapter[Any], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    fields_of = checked(adapter, given, lambda path: f"{where}, {path[0]}", _EXPECTED)
    result: dict[str, Any] = fields_of.model_dump(exclude_unset=True)
    return result


@cache
def _adapter() -> TypeAdapter[Any]:
    from annotated_types import Ge, Le, MinLen
    from pydantic import FiniteFloat, StringConstraints

    share = Annotated[FiniteFloat, Ge(0), Le(1)]
    text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
    # No value of a key fits: keys are longer, or hold characters that no variable's name has.
    variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
    return _fields_adapter(
        function_calling=bool | Literal["auto"],
        dialect=text,
        parallel_calls=bool,
        strict=bool,
        system_role=Literal["system", "user"],
        merge_roles=bool,
        chat=bool,
        stop_words=bool,
        continues=bool,
        thoughts=bool,
        grounded=bool,
        reasoning=tuple[tuple[str, Annotated[str, MinLen(1)]], ...],
        calls_in_reasoning=bool,
        context_length=Annotated[int, Ge(256)],
        constraints=tuple[Literal["gbnf", "json_schema", "structured_outputs"], ...],
        gate=tuple[share, share] | Literal["auto", "off"],
        constraint=Literal["auto", "on", "off", "gbnf", "json_schema", "structured_outputs"],
        client=Literal["litellm", "http", "local"],
        served_name=text,
        api_base=text,
        api_key_env=variable,
        sampling=dict[str, Any],
    )


@cache
def _sampling_adapter() -> TypeAdapter[Any]:
    from annotated_types import Ge, Gt, Le
    from pydantic import FiniteFloat

    share = Annotated[FiniteFloat, Ge(0), Le(1)]
    penalty = Annotated[FiniteFloat, Ge(-2), Le(2)]
    return _fields_adapter(
        temperature=Annotated[FiniteFloat, Ge(0), Le(5)],
        top_p=share,
        top_k=Annotated[int, Ge(0)],
        min_p=share,
        max_tokens=Annotated[int, Gt(0)],
        seed=int,
        presence_penalty=penalty,
        frequency_penalty=penalty,
        repeat_penalty=Annotated[FiniteFloat, Gt(0)],
        reasoning_effort=str,
        extra=dict[str, Any],
    )


def _fields_adapter(**kinds: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter, create_model

    definitions: dict[str, Any] = {name: (kind, None) for name, kind in kinds.items()}
    return TypeAdapter(create_model("Fields", **definitions))
