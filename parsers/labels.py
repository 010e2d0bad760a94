"""The labels of ReAct text, in the languages and decorations that models use, and where they stand.

``find_labels`` is one linear pass: a label stands at the start of a line, behind bullets, numbers, bold
marks and heading signs, in any case, with a half or full-width colon. What stands inside a sentence is
prose. Which of the labels found count is decided by ``react_engine.parsers.react``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from react_engine.labels import WORDS, Field
from react_engine.types import Span

_FIELDS = {word: field for field, words in WORDS.items() for word in words}
# Between the words of a label: blanks, underscores (escaped as in Markdown, too), a number ("Action 2 Input").
_BETWEEN_WORDS = r"(?:[^\S\n]|\\?_|-){0,2}(?:\d{1,2}[^\S\n]{1,2})?"


def _trie_pattern(words: Iterable[str]) -> str:
    """One pattern for all words, longest match first, shared beginnings written once: failing costs one look."""
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _trie_node(trie)


def _trie_node(node: dict[str, Any]) -> str:
    branches = [
        (_BETWEEN_WORDS if char == " " else re.escape(char)) + _trie_node(below) for char, below in node.items() if char
    ]
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
    return f"{body}?" if "" in node else body


_NAMES = _trie_pattern(_FIELDS)
_BODY = rf"""
    [^\S\n]{{0,40}}                                     # indentation
    (?P<quote>(?:>[^\S\n]?){{1,3}})?                    # quotation
    (?:(?:[-*+•]|\d{{1,3}}[.)]|(?P<heading>\#{{1,6}})|[(（]?\d{{1,3}}[)）])[^\S\n]{{1,4}})?   # bullet, number, heading
    (?:[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d]?){{0,3}}[^\S\n]?   # emoji
    (?:(?P<bold>\*\*|__)|(?P<bracket>[\[【])|<)?[*_`~]{{0,3}}[^\S\n]?
    (?=[^\W\d_])(?P<word>{_NAMES})
    (?:[^\S\n]?[\#№]?[^\S\n]?\d{{1,3}})?                # Action 1
    (?P<tail>
      [\]】>]?[*_`~]{{0,3}}[^\S\n]{{0,4}}[:：][*_`~]{{0,3}}    # a colon, in or behind the decoration
      | (?P<weak>                                       # or decoration alone: counts only beside other labels
          (?(bold)(?P=bold)(?=[^\S\n]|\n|$)|(?!))
        | (?(bracket)[\]】](?![(\]:])|(?!))
        | (?(heading)[*_]{{0,3}}[^\S\n]{{0,4}}(?=\n)|(?!))
        | [^\S\n]?(?:-[>:]|=)[^\S\n]
        )
    )
    """
LABEL_PATTERN = "^" + _BODY
"""A label at the start of a line, in ``VERBOSE`` syntax; the groups ``word``, ``tail`` and ``weak``."""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.MULTILINE
_LABEL = re.compile(LABEL_PATTERN, _FLAGS)
_AFTER_WRITTEN_BREAK = re.compile(rf"(?:^|(?<=\\n)){_BODY}", _FLAGS)
_SPACES = re.compile(r"[\s\d_\\-]+")


@dataclass(frozen=True, slots=True)
class Label:
    """A label: its field, its span from the start of the line's decoration to where its content begins.

    ``plain``: undecorated. ``weak``: without a colon. ``quoted``: in a block quote or an indented block.
    """

    field: Field
    span: Span
    word: str
    plain: bool
    weak: bool = False
    quoted: bool = False

    @property
    def start(self) -> int:
        """Where the line's decoration begins."""
        return self.span.start

    @property
    def end(self) -> int:
        """Where the content begins."""
        return self.span.end


def find_labels(text: str, start: int, end: int) -> list[Label]:
    """All labels at line starts, in order. In a text on one line, written line breaks (``\\n``) begin lines, too."""
    one_line = "\\n" in text and "\n" not in text[start:end].strip()
    pattern = _AFTER_WRITTEN_BREAK if one_line else _LABEL
    return [_label(match) for match in pattern.finditer(text, start, end)]


def begins_with_label(text: str) -> bool:
    """Whether the first thing in a text is a label, so that it is a step and no ordinary text."""
    return _LABEL.match(text) is not None


def _label(match: re.Match[str]) -> Label:
    word, tail = match["word"], match["tail"]
    field = field_of(word)
    if field is None:
        raise AssertionError(word)
    plain = match.start("word") == match.start() and tail in (":", ": ") and word[:1].isupper()
    before = match.string[match.start() : match.start("word")]
    quoted = match["quote"] is not None or before.startswith(("    ", "\t"))
    return Label(field, Span(match.start(), match.end()), word, plain, match["weak"] is not None, quoted)


def field_of(word: str) -> Field | None:
    """The field that a label word announces, in any case and spacing; None if it is no label."""
    lower = word.strip().lower()
    return _FIELDS.get(lower) or _FIELDS.get(_SPACES.sub(" ", lower)) or _FIELDS.get(_SPACES.sub("", lower))


def step_labels(text: str, start: int, end: int, labels: list[Label]) -> list[Label]:
    """The labels that can belong to a step: quotations and decorated words of ordinary text left out."""
    plain = [label for label in labels if not label.quoted]
    if not plain and labels and _prose_around(text, start, end, labels):
        return []
    labels = plain or labels
    thoughts = [label.start for label in labels if label.field is Field.THOUGHT]
    return [label for label in labels if label.word.lower() != "final" or any(at < label.start for at in thoughts)]


def _prose_around(text: str, start: int, end: int, labels: list[Label]) -> bool:
    """Whether ordinary lines stand before the first of quoted labels and at the end of the text."""
    before = text[start : labels[0].start].strip()
    last_line = text[labels[-1].end : end].rstrip().rpartition("\n")[2]
    return bool(before) and bool(last_line.strip()) and not last_line.startswith((">", "    ", "\t", " >"))
