"""From JSON that a model wrote to what it means: calls, an answer, or just data.

The keys differ from family to family (``name``/``arguments``, ``action``/``action_input``, OpenAI's
``tool_calls``, a list of ``{tool: arguments}`` …); one reading serves all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from react_engine.parsers.envelopes import ARGUMENT_KEYS, NAME_KEYS, is_schema, is_schema_of_value
from react_engine.parsers.index import KnownTool, ToolIndex
from react_engine.parsers.literals import Bare, CallArguments, Value, read_call_arguments, read_value
from react_engine.parsers.names import fold
from react_engine.parsers.settle import is_placeholder, object_in

_LISTS = ("tool_calls", "__tool_calls__", "calls", "tool_uses", "function_calls", "actions", "toolcalls")
_WRAPPERS = ("function_call", "tool_call", "call", "functioncall", "tooluse", "tool_use", "action")
_META = frozenset(
    {"id", "type", "index", "thought", "thoughts", "reasoning", "thinking", "tool_call_id", "call_id", "reason",
     "observation", "description", "explanation"}
)  # fmt: skip
_THOUGHT = frozenset({"thought", "thoughts", "reasoning", "thinking", "observation", "id", "type"})
# Names that wrap calls or end the run rather than name a tool; a registered tool of that name comes first.
_WRAPPER_NAMES = frozenset(
    {"toolcall", "functioncall", "multitooluseparallel", "parallel", "calltool", "toolcalls", "function", "tool"}
)
FINAL_NAMES = frozenset(
    {"finalanswer", "finish", "final", "answer", "finalresponse", "finaloutput", "最终答案", "respondtouser",
     "giveanswer", "giveafinalanswer", "returnfinalanswer"}
)  # fmt: skip
NO_ACTION_NAMES = frozenset(
    {"none", "na", "null", "nil", "noaction", "noactionneeded", "noactionrequired", "notool", "notoolneeded", "noneneeded",
     "notoolrequired", "nothing", "无", "なし", "없음", "directlyanswer", "nofunction", "notapplicable", "no", "skip"}
)  # fmt: skip


class CallIntent(NamedTuple):
    """A call as written: the name and the value that stands for its arguments.

    ``explicit`` says that the object had keys for both: it has the form of a call even if no tool has the name.
    ``keyed``: the name is a key, and no tool has exactly that name, or no arguments stand behind it.
    """

    name: str
    arguments: Any
    id: str = ""
    explicit: bool = True
    thought: str | None = None
    keyed: bool = False


class AnswerIntent(NamedTuple):
    """An answer for the user in the form of an object."""

    text: str
    thought: str | None = None


class NoCallIntent(NamedTuple):
    """The model says that it calls nothing."""

    thought: str | None = None


class EchoIntent(NamedTuple):
    """Something from the prompt came back: a tool's definition, or the pattern of a call.

    ``pattern``: its name is a placeholder.
    """

    pattern: bool = False
    thought: str | None = None


Intent = CallIntent | AnswerIntent | NoCallIntent | EchoIntent


def intents(value: Any, index: ToolIndex) -> list[Intent]:
    """What an object or list means, in order; empty when it is only data."""
    if isinstance(value, list):
        return [intent for item in value for intent in intents(item, index)]
    if not isinstance(value, dict):
        return []
    if (plain := plain_call(value, index)) is not None:
        return [plain]
    return list(_of_object({_key(key): item for key, item in value.items()}, index))


_NAMES, _ARGUMENTS = frozenset(NAME_KEYS), frozenset(ARGUMENT_KEYS)
_IDS = frozenset({"id", "tool_call_id", "call_id"})


def plain_call(value: Mapping[Any, Any], index: ToolIndex) -> CallIntent | None:
    """The call that an object is if it holds a tool's name, an object of arguments, maybe an id, and nothing else."""
    name = arguments = None
    call_id = ""
    for key, item in value.items():
        if key in _ARGUMENTS and arguments is None:
            arguments = item
        elif key in _NAMES and name is None:
            name = item
        elif key in _IDS and not call_id:
            call_id = item
        else:
            return None
    if type(name) is not str or name not in index.tools or type(arguments) is not dict or type(call_id) is not str:
        return None
    return None if "properties" in arguments else CallIntent(name, arguments, call_id.strip() and call_id)


_KNOWN_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, *_LISTS, *_WRAPPERS, *_META, "final_answer", "answer", "response"})


