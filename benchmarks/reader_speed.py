"""What reading one reply costs: clean, messy and long, by dialect, beside a strict regex and other libraries.

    python -m benchmarks.reader_speed
    python -m benchmarks.reader_speed --against none --rounds 30
    python -m benchmarks.reader_speed --against langchain,crewai,llama-index,json-repair --json

A time is the CPU time of the process for one reply, the median over rounds; all take turns round by round, so that a
machine which slows down does so for all of them. "strict" is a regular expression with ``json.loads``: what a
server's own parser does for a form that is exactly right. Other libraries run in environments of their own, on the
same replies; only what they read rightly is compared.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import Any

from react_engine.fuzz.cases import Case
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.meaning import Call, Reply, Tool
from react_engine.fuzz.peers.environments import NotInstalled
from react_engine.fuzz.peers.libraries import Beside, chosen
from react_engine.fuzz.render import render
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read

TOOLS: list[Tool] = [
    {
        "name": "get_weather",
        "description": "The weather of the next days.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
    {
        "name": "write_note",
        "description": "Keeps a text.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
            "required": ["path", "body"],
        },
    },
]
_CALL = Call("get_weather", {"city": "Oslo", "days": 2})
_LONG = Call("write_note", {"path": "tide.md", "body": 'The tide rises, "slowly".\n' * 400})
_ANSWER = "It will be 3 degrees in Oslo."
_TEXT = "It will be 3 degrees in Oslo, and it will rain (a little)."
REPLIES: dict[str, tuple[str, str, Call | str]] = {
    "react, clean": ("react", render(FORMS["react"], Reply("I look it up.", calls=(_CALL,))).text, _CALL),
    "react, words before": ("react", "I look it up.\n\nAction: get_weather\nAction Input: {\"city\": \"Oslo\", \"days\": 2}", _CALL),
    "react, bold": ("react", "**Thought:** I look\n**Action:** get_weather\n**Action Input:** {\"city\": \"Oslo\", \"days\": 2}", _CALL),
    "react, fence": ("react", "Thought: I look\nAction: get_weather\nAction Input: ```json\n{\"city\": \"Oslo\", \"days\": 2}\n```", _CALL),
    "react, quotes": ("react", "Thought: I look\nAction: get_weather\nAction Input: {'city': 'Oslo', 'days': 2,}", _CALL),
    "react, messy": ("react", "**Thought:** I look\n**Action:** `Get Weather`\n**Action Input:** ```json\n{'city': 'Oslo', 'days': 2,}\n```\nObservation: 3", _CALL),
    "react, long": ("react", render(FORMS["react"], Reply("I keep it.", calls=(_LONG,))).text, _LONG),
    "react, answer": ("react", f"Thought: I know.\nFinal Answer: {_ANSWER}", _ANSWER),
    "hermes, clean": ("hermes", render(FORMS["hermes"], Reply(calls=(_CALL,))).text, _CALL),
    "hermes, messy": ("hermes", "Let me see.\n<tool_call>\n```json\n{'name': 'get_weather', 'arguments': {'city': 'Oslo', 'days': '2',}\n```\n</tool_call><|im_end|>", _CALL),
    "hermes, long": ("hermes", render(FORMS["hermes"], Reply(calls=(_LONG,))).text, _LONG),
    "plain answer": ("hermes", _TEXT, _TEXT),
}  # fmt: skip
_STRICT = {
    "react": re.compile(r"Action: (\w+)\nAction Input: (\{.*\})\s*\Z", re.DOTALL),
    "hermes": re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL),
}


def strict(dialect: str, text: str) -> list[tuple[str, Any]]:
    """The calls of a reply that is exactly right."""
    found = _STRICT[dialect].findall(text)
    if dialect == "react":
        return [(name, json.loads(given)) for name, given in found]
    calls = map(json.loads, found)
    return [(call["name"], call["arguments"]) for call in calls]


@dataclass(frozen=True, slots=True)
class Row:
    """Median microseconds: the reader told nothing, the reader told the dialect, and others by name."""

    name: str
    characters: int
    auto: float
    told: float
    others: dict[str, float | None]


def timed(read_once: Callable[[], object], repeats: int) -> float:
    """Microseconds of CPU for one reading."""
    began = time.process_time()
    for _ in range(repeats):
        read_once()
    return 1e6 * (time.process_time() - began) / repeats


def measure(rounds: int, beside: list[Beside]) -> list[Row]:
    """Every reply by everyone who reads its dialect."""
    index = ToolIndex(TOOLS)
    replies = dict(REPLIES)
    replies |= {name: (name, render(form, Reply(calls=(_CALL,))).text, _CALL) for name, form in FORMS.items()}
    return [_row(name, reply, rounds, beside, index) for name, reply in replies.items()]


def _row(name: str, reply: tuple[str, str, Call | str], rounds: int, beside: list[Beside], index: ToolIndex) -> Row:
    dialect, text, meant = reply
    repeats = max(1, min(40, 40_000 // len(text)))
    case = Case(name, text, TOOLS, dialect)
    times: dict[str, list[float]] = {}
    reads = name in REPLIES
    for _ in range(rounds):
        times.setdefault("auto", []).append(timed(lambda: read(text, index), repeats))
        times.setdefault("told", []).append(timed(lambda: read(text, index, dialect), repeats))
        if reads and "clean" in name:
            times.setdefault("strict", []).append(timed(lambda: strict(dialect, text), repeats))
        for peer in beside:
            if reads and dialect in peer.library.reads:
                found = peer.read(case, repeats)
                right = found.answer == meant if isinstance(meant, str) else found.calls == (meant,)
                times.setdefault(peer.library.name, []).append(1e6 * found.seconds if right else float("nan"))
    middle = {who: median(each) for who, each in times.items()}
    others = {
        who: (None if math.isnan(value) else value) for who, value in middle.items() if who not in ("auto", "told")
    }
    return Row(name, len(text), middle["auto"], middle["told"], others)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--against", default="langchain,crewai,llama-index,json-repair", help="libraries, all, or none")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with ExitStack() as stack:
        beside = []
        for library in chosen(options.against) if options.against != "none" else ():
            try:
                beside.append(stack.enter_context(Beside(library)))
            except NotInstalled as error:
                print(f"left out: {error}", file=sys.stderr)
        rows = measure(options.rounds, beside)
        versions = {peer.library.name: peer.versions for peer in beside}
    if options.json:
        data = [{"reply": r.name, "characters": r.characters, "auto": r.auto, "told": r.told, **r.others} for r in rows]
        print(json.dumps({"microseconds": data, "versions": versions}, indent=1))
        return 0
    _print(rows, versions)
    return 0


def _print(rows: list[Row], versions: dict[str, dict[str, str]]) -> None:
    names = ["strict", *versions]
    print(f"{'CPU, µs':24} {'chars':>6} {'auto':>8} {'told':>8}  " + "  ".join(f"{name:>18}" for name in names))
    for row in rows:
        cells = []
        for name in names:
            value = row.others.get(name)
            missing = "not read" if name in row.others else ""
            cells.append(f"{missing:>18}" if value is None else f"{value:10.1f} ({value / row.auto:4.1f}×)")
        print(f"{row.name:24} {row.characters:6} {row.auto:8.1f} {row.told:8.1f}  " + "  ".join(cells))
    print('(×): its time by that of the reader with dialect="auto"; above 1 the reader is faster.')
    for name, found in versions.items():
        print(f"{name}: {', '.join(f'{package} {version}' for package, version in found.items())}")


if __name__ == "__main__":
    sys.exit(main())
