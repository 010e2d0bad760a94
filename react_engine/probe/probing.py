"""Probes a model: asks the scenarios on each path and says what its record should be.

A refusal of tools counts only if the same request without tools succeeds. Failures that pass end the probe with their
error: nothing is concluded from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from react_engine.errors import ModelError, ToolsRefused
from react_engine.models.base import Model, Reply, ReplyBuilder
from react_engine.models.profile import ModelProfile
from react_engine.parsers.dialects import dialect_named
from react_engine.paths.base import Ask, Path
from react_engine.paths.constraint import can_be_held, constraint_form
from react_engine.paths.native import NativePath
from react_engine.paths.prompt import PromptPath
from react_engine.paths.select import profile_changes
from react_engine.probe.scenarios import SCENARIOS, Scenario
from react_engine.templates import Templates

_TOKENS = 300
_HELD = " + constraint"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to speak with the model: ``native``, or a dialect of the prompt path, perhaps constrained."""

    name: str
    native: bool = False
    dialect: str = "react"
    language: str = "en"
    constraint: str = "off"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one scenario on one way. ``outcome``: ``yes``, ``leaked`` (right, but in the text of a native
    reply) or what was wrong; ``raw`` is the reply as it came.
    """

    way: str
    scenario: str
    outcome: str
    raw: str = ""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Whether the reply was right and came where it belongs."""
        return self.outcome == "yes"


@dataclass(frozen=True, slots=True)
class Probe:
    """All findings, and the fields of the record that follow from them, each with the reason."""

    model: str
    findings: tuple[Finding, ...]
    record: Mapping[str, tuple[Any, str]]

    def of(self, way: str) -> tuple[Finding, ...]:
        """The findings of one way."""
        return tuple(finding for finding in self.findings if finding.way == way)

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways that were tried, in order."""
        return tuple(dict.fromkeys(finding.way for finding in self.findings))


def plausible_ways(profile: ModelProfile) -> tuple[Way, ...]:
    """The ways worth trying: native, ReAct and the model's own dialect, each also in a form that the server can hold."""
    constrained = constraint_form(replace(profile, constraint="on", dialect="react", sources={}))
    grammar = next((form for form in profile.constraints if form != "json_schema"), None)
    ways = [Way("native", native=True), Way("react"), Way("react-zh", language="zh")]
    if own := _own(profile):
        ways.append(Way(own, dialect=own))
        if grammar is not None and can_be_held(own, grammar):
            ways.append(Way(f"{own}{_HELD}", dialect=own, constraint=grammar))
    if constrained is not None and constrained != "json_schema":
        ways.append(Way(f"react{_HELD}", constraint=constrained))
    if "json_schema" in profile.constraints:
        ways.append(Way("json", constraint="json_schema"))
    return tuple(ways)


def _own(profile: ModelProfile) -> str:
    """The trained dialect of a record, empty where that is ReAct or none that a prompt can ask for."""
    known = dialect_named(profile.dialect)
    return known.name if known.taught and known.name != "react" else ""


async def probe(model: Model, profile: ModelProfile, told: Callable[[Finding], None] = lambda _: None) -> Probe:
    """Probe a model; ``told`` hears of each finding. Raises ModelError when it cannot be asked at all."""
    findings: list[Finding] = []
    without: dict[str, tuple[Any, str]] = {}
    for way in plausible_ways(profile):
        for scenario in SCENARIOS:
            finding = await _ask(model, profile, way, scenario)
            feature = finding.outcome.removesuffix(" refused")
            if feature != finding.outcome and (changes := profile_changes(feature)):  # so it is asked without
                profile = replace(profile, **changes)
                without |= {name: (value, f"the server refused {feature}") for name, value in changes.items()}
                finding = await _ask(model, profile, way, scenario)
            findings.append(finding)
            told(finding)
            if finding.outcome in ("refused", "dropped"):
                break
    if not any(finding.outcome != "refused" and not finding.outcome.endswith(" refused") for finding in findings):
        raise ModelError(f"The server refused every form of the request: {findings[-1].raw}", model=profile.name)
    return Probe(profile.name, tuple(findings), dict(_record(findings, _own(profile))) | without)


