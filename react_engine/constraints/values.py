"""Values as grammar rules: on one line, in the notation of a dialect, and fitting a schema.

The structure comes from the compiled ``Shape``, limits from the schema beside it. Where a schema says what a grammar
cannot (patterns, conditions), any value of the type is allowed, and validation judges it as ever. Strings and
numbers have a length at which they end: a small model would go on for ever in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from react_engine.constraints.grammar import Rule, Rules, choice, literal, optional, repeated, sequence
from react_engine.constraints.notations import JSON, Notation
from react_engine.shapes import Shape, resolve_pointer

STRING = 600
"""Characters of a string at most, whatever its schema says."""
DIGITS = 15
ITEMS = 20
"""Items of an array at most."""
_LISTED = 24  # a range of so few integers is written out
FORMATS = {
    "date": r"[0-9]{4} " + '"-" [01] [0-9] "-" [0-3] [0-9]',
    "time": r'[0-2] [0-9] ":" [0-5] [0-9] (":" [0-5] [0-9])?',
}


class Values:
    """Writes rules for values in a notation; ``root`` is the schema that references point into."""

    def __init__(self, rules: Rules, root: Mapping[str, Any], notation: Notation = JSON) -> None:
        self.rules, self.root, self.notation = rules, root, notation
        self._comma = literal(notation.comma)
        self._written: dict[tuple[int, int], Rule] = {}

    def value(self, shape: Shape, schema: Any, stem: str) -> Rule:
        """A value of this shape; ``schema`` is what is known of its limits."""
        schema = self.followed(schema)
        if shape.enum:
            return self.rules.rule(stem, choice(map(self.notation.constant, members_of(shape))))
        if shape.anything or shape.also or shape.enum is not None:
            return self.anything(shape)
        if not (shape.options or shape.properties or shape.items or shape.prefix):
            return self._of_types(shape, schema, stem)
        key = (id(shape), id(schema) if schema else 0)  # tool and root hold both, so nothing else gets their ids
        if key not in self._written:  # a schema that refers to itself becomes a rule that does

            def body(name: Rule) -> Rule:
                self._written[key] = name
                if shape.options:
                    return choice(self.value(option, {}, stem) for option in shape.options)
                return self._of_types(shape, schema, stem)

            self.rules.recursive(stem, body)
        return self._written[key]

    def _of_types(self, shape: Shape, schema: Mapping[str, Any], stem: str) -> Rule:
        kinds = shape.types or frozenset({"object"} if shape.properties else {"array"} if shape.items else ())
        forms = [self.of_type(kind, shape, schema, stem) for kind in sorted(kinds)]
        return choice(forms) if forms else self.anything(shape)

    def of_type(self, kind: str, shape: Shape, schema: Mapping[str, Any], stem: str) -> Rule:
        """A value of one of the types that the shape allows."""
        match kind:
            case "string":
                return self.string(schema)
            case "integer":
                return self._integer(schema)
            case "number":
                fraction = optional(f'"." {repeated("[0-9]", 1, DIGITS - 5)}')
                return self.rules.rule("number", sequence((self._integer(schema, listed=False), fraction)))
            case "boolean":
                return choice(map(self.notation.constant, (True, False)))
            case "array":
                return self._array(shape, schema, stem)
            case "object":
                return self._object(shape, schema, stem)
        return self.notation.constant(None)

    def string(self, schema: Mapping[str, Any]) -> Rule:
        """Text, as long as the schema allows, but never without end."""
        quote = literal(self.notation.quote)
        if (known := FORMATS.get(str(schema.get("format")))) is not None:
            return self.rules.rule(str(schema["format"]), f"{quote} {known} {quote}")
        least, most = length_of(schema)
        if most == 0:
            return self.notation.constant("")
        return self.rules.rule("string", f"{quote} {self.notation.character(self.rules)}{{{least},{most}}} {quote}")

    def _integer(self, schema: Mapping[str, Any], *, listed: bool = True) -> Rule:
        low, high = schema.get("minimum"), schema.get("maximum")
        if listed and type(low) is int and type(high) is int and 0 <= high - low < _LISTED:
            return choice(literal(str(number)) for number in range(low, high + 1))
        sign = "" if isinstance(low, int | float) and low >= 0 else optional('"-"')
        return self.rules.rule("integer", sequence((sign, f'("0" | [1-9] {repeated("[0-9]", 0, DIGITS - 1)})')))

    def _array(self, shape: Shape, schema: Mapping[str, Any], stem: str) -> Rule:
        if shape.prefix:
            parts = [self.value(part, {}, stem) for part in shape.prefix]
            return sequence(('"["', sequence(self._joined(parts)), '"]"'))
        item = self.value(shape.items or Shape(), schema.get("items"), f"{stem}-item")
        least, most = _bounds(schema, "minItems", "maxItems", ITEMS)
        if most == 0:
            return '"[]"'
        more = repeated(f"{self._comma} {item}", max(0, least - 1), most - 1)
        inner = sequence((item, more))
        return self.rules.rule(f"{stem}-list", sequence(('"["', inner if least else optional(inner), '"]"')))

    def _object(self, shape: Shape, schema: Mapping[str, Any], stem: str) -> Rule:
        if not shape.properties:
            return '"{}"' if shape.additional is False or _is_empty(schema) else self._any_object()
        return self.rules.rule(
            stem, sequence((literal("{"), self.members(shape, schema, stem, self._member, self._comma), literal("}")))
        )

    def _member(self, name: str, shape: Shape, schema: Any, stem: str) -> Rule:
        return sequence((self.notation.key(name), self.value(shape, schema, stem)))

    def members(
        self, shape: Shape, schema: Mapping[str, Any], stem: str, written: Callable[..., Rule], comma: Rule = ""
    ) -> Rule:
        """The members of an object in the order of its schema; those that are not required may be left out.

        ``written`` gives the rule of one, from its name, shape, schema and a stem for rules.
        """
        known = schema.get("properties")
        below = known if isinstance(known, Mapping) else {}
        first, more = "", ""  # what may follow while nothing was written yet, and after a member
        for place, (name, part) in reversed(list(enumerate(shape.properties.items()))):
            needed = name in shape.required
            value = part if needed else part.without_null()
            begun = sequence((written(name, value, below.get(name), f"{stem}-{name}"), more))
            first = begun if needed else _or(begun, first)
            if place:
                rest = sequence((comma, begun))
                more = self.rules.rule(f"{stem}-more", rest if needed else _or(rest, more))
        return first

    def anything(self, shape: Shape) -> Rule:
        """Any value of the types that the shape allows."""
        return choice(map(self.any_of, kinds_of(shape)))

    def any_of(self, kind: str) -> Rule:
        """Any value of a type."""
        if kind == "object":
            return self._any_object()
        if kind == "array":
            return self._any_array()
        return self.of_type(kind, Shape(frozenset({kind})), {}, kind)

    def _any_value(self, levels: int) -> Rule:
        plain = [self.any_of(kind) for kind in ("string", "number", "boolean", "null")]
        if levels > 0:
            plain += [self._any_object(levels - 1), self._any_array(levels - 1)]
        return self.rules.rule(f"value{levels}", " | ".join(plain))

    def _any_object(self, levels: int = 3) -> Rule:
        member = sequence((self.notation.any_key(self.rules), self._any_value(levels)))
        inner = optional(sequence((member, repeated(sequence((self._comma, member)), 0, ITEMS))))
        return self.rules.rule(f"object{levels}", sequence((literal("{"), inner, literal("}"))))

    def _any_array(self, levels: int = 3) -> Rule:
        item = self._any_value(levels)
        inner = optional(sequence((item, repeated(sequence((self._comma, item)), 0, ITEMS))))
        return self.rules.rule(f"array{levels}", sequence(('"["', inner, '"]"')))

    def _joined(self, parts: list[Rule]) -> list[Rule]:
        return [part for number, item in enumerate(parts) for part in ((self._comma, item) if number else (item,))]

    def followed(self, schema: Any) -> Mapping[str, Any]:
        """The schema itself, behind references; nothing where it leads nowhere."""
        for _ in range(8):
            if not isinstance(schema, Mapping):
                return {}
            options = [
                part for part in schema.get("anyOf") or () if isinstance(part, Mapping) and part.get("type") != "null"
            ]
            if isinstance(schema.get("$ref"), str):
                try:
                    schema = resolve_pointer(self.root, schema["$ref"])
                except LookupError:
                    return {}
            elif len(options) == 1:  # what may also be null
                schema = options[0]
            else:
                return schema
        return {}


def _or(part: Rule, other: Rule) -> Rule:
    return choice((part, other)) if other else optional(part)


def members_of(shape: Shape) -> list[Any]:
    """The values of an enumeration that fit."""
    members = list(shape.enum or ())
    return [member for member in members if shape.fits(member)] or members


def kinds_of(shape: Shape) -> list[str]:
    """The types of JSON that a shape allows; one that fits nothing can only be null."""
    kinds = [kind for kind in ("string", "number", "boolean", "null", "array", "object") if shape.allows(kind)]
    if "number" not in kinds and shape.allows("integer"):
        kinds.append("integer")
    return kinds or ["null"]


def length_of(schema: Mapping[str, Any]) -> tuple[int, int]:
    """How long a text may be, at least and at most."""
    return _bounds(schema, "minLength", "maxLength", STRING)


def _bounds(schema: Mapping[str, Any], lower: str, upper: str, highest: int) -> tuple[int, int]:
    """Both bounds of a length, none above ``highest``: servers refuse a grammar that repeats something too often."""
    least, most = min(_count(schema, lower, 0), highest), min(_count(schema, upper, highest), highest)
    return least, max(least, most)


def _count(schema: Mapping[str, Any], word: str, otherwise: int) -> int:
    value = schema.get(word)
    return value if type(value) is int and value >= 0 else otherwise


def _is_empty(schema: Mapping[str, Any]) -> bool:
    """Whether a schema names its members, and there are none: others would be allowed, but are never meant."""
    return schema.get("properties") == {} and not {"additionalProperties", "patternProperties"} & schema.keys()
