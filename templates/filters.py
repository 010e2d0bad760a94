"""What templates can do with a value, beside what Jinja brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_engine.parsers.dialects.writing import fill
from react_engine.templates.listing import python_type, schema_type, typescript_type
from react_engine.templates.neutralise import neutralise
from react_engine.templates.notation import compact_json, kind_of, python_literal, tag_text
from react_engine.templates.views import one_line


def _filled(pattern: str, **values: str) -> str:
    return fill(pattern, values)


FILTERS: Mapping[str, Any] = {
    "fill": _filled,
    "json": compact_json,
    "kind": kind_of,
    "line": one_line,
    "neutralise": neutralise,
    "python": python_literal,
    "python_type": python_type,
    "schema_type": schema_type,
    "tag_text": tag_text,
    "typescript_type": typescript_type,
}