def _path(way: Way, profile: ModelProfile, scenario: Scenario) -> Path:
    record = replace(profile, dialect=way.dialect, constraint=way.constraint, gate="off", sources={})
    if way.native:
        return NativePath(replace(record, dialect=profile.dialect), scenario.tools)
    return PromptPath(record, scenario.tools, Templates(way.language))


async def _ask(model: Model, profile: ModelProfile, way: Way, scenario: Scenario) -> Finding:
    path = _path(way, profile, scenario)
    sampling = {"temperature": 0.0, "max_tokens": _TOKENS}
    ask = Ask(scenario.transcript, tool_choice=scenario.tool_choice, sampling=sampling)
    try:
        reply = await _reply(model, path, ask, streamed=scenario.streamed)
    except ToolsRefused as error:
        return Finding(way.name, scenario.name, "refused", str(error))
    except ModelError as error:
        if error.refused is None:
            raise
        return Finding(way.name, scenario.name, f"{error.refused} refused", str(error))
    read = path.read(reply)
    if read.dropped and not read.reading.calls and scenario.name != "no tool":
        outcome = "dropped"
    else:
        wrong = scenario.judge(read.reading)
        outcome = wrong or ("leaked" if read.leaked else "yes")
    return Finding(way.name, scenario.name, outcome, _raw(reply), reply.elapsed)


async def _reply(model: Model, path: Path, ask: Ask, *, streamed: bool) -> Reply:
    request = path.request(ask)
    if not streamed:
        return await model.complete(request)
    builder = ReplyBuilder()
    async for chunk in model.stream(request):
        builder.add(chunk)
    return builder.reply()


def _raw(reply: Reply) -> str:
    calls = [f"[{call.name} {call.arguments}]" for call in reply.calls]
    return "\n".join([part for part in (reply.text, *calls) if part]) or "(nothing)"


def _record(findings: list[Finding], own: str) -> Iterator[tuple[str, tuple[Any, str]]]:
    """What follows. Native calling has to be right where it belongs; of prompts the best counts."""
    right: dict[str, int] = {}
    for finding in findings:
        right[finding.way] = right.get(finding.way, 0) + finding.good
    prompts = {way: count for way, count in right.items() if way != "native"}
    native, best = right.get("native", 0), max(prompts.values(), default=0)
    first = next((finding for finding in findings if finding.way == "native"), None)
    works = first is not None and first.good and native >= best
    how = "native calls stood where they belong" if works else _why_not(first, native, best)
    yield "function_calling", (works, f"{how} ({native} of {len(SCENARIOS)} right, {best} by prompt)")
    parallel = next((item for item in findings if item.way == "native" and item.scenario == "parallel"), None)
    if works and parallel is not None:
        yield "parallel_calls", (parallel.good, f"two calls in one reply: {parallel.outcome}")
    free = right.get("react", 0)
    form, held = max(
        (("on", right.get(f"react{_HELD}", -1)), ("json_schema", right.get("json", -1))), key=lambda item: item[1]
    )
    if own in right:
        ways = (own, f"{own}{_HELD}")
        trained = max(right.get(way, 0) for way in ways)
        react = max(count for way, count in prompts.items() if way not in ways)
        kept = trained >= react
        yield "dialect", (own if kept else "react", f"{trained} of {len(SCENARIOS)} right in {own}, {react} in ReAct")
        if kept:
            free, form, held = right[own], "on", right.get(f"{own}{_HELD}", -1)
            if held < 0:
                yield "constraint", ("off", f"there is no grammar for {own} that the server takes")
    if held >= 0:
        value = form if held > free else "off"
        yield "constraint", (value, f"{held} of {len(SCENARIOS)} right with {form}, {free} without")


def _why_not(first: Finding | None, native: int, best: int) -> str:
    if first is None or first.outcome == "refused":
        return "the server refused tools, and answered without"
    if first.outcome == "dropped":
        return "the server did not show the tools to the model"
    if first.outcome == "leaked":
        return "the calls stood in the text"
    return "a prompt did better" if native < best else f"the first call was wrong: {first.outcome}"
