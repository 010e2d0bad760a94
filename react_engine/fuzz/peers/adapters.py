"""The other side: runs in a library's own environment, where the engine is not installed, and reads replies for it.

One reply in, one reading out, a line of JSON each. Where a library leaves text to its tools, the text is read as
JSON here, or is the one argument of a tool with one parameter: the adapters read generously.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

Reading = tuple[list[dict[str, Any]], Any]
Adapter = Callable[[str, list[dict[str, Any]], str], Reading]
"""(reply, tools, dialect) -> (calls, answer); raises Refused, or whatever the library raises."""


class Refused(Exception):
    """The library found nothing to call, and said so."""


class TimeUp(Exception):
    """The library took too long."""


def _calls(name: str, value: Any, tools: list[dict[str, Any]]) -> Reading:
    arguments = value
    if isinstance(value, str):
        try:
            arguments = json.loads(value)
        except ValueError:
            arguments = value
    if not isinstance(arguments, Mapping):
        tool = next((tool for tool in tools if tool["name"] == name), None)
        names = list((tool or {}).get("parameters", {}).get("properties", {}))
        if len(names) != 1:
            if arguments in ("", None, {}, []) and not names:
                return [{"name": name, "arguments": {}}], None
            raise Refused("no object of arguments")
        arguments = {names[0]: value}
    return [{"name": name, "arguments": dict(arguments)}], None


def langchain() -> Adapter:
    """LangChain's parsers for ReAct text, with one input or with JSON."""
    parsers = import_module("langchain_classic.agents.output_parsers")
    refusal = import_module("langchain_core.exceptions").OutputParserException
    text_parser, json_parser = parsers.ReActSingleInputOutputParser(), parsers.ReActJsonSingleInputOutputParser()

    def read(text: str, tools: list[dict[str, Any]], dialect: str) -> Reading:
        parser = json_parser if dialect in ("react_json", "json_fenced") else text_parser
        try:
            found = parser.parse(text)
        except refusal as error:
            raise Refused(str(error)[:80]) from error
        if hasattr(found, "return_values"):
            return [], found.return_values["output"]
        return _calls(found.tool, found.tool_input, tools)

    return read


def llama_index() -> Adapter:
    """LlamaIndex's parser for ReAct text."""
    parser = import_module("llama_index.core.agent.react.output_parser").ReActOutputParser()

    def read(text: str, tools: list[dict[str, Any]], _dialect: str) -> Reading:
        try:
            step = parser.parse(text)
        except ValueError as error:
            raise Refused(str(error)[:80]) from error
        if hasattr(step, "action"):
            return _calls(step.action, step.action_input, tools)
        return [], step.response

    return read


def crewai() -> Adapter:
    """CrewAI's parser for ReAct text, and its reading of the input."""
    parser = import_module("crewai.agents.parser")
    usage = import_module("crewai.tools.tool_usage").ToolUsage

    def read(text: str, tools: list[dict[str, Any]], _dialect: str) -> Reading:
        try:
            step = parser.parse(text)
        except parser.OutputParserError as error:
            raise Refused(str(error)[:80]) from error
        if hasattr(step, "output"):
            return [], step.output
        agent = SimpleNamespace(agent=None, _emit_validate_input_error=lambda _error: None)
        try:
            value = usage._validate_tool_input(agent, step.tool_input)
        except Exception:  # noqa: BLE001 - its refusal is a bare Exception
            value = step.tool_input
        return _calls(step.tool, value, tools)

    return read


