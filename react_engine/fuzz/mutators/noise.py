"""Damage without a plan: bytes, lines, cuts, splices. It may change what is meant, so mostly only the contract counts."""

from __future__ import annotations

from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.meaning import Reply, Survival

_MARKUP = (
    '"', "'", "{", "}", "[", "]", ",", ":", "\n", "```", "<think>", "</think>", "<tool_call>", "</tool_call>", "Action: ",
    "Action Input: ", "Final Answer:", "\\", "Observation:", "“", "：", "｛", "<|im_end|>", "//", "/*", "`", "**", "(", ")",
    "=", "\x00", "\ud800", "…", "- ", "# ", "<tool_response>", "None", "```json\n", "思考：", "行动：", "<", ">", "|", "</",
    "<|channel|>", "<function=", "<parameter=", "</function>", "[TOOL_CALLS]", "<invoke name=", "✿", "\ufffd", "\u202e",
)  # fmt: skip


def _place(text: str, rng: Random) -> tuple[int, int]:
    start = rng.randint(0, len(text))
    return start, min(len(text), start + rng.choice((1, 1, 1, 2, 4, 16)))


def _damaged(draft: Draft, text: str) -> Draft:
    return draft.with_text(text).weaker(Survival.FREE)


@mutator("bytes-deleted", "text", "noise", Survival.FREE)
def deleted(draft: Draft, rng: Random) -> Draft:
    """A few characters are gone."""
    text = draft.written.text
    for _ in range(rng.randint(1, 3)):
        start, end = _place(text, rng)
        text = text[:start] + text[end:]
    return _damaged(draft, text)


@mutator("bytes-inserted", "text", "noise", Survival.FREE)
def inserted(draft: Draft, rng: Random) -> Draft:
    """Pieces of markup where they do not belong."""
    text = draft.written.text
    for _ in range(rng.randint(1, 3)):
        start, _end = _place(text, rng)
        text = text[:start] + rng.choice(_MARKUP) + text[start:]
    return _damaged(draft.but(prose=False), text)


@mutator("bytes-changed", "text", "noise", Survival.FREE)
def changed(draft: Draft, rng: Random) -> Draft:
    """Characters replaced by others."""
    text = draft.written.text
    for _ in range(rng.randint(1, 4)):
        start, end = _place(text, rng)
        text = (
            text[:start]
            + "".join(chr(rng.choice((rng.randint(32, 126), rng.randint(0, 255)))) for _ in range(end - start))
            + text[end:]
        )
    return _damaged(draft, text)


@mutator("bytes-repeated", "text", "noise", Survival.FREE)
def repeated(draft: Draft, rng: Random) -> Draft:
    """A piece of the text, again and again."""
    text = draft.written.text
    start, end = _place(text, rng)
    return _damaged(draft, text[:end] + text[start:end] * rng.choice((1, 2, 30)) + text[end:])


@mutator("bytes-swapped", "text", "noise", Survival.FREE)
def swapped(draft: Draft, rng: Random) -> Draft:
    """Two halves exchanged."""
    text = draft.written.text
    at = rng.randint(0, len(text))
    return _damaged(draft, text[at:] + text[:at])


@mutator("case-flipped", "text", "noise", Survival.FREE)
def flipped(draft: Draft, rng: Random) -> Draft:
    """Capitals and small letters exchanged in a stretch."""
    text = draft.written.text
    start = rng.randint(0, len(text))
    end = start + rng.randint(1, 40)
    return _damaged(draft, text[:start] + text[start:end].swapcase() + text[end:])


@mutator("lines-shuffled", "text", "noise", Survival.FREE)
def shuffled(draft: Draft, rng: Random) -> Draft:
    """The lines in another order, or one of them twice."""
    lines = draft.written.text.splitlines(keepends=True)
    if rng.random() < 0.5:
        rng.shuffle(lines)
    elif lines:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return _damaged(draft, "".join(lines))


@mutator("mojibake", "text", "noise", Survival.FREE)
def mojibake(draft: Draft, _rng: Random) -> Draft:
    """UTF-8 that was taken for Latin-1."""
    text = draft.written.text.encode("utf-8", "surrogatepass").decode("latin-1")
    return _damaged(draft, text)


@mutator("cut-by-length", "text", "cut", Survival.EITHER)
def cut(draft: Draft, rng: Random) -> Draft:
    """A limit stopped the model at any point: only complete calls may be read, and they unchanged."""
    text = draft.written.text
    return draft.with_text(text[: rng.randint(0, len(text))]).but(finish="length").weaker(Survival.EITHER)


@mutator("cut-without-word", "text", "cut", Survival.FREE)
def cut_silently(draft: Draft, rng: Random) -> Draft:
    """The reply ends at any point, and the server says that the model stopped by itself."""
    text = draft.written.text
    return _damaged(draft, text[: rng.randint(0, len(text))])


@mutator("head-missing", "text", "noise", Survival.FREE)
def beheaded(draft: Draft, rng: Random) -> Draft:
    """The beginning is gone."""
    text = draft.written.text
    return _damaged(draft, text[rng.randint(0, len(text)) :])


@mutator("splice", "text", "noise", Survival.FREE)
def splice(draft: Draft, rng: Random) -> Draft:
    """The head of one reply and the tail of another."""
    from react_engine.fuzz.forms import FORMS
    from react_engine.fuzz.generate import make_reply
    from react_engine.fuzz.render import can_say, render

    text = draft.written.text
    form = FORMS[rng.choice(list(FORMS))]
    other = make_reply(rng, draft.tools)
    tail = (
        render(form, other).text
        if can_say(form, other, draft.tools)
        else render(FORMS["react"], Reply(answer="x")).text
    )
    spliced = text[: rng.randint(0, len(text))] + tail[rng.randint(0, len(tail)) :]
    return _damaged(draft.but(prose=False), spliced)
