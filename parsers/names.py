"""Which tool a written name means: exactly, or after removing decoration, and only when one tool fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Kind = Literal["known", "unknown", "ambiguous"]

_EDGES = " \t\r\n\u00a0\u200b\ufeff`'\"“”‘’*_~<>[](){}«»「」.,;:：。！!?"
_SYMBOLS = "@$#%&+-–—•→➜▶✅🔍🔎🔧🛠⚙📝📄💡🌐🤖\ufe0f \t"
# What people and models put around a name. Each is taken off only if a registered name is left.
_PREFIX = re.compile(
    r"(?:functions?|tools?|default_api|namespace|action|api|call|use|the|to|mcp)[./:\s=_-]+|functions(?=[a-z])",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?:[\s_-]*(?:tool|function|action|api)|[:#_-]?\d{1,4}|\(\s*\))$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[^0-9a-z\u0080-\U0010ffff]+")
_NAMESPACE = re.compile(r"[./:]|__|::")
_HEAD = re.compile(r"[^\s(\[{（［｛:：,，=|]+")
_IDENTIFIER = re.compile(r"[^\W\d][\w.\-/:]{0,127}")


class ResolvedName(NamedTuple):
    """What a written name stands for. ``tolerance`` names the decoration removed, None for an exact match.

    ``candidates`` lists the tools that an ambiguous name could mean.
    """

    kind: Kind
    name: str
    tolerance: str | None = None
    lossy: bool = False
    candidates: tuple[str, ...] = ()


class Names:
    """The names on offer, prepared for tolerant lookup."""

    __slots__ = ("_folded", "_leaves", "names")

    def __init__(self, names: Iterable[str]) -> None:
        self.names = dict.fromkeys(names)
        self._folded: Mapping[str, list[str]] | None = None
        self._leaves: Mapping[str, list[str]] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def resolve(self, written: str) -> ResolvedName:
        """The tool that ``written`` means; linear in its length."""
        if written in self.names:
            return ResolvedName("known", written)
        if (token := written.find("<|")) > 0:  # a token of the chat template leaked in
            written = written[:token]
        bare = written.replace("\\_", "_").strip(_EDGES) if len(written) <= 400 else written[:400]
        if bare in self.names:
            return ResolvedName("known", bare, "decorated-name")
        if (plain := bare.lstrip(_SYMBOLS)) and plain != bare and plain in self.names:
            return ResolvedName("known", plain, "decorated-name")
        underscored = written.strip().strip("`'\"*")  # a name may begin or end with an underscore
        if underscored in self.names:
            return ResolvedName("known", underscored, "decorated-name")
        return self._by_letters(bare) or self._without_affixes(bare) or self._by_leaf(bare) or self._none(bare)

    def near(self, written: str) -> tuple[str, ...]:
        """The tools whose names differ from ``written`` by one slip of a letter."""
        for variant in (written, *_affix_variants(written)):
            folded = fold(variant)
            if len(folded) >= 4 and (found := tuple(n for n in self.names if one_slip_apart(folded, fold(n)))):
                return found
        return ()

    def _by_letters(self, bare: str) -> ResolvedName | None:
        if self._folded is None:
            self._folded = _group((fold(name), name) for name in self.names)
        return _pick(self._folded.get(fold(bare), []), "respelled-name")

    def _without_affixes(self, bare: str) -> ResolvedName | None:
        for stripped in _affix_variants(bare):
            found = self._by_letters(stripped)
            if found is not None:
                tolerance = "name-affix" if found.kind == "known" else None
                return ResolvedName(found.kind, found.name, tolerance, candidates=found.candidates)
        return None

    def _by_leaf(self, bare: str) -> ResolvedName | None:
        """A namespace too many or one too few: the parts must agree from the end with one tool only."""
        if self._leaves is None:
            self._leaves = _group((fold(_parts(name)[-1]), name) for name in self.names)
        parts = _parts(bare)
        if any(len(part.split()) > 2 for part in parts):  # words of a sentence, with a stop or a colon among them
            return None
        same_leaf = self._leaves.get(fold(parts[-1]), []) if parts[-1] else []
        if same_leaf and (other := [part for part in parts[:-1] if part in self.names and part not in same_leaf]):
            return ResolvedName("ambiguous", bare, candidates=(*other, *same_leaf))
        return _pick([name for name in same_leaf if _one_ends_the_other(parts, _parts(name))], "name-namespace")

    def _none(self, bare: str) -> ResolvedName:
        """No tool: ambiguous when the name is a part of several, else unknown."""
        folded = fold(bare)
        if len(folded) >= 3:
            holding = tuple(name for name in self.names if folded in fold(name))
            if len(holding) > 1:
                return ResolvedName("ambiguous", bare, candidates=holding)
        return ResolvedName("unknown", bare)


def fold(name: str) -> str:
    """A name without case and separators."""
    return _SEPARATORS.sub("", name.lower())


def head_of(written: str) -> str:
    """The first word of an action, where a name may be followed by a call or a remark."""
    match = _HEAD.match(written.strip())
    return match[0] if match else ""


def is_identifier(written: str) -> bool:
    """Whether the text has the form of a tool's name rather than of a sentence."""
    return _IDENTIFIER.fullmatch(written.strip(_EDGES)) is not None


def one_slip_apart(left: str, right: str) -> bool:
    """Whether one inserted, dropped, changed or swapped letter makes ``left`` equal ``right``."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    i = 0
    while i < len(left) and i < len(right) and left[i] == right[i]:
        i += 1
    if len(left) > len(right):
        return left[i + 1 :] == right[i:]
    if len(left) < len(right):
        return left[i:] == right[i + 1 :]
    return left[i + 1 :] == right[i + 1 :] or (
        left[i + 2 :] == right[i + 2 :] and left[i : i + 2] == right[i : i + 2][::-1]
    )


def _affix_variants(bare: str) -> list[str]:
    """The name without up to three prefixes and one suffix, least removed first."""
    variants, current = [], bare
    for _ in range(3):
        if suffix := _SUFFIX.search(current):
            variants.append(current[: suffix.start()])
        if not (match := _PREFIX.match(current)):
            break
        current = current[match.end() :].strip(_EDGES)
        variants.append(current)
    if suffix := _SUFFIX.search(current):
        variants.append(current[: suffix.start()])
    return [variant for variant in variants if variant]


def _parts(name: str) -> list[str]:
    return _NAMESPACE.split(name)


def _one_ends_the_other(left: list[str], right: list[str]) -> bool:
    shared = min(len(left), len(right))
    return all(fold(a) == fold(b) for a, b in zip(left[-shared:], right[-shared:], strict=True))


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups


def _pick(names: list[str], tolerance: str) -> ResolvedName | None:
    if not names:
        return None
    if len(names) == 1:
        return ResolvedName("known", names[0], tolerance)
    return ResolvedName("ambiguous", names[0], candidates=tuple(names))
