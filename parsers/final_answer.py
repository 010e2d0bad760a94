"""The answer as models write it behind a label or as an action: in brackets, in quotes, in an object, in bold."""

from __future__ import annotations

import re

from react_engine.parsers.labels import Label
from react_engine.parsers.literals import read_value

BRACKETED = re.compile(r"[\w ]+[\[(](.*)[\])]\s*\Z", re.DOTALL)


def as_text(content: str) -> str:
    """An answer out of its quotes, or out of an object with nothing else in it."""
    read = read_value(content, 0, len(content)) if content[:1] in ("{", '"') else None
    if read is None or read.error is not None or content[read.end :].strip():
        return content
    if isinstance(read.value, str):
        return read.value
    if not isinstance(read.value, dict):
        return content
    only = read.value.get("final_answer", next(iter(read.value.values())) if len(read.value) == 1 else None)
    return only if isinstance(only, str) else content


FINISH = frozenset({"finish", "finalanswer"})


def unbolded(content: str, label: Label) -> str:
    """The answer without the closing half of the label's decoration."""
    if not label.plain and content.endswith("**") and content.count("**") % 2 == 1:
        return content[:-2].rstrip()
    return content
