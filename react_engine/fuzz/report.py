"""One page with everything: figures, tables, pictures, and the failures. It needs no other file and no network."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from react_engine.fuzz import plots
from react_engine.fuzz.judge import WORST, Outcome
from react_engine.fuzz.summary import Results, as_data, bad, by, figures
from react_engine.fuzz.tally import Failure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; font-size: .85rem } td, th { padding: .15rem .6rem; text-align: right }
th { border-bottom: 1px solid #999; font-weight: 600 } td:first-child, th:first-child { text-align: left }
.bad { background: #f9d0d0 } .good { background: #d8f0d8 } .wide { overflow-x: auto }
pre { background: #f4f4f4; padding: .6rem; white-space: pre-wrap; word-break: break-all; font-size: .78rem; max-height: 16rem; overflow: auto }
summary { cursor: pointer } svg { max-width: none; height: auto }
"""
_SHOWN = 60


def write_report(results: Results, file: Path) -> None:
    """Write the page. Raises ConfigurationError without matplotlib, OSError where the file cannot be written."""
    file.write_text(page(results), encoding="utf-8")


def page(results: Results) -> str:
    """The page."""
    data = as_data(results)
    parts = [
        f"<h1>{_text(results.title)}: {data['replies']:,} replies, seed {data['seed']}</h1>",
        _headline(data),
        *_sides(results),
        "<h2>Dialect × mutator</h2>",
        "<p>Share of replies read as meant. A cross: at least one wrong or invented call, or a crash.</p>",
        f'<div class="wide">{plots.heat_map(results.tally)}</div>',
        "<h2>Cost</h2>",
        _costs(data),
        plots.times(results.tally),
        *([plots.cost_curves(results.curves, "time by length; the number is the slope")] if results.curves else []),
        "<h2>By mutator</h2>",
        _table_by(by(results.tally, 1)),
        "<h2>By dialect</h2>",
        _table_by(by(results.tally, 0)),
        "<h2>Failures</h2>",
        *_failures(results.tally.failures),
    ]
    title = _text(f"{results.title}: fuzz report")
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _text(text: Any) -> str:
    return html.escape(str(text).encode("utf-8", "backslashreplace").decode("utf-8"))


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]], classes: Sequence[str] = ()) -> str:
    lines = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = []
    for number, row in enumerate(rows):
        kind = f' class="{classes[number]}"' if number < len(classes) and classes[number] else ""
        body.append(f"<tr{kind}>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>")
    return f'<div class="wide"><table><tr>{lines}</tr>{"".join(body)}</table></div>'


def _headline(data: dict[str, Any]) -> str:
    rows = [
        ("survivable damage", f"{data['survivable']:,}"),
        ("… recovered", f"{data['recovered']:,} = {data['recovered_percent']} %"),
        ("… missed, partly read", f"{data['missed']:,}, {data['partial']:,}"),
        ("wrong calls", f"{data['wrong']:,} = {data['wrong_in_10000']} in 10,000"),
        ("replies without a call", f"{data['without_call']:,}"),
        ("… invented calls", f"{data['invented']:,}"),
        ("… answer not as it should be", f"{data['text']:,}"),
        ("damage that may change what is meant", f"{data['free']:,}"),
        ("crashes, broken contracts, timeouts", f"{data['crash']:,}, {data['broken']:,}, {data['timeout']:,}"),
        ("parser, version, Python", f"{data['parser']}, {data['version']}, {data['python']}"),
        ("time on the clock, processes", f"{data['seconds']} s, {data['jobs']}"),
    ]
    return _table(("what", "figure"), rows)


def _costs(data: dict[str, Any]) -> str:
    times = data["cpu_microseconds"]
    row = [times["mean"], times["p50"], times["p90"], times["p99"], times["slowest"], data["cpu_seconds_per_megabyte"]]
    return _table(("", "mean, µs", "median, µs", "90 %, µs", "99 %, µs", "slowest, µs", "s/MB"), [("CPU", *row)])


_COLUMNS = tuple(Outcome)


def _table_by(counts: dict[str, dict[str, int]]) -> str:
    order = sorted(counts.items(), key=lambda item: (-bad(item[1]) / sum(item[1].values()), item[0]))
    rows, classes = [], []
    for name, found in order:
        whole = sum(found.values())
        right = 100 * (whole - bad(found)) / whole
        rows.append((name, f"{whole:,}", f"{right:.2f} %", *(found.get(outcome, 0) or "" for outcome in _COLUMNS[1:])))
        classes.append("bad" if any(found.get(outcome) for outcome in WORST) else "good" if not bad(found) else "")
    return _table(("", "replies", "right", *_COLUMNS[1:]), rows, classes)


def _sides(results: Results) -> list[str]:
    if not results.sides:
        return []
    rows = []
    for side in results.sides:
        versions = ", ".join(f"{name} {version}" for name, version in side.versions.items())
        for what, tally in ((", ".join(side.reads), side.claimed), ("all dialects", side.everything)):
            if tally is not None:
                rows.append((side.name, what, *_row(figures(tally)), versions))
        if side.reader is not None:
            rows.append(("the reader", "the same replies", *_row(figures(side.reader)), ""))
    head = ("", "on", "replies", "recovered", "wrong", "invented", "crash", "timeout", "median, µs", "version")
    parts = ["<h2>Side by side</h2>", _table(head, rows), plots.side_by_side(results.sides)]
    for side in results.sides:
        if side.curves:
            parts.append(plots.cost_curves(side.curves, f"{side.name}: time by length"))
    return parts


def _row(values: dict[str, Any]) -> list[Any]:
    share = f"{values['recovered_percent']} %"
    counts = [values[name] for name in ("wrong", "invented", "crash", "timeout")]
    return [f"{values['replies']:,}", share, *counts, values["cpu_microseconds"]["p50"]]


def _failures(failures: Sequence[Failure]) -> list[str]:
    if not failures:
        return ["<p>None.</p>"]
    order = list(Outcome)
    shown = sorted(failures, key=lambda failure: (-order.index(failure.outcome), len(failure.case.text)))[:_SHOWN]
    parts = [f"<p>{len(failures)} kept, {len(shown)} shown, the worst first.</p>"]
    for failure in shown:
        line = failure.as_json()
        meant = json.dumps(line["expect"]["calls"], ensure_ascii=False)
        got = failure.read.error or failure.read.violation or json.dumps(line["got"]["calls"], ensure_ascii=False)
        kinds = " + ".join(failure.case.kinds) or "as trained"
        parts.append(
            f"<details><summary>{failure.outcome}: {_text(failure.case.dialect)}, {_text(kinds)}</summary>"
            f"<pre>{_text(failure.case.text[:3000])}</pre><p>meant</p><pre>{_text(meant[:2000])}</pre>"
            f"<p>read</p><pre>{_text(got[:2000])}</pre></details>"
        )
    return parts
