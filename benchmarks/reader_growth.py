"""How the reader's time grows with the length of a reply: ordinary ones, and those made to hurt.

    python -m benchmarks.reader_growth                       ordinary, and the worst dozen, to 1 MB
    python -m benchmarks.reader_growth --all --to 10_000_000 everything, to 10 MB
    python -m benchmarks.reader_growth --unit '{"a": ' --head '<tool_call>'

Prints for each shape the slope of CPU time over length from 10 kB on (1 is linear) and the seconds for a megabyte;
``--limit`` makes a slope above it, or a megabyte above a second, a failure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping

from react_engine.fuzz.growth import ADVERSARIAL, ORDINARY, WORST, Curve, curves
from react_engine.fuzz.parsers import own

Shapes = Mapping[str, tuple[str, str, str]]


def sizes_to(longest: int) -> list[int]:
    """1 kB, 10 kB and so on."""
    return [1000 * 10**power for power in range(round(math.log10(max(longest, 1000) / 1000)) + 1)]


def row(curve: Curve) -> str:
    """A line of the table."""
    slope = "    -" if curve.exponent is None else f"{curve.exponent:5.2f}"
    times = "  ".join(f"{1e3 * seconds:10.2f}" for _, seconds in curve.points)
    return f"{slope}  {curve.per_megabyte:7.3f}  {curve.name[:52]:52}  {times}  {curve.stopped}"


def main() -> int:
    """Measure, print, and fail if a limit was given and passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=int, default=1_000_000, help="the longest reply, in characters")
    parser.add_argument("--all", action="store_true", help="every adversarial shape, alone and inside values")
    parser.add_argument("--only", choices=("ordinary", "adversarial"))
    parser.add_argument("--unit", help="a unit of your own")
    parser.add_argument("--head", default="", help="what stands before it")
    parser.add_argument("--limit", type=float, help="fail above this slope")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    adversarial = ADVERSARIAL if options.all else WORST
    shapes: dict[str, tuple[str, str, str]] = {"your own": (options.head, options.unit, "")} if options.unit else {}
    if not options.unit:
        shapes |= ORDINARY if options.only != "adversarial" else {}
        shapes |= adversarial if options.only != "ordinary" else {}
    sizes = sizes_to(options.to)
    if not options.json:
        print("slope   s/MB    " + f"{'shape':52}  " + "  ".join(f"{size:>7,} ms" for size in sizes))
    found = curves(
        lambda case: own(case, streamed=0),
        shapes.items(),
        sizes,
        told=lambda c: None if options.json else print(row(c), flush=True),
    )
    if options.json:
        print(
            json.dumps(
                [{"shape": c.name, "slope": c.exponent, "points": c.points, "stopped": c.stopped} for c in found]
            )
        )
    slow = [c for c in found if c.stopped or (c.exponent or 0) > (options.limit or math.inf)]
    slow += [
        c
        for c in found
        if options.limit and c not in slow and c.points and c.points[-1][0] >= 900_000 and c.per_megabyte > 1
    ]
    if not options.json:
        slopes = [c.exponent for c in found if c.exponent is not None]
        print(
            f"{len(found)} shapes, steepest {max(slopes, default=0):.2f}, slowest {max(c.per_megabyte for c in found):.3f} s/MB"
        )
    return 1 if options.limit and slow else 0


if __name__ == "__main__":
    sys.exit(main())
