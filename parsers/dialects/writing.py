"""The prompt side of a dialect: how a prompt writes tools, calls, results, thoughts and answers. Data, no behaviour.

Everything is a pattern: literal text with ``$words`` in it, for which values are put in; ``$$`` is a dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from react_engine.errors import ConfigurationError, nearest_or_all

STEMS = ("json", "tags", "elements", "quoted", "python")
"""The templates that write the arguments of a call; each is a file of ``react_engine.templates``."""

_CALL = ("name", "quoted", "arguments", "id", "number", "order")
_RESULT = ("text", "json", "name", "quoted", "id", "number", "order")
_TOOL = (
    "openai", "function", "name", "quoted", "description", "parameters", "python", "typescript", "xml", "declaration",
)  # fmt: skip
WORDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "call": (_CALL, ("arguments",)),
    "calls": (("calls",), ("calls",)),
    "several": (("calls",), ("calls",)),
    "argument": (("key", "value", "type", "string"), ("key", "value")),
    "thought": (("thought",), ("thought",)),
    "answer": (("answer", "quoted"), ()),
    "result": (_RESULT, ()),
    "results": (("results",), ("results",)),
    "tool": (_TOOL, ()),
    "tools": (("tools",), ("tools",)),
}
"""For each pattern the words that it may hold, and those that it must."""
_PLACE = re.compile(r"\$(\$|[a-z]+)")

THINK = "<think>\n$thought\n</think>\n"
RESPONSE = "<tool_response>\n$text\n</tool_response>"


@dataclass(frozen=True)
class Writing:
    r"""How a prompt writes a dialect.

    Args:
        call: One call: ``$name``, or ``$quoted`` (the name as a JSON string); ``$arguments``, as the dialect's
            template writes them; ``$id``, ``$number`` (from 0 on) and ``$order`` (from 1 on) where the form has them.
        calls: All calls of a step around ``$calls``, which are joined by ``between``; ``several`` is used instead for
            more than one, if it is given.
        argument: One argument, where each has a tag: ``$key``, ``$value`` (text as it is, else JSON), ``$type``
            (``string``, ``number``, ``boolean``, ``null``, ``array`` or ``object``) and ``$string`` (``true`` if the
            value is text).
        cdata: Text with markup in it stands in a CDATA section.
        quote: The quote of strings in Python calls; ``literals`` says whose words for true, false and null they hold.
        id_length: How many letters and digits ``$id`` has; 0 for the call's id as it is.
        thought: ``$thought``, which goes before the calls or the answer.
        answer: ``$answer``, or ``$quoted`` (the answer as a JSON string).
        result: What came of one call: ``$text`` (neutralised) or ``$json`` (the same as a JSON string), ``$name``,
            ``$id``, ``$number``, ``$order``; ``results`` stands around all ``$results`` of a step.
        tool: One tool: ``$openai`` or ``$function`` (JSON with and without OpenAI's wrapper), ``$name``,
            ``$description``, ``$parameters`` (JSON Schema), or what the templates of that name write: ``$python``,
            ``$typescript``, ``$xml``, ``$declaration``. ``tools`` stands around all ``$tools``.
        parallel: Several calls in one reply are part of the form.
        own_turns: A call is a turn of its own, which no text of a message can open. Such a dialect is rendered and
            read, but no prompt asks for it.
    """

    call: str = '{"name": $quoted, "arguments": $arguments}'
    calls: str = "$calls"
    several: str = ""
    between: str = "\n"
    argument: str = ""
    cdata: bool = False
    quote: str = '"'
    literals: str = "python"
    id_length: int = 0
    thought: str = "$thought\n"
    answer: str = "$answer"
    result: str = RESPONSE
    results: str = "$results"
    between_results: str = "\n"
    tool: str = "$openai"
    tools: str = "<tools>\n$tools\n</tools>"
    between_tools: str = "\n"
    parallel: bool = True
    own_turns: bool = False

    def check(self, dialect: str, template: str) -> None:
        """Raise ConfigurationError for a pattern that lacks what it must hold, or holds what nobody fills in."""
        where = f"The dialect {dialect!r}"
        for name, (known, needed) in WORDS.items():
            pattern: str = getattr(self, name)
            written = [word for word in _PLACE.findall(pattern) if word != "$"]
            for word in written:
                if word not in known:
                    guess = nearest_or_all(f"${word}", [f"${other}" for other in known])
                    raise ConfigurationError(
                        f"{where}: writing.{name} holds ${word}, which nobody fills in.{guess} A dollar sign is written $$."
                    )
            used = name not in ("several", "argument") or pattern or (name == "argument" and template == "tags")
            if used and (missing := [word for word in needed if word not in written]):
                raise ConfigurationError(
                    f"{where}: writing.{name} must hold ${missing[0]}; it is {pattern!r}. For example "
                    f"{getattr(_EXAMPLES, name)!r}."
                )
        self._check_meaning(where)

    def _check_meaning(self, where: str) -> None:
        if not {"$name", "$quoted"} & set(_words_with_dollar(self.call)):
            raise ConfigurationError(f"{where}: writing.call must say which tool is called, with $name or $quoted.")
        if not {"$answer", "$quoted"} & set(_words_with_dollar(self.answer)):
            raise ConfigurationError(f"{where}: writing.answer must hold $answer or $quoted.")
        if not {"$text", "$json"} & set(_words_with_dollar(self.result)):
            raise ConfigurationError(f"{where}: writing.result must hold $text or $json.")
        if self.quote not in ('"', "'"):
            raise ConfigurationError(f"{where}: writing.quote must be \" or ', found {self.quote!r}.")
        if self.literals not in ("python", "json"):
            raise ConfigurationError(f"{where}: writing.literals must be 'python' or 'json', found {self.literals!r}.")
        if not 0 <= self.id_length <= 32:
            raise ConfigurationError(f"{where}: writing.id_length must be from 0 to 32, found {self.id_length}.")

    def literal(self, *names: str) -> tuple[str, ...]:
        """The literal pieces of patterns, without blanks around them, in order; empty ones are left out."""
        pieces = [piece for name in names for piece in _PLACE.split(getattr(self, name))[::2]]
        return tuple(dict.fromkeys(word for piece in pieces for word in piece.split()))


_EXAMPLES = Writing(argument="<$key>$value</$key>", several="[$calls]")


def fill(pattern: str, values: Mapping[str, str]) -> str:
    """A pattern with its values; words that have none stay as they are."""
    return _PLACE.sub(lambda place: "$" if place[1] == "$" else values.get(place[1], place[0]), pattern)


def pieces(pattern: str) -> list[tuple[str, bool]]:
    """The literal text of a pattern and its words, in order; the words are marked."""
    parts = _PLACE.split(pattern)
    return [("$", False) if part == "$" else (part, place % 2 == 1) for place, part in enumerate(parts)]


def _words_with_dollar(pattern: str) -> list[str]:
    return [f"${word}" for word in _PLACE.findall(pattern)]
