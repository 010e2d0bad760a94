"""The executor and what a tool returned: cut, masked, kept secret."""

from __future__ import annotations

from typing import Any

import pytest

from react_engine.errors import ToolError
from react_engine.tools.redaction import Redactor
from tests.tools.acting import Act, raising, run_one

pytestmark = pytest.mark.anyio

SECRET = "ghp_" + "a1B2c3D4" * 5


async def test_fifty_megabytes_are_cut_to_the_limit_of_the_tool() -> None:
    result = await run_one(Act(lambda _: "x" * 50_000_000, max_result=1000))
    assert (result.ok, result.cut) == (True, 50_000_000 - 1000)
    assert "49,999,000 of 50,000,000 characters were cut out here" in result.text
    assert len(result.text) < 1300
    assert len(result.value) == 50_000_000


async def test_secrets_are_masked_and_leave_no_value() -> None:
    result = await run_one(Act(lambda _: {"token": SECRET, "user": "ann"}))
    assert result.text == '{"token":"[redacted GitHub token]","user":"ann"}'
    assert (result.redacted, result.value) == (1, None)
    assert SECRET not in repr(result)


async def test_secrets_in_errors_are_masked() -> None:
    failed = await run_one(Act(raising(ValueError(f"cannot log in with {SECRET}"))))
    told = await run_one(Act(raising(ToolError(f"{SECRET} has expired", hint=f"renew {SECRET}"))))
    for result in (failed, told):
        assert SECRET not in repr(result)
    assert (failed.redacted, told.redacted) == (1, 2)


async def test_masking_is_the_redactors_choice() -> None:
    text = f"{SECRET} of ann@example.com"
    assert (await run_one(Act(lambda _: text), redactor=Redactor(defaults=False))).text == text
    masked = await run_one(Act(lambda _: text), redactor=Redactor(emails=True))
    assert masked.text == "[redacted GitHub token] of [redacted e-mail address]"


async def test_output_of_a_secret_tool_is_for_the_model_alone() -> None:
    events: list[Any] = []
    result = await run_one(Act(lambda _: "the code is 4711", secret=True), observer=events.append)
    assert result.text == "the code is 4711"
    assert (result.value, result.secret) == (None, True)
    assert "4711" not in repr(result)
    assert "4711" not in repr(events)
    assert [event.secret for event in events] == [True, True]


async def test_half_characters_in_results_are_replaced() -> None:
    assert (await run_one(Act(lambda _: "a\udc80b"))).text == "a�b"