def _key(key: Any) -> Any:
    """A key as it is known: ``Action Input`` and ``actionInput`` are ``action_input``. Other keys stay as they are."""
    if not isinstance(key, str) or key in _KNOWN_KEYS:
        return key
    plain = key.strip().lower().replace(" ", "_").replace("-", "_")
    if plain in _KNOWN_KEYS:
        return plain
    joined = plain.replace("_", "")
    return {
        "actioninput": "action_input",
        "toolname": "tool_name",
        "toolinput": "tool_input",
        "finalanswer": "final_answer",
    }.get(joined, key.strip())


def _of_object(written: dict[str, Any], index: ToolIndex) -> Iterator[Intent]:
    thought = next((written[key] for key in ("thought", "thoughts", "reasoning") if _is_text(written.get(key))), None)
    if (inner := _wrapped(written)) is not None:
        yield from intents(inner, index)
        return
    name_key, name, arguments_key, arguments = _parts(written, index)
    if name is None:
        yield from _without_name(written, index, thought)
        return
    if name not in index and (packed := _packed(name)) is not None:
        yield from intents({**({arguments_key: arguments} if arguments_key else {}), **packed}, index)
        return
    if (
        name not in index
        and not isinstance(arguments, str)
        and not arguments
        and (call := _CALL_IN_NAME.fullmatch(name))
    ):
        read = read_call_arguments(name, call.end("name") + 1, len(name))
        if read.error is None and read.complete and isinstance(read.value, CallArguments):
            name, arguments = call["name"], read.value
    if name not in index and is_placeholder(name):
        yield EchoIntent(pattern=True)
        return
    if _is_definition(written, arguments_key, arguments, index.tools.get(name)):
        yield EchoIntent()
        return
    yield from _named(written, index, (name_key, name), (arguments_key, arguments), thought)


def _named(
    written: dict[str, Any],
    index: ToolIndex,
    named: tuple[str | None, str],
    given: tuple[str | None, Any],
    thought: str | None,
) -> Iterator[Intent]:
    """What an object with a name means."""
    (name_key, name), (arguments_key, arguments) = named, given
    folded = fold(name)
    if name not in index and folded in _WRAPPER_NAMES and isinstance(arguments, (dict, list)):
        yield from intents(arguments, index)
    elif name not in index and folded in FINAL_NAMES and name_key not in ("name", "function"):
        yield AnswerIntent(_as_text(arguments), thought)
    elif name not in index and folded in NO_ACTION_NAMES:
        if arguments_key is not None or written.keys() <= _THOUGHT | {name_key}:
            yield NoCallIntent(thought)
    else:
        call_id = next((written[key] for key in ("id", "tool_call_id", "call_id") if _is_text(written.get(key))), "")
        explicit = arguments_key is not None and name_key is not None
        known = index.resolve(name)
        if known.kind == "known":
            arguments = _complete(arguments, arguments_key, name_key, written, index, known.name)
            if arguments is _ABSENT and name_key == "function" and isinstance(written["function"], dict):
                arguments = {}  # OpenAI's shape says that it is a call, even without arguments
        elif arguments is _ABSENT and name_key == "action" and written.keys() <= _META | {"action"}:
            arguments = {}  # an action that names no tool is still no answer
        if arguments is not _ABSENT:
            yield CallIntent(name, arguments, call_id, explicit, thought)


_ABSENT: Any = object()
_NO_ARGUMENTS: tuple[Any, ...] = (None, "", [])


def _wrapped(written: Mapping[str, Any]) -> Any:
    """The calls inside a wrapper, or None if the object is no wrapper."""
    for key in _LISTS:
        if isinstance(written.get(key), list) and written[key] and isinstance(written[key][0], dict):
            return written[key]
    command = written.get("command")
    if isinstance(command, dict) and _is_text(command.get("name")) and command.keys() & {"args", "arguments"}:
        return command
    for key in _WRAPPERS:
        if isinstance(written.get(key), dict) or (isinstance(written.get(key), list) and key != "action"):
            return written[key]
    return None


_CALL_IN_NAME = re.compile(r"(?P<name>[^\W\d][\w.\-]{0,127})\(.+\)\s*", re.DOTALL)


def _packed(name: str) -> Any:
    """The call that a name field holds as text."""
    if not name.lstrip().startswith("{"):
        return None
    read = read_value(name, 0, len(name))
    return read.value if read.error is None and read.complete and isinstance(read.value, dict) else None


