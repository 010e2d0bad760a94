"""Values as text: JSON and Python literals that the reader takes back as they were, without a control token in them.

Whatever would be a marker, a stand-in or a path with single backslashes to the reader is written with escapes: what
is escaped was meant. Lone surrogates, which no server takes, are escaped as well.
"""

from __future__ import annotations

import json
import re
from typing import Any

from react_engine.templates.neutralise import escape_json

_SURROGATE = re.compile("[\ud800-\udfff]")
# The first character of a string that is nothing but ``<city>``, ``$CITY`` or ``{city}``, or that begins like a path.
_STAND_IN = re.compile(
    r"""(?P<before>"(?:[ ]|\\[nrtfvb])*+)
        (?P<char> <(?=[^<>\n"]{2,60}>(?:[ ]|\\[nrtfvb])*+") | \$(?=\{?[A-Z_]{2,40}\}?(?:[ ]|\\[nrtfvb])*+")
                | \{(?=\{?[\w .]{1,40}\}?\}(?:[ ]|\\[nrtfvb])*+") | (?<=")[A-Za-z](?=:\\))""",
    re.VERBOSE,
)
_READABLE = json.JSONEncoder(ensure_ascii=False, default=str)
_MARKUP = re.compile(r"[<&\n]")
_ODD = re.compile(r"[^A-Za-z0-9 ]")
_WORDS = {"python": {True: "True", False: "False", None: "None"}, "json": {True: "true", False: "false", None: "null"}}


def compact_json(value: Any) -> str:
    """JSON on one line, in any script, without a control token in it; what JSON does not know is written as text."""
    text = escape_json(_READABLE.encode(value))
    text = _STAND_IN.sub(_with_escape, text)
    return text if text.isascii() else _SURROGATE.sub(lambda char: _escape(char[0]), text)


def guarded_json(value: Any) -> str:
    """JSON in whose strings everything but letters, digits and blanks is an escape: no text in it means anything."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_guarded(str(key))}: {guarded_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(guarded_json, value))}]"
    if isinstance(value, str):
        return _guarded(value)
    return json.dumps(value, default=str)


def python_literal(value: Any, quote: str = '"', literals: str = "python") -> str:
    """A Python literal; ``literals`` says whose words for true, false and null are used."""
    if value is None or isinstance(value, bool):
        return _WORDS[literals][value]
    if isinstance(value, dict):
        pairs = (f"{_quoted(str(key), quote)}: {python_literal(item, quote, literals)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(python_literal(item, quote, literals) for item in value)}]"
    return compact_json(value) if isinstance(value, int | float) else _quoted(str(value), quote)


def tag_text(value: Any, cdata: bool = False) -> str:
    """A value between tags: text as it is (with ``cdata`` in a section if it holds markup), anything else as JSON."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    return f"<![CDATA[{value}]]>" if cdata and _MARKUP.search(value) else value


def kind_of(value: Any) -> str:
    """The JSON type of a value; integers are numbers."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, dict) else "array"


def _quoted(text: str, quote: str) -> str:
    written = compact_json(text)
    if quote == '"':
        return written
    return "'" + written[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def _with_escape(match: re.Match[str]) -> str:
    return match["before"] + _escape(match["char"])


def _guarded(text: str) -> str:
    escaped = _ODD.sub(lambda char: _escape(char[0]), text)
    return f'"{escaped}"'


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
