"""Names that every provider takes, and the way back."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

# OpenAI and Anthropic: letters, digits, underscore and hyphen, at most 64.
_TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_REFUSED = re.compile(r"[^a-zA-Z0-9_-]+")
_LENGTH = 64


def wire_names(names: Iterable[str]) -> dict[str, str]:
    """For each name the one to send; no two share one.

    Good names stay. In others what is refused becomes ``_``; where that meets another name, or is too long, or
    nothing is left, a short hash of the original tells them apart. The order of the names does not matter.
    """
    names = list(dict.fromkeys(names))
    good = {name for name in names if _TAKEN.fullmatch(name)}
    plain = {name: name if name in good else _plain(name) for name in names}
    uses = Counter(plain.values())
    return {
        name: sent if name in good or (uses[sent] == 1 and len(sent) <= _LENGTH) else _hashed(sent, name, good)
        for name, sent in plain.items()
    }


def _plain(name: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    text = _REFUSED.sub("_", bare)
    return text if text.strip("_") else "tool"


def _hashed(sent: str, name: str, taken: set[str]) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    lengths = (f"{sent[: _LENGTH - 1 - length]}_{digest[:length]}" for length in (8, 16, 32, 63))
    return next(hashed for hashed in lengths if hashed not in taken)
