"""Raw text as a value: what it is, the schema says."""

from __future__ import annotations

import re
from typing import Any, Self

from react_engine.parsers.literals import Bare, read_value
from react_engine.shapes import Shape

_CONTAINER = re.compile(r"\s*[{\[]")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WORDS = {"true": True, "false": False, "null": None}


class Raw(str):
    """Text that stood in a tag. ``hint`` is what the tag says: ``string``, another type, ``decode``, or nothing."""

    hint: str

    __slots__ = ("hint",)

    def __new__(cls, text: str, hint: str = "") -> Self:
        """Raw text with its hint."""
        raw = super().__new__(cls, text)
        raw.hint = hint
        return raw


def settle_raw(raw: Raw, shape: Shape | None) -> Any:
    """The value that raw text stands for.

    Text where the schema takes text, unless the tag says otherwise; else JSON or a Python literal; else text, for the
    validator to refuse. Without a schema only what can be nothing but JSON is decoded.
    """
    text = str(raw)
    if raw.hint == "string":
        return text
    typed = shape is not None and not shape.anything
    if typed and shape is not None and shape.allows("string"):
        if shape.allows("null") and text.strip() == "null":
            return None
        return _decoded_text(text) if raw.hint in ("json", "decode") else text
    if not typed and not raw.hint and not _is_json(text):
        return text
    return _decoded(text)


def _decoded_text(text: str) -> str:
    """A JSON string without its quotes; other text as it is."""
    stripped = text.strip()
    if len(stripped) >= 2 and stripped[0] == '"' == stripped[-1]:
        read = read_value(stripped, 0, len(stripped))
        if read.error is None and read.complete and not read.tolerances and isinstance(read.value, str):
            return read.value if read.end == len(stripped) else text
    return text


def _is_json(text: str) -> bool:
    stripped = text.strip()
    return stripped in _WORDS or _CONTAINER.match(stripped) is not None or _NUMBER.fullmatch(stripped) is not None


def _decoded(text: str) -> Any:
    stripped = text.strip()
    if _WHOLE.fullmatch(stripped):
        return int(stripped)
    read = read_value(stripped, 0, len(stripped))
    if read.error is not None or not read.complete or stripped[read.end :].strip():
        return text
    return text if isinstance(read.value, Bare) and stripped[:1] != "0" else read.value
