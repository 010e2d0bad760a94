"""How the time of a streamed reply grows with its length: token by token through ``Reader.feed``.

    python -m benchmarks.stream_growth
    python -m benchmarks.stream_growth --to 1_000_000 --piece 1

Prints for each shape the slope of CPU time over length (1 is linear), the microseconds for a token, and what of it
was spent feeding and what closing.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass

from react_engine.fuzz.growth import ORDINARY, TOOLS, WORST, Curve, grown
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.stream import Reader


@dataclass(frozen=True, slots=True)
class Streamed:
    """CPU seconds of one stream."""

    feeding: float
    closing: float
    pieces: int


def stream(text: str, piece: int, index: ToolIndex) -> Streamed:
    """A reply in pieces of so many characters."""
    reader = Reader(index)
    began = time.process_time()
    for start in range(0, len(text), piece):
        reader.feed(text[start : start + piece])
    fed = time.process_time()
    reader.close()
    return Streamed(fed - began, time.process_time() - fed, -(-len(text) // piece))


def main() -> int:
    """Measure and print; fail if a limit was given and passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=int, default=100_000, help="the longest reply, in characters")
    parser.add_argument("--piece", type=int, default=4, help="characters of a token")
    parser.add_argument("--limit", type=float, help="fail above this slope")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [size for size in (1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000) if size <= options.to]
    index = ToolIndex(TOOLS)
    stream(grown(ORDINARY["prose"], 1000), options.piece, index)  # compiles what is compiled once
    rows, steep = [], False
    if not options.json:
        print(f"slope  µs/token  feeding ms  closing ms  shape ({sizes[-1]:,} characters, pieces of {options.piece})")
    for name, shape in {**ORDINARY, **WORST}.items():
        points, last = [], Streamed(0, 0, 1)
        for size in sizes:
            text = grown(shape, size)
            last = stream(text, options.piece, index)
            points.append((len(text), max(last.feeding + last.closing, 1e-6)))
        slope = Curve(name, tuple(points)).exponent
        steep = steep or (slope or 0) > (options.limit or math.inf)
        rows.append({"shape": name, "slope": slope, "points": points})
        if not options.json:
            shown = "    -" if slope is None else f"{slope:5.2f}"
            each = 1e6 * (last.feeding + last.closing) / last.pieces
            print(f"{shown}  {each:8.2f}  {1e3 * last.feeding:10.2f}  {1e3 * last.closing:10.2f}  {name}", flush=True)
    if options.json:
        print(json.dumps(rows))
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
