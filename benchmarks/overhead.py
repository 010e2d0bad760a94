"""CPU time per model call: bare clients, the engine on its own ones, and other agent libraries, in one run.

    python -m benchmarks.overhead
    python -m benchmarks.overhead --peers langchain --runs 15
    python -m benchmarks.overhead --peers none --only http --json

Everybody does the same five steps, four calls of a trivial async tool and the answer, against a canned loopback server
that runs in a process of its own. Clients and libraries run in processes of their own, too, and take turns round by
round, so that a machine which slows down does so for all of them. A time is the CPU time, user and system, of all
threads of the contender's process, divided by the model calls that the server has counted: the median over the
rounds, with the lowest and the highest. "adds" compares the engine with its own client, which sends the same
requests: the median of the differences within a round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.canned_server import answered, served
from benchmarks.peers import PEERS, NotInstalled, python_of
from benchmarks.workbench import Bench, ContenderFailed

if TYPE_CHECKING:
    from rich.table import Table

RUNS_ALONE = 20
"""Runs of a round, one at a time: enough model calls for a clock of microseconds."""


@dataclass(frozen=True, slots=True)
class Row:
    """One contender: how the table calls it, who runs it, and the client under it (by its ``key``) if it is ours.

    Contenders with one ``host`` share a process, so that only those that need a heavy library carry it.
    """

    key: str
    label: str
    host: str
    client: str = ""


ROWS = (
    Row("httpx", "httpx, loop by hand", "httpx"),
    Row("openai", "openai SDK, loop by hand", "openai"),
    Row("litellm", "litellm, loop by hand", "litellm"),
    Row("http native", "HttpModel alone, native requests", "http"),
    Row("http prompt", "HttpModel alone, prompt requests", "http"),
    Row("http native streamed", "HttpModel alone, native requests, streamed", "http"),
    Row("http prompt streamed", "HttpModel alone, prompt requests, streamed", "http"),
    Row("litellm native", "LiteLLMModel alone, native requests", "litellm"),
    Row("litellm prompt", "LiteLLMModel alone, prompt requests", "litellm"),
    Row("engine http native", "Engine on HttpModel, native", "http", "http native"),
    Row("engine http prompt", "Engine on HttpModel, prompt", "http", "http prompt"),
    Row("engine http native streamed", "Engine on HttpModel, native, streamed", "http", "http native streamed"),
    Row("engine http prompt streamed", "Engine on HttpModel, prompt, streamed", "http", "http prompt streamed"),
    Row("engine http native sync", "Engine.run on HttpModel, native", "http", "http native"),
    Row("engine http native thread", "Engine on HttpModel, native, sync tool", "http", "http native"),
    Row("engine litellm native", "Engine on LiteLLMModel, native", "litellm", "litellm native"),
    Row("engine litellm prompt", "Engine on LiteLLMModel, prompt", "litellm", "litellm prompt"),
    Row("langchain react", "LangChain ReAct executor", "langchain"),
    Row("langchain agent", "LangChain create_agent", "langchain"),
    Row("llama-index react", "LlamaIndex ReActAgent", "llama-index"),
    Row("llama-index functions", "LlamaIndex FunctionAgent", "llama-index"),
    Row("qwen-agent react", "Qwen-Agent ReActChat, streamed", "qwen-agent"),
)
OURS = "engine http native"
"""What the ratios are to."""
TOLD = {
    "httpx": ("httpx",),
    "openai": ("openai",),
    "litellm": ("litellm",),
    "http": ("react-engine", "httpx"),
    **{peer.name: peer.told for peer in PEERS.values()},
}
STARTS = {
    "python -c pass": "pass",
    "import react_engine": "import react_engine",
    "from react_engine import Engine": "from react_engine import Engine",
    "react-engine --help": "import sys; sys.argv = ['react-engine', '--help']; from react_engine.cli import main; main()",
}


@dataclass(slots=True)
class Times:
    """Milliseconds of CPU per model call, one value for each round."""

    alone: list[float] = field(default_factory=list)
    at_once: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Results:
    """Everything that was measured, and what could not be."""

    times: dict[str, Times] = field(default_factory=dict)
    starts: dict[str, list[float]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def measure(rows: Sequence[Row], runs: int, at_once: int) -> Results:
    """Every contender once in each round, alone and at once; then what starting costs."""
    results = Results()
    with ExitStack() as stack:
        url = stack.enter_context(served())
        benches = _benches(rows, url, stack, results)
        ready = [row for row in rows if _prepared(row, benches, results)]
        for number in range(runs):
            print(f"Round {number + 1} of {runs} …", file=sys.stderr)
            for row in ready:
                _take_turn(row, benches[row.host], url, at_once, results)
    for _ in range(runs):
        for name, code in STARTS.items():
            results.starts.setdefault(name, []).append(_start(code))
    return results


def _benches(rows: Sequence[Row], url: str, stack: ExitStack, results: Results) -> dict[str, Bench]:
    benches: dict[str, Bench] = {}
    for host in dict.fromkeys(row.host for row in rows):
        peer = PEERS.get(host)
        try:
            python = python_of(peer) if peer else sys.executable
        except NotInstalled as error:
            results.failures[host] = f"not installed: {error}"
            continue
        benches[host] = Bench(python, f"benchmarks.{'peer_agents' if peer else 'contenders'}", url)
        stack.callback(benches[host].close)
    return benches


def _prepared(row: Row, benches: Mapping[str, Bench], results: Results) -> bool:
    if row.host not in benches:
        return False
    try:
        results.versions |= {
            f"{name} ({row.host})" if row.host in PEERS else name: version
            for name, version in benches[row.host].prepare(row.key, TOLD[row.host]).items()
        }
    except ContenderFailed as error:
        results.failures[row.key] = str(error)
        return False
    results.times[row.key] = Times()
    return True


def _take_turn(row: Row, bench: Bench, url: str, at_once: int, results: Results) -> None:
    times = results.times.get(row.key)
    if times is None:  # it failed in an earlier round
        return
    try:
        for values, runs, together in ((times.alone, RUNS_ALONE, 1), (times.at_once, at_once, at_once)):
            before = answered(url)
            spent = bench.measure(row.key, runs, together)
            values.append(spent / (answered(url) - before) * 1e3)
    except ContenderFailed as error:
        results.failures[row.key] = str(error)
        del results.times[row.key]


def _start(code: str) -> float:
    """Milliseconds of CPU of a whole Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def added(row: Row, results: Results) -> tuple[float, float] | None:
    """Milliseconds that the engine adds to its own client, alone and at once; None where there is no such pair."""
    own, under = results.times.get(row.key), results.times.get(row.client)
    if own is None or under is None:
        return None
    pairs = (zip(own.alone, under.alone, strict=False), zip(own.at_once, under.at_once, strict=False))
    alone, at_once = (median(mine - theirs for mine, theirs in pair) for pair in pairs)
    return alone, at_once


