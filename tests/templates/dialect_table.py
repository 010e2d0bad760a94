"""The table in ``docs/dialects.md``: ``python -m tests.templates.dialect_table`` writes it anew, a test holds that it is current."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from react_engine.parsers.dialects.registry import RECORDS
from react_engine.templates import Templates
from react_engine.templates.dialect import DialectTemplates

PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"
_TABLE = re.compile(r"(?<=<!-- dialects -->\n).*?(?=<!-- end -->)", re.DOTALL)


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each dialect that is written."""
    base = Templates()
    records = {record.name: record for record in reversed(RECORDS)}
    for name, record in sorted(records.items()):
        if record.writing is None:
            continue
        call = DialectTemplates(base, record).example.call
        prompt, several = ("yes" if said else "no" for said in (record.taught, record.writing.parallel))
        stop = " ".join(_code(word) for word in record.stop) or "-"
        yield f"`{name}`", record.frame, record.template or "", prompt, several, stop, _code(call)


def _code(text: str) -> str:
    """A text in one cell, as code."""
    shown = text.strip().replace("\n", "⏎").replace("|", "\\|")
    fence = "```" if "`" in shown else "`"
    return f"{fence} {shown} {fence}" if "`" in shown else f"`{shown}`"


def table() -> str:
    """The table in Markdown."""
    head = ("dialect", "frame", "arguments", "prompt", "several", "stop words", "a call")
    lines = [head, tuple("---" for _ in head), *rows()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def renewed(page: str) -> str:
    """The page with the table as it is now."""
    return _TABLE.sub(lambda _: table(), page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
