"""Calls with values that nobody said are objected to.

Small models put a tool's example into its argument ("such as P99"), guess what another tool would have told them, or
give one tool what is meant for another. A call that looks so is answered with what to do first. Nothing here is sure:
a model that insists on a call gets it, and after a few objections a run is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from react_engine.gating import prompt_path
from react_engine.paths.base import Path
from react_engine.tools.canonical import canonical
from react_engine.tools.origins import Origin, Origins, form_of, is_code, words_of
from react_engine.types import Message, Status, ToolCall, ToolResult

INSISTED = 2
"""So many objections to the same call, then it is made."""
OBJECTIONS = 5
"""Of one run."""
CODE = "unsaid"
"""The code of the results that object."""
_AROUND = ".,;:!?()[]{}<>'\"“”‘’`，。；：！？（）"
_LONGEST = 60  # longer texts are composed, not looked up


@dataclass(slots=True)
class GroundingGuard:
    """Objects to calls over a run, on paths that know where values come from."""

    _objected: Counter[tuple[str, str]] = field(default_factory=Counter)

    def refused(self, call: ToolCall, path: Path, transcript: Sequence[Message]) -> ToolResult | None:
        """The result in place of a call whose values seem to come from nowhere, None for any other."""
        prompted = prompt_path(path)
        if prompted is None or prompted.origins is None or call.problem is not None:
            return None
        key = call.name, canonical(call.arguments)
        if self._objected.total() >= OBJECTIONS or self._objected[key] >= INSISTED:
            return None
        known, origins = _Known(transcript, prompted.instructions), prompted.origins
        for name, origin in origins.of(call.name).items():
            value = call.arguments.get(name)
            if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST:
                objection = _objection(value.strip(), call.name, origin, origins, known)
                if objection is not None:
                    self._objected[key] += 1
                    text, hint = objection
                    status = Status.VALIDATION_ERROR
                    return ToolResult(call.id, call.name, status, text, hint, code=CODE, value=name, attempts=0)
        return None


def _objection(value: str, tool: str, origin: Origin, origins: Origins, known: _Known) -> tuple[str, str] | None:
    advice = _first(origins, origin.tools, known) if origin.tools else "Use what the user or a result said."
    if not known.holds(value):
        is_example = any(value.casefold() == example.casefold() for example in origin.examples)
        if is_example and (origin.tools or is_code(value)):
            return f"{value} is only an example of {origin.name}, it is not known.", advice
        if is_code(value) and (origin.wants_code or origin.tools):
            return f"The {origin.name} {value} was made up.", advice
        if not known.shares_word(value) and (open_tools := known.uncalled(origin.tools)):
            return f"The {origin.name} {value} was made up.", _first(origins, open_tools, known)
        return None
    if any(form_of(value) == form_of(example) for example in origin.examples):
        return None
    like = f" such as {next(filter(is_code, origin.examples))}" if origin.wants_code else ""
    if is_code(value):
        fitting = origins.fitting(value, origin)
        if not like and not origin.tools:  # anything may stand here, but not what the tool itself is there to tell
            fitting = [found for found in fitting if tool in found[1].tools]
        fitting = [found for found in fitting if found[0] in origin.tools] or fitting
        if fitting:
            kinds = _or(_article(other.name) for _, other in fitting)
            return f"{value} is no {origin.name}{like}, but {kinds}.", f"Call {_or(name for name, _ in fitting)} first."
    elif like and origin.tools:
        return f"{value} is no {origin.name}{like}.", advice
    return None


def objected(result: ToolResult) -> bool:
    """Whether a result is an objection, so that nothing was called."""
    return result.code == CODE


class _Known:
    """What was said so far: by the user, in the instructions, by tools, in answers. Thoughts do not count."""

    def __init__(self, transcript: Sequence[Message], said: str) -> None:
        texts = [said]
        self._called: set[str] = set()
        for message in transcript:
            texts.append(message.text if message.role != "assistant" or not message.calls else "")
            for result in message.results:
                if result.ok:
                    self._called.add(result.name)
                if result.code != CODE:
                    texts.append(result.text)
        self._text = "\n".join(texts).casefold()
        self._words = frozenset(words_of(self._text))

    def holds(self, value: str) -> bool:
        """Whether a value was said."""
        return value.casefold() in self._text

    def shares_word(self, value: str) -> bool:
        """Whether a part of it was said."""
        return any(word in self._words for word in words_of(value))

    def holds_like(self, origin: Origin) -> bool:
        """Whether a code of the form of an argument's examples was said."""
        forms = {form_of(example) for example in filter(is_code, origin.examples)}
        return any(form_of(word.strip(_AROUND)) in forms for word in self._text.split())

    def uncalled(self, tools: Iterable[str]) -> tuple[str, ...]:
        """Those of some tools that gave nothing yet."""
        return tuple(tool for tool in tools if tool not in self._called)


def _first(origins: Origins, tools: Sequence[str], known: _Known) -> str:
    """What to call for a value: a tool that tells it, and before that one which tells what that tool needs."""
    way = [_or(tools)]
    tool, seen = tools[0], {*tools}
    while needed := _needed(origins, tool, known) - seen:
        tool = min(needed)
        seen |= needed
        way.insert(0, _or(sorted(needed)))
    return f"Find it out first: call {', then '.join(way)}."


def _needed(origins: Origins, tool: str, known: _Known) -> set[str]:
    """The tools that tell what a tool needs, where nothing of its form was said so far."""
    lacking = (origin for origin in origins.of(tool).values() if origin.wants_code and not known.holds_like(origin))
    return {name for origin in lacking for name in origin.tools}


def _or(names: Iterable[str]) -> str:
    return " or ".join(list(dict.fromkeys(names))[:3])


def _article(name: str) -> str:
    return f"{'an' if name[:1].casefold() in 'aeiou' else 'a'} {name}"
