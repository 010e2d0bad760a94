"""What a tool returned or raised, as the text that the model is shown.

Nothing here raises, whatever a tool returns: objects whose ``str`` fails, cycles, integers of a
million digits, lone surrogates. A long text costs what its shown part costs.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Mapping
from datetime import date, time
from enum import Enum
from typing import Any, NamedTuple

from react_engine.tools.redaction import Redactor

NO_OUTPUT = "Done (no output)."
ERROR_LENGTH = 600
_MAX_DEPTH = 64
_MAX_BITS = 4096  # of an integer written out; Python refuses more than 4,300 digits


class Shown(NamedTuple):
    """A text as the model is shown it, the number of characters cut and of secrets masked."""

    text: str
    cut: int
    redacted: int


def show(text: str, limit: int, redactor: Redactor) -> Shown:
    """A text without secrets and of about ``limit`` characters: head and tail stay, a notice stands between.

    Masks replace secrets after the cut is placed, so that a secret across it is masked too; the notice
    comes on top of the limit.
    """
    if len(text) <= limit:
        masked, count = redactor.redact(text)
        return Shown(_encodable(masked), 0, count)
    end = limit - limit // 3
    start = len(text) - limit // 3
    head, in_head = redactor.redact(text, 0, end)
    tail, in_tail = redactor.redact(text, start)
    notice = (
        f"\n[… {start - end:,} of {len(text):,} characters were cut out here. To see what is missing, "
        "ask for less at once: a narrower query, fewer items, a smaller part. …]\n"
    )
    return Shown(_encodable(head + notice + tail), start - end, in_head + in_tail)


def _encodable(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced: anything else cannot be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_text(value: Any) -> str:
    """What a tool returned, as text: strings as they are, bytes described, anything else as compact JSON."""
    if isinstance(value, str):
        return str.__str__(value) or "(an empty text)"
    if value is None:
        return NO_OUTPUT
    try:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _described(value)
        return _json(value, default=_plain_object)
    except Exception:  # noqa: BLE001
        return _as_far_as_possible(value)


def error_text(error: BaseException) -> str:
    """Type and message of an exception in one line, shortened; no traceback."""
    message = " ".join(safe_str(error).split())
    if len(message) > ERROR_LENGTH:
        message = f"{message[:ERROR_LENGTH]}…"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def safe_str(value: Any) -> str:
    """``str(value)``, or a description where that fails."""
    try:
        return str.__str__(str(value))
    except Exception:  # noqa: BLE001
        return f"<{type(value).__name__}>"


def _json(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default)


def _described(data: bytes | bytearray | memoryview) -> str:
    size = data.nbytes if isinstance(data, memoryview) else len(data)
    start = bytes(data[:8]).hex(" ")
    return f"({size:,} bytes of binary data" + (f", beginning with {start})" if start else ")")


def _plain_object(value: Any) -> Any:
    """One level of an object that JSON does not know, in terms of JSON."""
    dump = getattr(type(value), "model_dump", None)
    if callable(dump):  # pydantic
        return dump(value, mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _described(value)
    if isinstance(value, Mapping):
        return dict(value)
    as_list = getattr(value, "tolist", None)
    if callable(as_list):  # NumPy arrays and numbers
        return as_list()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=safe_str)
    if isinstance(value, Collection) and not isinstance(value, str):
        return list(value)
    return safe_str(value)


def _as_far_as_possible(value: Any) -> str:
    """JSON of a value that has cycles, odd keys, too many levels, huge integers or failing methods."""
    try:
        return _json(_plain(value, _MAX_DEPTH, set()))
    except Exception:  # noqa: BLE001
        return safe_str(value)


def _plain(value: Any, depth: int, above: set[int]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) if value.bit_length() <= _MAX_BITS else f"<an integer of {value.bit_length():,} bits>"
    if value is None or isinstance(value, (str, float, bool)):
        return value
    if id(value) in above:
        return "<cycle>"
    if depth == 0:
        return "<more levels>"
    above = above | {id(value)}
    if isinstance(value, dict):
        return {_key(key): _plain(item, depth - 1, above) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth - 1, above) for item in value]
    try:
        return _plain(_plain_object(value), depth - 1, above)
    except Exception:  # noqa: BLE001
        return safe_str(value)


def _key(key: Any) -> str:
    return str.__str__(key) if isinstance(key, str) else safe_str(key)
