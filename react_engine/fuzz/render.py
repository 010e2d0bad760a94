"""Writes what a reply means in the trained form of a dialect, with the habits of a model that does not quite keep to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from react_engine.fuzz.forms import FORMS, Form
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Call, Reply, Tool
from react_engine.fuzz.sample import HOLE, Part, PartKind, Sample, Writer
from react_engine.parsers.control import END_TOKENS
from react_engine.parsers.dialects.record import Dialect

Write = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Habits:
    """What a model does differently from its trained form.

    ``write`` gives JSON (``dict`` and all that it holds), ``name`` the name as written, ``arguments`` the text of a
    call's arguments from (call, what would be written), ``body`` the object that holds a call from (name as JSON,
    arguments as text, form), ``keys`` the words for name and arguments.
    """

    write: Write = VALID.write
    name: Callable[[str], str] = str
    arguments: Callable[[Call, str], str] | None = None
    body: Callable[[str, str, Form], str] | None = None
    value: Callable[[str], str] | None = None


TRAINED = Habits()


def render_reply(record: Dialect, thought: str, calls: Sequence[Call], answer: str) -> str:
    """A reply in the trained form of a dialect. Raises KeyError for a dialect without a known form."""
    return render(FORMS[record.name], Reply(thought=thought, calls=tuple(calls), answer=answer)).text


def render(form: Form, reply: Reply, habits: Habits = TRAINED) -> Sample:
    """A reply in a form."""
    writer = Writer()
    if reply.thought and form.thought:
        _fill(writer, form.thought, "thought", reply.thought)
    if reply.before and form.plain:
        _fill(writer, form.before, "before", reply.before)
    if reply.calls:
        start = writer.length
        writer.add(form.open)
        for number, call in enumerate(reply.calls):
            writer.add(form.join if number else "")
            _call(writer, form, call, number, habits)
        writer.add(form.close)
        writer.parts.append(Part("calls", start, writer.length))
    if reply.after and form.after and form.plain and reply.calls:
        _fill(writer, form.after, "after", reply.after)
    if reply.answer:
        _fill(writer, form.answer, "answer", reply.answer)
    return writer.sample()


def _fill(writer: Writer, template: str, kind: PartKind, text: str) -> None:
    head, _, tail = template.partition(f"${kind}")
    writer.add(head)
    writer.add_part(kind, text)
    writer.add(tail)


@cache
def _split(template: str) -> list[str]:
    return HOLE.split(template)


def _call(writer: Writer, form: Form, call: Call, number: int, habits: Habits) -> None:
    start = writer.length
    for index, piece in enumerate(_split(form.call)):
        if index % 2 == 0:
            writer.add(piece)
        elif piece == "name":
            writer.add_part("name", habits.name(call.name))
        elif piece == "quoted":
            writer.add_part("name", habits.write(habits.name(call.name)))
        elif piece == "arguments":
            _arguments(writer, form, call, habits)
        elif piece == "body":
            _body(writer, form, call, habits)
        else:
            writer.add({"id": f"a1b2c3d4e{number}", "index": str(number + 1), "index0": str(number)}[piece])
    writer.parts.append(Part("call", start, writer.length))


def _arguments(writer: Writer, form: Form, call: Call, habits: Habits) -> None:
    start = writer.length
    if form.codec in ("json", "body"):
        writer.add(json_arguments(call, habits))
    elif form.codec == "python":
        literal = python_literals(form)
        written = ", ".join(f"{key}={literal(value)}" for key, value in call.arguments.items())
        writer.add(habits.arguments(call, written) if habits.arguments else written)
    elif form.codec == "quoted":
        writer.add(_quoted(call.arguments, form.quotes)[1:-1])
    elif form.codec == "elements":
        for key, value in call.arguments.items():
            writer.add(_element(key, value))
    else:
        for key, value in call.arguments.items():
            _tag(writer, form, key, value, habits)
    writer.parts.append(Part("arguments", start, writer.length))


def json_arguments(call: Call, habits: Habits) -> str:
    """The arguments of a call as JSON, or what is made of it."""
    written = habits.write(call.arguments)
    return habits.arguments(call, written) if habits.arguments else written


def _body(writer: Writer, form: Form, call: Call, habits: Habits) -> None:
    name, arguments = habits.write(habits.name(call.name)), json_arguments(call, habits)
    start = writer.length
    if habits.body is not None:
        writer.add(habits.body(name, arguments, form))
    elif form.indent and habits.write is VALID.write:
        whole = {form.keys[0]: call.name, form.keys[1]: call.arguments}
        writer.add(re.sub(r"(?m)^", "    ", json.dumps(whole, indent=4, ensure_ascii=False)))
    else:
        writer.add(f"{{{habits.write(form.keys[0])}: ")
        writer.add_part("name", name)
        writer.add(f", {habits.write(form.keys[1])}: ")
        writer.add_part("arguments", arguments)
        writer.add("}")
    writer.parts.append(Part("body", start, writer.length))


def _tag(writer: Writer, form: Form, key: str, value: Any, habits: Habits) -> None:
    start, text = writer.length, raw_value(value)
    if habits.value is not None and not isinstance(value, str):
        text = habits.value(text)
    for index, piece in enumerate(_split(form.argument)):
        if index % 2 == 0:
            writer.add(piece)
        else:
            writer.add(
                {
                    "key": key,
                    "value": text,
                    "type": _type(value),
                    "text": "true" if isinstance(value, str) else "false",
                }[piece]
            )
    writer.parts.append(Part("argument", start, writer.length))


def raw_value(value: Any) -> str:
    """A value as it stands in a tag."""
    return value if isinstance(value, str) else VALID.write(value)


def _type(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return {int: "number", float: "number", str: "string", list: "array", dict: "object"}[type(value)]


def python_literals(form: Form) -> Write:
    """How a form writes values in calls."""
    if form.literals == "json":
        return VALID.write
    return lambda value: _python(value, form.quotes)


def _python(value: Any, quotes: str) -> str:
    if isinstance(value, str):
        return _python_string(value, quotes)
    if isinstance(value, list):
        return f"[{', '.join(_python(item, quotes) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_python(k, quotes)}: {_python(v, quotes)}' for k, v in value.items())}}}"
    return repr(value)


def _python_string(text: str, quotes: str) -> str:
    if quotes == "'":
        return repr(text)
    return '"' + "".join('\\"' if char == '"' else "'" if char == "'" else repr(char)[1:-1] for char in text) + '"'


def _quoted(value: Any, quotes: str) -> str:
    if isinstance(value, str):
        return f"{quotes}{value}{quotes}"
    if isinstance(value, list):
        return f"[{','.join(_quoted(item, quotes) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}:{_quoted(item, quotes)}' for key, item in value.items())}}}"
    return json.dumps(value)


_M3 = "]<]minimax[>["


def _element(key: str, value: Any) -> str:
    if isinstance(value, list):
        inner = "".join(_element("item", item) for item in value)
    elif isinstance(value, dict):
        inner = "".join(_element(name, item) for name, item in value.items())
    else:
        inner = raw_value(value)
    return f"{_M3}<{key}>{inner}{_M3}</{key}>"


_ENDS = re.compile("|".join(map(re.escape, END_TOKENS)))


def can_say(form: Form, reply: Reply, tools: Sequence[Tool]) -> bool:
    """Whether a form can write this reply so that it can be told apart from every other."""
    if len(reply.calls) > 1 and not form.several:
        return False
    if "(" in form.call and form.codec == "python" and any(not _IDENTIFIER.fullmatch(c.name) for c in reply.calls):
        return False
    if form.call.endswith("$name") and any(call.arguments for call in reply.calls):
        return False
    schemas = {tool["name"]: tool["parameters"].get("properties", {}) for tool in tools}
    return all(
        _sayable(form, value, schemas.get(call.name, {}).get(key, {}))
        for call in reply.calls
        for key, value in call.arguments.items()
    )


_IDENTIFIER = re.compile(r"[^\W\d][\w.]*")
_EDGED = re.compile(r"^\s|\s$")


def _sayable(form: Form, value: Any, schema: dict[str, Any]) -> bool:
    strings = list(_strings(value))
    if any(_ENDS.search(text) for text in strings):
        return False
    if form.codec in ("json", "body"):
        return True
    if any("\ud800" <= char <= "\udfff" for text in strings for char in text):
        return False
    if form.codec == "python":
        return True
    if form.codec == "quoted":
        return not any(form.quotes in text for text in strings)
    if form.codec == "elements":
        typed = schema.get("type") != "object" or "properties" in schema
        return (
            typed
            and not (isinstance(value, str) and _is_union(schema) and _reads_as_json(value))
            and not any(_EDGED.search(text) or "minimax" in text or not text for text in strings)
            and value not in ([], {})
        )
    if isinstance(value, str):
        if form.open == "" and "<atem:" in form.argument and value[:1] == '"':
            return False  # this family decodes what is JSON
        if _is_union(schema) and _reads_as_json(value):
            return False
        return not _EDGED.search(value) and "</" not in value and not re.search(r"<\|?\w+[=|]|<function|\]\]>", value)
    return not any("</" in text for text in strings)


def _is_union(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("type"), list) or "anyOf" in schema


def _reads_as_json(text: str) -> bool:
    return text.strip().lower() in ("null", "none", "true", "false", "nil") or bool(re.match(r'\s*[-\d"\[{]', text))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []
