"""The pictures of a report, as SVG text. They need matplotlib (``pip install 'react-engine[plots]'``)."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError
from react_engine.fuzz.growth import Curve
from react_engine.fuzz.judge import WORST, Outcome
from react_engine.fuzz.summary import Side, figures
from react_engine.fuzz.tally import Tally, edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure with one set of axes. Raises ConfigurationError where matplotlib is not installed."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigurationError("The report needs matplotlib: pip install 'react-engine[plots]'.") from error
    mpl.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 8, "svg.hashsalt": "fuzz"})
    made = Figure(figsize=(width, height), layout="constrained")
    return made, made.subplots()


def _svg(made: Figure) -> str:
    out = io.StringIO()
    made.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def heat_map(tally: Tally) -> str:
    """The share of right readings, dialects down and mutators across. Grey: that pair never met."""
    cells = tally.cells
    dialects = sorted({cell[0] for cell in cells})
    kinds = sorted({cell[1] for cell in cells})
    totals = {(dialect, kind): [0, 0, 0] for dialect in dialects for kind in kinds}
    for (dialect, kind, outcome), number in cells.items():
        total = totals[dialect, kind]
        total[0] += number
        total[1] += number if outcome in (Outcome.RIGHT, Outcome.TEXT) else 0
        total[2] += number if outcome in WORST else 0
    grid = [[_share(totals[dialect, kind]) for kind in kinds] for dialect in dialects]
    made, axes = figure(2.2 + 0.135 * len(kinds), 2.6 + 0.135 * len(dialects))
    from matplotlib import colormaps

    colours = colormaps["RdYlGn"].with_extremes(bad="#e8e8e8")
    image = axes.imshow(grid, aspect="auto", cmap=colours, vmin=0, vmax=1, interpolation="nearest")
    worst = [(x, y) for y, dialect in enumerate(dialects) for x, kind in enumerate(kinds) if totals[dialect, kind][2]]
    if worst:
        axes.plot([x for x, _ in worst], [y for _, y in worst], "kx", markersize=3, label="wrong, invented or crash")
        axes.legend(loc="upper left", bbox_to_anchor=(0, 1.06), frameon=False)
    axes.set_xticks(range(len(kinds)), kinds, rotation=90, fontsize=6)
    axes.set_yticks(range(len(dialects)), dialects, fontsize=6)
    made.colorbar(image, ax=axes, label="read as meant", shrink=0.5)
    return _svg(made)


def _share(total: Sequence[int]) -> float:
    return total[1] / total[0] if total[0] else math.nan


def times(tally: Tally) -> str:
    """How long replies take: a histogram on a logarithmic axis."""
    made, axes = figure(6, 2.6)
    numbers = sorted(tally.times)
    lefts = [edge(number) * 1e6 for number in numbers]
    widths = [(edge(number + 1) - edge(number)) * 1e6 for number in numbers]
    axes.bar(lefts, [tally.times[number] for number in numbers], widths, align="edge", color="#4477aa")
    axes.set(xscale="log", yscale="log", xlabel="CPU time of one reply, µs", ylabel="replies")
    return _svg(made)


def cost_curves(curves: Sequence[Curve], title: str = "") -> str:
    """Time over length, on logarithmic axes; a dotted line shows what linear is."""
    made, axes = figure(8, 4.2)
    for curve in curves:
        if not curve.points:
            continue
        exponent = curve.exponent
        label = f"{curve.name}  {curve.stopped or (f'{exponent:.2f}' if exponent is not None else '')}"
        sizes, seconds = zip(*curve.points, strict=True)
        axes.plot(sizes, [1e3 * each for each in seconds], ".-", lw=1, label=label.replace("$", r"\$"))
    lengths = [size for curve in curves for size, _ in curve.points if size]
    if lengths:
        low, high = min(lengths), max(lengths)
        axes.plot([low, high], [low / 1e4, high / 1e4], "k:", lw=1, label="0.1 µs a character")
    axes.set(xscale="log", yscale="log", xlabel="characters", ylabel="CPU time, ms", title=title)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return _svg(made)


_PARTS = (
    ("recovered", "#228833"), ("missed", "#ccbb44"), ("partial", "#eedd88"), ("wrong", "#ee6677"), ("timeout", "#aa3377"),
    ("crash", "#000000"),
)  # fmt: skip


def side_by_side(sides: Sequence[Side]) -> str:
    """What each parser makes of the survivable replies that it says it reads, with the reader on the same ones."""
    made, axes = figure(7, 0.7 + 0.5 * len(sides))
    labels: list[str] = []
    row = 0
    for side in sides:
        for name, tally in ((side.name, side.claimed or side.everything), ("the reader, same replies", side.reader)):
            if tally is None:
                continue
            values: dict[str, Any] = figures(tally)
            whole, left = max(1, values["survivable"]), 0.0
            for part, colour in _PARTS:
                share = 100 * values[part] / whole
                axes.barh(row, share, left=left, color=colour, label=part if row == 0 else None)
                left += share
            labels.append(name)
            row += 1
    axes.set_yticks(range(row), labels)
    axes.invert_yaxis()
    axes.set(xlabel="% of survivable replies", xlim=(0, 100))
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return _svg(made)
