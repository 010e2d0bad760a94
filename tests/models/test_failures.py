"""How what servers say becomes an error."""

from __future__ import annotations

import email.utils
import json
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ContextTooLong, ModelError, ModelUnavailable, RateLimited, ToolsRefused
from react_engine.models.failures import (
    Endpoint,
    Fault,
    fault_in,
    from_fault,
    from_response,
    refused_feature,
    retry_after,
    unreadable,
)

KEY = "my-secret-key"
ENDPOINT = Endpoint("m", "http://h/v1", "M_API_KEY", KEY)

FAULTS: dict[str, tuple[Any, Fault | None]] = {
    "OpenAI": (
        {"error": {"message": "No.", "type": "t", "param": "stop", "code": "c"}},
        Fault("No.", param="stop", code="c t"),
    ),
    "vLLM": ({"object": "error", "message": "No.", "type": "BadRequestError", "code": 400}, None),
    "llama.cpp": (
        {"error": {"code": 500, "message": "No.", "type": "server_error"}},
        Fault("No.", 500, code="server_error"),
    ),
    "Ollama": ({"error": "No."}, Fault("No.")),
    "FastAPI": ({"detail": "No."}, Fault("No.")),
    "FastAPI, a list": ({"detail": [{"loc": ["body"], "msg": "No."}]}, Fault('[{"loc": ["body"], "msg": "No."}]')),
    "Gemini": ([{"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}], Fault("No.", 400)),
    "Anthropic": ({"type": "error", "error": {"type": "overloaded_error", "message": "No."}}, None),
    "a code in text": ({"error": {"message": "No.", "code": "429"}}, Fault("No.", 429, code="429")),
    "OpenRouter": (
        {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "No."}}},
        Fault("Provider returned error: No.", 400),
    ),
    "Groq": (
        {"error": {"message": "No.", "code": "tool_use_failed", "failed_generation": "<function=f>"}},
        Fault("No.", code="tool_use_failed", generation="<function=f>"),
    ),
}
FAULTS["vLLM"] = (FAULTS["vLLM"][0], Fault("No.", 400, code="BadRequestError"))
FAULTS["Anthropic"] = (FAULTS["Anthropic"][0], Fault("No.", code="overloaded_error"))


@pytest.mark.parametrize("case", FAULTS)
def test_an_error_is_found_where_servers_put_it(case: str) -> None:
    body, fault = FAULTS[case]
    assert fault_in(body) == fault


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": [], "error": None},
        {"choices": [], "message": "x"},
        {},
        [],
        None,
        "x",
        {"error": ""},
    ],
    ids=str,
)
def test_other_bodies_are_no_errors(body: Any) -> None:
    assert fault_in(body) is None


def test_a_message_has_server_text_model_and_status_in_one_line() -> None:
    error = from_response(400, b'{"error": {"message": "Bad\\n  thing"}}', {}, ENDPOINT)
    assert str(error) == "The server refused the request (m, status 400): Bad thing."


def test_a_body_that_is_no_json_is_quoted_and_cut() -> None:
    error = from_response(500, b"<html>" + b"x" * 5000, {}, ENDPOINT)
    assert str(error).endswith("xxx …")
    assert len(str(error)) < 500


def test_an_empty_body_is_said_to_be_empty() -> None:
    assert "no message" in str(from_response(500, b"", {}, ENDPOINT))


@pytest.mark.parametrize(
    "text",
    [
        f"Key {KEY} is bad",
        "Bearer abcdefghij1234",
        "sk-proj-abcdefgh12345678",
        "gsk_abcdefgh12345678",
        "hf_abcdefgh1234567",
    ],
)
def test_keys_in_a_servers_text_are_masked(text: str) -> None:
    said = str(from_response(401, json.dumps({"error": {"message": text}}), {}, ENDPOINT))
    assert "[key]" in said
    assert text.split()[-1] not in said or KEY in text
    assert KEY not in said


def test_an_endpoint_does_not_show_its_key() -> None:
    assert KEY not in repr(ENDPOINT)


def test_a_redirect_says_where_to() -> None:
    error = from_response(308, b"", {"location": "https://h/v1/chat/completions"}, ENDPOINT)
    assert "https://h/v1/chat/completions" in error.hint
    assert not error.retryable


def test_a_generation_that_the_server_could_not_read_is_kept() -> None:
    error = from_fault(Fault("Failed to call a function.", 400, code="tool_use_failed", generation="<f>"), ENDPOINT)
    assert (type(error), error.generation, error.retryable) == (ModelError, "<f>", True)


def test_the_model_without_support_is_told_apart_from_one_bad_call() -> None:
    assert (
        refused_feature(from_fault(Fault("Failed to call a function.", 400, code="tool_use_failed"), ENDPOINT)) is None
    )


@pytest.mark.parametrize(
    ("error", "feature"),
    [(ToolsRefused("x"), "tools"), (ModelError("x"), None), (ValueError("stop"), None)],
)
def test_a_refused_feature_is_read_from_any_error(error: Exception, feature: str | None) -> None:
    assert refused_feature(error) == feature


def test_an_unknown_parameter_is_named_with_a_hint() -> None:
    error = from_fault(Fault("Unsupported parameter: 'min_p'.", 400), ENDPOINT)
    assert refused_feature(error) == "min_p"
    assert "'min_p'" in error.hint


def test_unreadable_shows_what_came_or_that_nothing_did() -> None:
    assert str(unreadable("Expected JSON", b"", ENDPOINT)) == "Expected JSON (m). Received: nothing."
    assert "\ufffd" in str(unreadable("Expected JSON", b"\xff", ENDPOINT))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "9" * 400}, 1e6),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
    ids=str,
)
def test_retry_after_is_read_as_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_is_read_as_a_date() -> None:
    seconds = retry_after({"retry-after": email.utils.formatdate(time.time() + 100, usegmt=True)})
    assert seconds is not None
    assert 90 < seconds <= 100


@given(
    st.integers(300, 599),
    st.binary(max_size=80) | st.sampled_from([b'{"error": {"code": {}}}', b"[" * 5000, b'{"error": [[]]}']),
    st.text(max_size=20),
)
def test_no_response_raises_and_every_error_can_be_pickled(status: int, body: bytes, header: str) -> None:
    error = from_response(status, body, {"retry-after": header, "location": header}, ENDPOINT)
    assert isinstance(error, ModelError)
    assert pickle.loads(pickle.dumps(error)).__dict__ == error.__dict__


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        ("rate_limit_error", RateLimited, True),
        ("overloaded_error", ModelUnavailable, True),
        ("server_error", ModelError, True),
        ("authentication_error", ModelUnavailable, False),
        ("", ModelError, False),
    ],
)
def test_an_error_without_a_status_is_known_by_its_code(code: str, kind: type[ModelError], retryable: bool) -> None:
    error = from_fault(Fault("No.", code=code), ENDPOINT)
    assert (type(error), error.retryable, error.status) == (kind, retryable, None)


def test_more_tokens_than_a_minute_allows_is_too_long_a_request() -> None:
    said = (
        b'{"error": {"message": "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000."}}'
    )
    assert type(from_response(429, said, {}, ENDPOINT)) is ContextTooLong


@pytest.mark.parametrize("text", ["skipping-something-long", "a skeleton-application-form", "hfmodel1234567890"])
def test_words_that_begin_like_keys_are_not_masked(text: str) -> None:
    assert ENDPOINT.clean(text) == text
    assert not ENDPOINT.leaks(text)
