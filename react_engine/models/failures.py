"""Turns what goes wrong between a client and a server into the errors of ``react_engine.errors``.

Every client uses these functions, so that the same fault ends in the same error whoever carried it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from react_engine.errors import ContextTooLong, ModelError, ModelTimeout, ModelUnavailable, RateLimited, ToolsRefused
from react_engine.models.refusals import READ, classify

QUOTED = 400
"""Characters of a server's message that an error repeats."""

_KEY_LIKE = re.compile(r"(?<=[Bb]earer )\S{6,}|\b(?:sk|pk|gsk|hf|xai)[-_][\w*-]{12,}|\bAIza[\w*-]{16,}")
_SPENT = re.compile(r"insufficient[_ ]quota|credit balance|billing|exceeded your current quota", re.IGNORECASE)
_LONGEST_WAIT = 1e6

HINTS = {
    "tools": "Set function_calling = false for this model: the prompt path works without the server's support.",
    "tool_choice": "Leave tool_choice out, or use the prompt path (function_calling = false).",
    "parallel_tool_calls": "Set parallel_calls = false for this model.",
    "strict": "Set strict = false for this model.",
    "schema": "The schema of a tool uses a keyword that this server does not take; see the message.",
    "constraint": 'Set constraint = "off" for this model.',
    "stop": "Set stop_words = false for this model: replies are cut on this side instead.",
    "system": 'Set system_role = "user" for this model.',
    "roles": "Set merge_roles = true for this model.",
    "context": "Shorten the conversation or the tool results, or serve the model with a larger context.",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Whom an error is about: ``model`` as the user named it, ``url`` without credentials, ``key_variable``
    the environment variable of its key. ``secret`` never appears in a message.
    """

    model: str
    url: str = ""
    key_variable: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r}, {self.url!r})"

    def clean(self, text: str, limit: int = QUOTED) -> str:
        """A server's text, short, on one line and without keys."""
        text = text[: READ + limit]
        if self.secret:
            text = text.replace(self.secret, "[key]")
        text = " ".join(_KEY_LIKE.sub("[key]", text).split())
        return text if len(text) <= limit else text[:limit].rstrip() + " …"

    def leaks(self, text: str) -> bool:
        """Whether a text shows the key, or something like one."""
        return bool((self.secret and self.secret in text) or _KEY_LIKE.search(text))

    def quote(self, text: str) -> str:
        """A server's text as the end of a sentence."""
        said = self.clean(text)
        return said if said.endswith((".", "!", "?", "…")) else f"{said}."


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as a server describes it, wherever it stood: in a body, in a 200 reply, in a stream."""

    message: str
    status: int | None = None
    param: str = ""
    code: str = ""
    generation: str = ""
    """What the model had written when the server could not read a call in it (Groq's ``failed_generation``)."""


def fault_in(body: Any) -> Fault | None:
    """The error that a decoded reply describes, or None if it is no error.

    Reads OpenAI's ``{"error": {…}}``, vLLM's ``{"object": "error", …}``, Ollama's ``{"error": "…"}``,
    FastAPI's ``{"detail": …}``, and Gemini's list around them.
    """
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if not error:
        marked = str(body.get("object")).lower() == "error" or body.get("type") == "error"
        if not marked and ("choices" in body or not any(body.get(key) for key in ("detail", "message", "msg"))):
            return None
        error = body
    if not isinstance(error, dict):
        return Fault(_text(error), _status(body.get("status") or body.get("code")))
    message = _text(error.get("message") or error.get("detail") or error.get("msg") or error)
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and metadata.get("raw"):  # OpenRouter: what the provider behind it said
        message = f"{message}: {_text(metadata['raw'])}"
    code, kind = error.get("code"), error.get("type")
    status = _status(code) or _status(error.get("status")) or _status(body.get("code"))
    named = " ".join(str(value) for value in (code, kind) if isinstance(value, str))
    return Fault(message, status, _text(error.get("param") or ""), named, _text(error.get("failed_generation") or ""))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _status(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if isinstance(value, int) and 300 <= value <= 599 else None


def from_response(status: int, body: bytes | str, headers: Mapping[str, str], endpoint: Endpoint) -> ModelError:
    """The error for a reply whose status is not 2xx. ``headers`` looks names up in any case or in lower case."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        fault = fault_in(json.loads(text))
    except (ValueError, RecursionError):
        fault = None
    fault = fault or Fault(text.strip() or "no message")
    error = from_fault(fault, endpoint, status=status)
    error.request_id = headers.get("x-request-id") or headers.get("request-id")
    if 300 <= status < 400 and headers.get("location"):
        error.hint = f"The server redirects to {endpoint.clean(headers['location'])}: set api_base to that address."
    error.retry_after = retry_after(headers)
    return error


def from_fault(fault: Fault, endpoint: Endpoint, *, status: int | None = None) -> ModelError:
    """The error for what a server said. ``status`` is that of the reply; without one the fault's own counts."""
    status = status or fault.status
    said = endpoint.quote(fault.message)
    kind, retryable, lead, hint = _by_status(status or _meant_by(fault.code), fault, endpoint)
    feature = None
    if status in (404, 413) or (kind is ModelError and (status or 400) >= 400):
        feature = classify(fault.message, param=fault.param, code=fault.code)
    elif status == 429 and "request too large" in fault.message[:READ].lower():  # more tokens than a minute allows
        feature = "context"
    if feature == "context" or (status == 413 and feature is None):
        kind, retryable, lead, hint = ContextTooLong, False, "The request does not fit", HINTS["context"]
    elif feature == "tools":
        kind, retryable, lead, hint = ToolsRefused, False, "The server takes no tools", HINTS["tools"]
    elif feature is not None:
        kind, retryable, lead = ModelError, False, f"The server refuses {feature!r}"
        hint = HINTS.get(feature, f"Leave {feature!r} out of the sampling parameters of this model.")
    where = f"{endpoint.model}, status {status}" if status else endpoint.model
    error = kind(f"{lead} ({where}): {said}", model=endpoint.model, status=status, retryable=retryable, hint=hint)
    error.refused, error.generation = feature, fault.generation
    return error


_MEANINGS = {
    "rate_limit": 429,
    "overloaded": 529,
    "timeout": 504,
    "authentication": 401,
    "invalid_api_key": 401,
    "insufficient_quota": 402,
    "unavailable": 503,
    "server_error": 500,
    "internal": 500,
}


def _meant_by(code: str) -> int | None:
    """The status that an error means which stands in a 200 reply or in a stream."""
    return next((status for word, status in _MEANINGS.items() if word in code.lower()), None)


def _by_status(status: int | None, fault: Fault, endpoint: Endpoint) -> tuple[type[ModelError], bool, str, str]:
    """Class, retryable, beginning of the message and hint for a status."""
    if status in (401, 403):
        variable = f"the key in {endpoint.key_variable}" if endpoint.key_variable else "the API key (api_key_env)"
        return ModelUnavailable, False, "The server refused access", f"Check {variable} and what it may be used for."
    if status == 402 or (status == 429 and _SPENT.search(f"{fault.code} {fault.message[:READ]}")):
        return ModelUnavailable, False, "The account has no credit", "Add credit or use another model."
    if status == 404:
        return ModelUnavailable, False, "The server does not have it", "Check the model's name and api_base."
    if status == 429:
        return RateLimited, True, "The server asks to slow down", "Send fewer requests at once, or wait."
    if status in (408, 504):
        return ModelTimeout, True, "The server gave up waiting", ""
    if status in (502, 503, 529):
        return ModelUnavailable, True, "The server cannot answer now", "Try again in a moment."
    if status in (409, 425) or (status or 0) >= 500:
        return ModelError, status not in (501, 505), "The server failed", ""
    if fault.generation or "tool_use_failed" in fault.code:
        return ModelError, True, "The server could not read the model's call", HINTS["tools"]
    return ModelError, False, "The server refused the request" if status else "The server reported an error", ""


def refused_feature(error: BaseException) -> str | None:
    """The part of the request that the server refused: ``tools``, ``stop``, ``system``, ``roles``, ``strict``,
    ``parallel_tool_calls``, ``tool_choice``, ``schema``, ``context``, or another parameter's name. None if the
    error is of another kind.
    """
    if isinstance(error, ToolsRefused):
        return "tools"
    return error.refused if isinstance(error, ModelError) else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait (``Retry-After`` in seconds or as a date), or None."""
    milliseconds, value = headers.get("retry-after-ms"), (headers.get("retry-after") or "").strip()
    try:
        if milliseconds:
            return min(max(float(milliseconds) / 1000, 0.0), _LONGEST_WAIT)
        if not value:
            return None
        if value[0].isdigit():
            return min(float(value), _LONGEST_WAIT)
        return min(max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0), _LONGEST_WAIT)
    except (ValueError, OverflowError):
        return None


def unreadable(what: str, body: bytes | str, endpoint: Endpoint, *, hint: str = "") -> ModelError:
    """The error for a reply that is not what a chat completion looks like; quotes what came."""
    text = body[: READ * 2].decode("utf-8", "replace") if isinstance(body, bytes) else body
    came = endpoint.quote(text or "nothing")
    return ModelError(f"{what} ({endpoint.model}). Received: {came}", model=endpoint.model, hint=hint)


def cut_off(endpoint: Endpoint, characters: int) -> ModelError:
    """The error for a stream that ended before the reply was complete."""
    return ModelError(
        f"The stream was cut after {characters} characters ({endpoint.model}): it ended without a finish reason.",
        model=endpoint.model,
        retryable=True,
        hint="Try again; if it repeats, look at the server's log and at proxies in between.",
    )


def timed_out(endpoint: Endpoint, seconds: float) -> ModelTimeout:
    """The error for a server that did not answer in time."""
    return ModelTimeout(
        f"No answer from {endpoint.url or endpoint.model} within {seconds:g} s ({endpoint.model}).",
        model=endpoint.model,
        retryable=True,
        hint="Raise the timeout, or look whether the server still works on earlier requests.",
    )


def from_transport(error: Exception, endpoint: Endpoint, seconds: float) -> ModelError:
    """The error for an exception of httpx: no connection, no answer in time, a broken connection."""
    import httpx

    said = endpoint.quote(str(error) or type(error).__name__)
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return timed_out(endpoint, seconds)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        certificate = "CERTIFICATE" in said.upper()
        hint = "Point SSL_CERT_FILE at the right certificates." if certificate else "Is the server running there?"
        return ModelUnavailable(
            f"No connection to {endpoint.url or 'the server'} ({endpoint.model}): {said}",
            model=endpoint.model,
            retryable=not certificate,
            hint=hint,
        )
    broken = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
    lead = "The connection was closed before the reply was complete" if broken else "The request could not be sent"
    return ModelError(f"{lead} ({endpoint.model}): {said}", model=endpoint.model, retryable=broken)
