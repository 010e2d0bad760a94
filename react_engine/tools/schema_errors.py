"""What jsonschema says about arguments."""

from __future__ import annotations

from itertools import islice
from typing import Any

from react_engine.shapes import shown
from react_engine.tools.complaints import EXAMPLES, FORMATS, MAX_ERRORS, Complaint, Path, instead, place

_LIMITS = {
    "minimum": "must be at least {limit}",
    "maximum": "must be at most {limit}",
    "exclusiveMinimum": "must be greater than {limit}",
    "exclusiveMaximum": "must be less than {limit}",
    "multipleOf": "must be a multiple of {limit}",
    "minLength": "must have at least {limit} characters",
    "maxLength": "must have at most {limit} characters",
    "pattern": "must have the pattern {limit}",
    "minItems": "must have at least {limit} items",
    "maxItems": "must have at most {limit} items",
    "uniqueItems": "must not repeat an item",
    "minProperties": "must have at least {limit} fields",
    "maxProperties": "must have at most {limit} fields",
    "oneOf": "must fit exactly one of the alternatives",
    "anyOf": "must fit one of the alternatives",
}


def by_schema(checker: Any, plain: Any) -> list[Complaint]:
    """Everything that a compiled JSON Schema finds wrong."""
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    try:
        errors = list(islice(checker.iter_errors(plain), MAX_ERRORS))
    except RecursionError:
        return [Complaint("too-deep", (), "The arguments are nested too deeply.", "Nest them less.")]
    except Unresolvable as err:
        return [Complaint("invalid-value", (), f"The schema of the tool refers to something missing: {err}.")]
    found: list[Complaint] = []
    for error in errors:
        telling = best_match([error]) if error.context else error
        found.extend(_complaints(telling or error))
    return found


def _complaints(error: Any) -> list[Complaint]:
    path, value = tuple(error.absolute_path), error.instance
    if error.validator == "required" and isinstance(value, dict):
        missing = [(*path, field) for field in error.validator_value if field not in value]
        return [Complaint("missing-argument", at, f"{place(at)} is missing.", f"Add {place(at)}.") for at in missing]
    if error.validator in ("additionalProperties", "unevaluatedProperties") and error.validator_value is False:
        known = tuple(error.schema.get("properties", {}))
        unknown = [field for field in value if field not in known]
        return [
            Complaint(
                "unknown-argument",
                (*path, field),
                f"{place((*path, field))} is unknown.",
                instead(field, known, field=True),
            )
            for field in unknown
        ]
    return [_wrong_value(error, path, value)]


def _wrong_value(error: Any, path: Path, value: Any) -> Complaint:
    name, keyword, limit = place(path), error.validator, error.validator_value
    got = f"got {shown(value)}."
    if keyword in ("enum", "const"):
        members = limit if keyword == "enum" else [limit]
        choices = tuple(member for member in members if isinstance(member, str))
        expected = " | ".join(shown(member) for member in members[:30])
        return Complaint(
            "not-allowed", path, f"{name} must be {expected}, {got}", instead(str(value), choices, field=False)
        )
    if keyword == "type":
        types = [limit] if isinstance(limit, str) else list(limit)
        hint = f"Write {EXAMPLES[types[0]]}." if types[0] in EXAMPLES else ""
        return Complaint("wrong-type", path, f"{name} must be {' or '.join(types)}, {got}", hint)
    if keyword == "format":
        example = FORMATS.get(limit, f"text of the format {limit}")
        return Complaint("invalid-value", path, f"{name} must be {example}, {got}", f"Write {example}.")
    if keyword == "pattern" and "too long" in error.message:
        return Complaint("invalid-value", path, f"{name}: {error.message}, {got}")
    known = _LIMITS.get(keyword)
    said = known.format(limit=shown(limit)) if known else f"does not fit: {error.message[:200]}"
    return Complaint("invalid-value", path, f"{name} {said}, {got}")
