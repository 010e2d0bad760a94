"""JSON Schema validation: the schema is checked when a tool is made, arguments by a compiled validator."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError
from react_engine.shapes import resolve_pointer
from react_engine.tools.subschemas import subschemas

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# Seconds for one ``pattern``: the pattern is the tool's, but the text comes from a model.
_PATTERN_TIMEOUT = 0.5


def object_schema(schema: Mapping[str, Any], tool: str) -> dict[str, Any]:
    """The schema of a tool's arguments as its own copy, made sure to be one of an object.

    OpenAPI's ``nullable`` becomes a null type, which every reader of JSON Schema understands.
    """
    if not isinstance(schema, Mapping):
        raise ConfigurationError(f"The schema of tool {tool!r} must be a JSON Schema object, got {schema!r:.80}.")
    try:
        copied: dict[str, Any] = copy.deepcopy(dict(schema))
    except RecursionError as err:
        raise _too_deep(tool) from err
    if copied.setdefault("type", "object") != "object":
        raise ConfigurationError(
            f"The schema of tool {tool!r} must be of type object, since arguments have names; got {copied['type']!r}."
        )
    copied.setdefault("properties", {})
    for part in list(subschemas(copied)):
        if part.pop("nullable", False) is True:
            _allow_null(part)
    return copied


def compile_checker(schema: dict[str, Any], tool: str) -> Validator:
    """A validator for a schema: draft 2020-12 unless ``$schema`` names another, formats checked.

    Raises ConfigurationError for a broken schema or a reference that does not point into it: nothing is ever
    fetched.
    """
    from jsonschema import Draft202012Validator, SchemaError, validators
    from referencing import Registry

    from react_engine.tools.formats import format_checker

    draft = validators.validator_for(schema, default=Draft202012Validator)
    try:
        draft.check_schema(schema)
    except SchemaError as err:
        place = "/".join(str(step) for step in err.absolute_path)
        where = f" at {place}" if place else ""
        raise ConfigurationError(f"The schema of tool {tool!r} is broken{where}: {err.message[:300]}.") from err
    except RecursionError as err:
        raise _too_deep(tool) from err
    _check_references(schema, tool)
    extended: Any = validators.extend(draft, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    checker: Validator = extended(schema, registry=Registry(), format_checker=format_checker())
    return checker


def _too_deep(tool: str) -> ConfigurationError:
    return ConfigurationError(f"The schema of tool {tool!r} is nested too deeply.")


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """The keyword ``pattern`` with a time limit."""
    import regex
    from jsonschema import ValidationError

    if not isinstance(instance, str):
        return
    try:
        found = regex.search(pattern, instance, timeout=_PATTERN_TIMEOUT)
    except TimeoutError:
        yield ValidationError("it takes too long to tell whether the text has the pattern")
        return
    if not found:
        yield ValidationError(f"the text does not have the pattern {pattern}")


def _check_references(schema: Mapping[str, Any], tool: str) -> None:
    parts = list(subschemas(schema))
    anchors = {f"#{part['$anchor']}" for part in parts if isinstance(part.get("$anchor"), str)}
    for part in parts:
        reference = part.get("$ref")
        if not isinstance(reference, str) or reference in anchors:
            continue
        if not reference.startswith("#"):
            raise ConfigurationError(
                f"The schema of tool {tool!r} refers to {reference!r}. Only references into the schema itself work: "
                "nothing is fetched. Copy that part under $defs."
            )
        try:
            resolve_pointer(schema, reference)
        except LookupError as err:
            raise ConfigurationError(
                f"The schema of tool {tool!r} refers to {reference!r}, but there is nothing."
            ) from err


def _allow_null(part: dict[str, Any]) -> None:
    declared = part.get("type")
    if isinstance(declared, str):
        part["type"] = [declared, "null"]
    elif isinstance(declared, list) and "null" not in declared:
        part["type"] = [*declared, "null"]
    if isinstance(part.get("enum"), list) and None not in part["enum"]:
        part["enum"] = [*part["enum"], None]
