"""What an exception out of litellm means, in the errors of ``react_engine.errors``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from react_engine.errors import ModelError, ModelUnavailable
from react_engine.models.failures import (
    Endpoint,
    Fault,
    cut_off,
    fault_in,
    from_fault,
    from_response,
    from_transport,
)

_NO_KEY = re.compile(r"missing credentials|missing \w+ api key|api_key client option must be set", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last)"


def as_model_error(error: Exception, endpoint: Endpoint, seconds: float) -> ModelError:
    """What an exception out of litellm means: the fault below it counts, where it is still in the chain."""
    import httpx

    for link in links(error):
        if isinstance(link, httpx.HTTPStatusError):
            with suppress(httpx.ResponseNotRead):
                return from_response(link.response.status_code, link.response.text, link.response.headers, endpoint)
        if isinstance(link, httpx.TransportError):
            return from_transport(link, endpoint, seconds)
    message = str(getattr(error, "message", "")) or str(error) or type(error).__name__
    message = message.partition(_TRACEBACK)[0].strip() or type(error).__name__
    if _NO_KEY.search(message):  # which litellm and the SDKs below it report as a failure of the server
        return ModelUnavailable(
            f"There is no key for {endpoint.model}: {endpoint.quote(message)}",
            model=endpoint.model,
            hint="Set that variable, or name another one with api_key_env.",
        )
    if "LLM Provider NOT provided" in message:
        return ModelError(
            f"litellm knows no provider for the model {endpoint.model!r}. Write PROVIDER/NAME, such as ollama/qwen3; for "
            'a server of your own that speaks OpenAI\'s format set client = "http" and api_base for it.',
        )
    if "before a finish_reason was received" in message:  # how the SDK says that the stream was cut
        return cut_off(endpoint, len(str(getattr(error, "generated_content", ""))))
    if type(error).__name__ == "ContextWindowExceededError":
        return from_fault(Fault(message, code="context_length_exceeded"), endpoint)
    for link in links(error):
        body = getattr(link, "body", None)
        if isinstance(body, Mapping) and (fault := fault_in({"error": dict(body)})):
            return from_fault(fault, endpoint, status=_status(error) if fault.status is None else None)
    return from_fault(Fault(message, _status(error), str(getattr(error, "param", None) or "")), endpoint)


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and 300 <= status <= 599 else None


def links(error: BaseException) -> Iterator[BaseException]:
    """An exception, what litellm wrapped in it, and what they came from."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        link = waiting.pop(0)
        if link is not None and id(link) not in seen:
            seen.add(id(link))
            yield link
            original = getattr(link, "original_exception", None)
            waiting += [original if isinstance(original, BaseException) else None, link.__cause__, link.__context__]
