"""Text that nobody wrote a rule for: thoughts, answers, raw values. None of it begins like a call to the reader.

A marker is known by its first characters: text that holds none of these holds no marker, and other words that begin
alike are few. What is no marker, but begins a line or a reply like a call (an object, a list, a label, a Python call), is
kept out of that place alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from react_engine.constraints.grammar import Rule, Rules, choice, literal, none_of, one_of, optional, repeated, sequence
from react_engine.labels import LABELS
from react_engine.parsers.control import END_TOKENS, PLAIN_REASONING
from react_engine.parsers.dialects import all_records, version
from react_engine.parsers.python_text import CODE_LANGUAGES

THOUGHT = 400
"""Characters of a line of a thought."""
_LINES = 12
"""Lines of a thought between markers."""
_BRACKETS = "<["
"""What markers begin with that count anywhere; others are words, which count at the start of a line."""
_SIGNS = "◁✿"
"""Signs that stand in markers alone."""
_KNOWN_BY = 4
"""Characters by which a marker is told from other text."""
_BARS = ("<|", "<｜")  # nothing but markers begins like this
_BREAKS = r"[\n\t]"

Trie: TypeAlias = "dict[str, Trie]"


def prose(rules: Rules) -> Rule:
    """A line in front of calls, without its end: no label, no fence, no marker, no JSON, so that nothing in it is taken for a step."""
    banned = "`<>{[|:：✿◁"
    return rules.rule("prose", f"{none_of(f' {banned}')} {repeated(none_of(banned), 0, THOUGHT)}")


def thinking(rules: Rules) -> Rule:
    """A thought between markers of reasoning."""
    banned = "`<{[|✿◁"
    # A rule of its own: servers multiply what is repeated with what is repeated in it, and refuse too much.
    line = rules.rule("thinks", f"{none_of(f' {banned}')} {repeated(none_of(banned), 0, THOUGHT)}")
    more = repeated(sequence((literal("\n"), optional(line))), 0, _LINES - 1)
    return rules.rule("thinking", sequence((line, more)))


def raw_character(rules: Rules) -> Rule:
    """A character of a value that is written as it is, or a few of them: no marker begins in it."""
    return rules.rule("raw", _piece(_markers_anywhere(version()), also=(_BREAKS,)))


def quoted_character(rules: Rules, quote: str, escape: Rule, markers: Iterable[str] | None = ()) -> Rule:
    """A character between quotes, or an escape.

    No marker of reasoning, no token that ends a turn and none of ``markers`` begins in it; None stands for all markers.
    """
    known = version()
    words = _markers_anywhere(known) if markers is None else _markers_in_quotes(known) | _beginnings(markers)
    return rules.rule("char", _piece(words, f"{quote}\\", (escape,)))


def answer(rules: Rules) -> Rule:
    """An answer that nothing marks as one."""
    lines = _Lines(rules)
    return rules.rule("answer", f"{lines.first} ({literal(chr(10))} {optional(lines.further)})*")


@lru_cache(maxsize=64)
def _piece(words: frozenset[str], banned: str = "", also: tuple[Rule, ...] = ()) -> Rule:
    """A character of text in which none of the words begins, or those up to the next that begins none.

    ``also``: what stands for a character beside those that are not ``banned``. It is a regular expression, without
    rules that hold themselves: servers are quick with these.
    """
    return choice((none_of(banned + _BRACKETS + _SIGNS), *also, *_brackets(words, banned, also)))


def _brackets(words: Iterable[str], banned: str = "", also: Sequence[Rule] = ()) -> tuple[Rule, Rule]:
    """A bracket of either kind, and what may follow it so that no word begins."""
    known, closed = trie(words), banned + _BRACKETS + _SIGNS
    inner = f"{literal('<')} {_node(known.get('<', {}), closed, also)}"
    square = choice((_node(known.get("[", {}), closed, also), inner))
    return (
        f"{repeated(literal('<'), 1, 4)} {_node(known.get('<', {}), closed, also)}",
        f"{repeated(literal('['), 1, 4)} {square}",
    )


def _node(node: Trie, closed: str, also: Sequence[Rule]) -> Rule:
    ways = [none_of({*closed, *node}), *also]
    ways += [f"{literal(char)} {_node(below, closed, also)}" for char, below in node.items() if below]
    return choice(ways)


def marked_answer(rules: Rules) -> Rule:
    """An answer behind a label, which may be nearly anything: no object, which could be a step, and no reasoning."""
    begin = none_of(_BRACKETS + _SIGNS + "{ ")
    piece = rules.rule("told", _piece(_markers_in_quotes(version()), also=(_BREAKS,)))
    return f"{begin} {piece}*"


class _Lines:
    """The lines of an answer: the ``first``, behind whose first word no Python call goes on, and the ``further`` ones."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        said = rules.rule("said", _piece(_markers_anywhere(version()), "`"))
        ticks = repeated(literal("`"), 1, 2)  # three in a line may open a fence, and a call may stand in it
        piece = choice((said, f"{ticks} {said}"))
        rest = rules.rule("rest", f"{piece}* {optional(choice((literal('<'), literal('['), ticks)))}")
        words, banned = _words_of_lines(version()), "{｛( "
        begins = self._begins(words, rest, banned + _DECORATION)
        listed = f"{_brackets(_markers_anywhere(version()))[1]} {rest}"  # "- [a link](…)"
        decorated = rules.rule("decorated", f"{_decoration(_DECORATION)} {optional(choice((begins, listed)))}")
        self.further = rules.rule("line", sequence((repeated(r"[ \t]", 0, 40), choice((begins, decorated)))))
        calm = none_of(f"{_BRACKETS}{_SIGNS}{_CALL}`")
        after = choice((f"{calm} {rest}", f"{ticks} {said} {rest}"))
        blank = rules.rule("blank", f"{literal(' ')}{{1,8}} {optional(after)}")
        word = rules.rule("word", f"{calm}* {optional(blank)}")
        begins = self._begins(words, word, banned + _DECORATION, blank)
        unfenced = _DECORATION.strip("`~")  # a fence around all of a reply may hold a step
        self.first = rules.rule("first", sequence((optional(_decoration(unfenced)), begins)))

    def _begins(self, node: Trie, goes_on: Rule, banned: str, blank: Rule = "") -> Rule:
        """A line that begins with no word of ``node``, nor with a character of ``banned``."""
        return choice(
            (f"{none_of({*node, *banned, *_BRACKETS, *_SIGNS})} {goes_on}", *self._within(node, goes_on, blank))
        )

    def _within(self, node: Trie, goes_on: Rule, blank: Rule) -> list[Rule]:
        """The ways to go on with a word of a trie and then leave it."""
        ways = []
        for char, below in node.items():
            if below:
                left = [f"{none_of({*below, *_BRACKETS, *_SIGNS, *(_CALL if blank else '')})} {goes_on}"]
                left += [blank] if blank and " " not in below else []
                further = self._rules.rule("begun", choice((*left, *self._within(below, goes_on, blank))))
                ways.append(f"{literal(char)} {optional(further)}")
        return ways


