"""How often tools may run: calls of a run, calls of a tool in a run, calls of a tool in a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from react_engine.tools.tool import RateLimit, Tool


class CallBudget:
    """Counts the calls of one run, in all (``calls``, None for no limit) and by tool (its ``max_calls``).

    Calls that are let through count, whatever comes of them, also a person's no; calls that never could
    run (unknown tool, invalid arguments) do not.
    """

    def __init__(self, calls: int | None = None) -> None:
        self.calls = calls
        self._by_tool: Counter[str] = Counter()

    @property
    def spent(self) -> int:
        """Calls let through so far."""
        return self._by_tool.total()

    @property
    def left(self) -> int | None:
        """Calls that may still be made, None for any number."""
        return None if self.calls is None else max(0, self.calls - self.spent)

    def admit(self, tool: Tool) -> str | None:
        """Count a call and give None, or the reason why it may not be made."""
        if self.left == 0:
            return f"The limit of {_calls(self.calls)} in this run is used up."
        limit = tool.options.max_calls
        if limit is not None and self._by_tool[tool.name] >= limit:
            return f"The limit of {_calls(limit)} of {tool.name} in this run is used up."
        self._by_tool[tool.name] += 1
        return None


def _calls(number: int | None) -> str:
    return "1 call" if number == 1 else f"{number} calls"


class Turn(NamedTuple):
    """Whether a call may be made, and the seconds until it may."""

    granted: bool
    wait: float


class RateWindow:
    """A sliding window: in any period of ``limit.seconds`` at most ``limit.calls`` turns.

    A leaky bucket, as rate limiting libraries have it, lets nearly twice as many through in the first
    period, and cannot tell beforehand how long a turn takes; both matter here. Safe between threads.
    """

    def __init__(self, limit: RateLimit, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._turns: deque[float] = deque(maxlen=limit.calls)
        self._lock = Lock()

    def take(self, patience: float) -> Turn:
        """Take the next turn if it comes within ``patience`` seconds; the caller then waits ``wait`` seconds."""
        with self._lock:
            now = self._clock()
            full = len(self._turns) == self._limit.calls
            turn = max(now, self._turns[0] + self._limit.seconds) if full else now
            if turn - now > patience:
                return Turn(False, turn - now)
            self._turns.append(turn)
            return Turn(True, turn - now)
