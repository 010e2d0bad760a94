"""Where a text argument's value may come from: its examples, and the tools that promise to tell it.

All of it is read out of names and descriptions, with no list of words for any task: "id of the person, such as P99" has
the example P99, and a tool that "gives the person's id" without taking one is where to get it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_engine.tools.tool import Tool

_EXAMPLE = re.compile(
    r"(?:\b(?:such as|for example|for instance|e\.\s?g\.|like)|例如|比如|如)[\s:：,，]*"
    r"(?:[\"'“‘`]([^\"'”’`]{1,40})[\"'”’`]|([^\s,;，；。()（）\"'“‘`]{1,40}))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+|\d+")
_STOP_WORDS = frozenset(
    _WORD.findall("a an and as at by for from in is it its of on or such that the their to what which with")
)
# Names that say what a value is and not of what: another word has to fit beside them.
_BARE = frozenset(_WORD.findall("code id key kind label name number ref text title type uid uuid value"))


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of one text argument: its examples, and the other tools whose descriptions promise it."""

    name: str
    examples: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def wants_code(self) -> bool:
        """Whether its examples are codes, such as P99: made of letters or signs, and digits."""
        return any(is_code(example) for example in self.examples)

    def like(self, value: str) -> list[str]:
        """Its examples that are codes and have the form of a value."""
        form = form_of(value)
        return [example for example in self.examples if is_code(example) and form_of(example) == form]


class Origins:
    """The origins of the text arguments of some tools, by tool and argument."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._known: dict[str, dict[str, Origin]] = {}
        offered = list(tools)
        promised = {tool.name: frozenset(words_of(f"{tool.name} {tool.description}")) for tool in offered}
        for tool in offered:
            self._known[tool.name] = {
                name: Origin(name, _examples(schema), tuple(_promising(name, schema, tool, offered, promised)))
                for name, schema in _text_arguments(tool.schema)
            }

    def of(self, tool: str) -> Mapping[str, Origin]:
        """The origins of a tool's text arguments."""
        return self._known.get(tool, {})

    def fitting(self, value: str, besides: Origin) -> list[tuple[str, Origin]]:
        """Arguments, with their tools, whose examples are codes of the form that a value has.

        Those with as many letters and digits, where there are any: M2 is rather like Z0 than like P99.
        """
        found = [
            (tool, origin, any(len(item) == len(value) for item in alike))
            for tool, origins in self._known.items()
            for origin in origins.values()
            if origin != besides and (alike := origin.like(value))
        ]
        exact = any(same for *_, same in found)
        return [(tool, origin) for tool, origin, same in found if same or not exact]


def _text_arguments(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    properties = schema.get("properties")
    for name, below in properties.items() if isinstance(properties, Mapping) else ():
        if (
            isinstance(below, Mapping)
            and below.get("type") == "string"
            and "enum" not in below
            and "format" not in below
        ):
            yield name, below


def _examples(schema: Mapping[str, Any]) -> tuple[str, ...]:
    listed = schema.get("examples")
    given = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    described = str(schema.get("description") or "")
    found = (quoted or plain for quoted, plain in _EXAMPLE.findall(described))
    return tuple(dict.fromkeys(filter(None, (*given, *(item.strip().rstrip(".") for item in found)))))


def _promising(
    name: str, schema: Mapping[str, Any], tool: Tool, offered: Sequence[Tool], promised: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """The other tools whose description speaks of an argument that they do not take themselves."""
    words = frozenset(words_of(name))
    beside = frozenset(words_of(_EXAMPLE.sub("", str(schema.get("description") or "")))) - words
    for other in offered:
        takes = other.schema.get("properties")
        if other.name == tool.name or (isinstance(takes, Mapping) and name in takes):
            continue
        told = promised[other.name]
        if words and words <= told and (words - _BARE or beside & told):
            yield other.name


def words_of(text: str) -> Iterator[str]:
    """The words of a text, in the singular; of a script without blanks, each run of letters."""
    for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)):
        plain = word.casefold()
        if plain not in _STOP_WORDS:
            yield plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain


def is_code(value: str) -> bool:
    """Whether a value is one word of letters or signs, and digits: no number, no sentence."""
    return (
        not any(char.isspace() for char in value)
        and any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
    )


def form_of(value: str) -> str:
    """The form of a value: letters and digits, however many, and the signs between them."""
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", value))
