"""Coverage-guided fuzzing of the reader: atheris looks for replies that take new ways through the code.

    pip install atheris
    python -m benchmarks.fuzz_atheris -max_total_time=600
    python -m benchmarks.fuzz_atheris -runs=100000 -seed=1

Arguments are libFuzzer's. Whatever is found must read without an exception, with spans in the text, and as a stream
in any two pieces. New inputs go to a folder in the cache; those worth keeping go to ``benchmarks/fuzz_corpus`` with

    python -m benchmarks.fuzz_atheris keep

which takes the shortest of every way in which a reading can come out; the tests read them again.
"""

from __future__ import annotations

import hashlib
import importlib
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

from react_engine.folders import cache_folder

KEPT = Path(__file__).with_name("fuzz_corpus")
LONGEST = 400
"""Bytes of an input: what breaks a reader is short."""
_FEW = 150


def corpus() -> Path:
    """Where inputs are collected."""
    return cache_folder() / "fuzz" / "corpus"


def text_of(data: bytes) -> str:
    """The reply that an input stands for: any bytes are one, lone surrogates among them."""
    return data.decode("utf-8", "surrogateescape")


def seeds(folder: Path) -> None:
    """The kept inputs, and a reply in every dialect."""
    from react_engine.fuzz.cases import make_case
    from react_engine.fuzz.forms import FORMS

    folder.mkdir(parents=True, exist_ok=True)
    for file in KEPT.glob("*"):
        shutil.copy(file, folder / file.name)
    for number, dialect in enumerate(FORMS):
        text = make_case(1, number, (dialect,)).text.encode("utf-8", "surrogatepass")[:LONGEST]
        (folder / hashlib.sha256(text).hexdigest()[:16]).write_bytes(text)


def dictionary(file: Path) -> None:
    """The markers of all dialects, which chance alone would not write."""
    from react_engine.parsers.dialects import all_records

    words = {
        "Action: f\n",
        "Action Input: ",
        "Final Answer:",
        "Observation:",
        "Thought:",
        '{"name": "f", "arguments": {',
        "```json\n",
    }
    for record in all_records():
        words.update((*record.openers, *record.closers, *record.chrome, *record.results, *record.stop))
        words.update(word for pair in (*record.reasoning, *record.channels) for word in pair)
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in sorted(words) if word)
    file.write_text("".join(f'"{word}"\n' for word in escaped if len(word) <= 4 * 60), encoding="ascii")


def _tools() -> list[Any]:
    from react_engine.fuzz.growth import TOOLS

    return TOOLS


def main() -> int:
    """Fuzz, or keep what was found."""
    folder = corpus()
    if sys.argv[1:] == ["keep"]:
        return keep(folder)
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 1
    with atheris.instrument_imports(include=["react_engine.parsers", "react_engine.labels", "react_engine.shapes"]):
        # What is imported before is not instrumented, so nothing of the reader may be.
        contract = importlib.import_module("react_engine.fuzz.contract")
        reader = importlib.import_module("react_engine.parsers.reader")
    index = importlib.import_module("react_engine.parsers.index").ToolIndex(_tools())

    def one(data: bytes) -> None:
        text = text_of(data)
        finish = "length" if len(data) % 5 == 0 else "stop"
        reading = reader.read(text, index, finish_reason=finish)
        broken = contract.violation(text, index, finish, reading, Random(len(text)))
        if broken:
            raise AssertionError(f"{broken}\n{text!r}")

    seeds(folder)
    words = folder.parent / "markers.dict"
    dictionary(words)
    atheris.Setup([sys.argv[0], f"-dict={words}", f"-max_len={LONGEST}", *sys.argv[1:], str(folder)], one)
    atheris.Fuzz()
    return 0


def keep(folder: Path) -> int:
    """Put the shortest input of every way in which a reading can come out into the kept ones."""
    from react_engine.parsers.index import ToolIndex
    from react_engine.parsers.reader import read

    index, shortest = ToolIndex(_tools()), dict[object, Path]()
    files = [*KEPT.glob("*"), *folder.glob("*")]
    for file in sorted(files, key=lambda each: (each.stat().st_size, each.name)):
        reading = read(text_of(file.read_bytes()), index)
        tolerances = {tolerance.name for call in reading.calls for tolerance in call.tolerances}
        ways = (
            reading.dialect, len(reading.calls), frozenset(tolerances), frozenset(each.name for each in reading.tolerances),
            frozenset(problem.code for problem in reading.problems), reading.answer is None, reading.reasoning is None,
        )  # fmt: skip
        shortest.setdefault(ways, file)
    kept = list(shortest.values())[:_FEW]
    for file in kept:
        name = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        if not (KEPT / name).exists():
            shutil.copy(file, KEPT / name)
    print(f"{len(kept)} inputs are in {KEPT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
