"""The labels of ReAct text, in the languages and decorations that models use, and where they stand.

``find_labels`` is one linear pass: a label stands at the start of a line, behind bullets, numbers, bold
marks and heading signs, in any case, with a half or full-width colon. What stands inside a sentence is
prose. Which of the labels found count is decided by ``react_engine.parsers.react``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from react_engine.labels import FIELDS, Field, field_of
from react_engine.parsers.trie import trie_pattern
from react_engine.types import Span

# Between the words of a label: blanks, underscores (escaped as in Markdown, too), a number ("Action 2 Input").
_BETWEEN_WORDS = r"(?:[^\S\n]|\\?_|-){0,2}(?:\d{1,2}[^\S\n]{1,2})?"


_NAMES = trie_pattern(FIELDS, _BETWEEN_WORDS)
_BODY = rf"""
    [^\S\n]{{0,40}}+(?:[\u200b-\u200d\u2060\ufeff]{{1,4}}+[^\S\n]{{0,40}}+)?   # indentation
    (?P<quote>(?:>[^\S\n]?){{1,3}})?                    # quotation
    (?:(?:[-*+•]|\d{{1,3}}[.)]|(?P<heading>\#{{1,6}})|[(（]?\d{{1,3}}[)）])[^\S\n]{{1,4}})?   # bullet, number, heading
    (?:[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d]?){{0,3}}[^\S\n]?   # emoji
    (?:(?P<bold>\*\*|__)|(?P<bracket>[\[【])|(?P<angle><))?[*_`~]{{0,3}}[^\S\n]?
    (?:the[ ](?=final[ ]))?(?=[^\W\d_])(?P<word>{_NAMES})
    (?:[^\S\n]?[\#№(（]?[^\S\n]?\d{{1,3}}[)）]?)?          # Action 1
    (?P<tail>
      (?(angle)>|[\]】]?)[*_`~]{{0,3}}[^\S\n]{{0,4}}[:：][*_`~]{{0,3}}    # a colon, in or behind the decoration
      | (?P<weak>                                       # or decoration alone: counts only beside other labels
          (?(bold)(?P=bold)(?=[^\S\n]|\n|$)|(?!))
        | (?(bracket)[\]】](?![(\]:])|(?!))
        | (?(heading)[*_]{{0,3}}[^\S\n]{{0,4}}(?=\n)|(?!))
        | [^\S\n]?(?:-[>:]|=)[^\S\n]
        | (?<=final[ ]answer)(?:[ ]is[ ]?[:：]|[ ][–—-][ ])
        )
    )
    """
LABEL_PATTERN = "^" + _BODY
"""A label at the start of a line, in ``VERBOSE`` syntax; the groups ``word``, ``tail`` and ``weak``."""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.MULTILINE
_AT_START = re.compile(_BODY, _FLAGS)
_BEHIND_BREAK = re.compile(rf"\n(?:{_BODY})", _FLAGS)
_SIGN = re.compile(r"[:：*\]】#]|__|->|=[^\S\n]")
"""What every label has somewhere: a colon, or the decoration or the arrow that stands for one."""
_AFTER_WRITTEN_BREAK = re.compile(rf"(?:^|(?<=\\n)){_BODY}", _FLAGS)


class Label(NamedTuple):
    """A label: its field, and its stretch from where the line's decoration begins to where its content does.

    ``plain``: undecorated. ``weak``: without a colon. ``quoted``: in a block quote or an indented block.
    """

    field: Field
    start: int
    end: int
    word: str
    plain: bool
    weak: bool = False
    quoted: bool = False

    @property
    def span(self) -> Span:
        """Where the label stands."""
        return Span(self.start, self.end)


def find_labels(text: str, start: int, end: int) -> list[Label]:
    """All labels at line starts, in order; ``start`` is one.

    In a text on one line, written line breaks (``\\n``) begin lines, too.
    """
    first = _AT_START.match(text, start, end)
    found = [_label(first, start)] if first is not None else []
    if "\\n" in text and "\n" not in text[start:end].strip():
        matches = _outside_strings(text, start, _AFTER_WRITTEN_BREAK.finditer(text, start, end))
        found.extend(_label(match, match.start()) for match in matches if match.start() > start)
    else:
        found.extend(_label(match, match.start() + 1) for match in _BEHIND_BREAK.finditer(text, start, end))
    return found


def _outside_strings(text: str, start: int, matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The matches with no open quote before them: a written line break may stand in a string, with anything behind."""
    quotes = 0
    for match in matches:
        quotes += text.count('"', start, match.start()) - text.count('\\"', start, match.start())
        start = match.start()
        if quotes % 2 == 0:
            yield match


def has_label(text: str, start: int, end: int | None = None) -> bool:
    """Whether any line of ``text[start:end]`` begins with a label."""
    end = len(text) if end is None else end
    if _SIGN.search(text, start, end) is None:
        return False
    begins_line = not start or text[start - 1] == "\n"
    return (begins_line and _AT_START.match(text, start, end) is not None) or (
        _BEHIND_BREAK.search(text, start, end) is not None
    )


def begins_with_label(text: str) -> bool:
    """Whether the first thing in a text is a label, so that it is a step and no ordinary text."""
    return _AT_START.match(text) is not None


def _label(match: re.Match[str], start: int) -> Label:
    word, tail, begin = match["word"], match["tail"], match.start("word")
    field = field_of(word)
    if field is None:
        raise AssertionError(word)
    plain = begin == start and tail in (":", ": ") and word[:1].isupper()
    quoted = begin > start and (match["quote"] is not None or match.string.startswith(("    ", "\t"), start, begin))
    return Label(field, start, match.end(), word, plain, match["weak"] is not None, quoted)


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
    outside = bool(last_line.strip()) and not last_line.startswith((">", "    ", "\t", " >"))
    return outside and (bool(before) or _PARAGRAPH_BEHIND.match(text, labels[-1].end, end) is not None)


_PARAGRAPH_BEHIND = re.compile(r"[^\n]*+\n(?:[ \t]*+>[^\n]*+\n)*+[^\S\n]*+\n(?=[A-Z\u00c0-\u00de\u4e00-\u9fff])")