def _decoration(signs: str) -> Rule:
    return f"{repeated(one_of(signs), 1, 8)} {optional(literal(' '))}"


_DECORATION = "*_#>+-~`"
"""What may stand around a label, and at the start of a line of Markdown."""
_CALL = " (="
"""What goes on behind the name of a tool in a Python call."""


def trie(words: Iterable[str]) -> Trie:
    """Words by their characters; a word ends where nothing is below, and no other goes on behind it."""
    root: Trie = {}
    for word in sorted(words):
        node = root
        for place, char in enumerate(word):
            if char in node and not node[char]:
                break  # a shorter word begins like this one
            node = node.setdefault(char, {})
            if place == len(word) - 1:
                node.clear()
    return root


@lru_cache(maxsize=16)
def _markers_anywhere(_version: Hashable) -> frozenset[str]:
    """The first characters of the markers that count anywhere, and of lists of objects."""
    return _beginnings(_markers()) | {"[{", "[ {"}


@lru_cache(maxsize=16)
def _markers_in_quotes(_version: Hashable) -> frozenset[str]:
    """The first characters of the markers that count even in a string of JSON."""
    return _beginnings(_reasoning_markers() | set(END_TOKENS))


def _beginnings(markers: Iterable[str]) -> frozenset[str]:
    found = set()
    for marker in markers:
        place = next((place for place, char in enumerate(marker) if char in _BRACKETS), None)
        if place is not None and not marker[:place].isalnum():
            word = marker[place:]
            word = word[0] + word.lstrip(word[0])
            found.add(word[:2] if word.startswith(_BARS) else word.split("*")[0][:_KNOWN_BY])
    return frozenset(found)


@lru_cache(maxsize=16)
def _words_of_lines(_version: Hashable) -> Trie:
    """What no line of an answer begins with: markers that are words, and labels."""
    words = {word.strip(f"{_DECORATION} \n") for word in _markers() if not set(word) & {*_BRACKETS, *_SIGNS}}
    for labels in LABELS.values():
        for label in (labels.thought, labels.action, labels.action_input, labels.observation):
            words |= {f"{cased}{colon}" for cased in (label, label.lower()) for colon in ":："}
    languages = {language for language in CODE_LANGUAGES if "_" in language}  # a fence begins the line
    return trie(f"{word}[" if word.isalnum() else word for word in words | languages if word)


def _markers() -> set[str]:
    found = _reasoning_markers() | set(END_TOKENS)
    for record in all_records():
        found |= {*record.openers, *record.closers, *record.chrome, *record.results, record.quote}
        if record.writing is not None:
            found |= {word for word in record.writing.literal("argument") if word[0] == "<"}
    return {word for word in found if len(word) > 1}


def _reasoning_markers() -> set[str]:
    pairs = [*PLAIN_REASONING, *(pair for record in all_records() for pair in (*record.reasoning, *record.channels))]
    words = {word for pair in pairs for word in pair}
    return words | {cased for word in words if word[0] == "<" for cased in (word.lower(), word.upper())}
