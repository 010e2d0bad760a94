"""Many words as one regular expression that looks at each character once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


def trie_pattern(words: Iterable[str], blank: str = r"\ ") -> str:
    """An expression for the longest of ``words`` at a place; failing costs one look. ``blank`` stands for a blank."""
    return _node(_trie(words), blank)


def trie_branches(words: Iterable[str]) -> list[str]:
    """The same in parts, one for each first character: as alternatives of their own they are searched for faster."""
    return [re.escape(char) + _node(below, r"\ ") for char, below in _trie(words).items() if char]


def _trie(words: Iterable[str]) -> dict[str, Any]:
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return trie


def _node(node: dict[str, Any], blank: str) -> str:
    branches = [
        (blank if char == " " else re.escape(char)) + _node(below, blank) for char, below in node.items() if char
    ]
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
    return f"{body}?" if "" in node else body
