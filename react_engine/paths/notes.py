"""Results in words, for both paths."""

from __future__ import annotations

from react_engine.types import Status, ToolResult

_HEADS = {
    Status.VALIDATION_ERROR: "Error: the arguments are not valid.",
    Status.UNKNOWN_TOOL: "Error: unknown tool.",
    Status.EXECUTION_ERROR: "Error: the tool failed.",
    Status.TIMEOUT: "Error: the tool took too long.",
    Status.BUSINESS_ERROR: "Error:",
    Status.DENIED: "Not run:",
    Status.RATE_LIMITED: "Not run: limit reached.",
    Status.CANCELLED: "Not run: cancelled.",
}


def result_text(result: ToolResult) -> str:
    """What the model is told of a result: never a failure that looks like a success."""
    if result.ok:
        return f"{result.text}\n{result.hint}" if result.hint else result.text
    head = _HEADS[result.status]
    text = result.text if result.text.startswith(("Error", "Not run")) else f"{head} {result.text}"
    return f"{text} {result.hint}".strip() if result.hint and result.hint not in text else text
