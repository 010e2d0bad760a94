"""What a record and the settings say reaches the prompt, its reader and its stream."""

from __future__ import annotations

import pytest

from react_engine.models.base import Chunk, Reply
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Ask
from react_engine.paths.prompt import PromptPath
from react_engine.templates import Templates
from react_engine.types import Message
from tests.driving import TOOLS

LABELLED = (
    '<think>I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\nObservation: 3\n</think>\nFinal Answer: It is three.'
)
MARKED = '<think>I add.\n<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>\n</think>\nFinal Answer: It is three.'
BARE = '<think>I add.\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</think>'
DRAFTED = "<think>I know.\nThought: two and one</think>\nFinal Answer: It is three."


def path(*, meant: bool, rendering: str = "signature") -> PromptPath:
    profile = ModelProfile("m", function_calling=False, calls_in_reasoning=meant)
    return PromptPath(profile, TOOLS, Templates(), rendering=rendering)


def streamed(text: str, *, meant: bool) -> tuple[str, str, bool]:
    """(the thought shown, the answer shown, whether the stream may be left), in single characters."""
    reader = path(meant=meant).stream_reader()
    deltas = [delta for char in text for delta in reader.feed(Chunk(text=char))]
    thought, answer = ("".join(d.text for d in deltas if (d.kind == "thought") == which) for which in (True, False))
    return thought.strip(), answer, reader.done


@pytest.mark.parametrize("text", [LABELLED, MARKED, BARE])
def test_a_call_in_reasoning_that_is_meant_is_read_and_never_shown(text: str) -> None:
    reading = path(meant=True).read(Reply(text)).reading
    assert [(call.name, call.arguments) for call in reading.calls] == [("add", {"a": 1, "b": 2})]
    assert reading.reasoning == "I add."
    assert streamed(text, meant=True) == ("I add.", "", text is LABELLED)


def test_a_call_in_reasoning_is_a_draft_unless_the_record_says_otherwise() -> None:
    reading = path(meant=False).read(Reply(MARKED)).reading
    assert (reading.calls, reading.answer) == ((), "It is three.")
    assert streamed(MARKED, meant=False) == ("I add.", "It is three.", False)


@pytest.mark.parametrize("meant", [True, False])
def test_an_answer_behind_reasoning_without_a_call_is_the_answer(meant: bool) -> None:
    reading = path(meant=meant).read(Reply(DRAFTED)).reading
    assert (reading.calls, reading.answer) == ((), "It is three.")
    assert streamed(DRAFTED, meant=meant)[1:] == ("It is three.", False)


def test_tools_are_shown_as_schemas_where_that_is_set() -> None:
    system = path(meant=False, rendering="schema").request(Ask((Message.user("Add."),))).messages[0]["content"]
    assert "add - Add two numbers.\n  {" in system
    assert "add(a" not in system
