"""Random tools, and random replies that use them. Every choice is the generator's: one seed, one result."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from react_engine.fuzz import words
from react_engine.fuzz.meaning import Call, Reply, Tool

Schema = dict[str, Any]

_LETTERS = re.compile(r"[^a-z0-9]")


def make_tools(rng: Random) -> list[Tool]:
    """Two to five tools whose names cannot be taken for one another."""
    tools: list[Tool] = []
    taken: list[str] = []
    for _ in range(rng.randint(2, 5)):
        name = _name(rng)
        folded = _LETTERS.sub("", name.lower())
        noun = folded[-5:]
        if any(noun in other for other in taken):
            continue
        taken.append(folded)
        tools.append({"name": name, "description": f"{name} in the harbour office.", "parameters": _parameters(rng)})
    return tools


def _name(rng: Random) -> str:
    verb, noun = rng.choice(words.VERBS), rng.choice(words.NOUNS)
    kind = rng.random()
    if kind < 0.75:
        return f"{verb}_{noun}"
    if kind < 0.85:
        return f"{verb}{noun.capitalize()}"
    if kind < 0.92:
        return f"{verb}-{noun}"
    return f"mcp__{verb}__{noun}" if kind < 0.96 else f"{verb}.{noun}"


def _parameters(rng: Random) -> Schema:
    count = rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5))
    names = rng.sample(words.PARAMETERS, count)
    properties = {name: make_schema(rng) for name in names}
    required = [name for name in names if rng.random() < 0.6]
    return {"type": "object", "properties": properties, "required": required}


_SCALARS: tuple[Schema, ...] = (
    {"type": "string"},
    {"type": "string", "description": "As the user wrote it."},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "string", "enum": list(words.UNITS)},
)
_RARE: tuple[Schema, ...] = (
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "array", "items": {"type": "integer"}},
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "done": {"type": "boolean"}},
            "required": ["text"],
        },
    },
    {
        "type": "object",
        "properties": {"colour": {"type": "string"}, "min_score": {"type": "number"}},
        "required": ["colour"],
    },
)


def make_schema(rng: Random) -> Schema:
    """The schema of one parameter."""
    return dict(rng.choice(_SCALARS if rng.random() < 0.72 else _RARE))


def make_string(rng: Random, hostile: float = 0.3) -> str:
    """A text: mostly ordinary, sometimes one that looks like something else, sometimes noise."""
    kind = rng.random()
    if kind < hostile:
        return rng.choice(words.HOSTILE)
    if kind < hostile + 0.03:
        return "".join(
            chr(rng.choice((rng.randint(32, 126), rng.randint(160, 0x2FFF)))) for _ in range(rng.randint(1, 12))
        )
    return rng.choice(words.PLACES if rng.random() < 0.5 else words.PHRASES)


def make_value(rng: Random, schema: Schema, hostile: float = 0.3) -> Any:
    """A value that fits a schema of ``make_schema``."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return make_value(rng, rng.choice(schema["anyOf"]), hostile)
    kind = schema.get("type", "string")
    return _MAKERS[rng.choice(kind) if isinstance(kind, list) else kind](rng, schema, hostile)


def _integer(rng: Random, _schema: Schema, _hostile: float) -> int:
    return rng.choice((rng.randint(0, 9), rng.randint(-50, 500), rng.randint(-(10**6), 10**6)))


def _number(rng: Random, schema: Schema, hostile: float) -> float | int:
    return _integer(rng, schema, hostile) if rng.random() < 0.3 else round(rng.uniform(-100, 1000), rng.randint(1, 4))


def _list(rng: Random, schema: Schema, hostile: float) -> list[Any]:
    return [make_value(rng, schema["items"], hostile) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]


def _object(rng: Random, schema: Schema, hostile: float) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        name: make_value(rng, below, hostile)
        for name, below in schema.get("properties", {}).items()
        if name in required or rng.random() < 0.5
    }


_MAKERS: dict[str, Callable[[Random, Schema, float], Any]] = {
    "string": lambda rng, _schema, hostile: make_string(rng, hostile),
    "integer": _integer,
    "number": _number,
    "boolean": lambda rng, _schema, _hostile: rng.random() < 0.5,
    "null": lambda _rng, _schema, _hostile: None,
    "array": _list,
    "object": _object,
}


def make_call(rng: Random, tool: Tool, hostile: float = 0.3) -> Call:
    """A call of a tool, with arguments that fit."""
    return Call(tool["name"], _object(rng, tool["parameters"], hostile))


def make_reply(rng: Random, tools: list[Tool], hostile: float = 0.3) -> Reply:
    """A reply with one call, or a few."""
    calls = tuple(make_call(rng, rng.choice(tools), hostile) for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))))
    return Reply(
        thought=rng.choice(words.THOUGHTS) if rng.random() < 0.4 else "",
        before=rng.choice(words.BEFORE) if rng.random() < 0.25 else "",
        calls=calls,
        after=rng.choice(words.AFTER) if rng.random() < 0.05 else "",
    )


def make_answer(rng: Random) -> Reply:
    """A reply that answers and calls nothing."""
    return Reply(thought=rng.choice(words.THOUGHTS) if rng.random() < 0.3 else "", answer=rng.choice(words.ANSWERS))
