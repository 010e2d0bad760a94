"""The loop guard: the same call with the same result, again and again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from react_engine.limits import Limits
from react_engine.tools.validation import canonical
from react_engine.types import Status, ToolCall, ToolResult

REPEATED = "repeated_call"
"""The code of the results in place of calls that were made too often."""
_Key = tuple[str, str]


@dataclass(slots=True)
class RepeatGuard:
    """Counts equal calls with equal results over a run, in whatever order they come.

    A call whose result changes (a clock, a queue) is no loop and starts anew. Three levels, from ``Limits``:
    the result carries a warning, the call is refused, the run stops.
    """

    limits: Limits
    _counts: Counter[_Key] = field(default_factory=Counter)
    _results: dict[_Key, bytes] = field(default_factory=dict)

    def refused(self, call: ToolCall) -> ToolResult | None:
        """Count a call that is about to be made; the result in its place if it is not made any more."""
        key = _key(call)
        self._counts[key] += 1
        count = self._counts[key]
        if self.limits.repeat_refuse is None or count < self.limits.repeat_refuse:
            return None
        return ToolResult(
            call.id,
            call.name,
            Status.DENIED,
            f"{call.name} was called {count} times with the same arguments.",
            hint="Use the result that you have, call something else, or give the final answer.",
            code=REPEATED,
            attempts=0,
        )

    def seen(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """The result of a call that was made, with a warning once it repeats."""
        key, mark = _key(call), _mark(result)
        before = self._results.get(key)
        self._results[key] = mark
        if before != mark:
            self._counts[key] = 1 if before is not None else self._counts[key]
            return result
        if self.limits.repeat_warn is None or self._counts[key] < self.limits.repeat_warn:
            return result
        warning = "Note: this is the same call with the same result as before. Use the result instead of calling again."
        return replace(result, hint=f"{result.hint} {warning}".strip())

    def must_stop(self) -> bool:
        """Whether a call was repeated often enough to end the run."""
        stop = self.limits.repeat_stop
        return stop is not None and any(count >= stop for count in self._counts.values())


def _key(call: ToolCall) -> _Key:
    return call.name, canonical(call.arguments)


def _mark(result: ToolResult) -> bytes:
    return blake2b(f"{result.status}\0{result.text}".encode("utf-8", "replace"), digest_size=16).digest()
