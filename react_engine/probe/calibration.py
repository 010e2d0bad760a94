"""Calibrates the gate of a model: where to draw the line between requests that need a tool and those that need none.

On requests that are shipped for this alone (``suites/gate.toml``), apart from the suites that test it. The line keeps
nearly all requests that need a tool, and a floor below which a call is made parts the kinds as well as it can; a bound
that then does little is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from react_engine.models.base import Model
from react_engine.models.profile import ModelProfile
from react_engine.paths.prompt import PromptPath
from react_engine.suites import load_suite
from react_engine.templates import Templates
from react_engine.types import Message

KEPT = 0.95
"""Share of the requests in need of a tool that the gate must let through."""
WORTH = 0.3
"""Share of the others that it must keep out to be worth its cost."""
URGED = 0.4
"""Share of the others that may be urged to use a tool: a needless call costs a step, a missing one the task."""
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whether it needs a tool, what the gate saw, and what asking cost."""

    ask: str
    needs: bool
    chance: float
    seconds: float
    prompt_tokens: int
    cached_tokens: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """``auc``: how well the chances of an answer tell the two kinds apart (0.5: not at all, 1: perfectly). ``line``: the
    chance from which on a model may only answer; ``kept`` and ``stopped`` are the shares of the two kinds at it.
    ``floor``: the chance below which it has to call; ``urged`` is the share of those in need below it, ``strayed``
    that of the others.
    """

    asked: tuple[Asked, ...]
    auc: float
    line: float
    kept: float
    stopped: float
    floor: float
    urged: float
    strayed: float

    @property
    def gate(self) -> tuple[float, float] | None:
        """The setting that follows, None where the gate does not help."""
        stops, urges = self.stopped >= WORTH and self.kept >= KEPT, self.urged - self.strayed >= WORTH
        if not stops and not urges:
            return None
        return (self.floor if urges else 0.0, self.line if stops else 1.0)


def gate_field(found: Calibration | None) -> tuple[tuple[float, float] | str, str]:
    """The setting ``gate`` that follows from a calibration, with the reason."""
    if found is None:
        return "off", "the gate cannot be asked: no begun thought, or no log-probabilities"
    said = f"AUC {found.auc:.2f}, {found.kept:.0%} of those in need kept, {found.stopped:.0%} of the others stopped"
    said += f"; {found.urged:.0%} of those in need urged to call, and {found.strayed:.0%} of the others"
    return found.gate or "off", said


async def calibrate(
    model: Model, profile: ModelProfile, told: Callable[[Asked], None] = lambda _: None
) -> Calibration | None:
    """Ask all requests of the calibration set; None where the gate cannot be asked or gives no log-probabilities.

    Raises ModelError.
    """
    suite = load_suite("gate")
    path = PromptPath(replace(profile, gate=(0.0, 1.0), constraint="off"), suite.tools, Templates())
    asked: list[Asked] = []
    for task in suite.tasks:
        request = path.gate_request((Message.user(task.ask),))
        if request is None:
            return None
        reply = await model.complete(request)
        chance = path.gate_chance(reply)
        if chance is None:
            return None
        usage = reply.usage
        found = Asked(task.ask, bool(task.calls), chance, reply.elapsed, usage.prompt_tokens, usage.cached_tokens)
        asked.append(found)
        told(found)
    return drawn(asked)


def drawn(asked: Sequence[Asked]) -> Calibration:
    """The line that keeps ``KEPT`` of those in need of a tool and stops as many of the others as it then can."""
    need = sorted((item.chance for item in asked if item.needs), reverse=True)
    none = [item.chance for item in asked if not item.needs]
    allowed = int(len(need) * (1 - KEPT))  # so many may fall on the wrong side of the line
    # In the middle, by magnitude, between the highest chance that is kept and the next one above it.
    highest = max(need[allowed], _LEAST)
    above = min((chance for chance in (*none, *need) if chance > highest), default=1.0)
    line = _between(highest, above)
    # The same from below: where the kinds differ most, and not too many of the others lie.
    first = max(sorted(none)[: int(len(none) * URGED) + 1], key=lambda bound: _below(need, bound) - _below(none, bound))
    floor = _between(max((chance for chance in (*none, *need) if chance < first), default=first), first)
    return Calibration(
        tuple(asked),
        auc(none, need),
        line,
        _below(need, line),
        sum(chance >= line for chance in none) / len(none),
        floor,
        _below(need, floor),
        _below(none, floor),
    )


def _below(chances: Sequence[float], bound: float) -> float:
    return sum(chance < bound for chance in chances) / len(chances)


def _between(low: float, high: float) -> float:
    return float(f"{math.sqrt(max(low, _LEAST) * max(high, _LEAST)):.6g}")


def auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """How often a value of the first kind lies above one of the second; equal ones count half."""
    pairs = [(one > other) + 0.5 * (one == other) for one in higher for other in lower]
    return sum(pairs) / len(pairs)