def qwen_agent() -> Adapter:
    """Qwen-Agent's three: ReAct text, its own labels, and tags."""
    import_module("logging").disable()
    schema = import_module("qwen_agent.llm.schema")
    nous = import_module("qwen_agent.llm.fncall_prompts.nous_fncall_prompt").NousFnCallPrompt()
    qwen = import_module("qwen_agent.llm.fncall_prompts.qwen_fncall_prompt").QwenFnCallPrompt()
    detect = import_module("qwen_agent.agents.react_chat").ReActChat._detect_tool

    def read(text: str, tools: list[dict[str, Any]], dialect: str) -> Reading:
        if dialect.startswith(("react", "toolllama")):
            found, name, given, _rest = detect(None, text if text.startswith("\n") else f"\n{text}")
            return _calls(name, given, tools) if found else ([], text.rpartition("Final Answer:")[2].strip())
        prompt = qwen if dialect == "qwen_fncall" else nous
        message = schema.Message("assistant", [schema.ContentItem(text=text)])
        calls, said = [], []
        for part in prompt.postprocess_fncall_messages([message]):
            if part.function_call:
                calls += _calls(part.function_call.name, part.function_call.arguments, tools)[0]
            else:
                content = part.content
                said.append(content if isinstance(content, str) else "".join(item.text or "" for item in content))
        return calls, "".join(said) or None

    return read


def smolagents() -> Adapter:
    """smolagents' reading of the JSON of a call in text."""
    get = import_module("smolagents.models").get_tool_call_from_text

    def read(text: str, tools: list[dict[str, Any]], dialect: str) -> Reading:
        name, arguments = ("action", "action_input") if dialect == "react_json" else ("name", "arguments")
        try:
            call = get(text, name, arguments).function
        except ValueError as error:
            raise Refused(str(error)[:80]) from error
        return _calls(call.name, call.arguments, tools)

    return read


_NAMES = ("name", "tool_name", "action", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "action_input", "input")


def json_repair() -> Adapter:
    """json-repair on everything from the first bracket on, and calls looked for in what it gives."""
    repair = import_module("json_repair").repair_json

    def read(text: str, tools: list[dict[str, Any]], dialect: str) -> Reading:
        if dialect.startswith(("react", "toolllama")) and dialect != "react_json":
            _, label, rest = text.partition("Action:")
            name, _, given = rest.partition("Action Input:")
            return _calls(name.strip(), repair(given, return_objects=True), tools) if label else ([], text)
        starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
        found = repair(text[min(starts) :], return_objects=True) if starts else None
        calls: list[dict[str, Any]] = []
        for item in found if isinstance(found, list) else [found]:
            if isinstance(item, dict):
                word = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
                value = next((item[key] for key in _ARGUMENTS if key in item), None)
                if word and value is not None:
                    calls += _calls(word, value, tools)[0]
        return calls, None if calls else text

    return read


ADAPTERS: dict[str, Callable[[], Adapter]] = {
    "langchain": langchain,
    "llama-index": llama_index,
    "crewai": crewai,
    "qwen-agent": qwen_agent,
    "smolagents": smolagents,
    "json-repair": json_repair,
}


def serve(name: str, packages: list[str], limit: float) -> None:
    """Read the replies on standard input. The first line out tells the versions."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    read = ADAPTERS[name]()
    print(json.dumps({"versions": {package: _version(package) for package in packages}}), file=out, flush=True)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _time_up)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_one(read, asked, limit)), file=out, flush=True)


def _one(read: Adapter, asked: dict[str, Any], limit: float) -> dict[str, Any]:
    repeat = asked.get("repeat", 1)
    began = time.process_time()
    calls: list[dict[str, Any]] = []
    said: Any = None
    answer: dict[str, Any] = {}
    try:
        _alarm(limit)
        for _ in range(repeat):
            calls, said = read(asked["text"], asked["tools"], asked["dialect"])
        answer = {"calls": calls, "answer": said if isinstance(said, str) else None}
    except Refused:
        answer = {"calls": []}
    except TimeUp:
        answer = {"timeout": True}
    except BaseException as error:  # noqa: BLE001 - whatever it dies of is told
        answer = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    finally:
        _alarm(0)
    answer["seconds"] = (time.process_time() - began) / repeat
    try:
        json.dumps(answer)
    except (TypeError, ValueError) as error:
        return {"error": f"its calls are no JSON: {error}", "seconds": answer["seconds"]}
    return answer


def _time_up(_signal: int, _frame: Any) -> None:
    raise TimeUp


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[3].split(","), float(sys.argv[2]))
