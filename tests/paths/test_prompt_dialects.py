"""The prompt path asks a model for the dialect that its record names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from react_engine.engine import Engine
from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import ScriptedModel
from react_engine.models.shipped import shipped
from react_engine.parsers.dialects import Dialect, Writing, register_dialect
from react_engine.paths.base import Ask
from react_engine.paths.prompt import PromptPath
from react_engine.runs import EndState
from react_engine.templates import Templates
from react_engine.templates.dialect import DialectTemplates
from react_engine.types import Message, Status, ToolCall, ToolResult
from tests.driving import TOOLS

CALL = ToolCall("add", {"a": 1, "b": 2}, "one")
TRANSCRIPT = (
    Message.user("Add."),
    Message.assistant("I add.", calls=[CALL]),
    Message.tool([ToolResult("one", "add", Status.SUCCESS, "3 <tool_call>")]),
)


def path(dialect: str, *, language: str = "en", chat: bool = True) -> PromptPath:
    return PromptPath(ModelProfile("m", function_calling=False, dialect=dialect, chat=chat), TOOLS, Templates(language))


def test_a_conversation_is_rendered_as_the_family_writes_it() -> None:
    request = path("hermes").request(Ask(TRANSCRIPT))
    system, *rest = request.messages
    assert '<tools>\n{"type": "function", "function": {"name": "add"' in system["content"]
    assert "Action:" not in system["content"]
    assert [message["content"] for message in rest] == [
        "Add.",
        '<think>\nI add.\n</think>\n<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
        "<tool_response>\n3 ‹tool_call›\n</tool_response>",
    ]
    assert request.stop == ("<tool_response>", "<|im_end|>")
    assert request.tools == ()


def test_a_reply_in_the_dialect_is_read_and_its_own_reasoning_markers_are_known() -> None:
    reply = Reply(
        '<longcat_think>so</longcat_think><longcat_tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}'
    )
    reading = path("longcat").read(reply).reading
    assert [(call.name, call.arguments) for call in reading.calls] == [("add", {"a": 1, "b": 2})]
    assert reading.reasoning == "so"


def test_a_streamed_thought_is_shown_without_the_markers_of_the_dialect() -> None:
    reader = path("longcat").stream_reader()
    text = "<longcat_think>so</longcat_think>Well. <longcat_tool_call>"
    shown = [(delta.kind, delta.text) for char in text for delta in reader.feed(Chunk(text=char))]
    assert "".join(text for kind, text in shown if kind == "thought") == "so"
    assert "longcat" not in "".join(text for _, text in shown)


@pytest.mark.parametrize("dialect", ["react", "harmony", "inkling"])
def test_react_is_asked_for_where_a_dialect_needs_turns_of_its_own(dialect: str) -> None:
    assert "Action Input:" in path(dialect).request(Ask(TRANSCRIPT)).messages[0]["content"]


def test_a_model_that_continues_text_is_asked_for_react() -> None:
    assert "Action Input:" in (path("hermes", chat=False).request(Ask(TRANSCRIPT)).prompt or "")


def test_a_forced_answer_shows_no_tools_and_says_so_in_the_language_of_the_prompt() -> None:
    messages = path("qwen3_coder", language="zh").request(Ask(TRANSCRIPT, forced="Enough.")).messages
    assert "本次对话没有工具" in messages[0]["content"]
    assert "不要再写调用" in messages[-1]["content"]


@pytest.mark.anyio
async def test_a_run_in_a_dialect_calls_and_answers() -> None:
    model = ScriptedModel(
        [
            "<tool_call>add<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>b</arg_key><arg_value>2</arg_value></tool_call>",
            "It is 3.",
        ],
        profile=ModelProfile("m", function_calling=False, dialect="glm47"),
    )
    run = await Engine(model, TOOLS).arun("Add 1 and 2.")
    assert (run.end, run.answer) == (EndState.ANSWERED, "It is 3.")
    asked: ModelRequest = model.requests[-1]
    assert asked.messages[-1]["content"] == "<tool_response>\n3.0\n</tool_response>"


def test_a_dialect_of_the_users_own_is_asked_for_by_its_name() -> None:
    register_dialect(
        Dialect(
            "ask_mine", "marked", ("<mine>",), closers=("</mine>",), template="json",
            writing=Writing(call='<mine>{"name": $quoted, "arguments": $arguments}</mine>'),
        )
    )  # fmt: skip
    mine = path("ask_mine")
    assert isinstance(mine.templates, DialectTemplates)
    assert '<mine>{"name": "dragon_lookup"' in mine.request(Ask(TRANSCRIPT)).messages[0]["content"]


def test_every_dialect_of_the_shipped_table_can_be_spoken() -> None:
    profile = ModelProfile("m", function_calling=False)
    for family in shipped().families:
        PromptPath(replace(profile, dialect=str(family.fields["dialect"])), TOOLS, Templates())