def _is_definition(
    written: Mapping[str, Any], arguments_key: str | None, arguments: Any, tool: KnownTool | None
) -> bool:
    """Whether the object describes a tool: schemas where values belong, most often beside a description."""
    if arguments_key == "arguments" or arguments is _ABSENT:
        return False
    if isinstance(arguments, list):
        named = bool(arguments) and all(isinstance(item, dict) and "name" in item for item in arguments)
        return named and (tool is None or any(item["name"] in tool.parameters for item in arguments))
    if not isinstance(arguments, dict):
        return False
    function = written.get("function")
    described = "description" in written or (isinstance(function, dict) and "description" in function)
    if is_schema(arguments):
        inside = arguments["properties"].values()
        return described or (bool(inside) and all(is_schema_of_value(item) and "value" not in item for item in inside))
    return bool(arguments) and described and all(is_schema_of_value(item) for item in arguments.values())


def _parts(written: Mapping[str, Any], index: ToolIndex) -> tuple[str | None, str | None, str | None, Any]:
    """(key of the name, name, key of the arguments, arguments) of a call-like object."""
    function = written.get("function")
    if isinstance(written.get("name"), dict) and _is_text(written["name"].get("name")):
        written = {**written, **written["name"]}  # the name was made an object
    if isinstance(function, dict) and _is_text(function.get("name")):
        key, arguments = _first(function, ARGUMENT_KEYS)
        if key is None:
            key, arguments = _first(written, ARGUMENT_KEYS)
        return "function", function["name"], key, arguments
    keys = [key for key in NAME_KEYS if _is_text(written.get(key))]
    # A flat object may have a parameter called "name": the key whose value is a tool wins.
    name_key = next((key for key in keys if index.resolve(written[key]).kind == "known"), keys[0] if keys else None)
    if name_key is None:
        return None, None, None, _ABSENT
    key, arguments = _first(written, [key for key in ARGUMENT_KEYS if key != name_key])
    return name_key, written[name_key], key, arguments


def _complete(
    arguments: Any,
    arguments_key: str | None,
    name_key: str | None,
    written: Mapping[str, Any],
    index: ToolIndex,
    name: str,
) -> Any:
    """The arguments with what stands beside them in the object."""
    properties = index[name].shape.properties
    beside = {
        key: item
        for key, item in written.items()
        if key in properties and key not in (arguments_key, name_key) and not (key in _META and arguments_key)
    }
    if arguments is _ABSENT:
        extra = written.keys() - beside.keys() - _META - {name_key}
        if extra or not (beside or not index[name].shape.required):
            return _ABSENT
        return beside
    if beside and isinstance(arguments, dict) and not beside.keys() & arguments.keys():
        return {**arguments, **beside}
    return arguments


def _without_name(written: Mapping[str, Any], index: ToolIndex, thought: str | None) -> Iterator[Intent]:
    if written and all(_names_tool(key, index) and _may_be_arguments(item) for key, item in written.items()):
        for key, item in written.items():
            yield CallIntent(key, item, keyed=key not in index or item in _NO_ARGUMENTS)
    elif len(written) == 1 and _is_text(written.get("response")):
        yield AnswerIntent(written["response"])
    elif _is_text(written.get("final_answer")):
        yield AnswerIntent(written["final_answer"], thought)
    elif thought is not None and _is_text(written.get("answer")):
        yield AnswerIntent(written["answer"], thought)
    elif "action" in written and written["action"] is None and written.keys() <= _META | {"action", "action_input"}:
        yield NoCallIntent(thought)


def _may_be_arguments(value: Any) -> bool:
    return value in _NO_ARGUMENTS or object_in(value) is not None


def _names_tool(key: Any, index: ToolIndex) -> bool:
    return key in index or (isinstance(key, str) and index.resolve(key).kind == "known")


def _first(written: Mapping[str, Any], keys: Iterable[str]) -> tuple[str | None, Any]:
    """The first of the keys that the object has, with its value: one that is not empty, if there is one."""
    found = [key for key in keys if key in written]
    key = next((key for key in found if written[key] not in ({}, None, "")), found[0] if found else None)
    return (key, written[key]) if key is not None else (None, _ABSENT)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _as_text(value: Any) -> str:
    if isinstance(value, Bare):
        return str(value)
    if isinstance(value, str):
        return value
    if value is _ABSENT or value is None:
        return ""
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    return json.dumps(value, ensure_ascii=False)


def whole_items(read: Value) -> Value | None:
    """The items of a list before the one that a cut left open; None if there are none."""
    if read.error is not None or read.complete or not isinstance(read.value, list):
        return None
    items = read.value if read.depth == 1 else read.value[:-1]
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return read._replace(value=items, tolerances=())
