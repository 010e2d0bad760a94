"""Control tokens of chat templates that leak into replies: turn ends, role headers."""

from __future__ import annotations

import re

# Tokens that end a turn. They are never data: a reply goes on behind one only because nothing stopped it.
END_TOKENS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end_of_turn|>", "<end_of_turn>",
    "</s>", "<|eot|>", "<|end_of_sentence|>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<|endofturn|>",
    "[|endofturn|]", "<|end▁of▁sentence|>", "<|assistant_end|>", "<turn|>", "<eos>", "<|stop|>", "<|end_of_msg|>",
    "[e~[", "<seed:eos>", "<|eos|>", "<|return|>", "<|call|>", "</longcat_s>", "<|calls|>", "<|eom|>",
)  # fmt: skip

_END = re.compile("|".join(map(re.escape, sorted(END_TOKENS, key=len, reverse=True))))
# A header that a template writes in front of the model's turn; at the start of a reply it is packaging.
_LEADING = re.compile(
    r"(?:\s*+(?:<\|im_start\|>\s*assistant\s*\n?|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>\s*"
    r"|<\|assistant\|>|<start_of_turn>\s*model\s*\n?|<\|start_of_role\|>\s*assistant\s*<\|end_of_role\|>|\[/INST\]"
    r"|<s>|<\|begin_of_text\|>|<｜Assistant｜>|\[\|assistant\|\]|[\u200b-\u200d\u2060\ufeff]))++"
)
# A role header in the middle: the model went on to write somebody else's turn.
NEXT_TURN = re.compile(
    r"<\|im_start\|>(?!assistant)|<\|start_header_id\|>|<\|user\|>|<\|observation\|>|<start_of_turn>|\[INST\]|<｜User｜>|<\|start_of_role\|>"
)


# Markers of reasoning that belong to no family.
PLAIN_REASONING = (
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
)


def content_start(text: str, start: int = 0) -> int:
    """Where the reply itself begins, behind role headers."""
    match = _LEADING.match(text, start)
    return match.end() if match else start


_LAST_TURN = re.compile(r"(?:\s*+(?:<\|observation\|>|<\|user\|>))+\s*\Z")


def content_end(text: str) -> int:
    """Where the reply itself ends, before the header of a turn in which nothing was written."""
    if not text[-64:].rstrip().endswith("|>"):
        return len(text)
    match = _LAST_TURN.search(text, max(0, len(text) - 64))
    return match.start() if match else len(text)


_LAST_TOKENS = re.compile(rf"(?:(?:{_END.pattern})\s*+)++\Z")


def ends_turn(text: str, position: int) -> bool:
    """Whether nothing but turn ends stands from ``position`` on."""
    return _LAST_TOKENS.match(text, position) is not None


def find_end_token(text: str, start: int, end: int) -> re.Match[str] | None:
    """The first turn end from ``start`` on."""
    return _END.search(text, start, end)


def strip_end_tokens(value: str) -> str:
    """A value without the turn ends that leaked into it."""
    return _END.sub("", value) if "<" in value or "[" in value else value
