"""The comparison as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from react_engine.compare.records import Record
from react_engine.compare.summary import Row, confusion

HEAD = ("variant", "done", "tool", "arguments", "no call", "steps", "spare calls", "repairs", "format errors", "tolerances", "tokens in", "tokens out", "s", "$")  # fmt: skip


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row, under ``HEAD``. Behind the native path's share stands what the server alone would give."""
    done = f"{row.done:.0%}" if row.strict == row.done else f"{row.done:.0%} ({row.strict:.0%} as served)"
    return (
        row.variant.label,
        done,
        f"{row.tool:.0%}",
        f"{row.arguments:.0%}",
        "-" if row.no_call is None else f"{row.no_call:.0%}",
        f"{row.steps:.1f}",
        str(row.spare),
        str(row.repairs),
        str(row.format_errors),
        str(row.tolerances),
        f"{row.prompt_tokens:.0f}",
        f"{row.completion_tokens:.0f}",
        f"{row.seconds:.1f}",
        "-" if row.cost is None else f"{row.cost:.4f}",
    )


def sections(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The rows by model and suite, with a title."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(f"{row.variant.model}, suite {row.suite} ({row.tasks} tasks)", []).append(row)
    return list(found.items())


def markdown(rows: Sequence[Row], records: Sequence[Record]) -> str:
    """All tables as Markdown."""
    parts = []
    for title, group in sections(rows):
        parts.append(f"### {title}\n\n{_table(HEAD, map(cells, group))}")
    for title, table in confusions(records):
        parts.append(f"### Tools taken for each other: {title}\n\n{_table(*table)}")
    return "\n\n".join(parts) + "\n"


Table = tuple[Sequence[str], list[Sequence[str]]]


def confusions(records: Sequence[Record]) -> list[tuple[str, Table]]:
    """For each variant a table of the tools that were taken for another: needed first, called first, how often."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(f"{record.model}, {record.variant.label}, suite {record.suite}", []).append(record)
    tables: list[tuple[str, Table]] = []
    for title, group in groups.items():
        lines: list[Sequence[str]] = [
            (needed, called, str(count))
            for needed, counts in confusion(group).items()
            for called, count in counts.most_common()
            if called != needed
        ]
        lines.sort(key=lambda line: -int(line[2]))
        if lines:
            tables.append((title, (("needed", "called", "times"), lines)))
    return tables


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows)


def _cell(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
