"""How the time of a reader grows with the length of a reply: ordinary ones, and those made to hurt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from react_engine.fuzz.cases import Case
from react_engine.fuzz.meaning import Tool
from react_engine.fuzz.parsers import Parser

TOOLS: list[Tool] = [
    {
        "name": "f",
        "description": "Does it.",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "n": {"type": "integer"},
                "o": {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}},
            },
            "required": ["a"],
        },
    }
]
_STEP = 'Thought: x\nAction: f\nAction Input: {"a": "b"}\n'

ORDINARY: dict[str, tuple[str, str, str]] = {
    "prose": ("", "The tide rises, and the boats (all of them) leave at noon.\n", ""),
    "answer": ("Thought: I know.\nFinal Answer: ", "The tide rises at noon. ", ""),
    "react, long value": ('Action: f\nAction Input: {"a": "', "The tide rises. ", '"}'),
    "hermes, long value": ('<tool_call>\n{"name": "f", "arguments": {"a": "', "tide ", '"}}\n</tool_call>'),
    "hermes, many calls": ("", '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>\n', ""),
    "qwen3_coder, long value": (
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "tide\n",
        "</parameter>\n</function>\n</tool_call>",
    ),
    "pythonic, many calls": ("[", 'f(a="x"), ', 'f(a="y")]'),
    "long reasoning": ("<think>", "Perhaps f, perhaps not.\n", "</think>\n" + _STEP),
    "json list": ('{"name": "f", "arguments": {"a": "x", "o": {"a": [', '"tide", ', '"end"]}}}'),
}
"""Replies that models really write, as (head, unit, tail)."""

_UNITS = (
    "Action: ", "Action: f\n", 'Action Input: {"a": 1}\n', "Observation: x\n", "Thought: x\n", "Final Answer: x\n", _STEP,
    "行动：f\n", "{", "[", "(", '"', "'", "`", "```\n", "~~~\n", '```json\n{"name": "f"\n', " ", "\n", "\t", "\\", "\\n",
    '{"a":', '{"a": "x "y" z', '["a", ', '",', '"a":', "a=1, ", "/*", "//", "f(", '[f(a=', 'f(a="b")\n', "<", "</", "<|", "｜",
    "<tool_call>", "<tool_call>{", '<tool_call>{"name": "f", "arguments": {"a": "', "</tool_call>", "\t<tool_call>",
    "<function=f>", "<function=", "<parameter=a>", "</parameter> x", "<invoke name=", '<invoke name="f">',
    '<invoke name="f"><parameter name="a">', "<arg_key>a</arg_key><arg_value>", "</arg_value> z", "<f>", "<f><a>", "<a>",
    "<think>", "</think>", "<think>x</think>", "[TOOL_CALLS]", "[TOOL_CALLS]f[ARGS]{", "functools[", "<<function>>f(",
    "<|channel|>commentary to=functions.f<|message|>", "<|message|>", "<|start|>assistant", "<｜tool▁call▁begin｜>",
    "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{", "<|tool_call>call:f{a:<|\"|>", "<escape>",
    "]<]minimax[>[<a>", "✿FUNCTION✿: f\n", ">>>f\n{", "to=f {", "[[ ## tool_name ## ]]\nf\n", "<![CDATA[", "# ", "- ", "**",
    "</s>", "<|im_end|>\n<|im_start|>user\n", "\u200b", "é", "🚀", "\x00", "<tools>", "<tool", "<functio", "Actio", "Action Inpu",
)  # fmt: skip
_HEADS = (
    "", "<tool_call>\n<function=f>\n<parameter=a>\n", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
    '<|tool_call>call:f{a:<|"|>', "<|channel|>commentary to=functions.f<|message|>",
    'Thought: a\nAction: f\nAction Input: {"a": "', "Action: ", '[f(a="', '<tool_call>{"name": "f", "arguments": {"a": "',
)  # fmt: skip

ADVERSARIAL: dict[str, tuple[str, str, str]] = {
    f"{head[:18]!r} + {unit[:24]!r}" if head else repr(unit[:32]): (head, unit, "")
    for head in _HEADS
    for unit in _UNITS
}
"""Replies made to hurt: one unit again and again, alone and where a value has begun."""

WORST = {repr(unit[:32]): ("", unit, "") for unit in (
    "Action: ", " ", "{", "[", '"', "`", "<tool_call>", "Thought: x\n", '{"a":', "<think>", "<|", "</parameter> x",
)}  # fmt: skip
"""A dozen of them, for a quick look."""


@dataclass(frozen=True, slots=True)
class Curve:
    """CPU seconds by length in characters, the shortest first, and what ended the curve early, if anything did."""

    name: str
    points: tuple[tuple[int, float], ...]
    stopped: str = ""

    @property
    def exponent(self) -> float | None:
        """The slope of time over length, from 10,000 characters on: 1 is linear. None for fewer than two points."""
        points = [
            (math.log(size), math.log(seconds)) for size, seconds in self.points if size >= 9_000 and seconds > 1e-4
        ]
        if len(points) < 2:
            return None
        x = sum(a for a, _ in points) / len(points)
        y = sum(b for _, b in points) / len(points)
        return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)

    @property
    def per_megabyte(self) -> float:
        """CPU seconds for a million characters, from the longest that was read."""
        return self.points[-1][1] / self.points[-1][0] * 1e6 if self.points else math.nan


def grown(shape: tuple[str, str, str], size: int) -> str:
    """A reply of about so many characters."""
    head, unit, tail = shape
    return head + unit * max(1, (size - len(head) - len(tail)) // len(unit)) + tail


def curves(
    parser: Parser,
    shapes: Iterable[tuple[str, tuple[str, str, str]]],
    sizes: Sequence[int],
    patience: float = 10.0,
    told: Callable[[Curve], None] = lambda _curve: None,
) -> list[Curve]:
    """The time of a parser by length, for each shape; a curve ends where one reply took longer than ``patience``."""
    found = []
    for name, shape in shapes:
        points: list[tuple[int, float]] = []
        stopped = ""
        for size in sizes:
            text = grown(shape, size)
            read = parser(Case(name, text, TOOLS, "react" if "Action" in text[:200] else "hermes"))
            if read.error or read.timeout:
                stopped = read.error or "too slow"
                break
            points.append((len(text), max(read.seconds, 1e-6)))
            if read.seconds > patience:
                stopped = f"over {patience:g} s"
                break
        curve = Curve(name, tuple(points), stopped)
        told(curve)
        found.append(curve)
    return found
