"""Damages replies at random and checks what must hold of every reading.

Each reply is a rendered step in some format, then cut, spliced, doubled, reordered and sprinkled with markup. It
must read without an exception; every span must lie in the text; a stream in any pieces must give the same
reading; text shown as an answer must be the beginning of the answer.

    python benchmarks/reader_fuzz.py --n 100000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.parsers.stream import Reader
from react_engine.types import Reading, Span

TOOLS = [
    {
        "name": "find_boats",
        "parameters": {
            "type": "object",
            "properties": {
                "harbour": {"type": "string"},
                "length": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["harbour"],
        },
    },
    {
        "name": "note",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
    {"name": "clock", "parameters": {"type": "object", "properties": {}}},
]
WORDS = [
    "Visby",
    "it's",
    'say "ahoy"',
    "a\nb",
    "C:\\boats",
    "{x}",
    "<b>",
    "Action: none",
    "最终答案",
    "é",
    "\\n",
    "`tick`",
    "007",
]
MARKUP = [
    '"', "'", "{", "}", "[", "]", ",", ":", "\n", "```", "<think>", "</think>", "<tool_call>", "</tool_call>", "Action: ",
    "Action Input: ", "Final Answer:", "\\", "Observation:", "“", "：", "｛", "<|im_end|>", "//", "/*", "`", "**", "(", ")", "=",
    "\x00", "\ud800", "…", "- ", "# ", "<tool_response>", "None", "```json\n", "思考：", "行动：",
]  # fmt: skip


def replies(rng: random.Random) -> Iterator[str]:
    """Well-formed replies without end, in the formats that the reader knows."""
    formats: list[Callable[[str, str], str]] = [
        lambda name, arguments: f"Thought: I look.\nAction: {name}\nAction Input: {arguments}",
        lambda name, arguments: f"**Thought:** hm\n**Action:** `{name}`\n**Action Input:** {arguments}\nObservation: 3",
        lambda name, arguments: f"思考：看\n行动：{name}\n行动输入：{arguments}",
        lambda name, arguments: (
            f'<think>\nso\n</think>\n<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
        ),
        lambda name, arguments: f'I look.\n\n```json\n{{"name": "{name}", "arguments": {arguments}}}\n```',
        lambda name, arguments: f'[{{"name": "{name}", "arguments": {arguments}}}]',
        lambda name, arguments: f'Action:\n```\n{{"action": "{name}", "action_input": {arguments}}}\n```',
        lambda name, arguments: f"Thought: done\nFinal Answer: {name} gave {arguments}",
        lambda name, arguments: f"The tool {name} takes {arguments}.",
    ]
    while True:
        parts = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            tool = rng.choice(TOOLS)
            values: dict[str, Any] = {
                "harbour": rng.choice(WORDS),
                "length": 7.5,
                "tags": rng.sample(WORDS, 2),
                "text": rng.choice(WORDS),
            }
            arguments = {key: values[key] for key in tool["parameters"]["properties"]}  # type: ignore[index]
            parts.append(rng.choice(formats)(str(tool["name"]), json.dumps(arguments, ensure_ascii=rng.random() < 0.5)))
        yield "\n".join(parts)


def damage(text: str, other: str, rng: random.Random) -> str:
    """The text with up to four injuries."""
    for _ in range(rng.randint(0, 4)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.randint(0, 16))
        match rng.randrange(6):
            case 0:
                text = text[:start] + rng.choice(MARKUP) + text[start:]
            case 1:
                text = text[:start] + text[end:]
            case 2:
                text = text[:start]
            case 3:
                text = text[start:] + text[:start]
            case 4:
                text = text[:start] + other[rng.randint(0, len(other)) :]
            case _:
                text = text[:start] + text[start:end] * 3 + text[end:]
    return text


def check(text: str, index: ToolIndex, finish: str | None, rng: random.Random) -> Reading:
    """The reading of a text. Raises AssertionError for what must not be."""
    reading = read(text, index, finish_reason=finish)
    assert reading.calls or reading.answer is not None or reading.problems, "nothing was read and nothing said"
    for span in spans(reading):
        assert 0 <= span.start <= span.end <= len(text), f"span {span} outside of the text"
    reader, shown, size = Reader(index), "", rng.choice([1, 2, 7, 40])
    for start in range(0, len(text), size):
        shown += "".join(piece.text for piece in reader.feed(text[start : start + size]) if piece.kind == "answer")
    assert reader.close(finish) == reading, "the stream was read differently"
    if "</think>" not in text:  # a closer without an opener turns all before it into thought, shown or not
        assert not shown or (not reading.calls and (reading.answer or "").startswith(shown)), (
            f"shown as answer: {shown!r}"
        )
    return reading


def spans(reading: Reading) -> Iterator[Span]:
    """Every span that a reading holds."""
    for call in reading.calls:
        yield from ([call.span] if call.span else [])
        yield from (tolerance.span for tolerance in call.tolerances)
    yield from (tolerance.span for tolerance in reading.tolerances)
    yield from (problem.span for problem in reading.problems if problem.span)


def main() -> int:
    """Run, print a table, and fail if anything did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20_000, help="replies")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    index, source, outcomes = ToolIndex(TOOLS), replies(rng), Counter[str]()
    began, slowest = time.perf_counter(), (0.0, "")
    for _ in range(options.n):
        text = damage(next(source), next(source), rng)
        finish = rng.choice(["stop", "length", None])
        start = time.perf_counter()
        try:
            reading = check(text, index, finish, rng)
        except Exception as error:  # noqa: BLE001 - whatever a reply provokes is a finding
            print(
                f"FAILED {type(error).__name__}: {error}\n  finish_reason={finish!r}\n  text={text!r}", file=sys.stderr
            )
            outcomes["failed"] += 1
            continue
        slowest = max(slowest, (time.perf_counter() - start, text))
        outcomes["calls" if reading.calls else "answer" if reading.answer is not None else "problem"] += 1
    seconds = time.perf_counter() - began
    print(
        f"{options.n} replies, seed {options.seed}, {seconds:.1f} s: {dict(outcomes)}; slowest {slowest[0] * 1e3:.1f} ms"
    )
    return 1 if outcomes["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
