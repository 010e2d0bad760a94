"""Masks secrets in what tools return, before the model or a trace sees it.

A secret is known by its form (``ghp_…``, a PEM block, a JWT) or by the name in front of it
(``password: "…"``, ``API_KEY=…``, ``Authorization: Bearer …``). Randomness alone is no sign: hashes,
UUIDs, commit ids and base64 images pass untouched, since tools return them all the time and a masked
one is of no use to the model. Paging tokens and placeholders (``<password>``, ``${TOKEN}``, ``***``) pass as well.

Time is linear in the text, whatever it holds: a pattern runs only if one of its words occurs, starts
at a fixed word or at the edge of one, and repeats without backtracking or within fixed bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from react_engine.errors import ConfigurationError
from react_engine.tools.secret_patterns import EMAIL, PATTERNS, SecretPattern

# Characters looked at on either side of a part: of a secret longer than this, a piece that lies
# further inside the part is not known as one. A PEM block of a 4096-bit RSA key has 3,300.
CONTEXT = 16_384


class Secret(NamedTuple):
    """A secret in a text: half-open range of offsets, and what kind it is."""

    start: int
    end: int
    kind: str


class Redactor:
    """Finds and masks secrets.

    Args:
        emails: Mask e-mail addresses too.
        patterns: Your own kinds: what the mask says, and a regular expression (text or compiled) whose
            group ``secret`` is masked, or the whole match where it has none. Keep them linear.
        defaults: Whether the patterns shipped with the engine are used.

    Raises:
        ConfigurationError: A pattern of yours is no regular expression.
    """

    def __init__(
        self,
        *,
        emails: bool = False,
        patterns: Mapping[str, str | re.Pattern[str]] | None = None,
        defaults: bool = True,
    ) -> None:
        own = tuple(SecretPattern(kind, _compiled(kind, pattern)) for kind, pattern in (patterns or {}).items())
        self._patterns = (*own, *(PATTERNS if defaults else ()), *((EMAIL,) if emails else ()))
        wordless = any(not pattern.words for pattern in self._patterns)
        self._words = () if wordless else tuple({word for pattern in self._patterns for word in pattern.words})

    def find(self, text: str) -> list[Secret]:
        """The secrets in a text, in order, without overlaps: where two patterns overlap, the ranges are joined."""
        occurs = text.lower().__contains__
        if self._words and not any(map(occurs, self._words)):  # most texts
            return []
        found = [
            Secret(start, end, pattern.kind)
            for pattern in self._patterns
            if not pattern.words or any(map(occurs, pattern.words))
            for start, end in pattern.spans(text)
        ]
        found.sort(key=lambda secret: (secret.start, -secret.end))
        joined: list[Secret] = []
        for secret in found:
            if joined and secret.start < joined[-1].end:
                joined[-1] = joined[-1]._replace(end=max(joined[-1].end, secret.end))
            else:
                joined.append(secret)
        return joined

    def redact(self, text: str, start: int = 0, end: int | None = None) -> tuple[str, int]:
        """A text with its secrets masked, and how many there were.

        With ``start`` and ``end`` it gives that part of the text. What lies around the part is looked at,
        so that a secret which the borders cut is masked as well; the cost depends on the part alone.
        """
        end = len(text) if end is None else min(end, len(text))
        offset = max(0, start - CONTEXT)
        pieces: list[str] = []
        position = start
        count = 0
        for secret in _moved(self.find(text[offset : end + CONTEXT]), offset):
            if secret.end <= start or secret.start >= end:
                continue
            pieces += (text[position : max(position, secret.start)], f"[redacted {secret.kind}]")
            position = secret.end
            count += 1
        pieces.append(text[position:end])
        return "".join(pieces), count


def _moved(secrets: list[Secret], offset: int) -> Iterator[Secret]:
    return (Secret(start + offset, end + offset, kind) for start, end, kind in secrets)


def _compiled(kind: str, pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as err:
        raise ConfigurationError(
            f"The redaction pattern {kind!r} is no regular expression: {err} in {pattern!r}.", kind=kind
        ) from err
