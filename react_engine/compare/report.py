"""What a comparison leaves in its folder: Markdown, CSV, plots and one page of HTML that needs nothing else."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from react_engine.compare import tables
from react_engine.compare.plots import bars, confusion_matrix
from react_engine.compare.records import Record
from react_engine.compare.summary import Row, rows


def write_report(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write the report into a folder; gives the files. Without matplotlib there are no plots."""
    found = rows(records)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = _pictures(found, records) if find_spec("matplotlib") is not None and found else {}
    written: dict[str, bytes] = {
        "report.md": tables.markdown(found, records).encode(),
        "report.csv": _csv(found).encode(),
        "report.html": _page(found, records, pictures).encode(),
        **pictures,
    }
    for name, content in written.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in written]


def _pictures(found: Sequence[Row], records: Sequence[Record]) -> dict[str, bytes]:
    pictures = {"done.png": bars(found)}
    for row in found:
        group = [record for record in records if record.variant == row.variant and record.suite == row.suite]
        title = f"{row.variant.model.removeprefix('local/')} {row.variant.label} {Path(row.suite).stem}"
        name = "".join(char if char.isalnum() or char in ".-" else "-" for char in title)
        pictures[f"confusion-{name}.png"] = confusion_matrix(group, title)
    return pictures


def _csv(found: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fields = [name for name in Row.__slots__ if name != "variant"]
    writer.writerow(["model", "variant", *fields])
    for row in found:
        writer.writerow([row.variant.model, row.variant.label, *(getattr(row, name) for name in fields)])
    return out.getvalue()


def _page(found: Sequence[Row], records: Sequence[Record], pictures: dict[str, bytes]) -> str:
    from jinja2 import Environment

    environment = Environment(autoescape=True)
    source = files("react_engine.compare").joinpath("report.html.j2").read_text(encoding="utf-8")
    failed: dict[str, list[Record]] = {}
    for record in records:
        if not record.done:
            failed.setdefault(f"{record.model}, {record.variant.label}, suite {record.suite}", []).append(record)
    context: dict[str, Any] = {
        "count": len(records),
        "head": tables.HEAD,
        "sections": [(title, [tables.cells(row) for row in group]) for title, group in tables.sections(found)],
        "confusions": tables.confusions(records),
        "failed": list(failed.items()),
        "pictures": [{"title": name, "data": base64.b64encode(data).decode()} for name, data in pictures.items()],
    }
    return environment.from_string(source).render(context)
