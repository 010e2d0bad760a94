"""Plots of a comparison, as PNG: what was done by each variant, and which tools were taken for which."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from react_engine.compare.records import Record
from react_engine.compare.summary import Row, confusion
from react_engine.errors import ConfigurationError


def bars(rows: Sequence[Row]) -> bytes:
    """A bar of the share done for each variant, a panel for each model and suite."""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault(f"{row.variant.model.removeprefix('local/')}\n{row.suite}", []).append(row)
    figure, axes = _figure(len(panels), 3.4, 0.36 * max(map(len, panels.values())) + 1.4)
    for axis, (title, group) in zip(axes, panels.items(), strict=True):
        labels = [row.variant.label for row in group]
        colours = ["#9a9a9a" if row.variant.path == "native" else "#2a6fbb" for row in group]
        axis.barh(labels, [row.done * 100 for row in group], color=colours)
        for place, row in enumerate(group):
            axis.text(row.done * 100 + 1, place, f"{row.done:.0%}", va="center", fontsize=8)
        axis.set_xlim(0, 125)
        axis.set_xticks([0, 25, 50, 75, 100])
        axis.invert_yaxis()
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("tasks done, %", fontsize=8)
        axis.tick_params(labelsize=8)
        _as_written(axis)
    return _png(figure)


def confusion_matrix(records: Sequence[Record], title: str) -> bytes:
    """The tools called first against those needed first."""
    table = confusion(records)
    names = sorted({*table, *(called for counts in table.values() for called in counts)})
    counts = [[table[needed][called] if needed in table else 0 for called in names] for needed in names]
    most = max(map(max, counts), default=0)
    figure, (axis,) = _figure(1, 0.36 * len(names) + 2.4, 0.32 * len(names) + 2.0)
    axis.imshow(counts, cmap="Blues")
    axis.set_xticks(range(len(names)), names, rotation=70, ha="right", fontsize=7)
    axis.set_yticks(range(len(names)), names, fontsize=7)
    for line, row in enumerate(counts):
        for column, count in enumerate(row):
            if count:
                colour = "white" if 2 * count > most else "black"
                axis.text(column, line, str(count), ha="center", va="center", fontsize=7, color=colour)
    axis.set_xlabel("called first", fontsize=8)
    axis.set_ylabel("needed first", fontsize=8)
    axis.set_title(title, fontsize=9)
    _as_written(axis)
    return _png(figure)


def _as_written(axis: Any) -> None:
    """Names are no formulas: a dollar sign in one stays what it is."""
    for text in (axis.title, *axis.get_xticklabels(), *axis.get_yticklabels()):
        text.set_parse_math(False)


def _figure(panels: int, width: float, height: float) -> tuple[Any, Sequence[Any]]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigurationError("Plots need matplotlib: pip install 'react-engine[plots]'.") from error
    columns = min(panels, 3)
    lines = -(-panels // columns)
    figure = Figure(figsize=(width * columns, height * lines), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False).flatten().tolist()
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes[:panels]


def _png(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()
