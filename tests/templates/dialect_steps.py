"""Steps to write in a dialect: tools, and calls of them with values that hold the dialect's own markup."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from react_engine.parsers.control import END_TOKENS
from react_engine.parsers.dialects import Dialect
from react_engine.types import ToolCall

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "note",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}, "due": {"type": ["string", "null"]}},
            "required": ["path"],
        },
    },
    {
        "name": "sum.all",
        "parameters": {
            "type": "object",
            "properties": {
                "numbers": {"type": "array", "items": {"type": "number"}},
                "exact": {"type": "boolean"},
                "limit": {"type": "integer"},
                "labels": {"type": "array", "items": {"type": "string"}},
            },
        },
    },
    {"name": "keep", "parameters": {"type": "object", "properties": {"options": {"type": "object"}, "value": {}}}},
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
)
_PIECES = (
    "\n", "\r\n", "\t", " ", "  ", '"', "'", "`", "```", "```json\n", "\\", "\\n", "\\\\", "{", "}", "[", "]", "(", ")", ",", ":",
    "=", "<", ">", "&", "$", "$name", "|", "]]>", "<![CDATA[", "\u2028", "\u2029", "\x85", "\x00", "\x1b", "\x7f", "\ud800", "\udfff",
    "\ufeff", "\u200b", "é", "日本", "🚀", "null", "true", "None", "7", "007", "1.5", "a", "b c", "C:", "C:\\new", "\\\\srv\\x",
    '{"a": 1}', '{"name": "now", "arguments": {}}', "now()", "Action: now", "\nAction Input: {}", "\nObservation: x",
    "\nFinal Answer: no", "Thought:", "<think>", "</think>", "to=now", "# ", "//", "/* ", "%s", "{{", "}}", "<city>", "$CITY", "\ufdd0",
)  # fmt: skip


def texts(dialect: Dialect) -> st.SearchStrategy[str]:
    """Texts made of what the dialect's own markup, JSON, Python and prompts are made of."""
    markers = [*dialect.openers, *dialect.closers, *dialect.chrome, *dialect.results, *dialect.stop, *END_TOKENS]
    markers += [word for pair in (*dialect.reasoning, *dialect.channels) for word in pair]
    if dialect.writing is not None:
        markers += dialect.writing.literal("call", "calls", "between", "argument", "thought", "answer", "result")
    pieces = st.sampled_from(markers) | st.sampled_from(_PIECES) | st.sampled_from(_PIECES) | st.characters()
    written = st.lists(pieces, max_size=8).map("".join).map(_joined)
    return written.filter(lambda text: text.strip() not in ("...", "…"))


def _joined(text: str) -> str:
    """Two halves of a pair that happen to stand together are one character, in JSON as in UTF-16."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def calls(dialect: Dialect) -> st.SearchStrategy[ToolCall]:
    """Calls of ``TOOLS`` with arguments that fit."""
    text = texts(dialect)
    whole = st.integers() | st.just(10**400)
    numbers = whole | st.floats(allow_nan=False, allow_infinity=False)
    plain = text | numbers | st.booleans() | st.none()
    values = st.recursive(
        plain, lambda below: st.lists(below, max_size=3) | st.dictionaries(text, below, max_size=3), max_leaves=6
    )
    return (
        st.fixed_dictionaries({"path": text}, optional={"body": text, "due": text | st.none()}).map(
            lambda given: ToolCall("note", given)
        )
        | st.fixed_dictionaries(
            {},
            optional={
                "numbers": st.lists(numbers, max_size=3),
                "exact": st.booleans(),
                "limit": whole,
                "labels": st.lists(text, max_size=3),
            },
        ).map(lambda given: ToolCall("sum.all", given))
        | st.fixed_dictionaries({"options": st.dictionaries(text, values, max_size=3)}, optional={"value": values}).map(
            lambda given: ToolCall("keep", given)
        )
        | st.just(ToolCall("now", {}))
    )