def as_table(rows: Sequence[Row], results: Results, at_once: int) -> Table:
    """The contenders, the engine's own rows apart from the others."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title="CPU ms per model call: median (lowest-highest)", title_justify="left")
    table.add_column("contender", no_wrap=True)
    for heading in ("one at a time", "× ours", f"{at_once} at once", "× ours", "adds", "adds at once"):
        table.add_column(heading, justify="right", no_wrap=True)
    ours, groups = results.times.get(OURS), [_group(row) for row in rows]
    for number, row in enumerate(rows):
        times, last = results.times.get(row.key), groups[number : number + 2] != groups[number : number + 1] * 2
        if times is None:
            table.add_row(row.label, "failed", end_section=last)
            continue
        adds = added(row, results)
        table.add_row(
            row.label,
            _spread(times.alone),
            _ratio(times.alone, ours.alone if ours else []),
            _spread(times.at_once),
            _ratio(times.at_once, ours.at_once if ours else []),
            *(f"{value:+.2f}" for value in adds or ()),
            end_section=last,
        )
    return table


def _group(row: Row) -> str:
    return "peers" if row.host in PEERS else "engine" if row.client else "clients"


def _spread(values: Sequence[float], digits: int = 2) -> str:
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def _ratio(values: Sequence[float], ours: Sequence[float]) -> str:
    return f"{median(values) / median(ours):.1f}" if ours else ""


def show(rows: Sequence[Row], results: Results, at_once: int) -> None:
    """Print the tables; plain and wide enough where nobody watches."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
    console.print(as_table(rows, results, at_once))
    console.print("× ours: to the engine on HttpModel, native. adds: over its own client with the same requests.\n")
    console.print("Starting, CPU ms of the whole process: median (lowest-highest)")
    for name, values in results.starts.items():
        console.print(f"  {name:34}{_spread(values, 0):>20}")
    console.print()
    console.print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    console.print(", ".join(f"{name} {version}" for name, version in sorted(results.versions.items())), soft_wrap=True)
    for name, reason in results.failures.items():
        console.print(f"{name} failed: {escape(reason)}", soft_wrap=True)


def as_json(rows: Sequence[Row], results: Results, at_once: int) -> dict[str, Any]:
    """The same for programs, every round included."""
    return {
        "unit": "milliseconds of CPU per model call",
        "at_once": at_once,
        "contenders": {
            row.key: {"alone": times.alone, "at_once": times.at_once, "adds": added(row, results)}
            for row in rows
            if (times := results.times.get(row.key))
        },
        "starts": results.starts,
        "versions": results.versions,
        "failures": results.failures,
    }


def chosen(peers: str, only: str) -> list[Row]:
    """The rows of these peers (``none`` for none), as far as their key contains ``only``."""
    wanted = [] if peers == "none" else peers.split(",")
    if unknown := [name for name in wanted if name not in PEERS]:
        raise SystemExit(f"There is no peer {unknown[0]!r}; the peers are {', '.join(PEERS)}, or none.")
    rows = [row for row in ROWS if (row.host not in PEERS or row.host in wanted) and only in row.key]
    if not rows:
        raise SystemExit(f"No contender has {only!r} in its name: {', '.join(row.key for row in ROWS)}.")
    return rows


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def main() -> int:
    """Measure and print; 1 if any contender failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=",".join(PEERS), help="comma-separated, or none (default: %(default)s)")
    parser.add_argument("--runs", type=_positive, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--at-once", type=_positive, default=64, help="runs at once (default: %(default)s)")
    parser.add_argument("--only", default="", help="contenders whose key has this in it")
    parser.add_argument("--json", action="store_true", help="print JSON in place of tables")
    options = parser.parse_args()
    rows = chosen(options.peers, options.only)
    began = time.perf_counter()
    results = measure(rows, options.runs, options.at_once)
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    if options.json:
        print(json.dumps(as_json(rows, results, options.at_once), indent=2))
    else:
        show(rows, results, options.at_once)
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
