"""What of a reply is visible outside reasoning, with no look at calls or labels."""

from __future__ import annotations

from collections.abc import Sequence

from react_engine.parsers.control import content_start, strip_end_tokens
from react_engine.parsers.reasoning import MARKERS, find_reasoning
from react_engine.types import Span


def plain_text(text: str, reasoning: Sequence[tuple[str, str]] = MARKERS) -> tuple[str, str | None]:
    """(what is visible outside reasoning, the reasoning or None), with no look at calls or labels."""
    start, end = content_start(text), len(text)
    thinking = find_reasoning(text, start, end, reasoning)
    blocks, bodies = list(thinking.blocks), list(thinking.bodies)
    if thinking.open_at is not None:
        blocks.append(Span(thinking.open_at.start, end))
        bodies.append(Span(thinking.open_at.end, end))
    visible, position = [], start
    for block in blocks:
        visible.append(text[position : block.start])
        position = block.end
    visible.append(text[position:end])
    thoughts = [text[body.start : body.end].strip() for body in bodies]
    shown = "\n".join(part for piece in visible if (part := strip_end_tokens(piece).strip()))
    return shown, "\n".join(thought for thought in thoughts if thought) or None
