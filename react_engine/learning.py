"""What a run has shown of its model, to start the next one where this one ended.

Only what the run itself has confirmed counts: a refusal teaches nothing unless the same request without what was
refused then got a reply, and nothing that may lie in the tools of one request. Failures that pass (a wrong key, a limit of requests, a server that is down) are no
fallbacks, and never come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from react_engine.models.facts import LEARNABLE
from react_engine.models.profile import ModelProfile, Source
from react_engine.paths.select import profile_changes
from react_engine.runs import Fallback, FallbackReason, Run

if TYPE_CHECKING:
    from react_engine.models.table import CapabilityTable

_LEFT_NATIVE = {
    FallbackReason.TOOLS_REFUSED: "the server refused tools, and a prompt worked",
    FallbackReason.TOOLS_DROPPED: "the server did not show the tools to the model, and a prompt worked",
    FallbackReason.MALFORMED_ARGUMENTS: "the arguments of native calls stayed malformed, and a prompt worked",
}
_PASSING = (401, 403, 408, 429)
_OF_ONE_REQUEST = ("constraint", "strict")
"""Fields that a refusal says nothing about for others: it may be the tools of that request that made no grammar."""
_LEAKED = "every native call stood in the text of the reply"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One field of the profile that is better set otherwise, and why."""

    field: str
    value: Any
    reason: str


def lessons(run: Run) -> tuple[Lesson, ...]:
    """What a run has shown, each field once."""
    found = {lesson.field: lesson for fallback in run.fallbacks for lesson in _lessons(fallback, run)}
    return tuple(found.values())


def _lessons(fallback: Fallback, run: Run) -> Iterator[Lesson]:
    went_on = [step for step in run.steps if step.index >= fallback.step]
    if fallback.status is not None and (fallback.status >= 500 or fallback.status in _PASSING):
        return
    if fallback.reason in _LEFT_NATIVE:
        if any(step.path == "prompt" and not step.reading.problems for step in went_on):
            yield Lesson("function_calling", False, _LEFT_NATIVE[fallback.reason])
    elif fallback.reason is FallbackReason.LEAKED_CALL:
        native = [call for step in run.steps if step.path == "native" for call in step.calls]
        if native and not any(call.dialect == "native" for call in native):
            yield Lesson("function_calling", False, _LEAKED)
    elif fallback.reason is FallbackReason.FEATURE_REFUSED and went_on:
        for field, value in profile_changes(fallback.detail).items():
            if field in LEARNABLE and field not in _OF_ONE_REQUEST:
                yield Lesson(field, value, f"the server refused {fallback.detail}, and did without")


def for_others(changed: ModelProfile, before: ModelProfile) -> ModelProfile:
    """A profile changed by a run, as it is for the next one: what may lie in that run's tools is as it was."""
    return replace(changed, **{field: getattr(before, field) for field in _OF_ONE_REQUEST})


def merged(profile: ModelProfile, before: ModelProfile, after: ModelProfile) -> ModelProfile:
    """A profile that others use at the same time, with what one of them changed from ``before`` to ``after``."""
    names = [item.name for item in fields(ModelProfile) if item.name != "sources"]
    changes = {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}
    if not changes:
        return profile
    said = {name: after.sources[name] for name in changes if name in after.sources}
    return replace(profile, **changes, sources={**profile.sources, **said})


def learn(run: Run, profile: ModelProfile, table: CapabilityTable) -> ModelProfile:
    """Keep what a run has shown; the profile with which the next run starts. What the user has set is left alone.

    A table that cannot be written is a warning (``FactsWarning``): the lesson then holds for this process alone.
    """
    for lesson in lessons(run):
        decided = profile.sources.get(lesson.field)
        if decided is not None and decided.chosen:
            continue
        table.remember(profile.name, lesson.field, lesson.value, lesson.reason, server=profile.api_base)
        sources = {**profile.sources, lesson.field: Source("learned", lesson.reason)}
        profile = replace(profile, **{lesson.field: lesson.value, "sources": sources})
    return profile
