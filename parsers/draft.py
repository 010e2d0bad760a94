"""What a reading collects while it goes through a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from react_engine.parsers.arguments import ReadArguments, read_arguments
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.lookahead import CallArguments
from react_engine.parsers.names import ResolvedName, is_identifier
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.regions import Region
from react_engine.parsers.settle import holds_placeholder, object_in, plainly, settle_value, without_bare, without_leaks
from react_engine.types import Arguments, Problem, Reading, Span, Tolerance, ToolCall

MOST_CALLS = 500
"""Calls of one reply that are read: a model that writes more repeats itself."""
MOST_PROBLEMS = 32
"""Calls of one reply that cannot be read before the rest of it is given up."""


@dataclass(slots=True, eq=False)
class Tries:
    """How many characters may still be looked at in places where a call only might stand.

    Such places are tried one after the other; the budget for all of them keeps reading linear.
    """

    left: int

    def spend(self, characters: int) -> None:
        """Count what a try has looked at; beginning one costs something, too."""
        self.left -= characters + 1000


_NONE_YET = Tries(0)


@dataclass(slots=True)
class Draft:
    """The parts of a reading that is being made; ``finish`` puts them together."""

    raw: str
    index: ToolIndex
    dialect: str
    cut: bool
    calls: list[ToolCall] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    answer: str | None = None
    problems: list[Problem] = field(default_factory=list)
    tolerances: list[Tolerance] = field(default_factory=list)
    invented: Span | None = None
    truncated: bool = False
    closer: tuple[int, int, re.Match[str] | None] = (0, -1, None)
    """The last search for a closing marker: from where, to where, what it found."""
    tries: Tries = _NONE_YET
    """Made with the first draft of a text, shared by its probes."""
    unnested: bool = False
    """Set when a call in a value turned out to be the next call: then no further value is taken for nested calls."""

    def __post_init__(self) -> None:
        if self.tries is _NONE_YET:
            self.tries = Tries(len(self.raw) + 50_000)

    def probe(self, dialect: str = "") -> Draft:
        """An empty draft of the same text, to try something."""
        return Draft(self.raw, self.index, self.dialect or dialect, self.cut, tries=self.tries)

    def is_full(self) -> bool:
        """Whether enough was read. The first time that it is, a problem says so."""
        if len(self.calls) < MOST_CALLS and len(self.problems) < MOST_PROBLEMS:
            return False
        if not self.problems or self.problems[-1].code != "too-many-calls":
            self.problem("too-many-calls", f"Only the first {len(self.calls)} calls were read.", "Make fewer calls.")
        return True

    def note(self, name: str, span: Span, *, lossy: bool = False) -> None:
        """Report a tolerance that belongs to no single call."""
        self.tolerances.append(Tolerance(name, span, lossy))

    def problem(self, code: str, message: str, hint: str = "", span: Span | None = None) -> None:
        """Report something that could not be read."""
        self.problems.append(Problem(code, message, hint, span))
        if code == "truncated":
            self.truncated = True

    def think(self, text: str) -> None:
        """Add reasoning."""
        if text := text.strip():
            self.thoughts.append(text)

    def call(
        self, name: ResolvedName, span: Span, read: ReadArguments, extra: Iterable[Tolerance] = (), call_id: str = ""
    ) -> None:
        """Add a call, or the problem that its arguments have."""
        if read.problem is not None:
            self.problems.append(read.problem)
            if read.problem.code == "truncated":
                self.truncated = True
            return
        if read.arguments and holds_placeholder(read.arguments, self.raw[span.start : span.end]):
            self.problem("placeholder", f"The call of {name.name} holds placeholders instead of values.", span=span)
            return
        tolerances = list(extra)
        if name.tolerance is not None:
            tolerances.append(Tolerance(name.tolerance, span, name.lossy))
        tolerances.extend(read.tolerances)
        self._add(name.name, read.arguments or {}, call_id, span, tuple(tolerances))

    def _add(
        self, name: str, arguments: Arguments, call_id: str, span: Span, tolerances: tuple[Tolerance, ...]
    ) -> None:
        same = self.calls and self.calls[-1].span == span  # calls of one list share their text
        raw = self.calls[-1].raw if same else self.raw[span.start : span.end]
        self.calls.append(ToolCall(name, arguments, call_id, raw, span, self.dialect, tolerances))

    def call_from(self, intent: CallIntent, span: Span, *, marked: bool, extra: Iterable[Tolerance] = ()) -> bool:
        """Add the call that an object means. False if it is none in this place: an unknown name, unmarked."""
        tool = self.index.tools.get(intent.name)
        given = intent.arguments
        if isinstance(given, CallArguments) and not given.positional:
            given = given.keywords
        if tool is not None and type(given) is dict and (plain := plainly(given, tool)) is not None:
            self._add(tool.name, plain, intent.id, span, tuple(extra))
            return True
        name = self.resolve(intent.name, span, marked=marked and intent.explicit)
        if name is None:
            return False
        if name.kind != "known":
            arguments = without_bare(object_in(intent.arguments) or {})
            self.call(name, span, ReadArguments(arguments, span.end), extra, intent.id)
            return True
        extra = tuple(extra)
        settled = settle_value(intent.arguments, self.index[name.name], span, repaired=bool(extra))
        written = self.raw[span.start : span.end]
        if settled.arguments:
            arguments, leaks = without_leaks(settled.arguments, written, span)
            settled = type(settled)(arguments, (*settled.tolerances, *leaks), settled.problem)
        read = ReadArguments(settled.arguments, span.end, settled.tolerances, settled.problem)
        self.call(name, span, read, extra, intent.id)
        return True

    def resolve(self, written: str, span: Span, *, marked: bool) -> ResolvedName | None:
        """The tool meant. Unknown names are kept where the frame shows a call, else a problem is reported."""
        name = self.index.resolve(written)
        if name.kind == "known":
            return name
        if name.kind == "ambiguous":
            tools = " or ".join(name.candidates[:5])
            self.problem("ambiguous-tool", f"{written!r} could mean {tools}.", "Write the full name.", span)
            return None
        if (slip := self.index.names.near(name.name)) and len(slip) == 1:
            return ResolvedName("known", slip[0], "misspelled-name", lossy=True)
        if marked and is_identifier(name.name):
            return name
        self.unknown(written, span)
        return None

    def unknown(self, written: str, span: Span) -> None:
        """Report an action that names no tool."""
        shown = written.strip()
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        names = ", ".join(list(self.index.tools)[:20]) or "none"
        self.problem("unknown-tool", f"{shown!r} is no tool.", f"Use one of these names exactly: {names}.", span)

    def echo(self, span: Span) -> None:
        """Report that the prompt came back instead of a step."""
        self.problem("echo", "The step repeats the instructions instead of following them.", "Write a real step.", span)

    def arguments(self, region: Region, name: ResolvedName) -> ReadArguments:
        """The arguments in a region for a resolved tool."""
        return read_arguments(region, self.index[name.name])

    def absorb(self, probe: Draft) -> None:
        """Take over what another draft of the same text collected."""
        self.calls.extend(probe.calls)
        self.thoughts.extend(probe.thoughts)
        self.visible.extend(probe.visible)
        self.problems.extend(probe.problems)
        self.tolerances.extend(probe.tolerances)
        self.answer = probe.answer if self.answer is None else self.answer
        self.truncated = self.truncated or probe.truncated

    def finish(self) -> Reading:
        """The reading. An answer beside calls is dropped: it was written without their results."""
        answer = None if self.calls else self.answer
        if self.calls and self.answer:
            self.note("answer-dropped", Span(len(self.raw), len(self.raw)))
        text = "\n".join(part for part in self.visible if part)
        if not self.calls and answer is None and not self.problems:
            if text:  # the model said that it calls nothing; what it wrote besides is the answer
                answer = text
            else:
                self.problem("empty", "There is neither a call nor an answer.", "Call a tool or give an answer.")
        return Reading(
            calls=tuple(self.calls),
            answer=answer,
            text=text,
            reasoning="\n".join(self.thoughts) or None,
            problems=tuple(self.problems),
            tolerances=tuple(self.tolerances),
            truncated=self.truncated,
            invented=self.invented,
            dialect=self.dialect,
        )
