"""A conversation grows at its end: paths render what is new, and say what a fresh path would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Ask
from react_engine.paths.native import NativePath
from react_engine.paths.prompt import PromptPath
from react_engine.templates import Templates
from react_engine.types import Message, Status, ToolCall, ToolResult
from tests.driving import TOOLS

Path = NativePath | PromptPath
TEMPLATES = Templates()
CALL = ToolCall("add", {"a": 1, "b": 2}, "one")
SHARED = (
    Message.user("Add."),
    Message.assistant("I add.", calls=[CALL]),
    Message.assistant("Twice.", calls=[CALL, CALL]),
    Message.tool([ToolResult("one", "add", Status.SUCCESS, "3")]),
    Message.tool([ToolResult("", "add", Status.TIMEOUT, "late")]),
    Message.assistant("3"),
    Message.system("Be brief."),
)


def fresh(name: str) -> Path:
    profile = ModelProfile("scripted")
    return NativePath(profile, TOOLS) if name == "native" else PromptPath(profile, TOOLS, TEMPLATES)


@pytest.mark.parametrize("name", ["native", "prompt"])
@given(st.lists(st.lists(st.sampled_from(SHARED), max_size=6), max_size=4))
def test_a_path_that_saw_other_transcripts_renders_like_a_fresh_one(name: str, seen: list[list[Message]]) -> None:
    used = fresh(name)
    for transcript in seen:  # the same objects in other places, repeated, and followed by others
        assert used.messages(transcript) == fresh(name).messages(transcript)


@pytest.mark.parametrize("name", ["native", "prompt"])
def test_what_was_rendered_is_sent_again_as_it_is(name: str) -> None:
    path = fresh(name)
    transcript: Sequence[Message] = SHARED[:2]
    first: list[Any] = [*path.request(Ask(tuple(transcript))).messages]
    longer = path.request(Ask((*transcript, SHARED[3], SHARED[0]))).messages
    user = [message for message in longer if message["content"] == "Add."]
    assert user[0] is next(message for message in first if message["content"] == "Add.")
