"""The arguments of a call as rules, for each of the templates that write them in a dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from react_engine.constraints.free_text import raw_character
from react_engine.constraints.grammar import Rule, Rules, choice, filled, literal, none_of, optional, repeated, sequence
from react_engine.constraints.notations import JSON, JSON_IN_TAGS, python_notation, token_notation
from react_engine.constraints.values import FORMATS, ITEMS, Values, kinds_of, length_of, members_of
from react_engine.parsers.dialects import Dialect, Writing
from react_engine.shapes import Shape
from react_engine.templates.notation import kind_of, tag_text
from react_engine.tools.tool import Tool

_UNIONS = 4
"""Unions in unions that are followed, where a value's kind must be known."""


def _json(rules: Rules, tool: Tool, _dialect: Dialect) -> Rule:
    return Values(rules, tool.schema, JSON).value(tool.shape, tool.schema, tool.name)


def _quoted(rules: Rules, tool: Tool, dialect: Dialect) -> Rule:
    return Values(rules, tool.schema, token_notation(dialect.quote)).value(tool.shape, tool.schema, tool.name)


def _python(rules: Rules, tool: Tool, dialect: Dialect) -> Rule:
    values = Values(rules, tool.schema, python_notation(dialect, _writing(dialect)))

    def argument(name: str, shape: Shape, schema: Any, stem: str) -> Rule:
        return sequence((literal(f"{name}="), values.value(shape, schema, stem)))

    return values.members(tool.shape, tool.schema, tool.name, argument, literal(", "))


def _tags(rules: Rules, tool: Tool, dialect: Dialect) -> Rule:
    raw, pattern = _Raw(rules, tool.schema), _writing(dialect).argument

    def argument(name: str, shape: Shape, schema: Any, stem: str) -> Rule:
        written: dict[tuple[str, str], list[Rule]] = {}
        for kind, value in raw.forms(shape, schema, stem):
            said = (literal(kind), literal("true" if kind == "string" else "false"))
            written.setdefault(said if "$type" in pattern or "$string" in pattern else ("", ""), []).append(value)
        ways = [
            filled(pattern, {"key": literal(name), "type": kind, "string": text, "value": choice(values)})
            for (kind, text), values in written.items()
        ]
        return choice(ways)

    return raw.members(tool.shape, tool.schema, tool.name, argument)


def _elements(rules: Rules, tool: Tool, dialect: Dialect) -> Rule:
    elements = _Elements(rules, tool.schema, dialect.elements or "")
    return elements.members(tool.shape, tool.schema, tool.name, elements.element)


CODECS: Mapping[str, Callable[[Rules, Tool, Dialect], Rule]] = {
    "json": _json,
    "quoted": _quoted,
    "python": _python,
    "tags": _tags,
    "elements": _elements,
}
"""By the dialect's ``template``."""


def arguments_rule(rules: Rules, tool: Tool, dialect: Dialect) -> Rule:
    """The arguments of a tool as the dialect writes them."""
    return CODECS[dialect.template or ""](rules, tool, dialect)


def _writing(dialect: Dialect) -> Writing:
    if dialect.writing is None:
        raise AssertionError("a dialect that is only read")
    return dialect.writing


class _Raw(Values):
    """Values between tags: text as it is, everything else as JSON."""

    def __init__(self, rules: Rules, root: Mapping[str, Any]) -> None:
        super().__init__(rules, root, JSON_IN_TAGS)

    def forms(self, shape: Shape, schema: Any, stem: str, unions: int = _UNIONS) -> Iterator[tuple[str, Rule]]:
        """The ways to write a value, each with the kind that a tag may have to tell."""
        schema = self.followed(schema)
        if shape.enum:
            for member in members_of(shape):
                yield kind_of(member), literal(tag_text(member))
        elif shape.options and unions:
            for option in shape.options:
                yield from self.forms(option, {}, stem, unions - 1)
        elif shape.anything or shape.also or shape.options or shape.enum is not None:
            for kind in kinds_of(shape):
                yield kind.replace("integer", "number"), self.text({}) if kind == "string" else self.any_of(kind)
        else:
            for kind in sorted(shape.types) or ["object" if shape.properties else "array"]:
                told = kind.replace("integer", "number")
                yield told, self.text(schema) if kind == "string" else self.of_type(kind, shape, schema, stem)

    def text(self, schema: Mapping[str, Any]) -> Rule:
        """Text as it is, which begins with no blank."""
        if (known := FORMATS.get(str(schema.get("format")))) is not None:
            return self.rules.rule(str(schema["format"]), known)
        least, most = length_of(schema)
        if most == 0:
            return literal("")
        piece = raw_character(self.rules)
        text = sequence((none_of(" <[◁✿"), repeated(piece, max(0, least - 1), most - 1)))
        return self.rules.rule("text", text if least else optional(text))


class _Elements(_Raw):
    """Values as nested elements, whose tags begin with ``prefix``."""

    def __init__(self, rules: Rules, root: Mapping[str, Any], prefix: str) -> None:
        super().__init__(rules, root)
        self._prefix = prefix
        self._known: dict[int, Rule] = {}

    def element(self, name: str, shape: Shape, schema: Any, stem: str) -> Rule:
        """A value between tags of its name."""
        inner = choice(rule for _, rule in self.forms(shape, schema, stem))
        return sequence((literal(f"{self._prefix}<{name}>"), inner, literal(f"{self._prefix}</{name}>")))

    def of_type(self, kind: str, shape: Shape, schema: Mapping[str, Any], stem: str) -> Rule:
        """Objects and lists as elements, anything else as JSON."""
        if kind not in ("object", "array") or not (shape.properties or shape.items):
            return super().of_type(kind, shape, schema, stem)
        if id(shape) not in self._known:

            def body(name: Rule) -> Rule:
                self._known[id(shape)] = name
                if kind == "object":
                    return self.members(shape, schema, stem, self.element) or literal("")
                item = self.element("item", shape.items or Shape(), schema.get("items"), f"{stem}-item")
                return repeated(item, 0 if "minItems" not in schema else 1, ITEMS)

            self.rules.recursive(stem, body)
        return self._known[id(shape)]
