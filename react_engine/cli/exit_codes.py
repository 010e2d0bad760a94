"""Exit codes: one for each way a command can end."""

from __future__ import annotations

from react_engine.types import EndState

OK = 0
FAILED = 1
USAGE = 2
CONFIGURATION = 3
MODEL = 4
UNREADABLE = 12
INTERRUPTED = 130

BY_END: dict[EndState, int] = {
    EndState.ANSWERED: OK,
    EndState.ERROR: MODEL,
    EndState.MAX_STEPS: 5,
    EndState.MAX_CALLS: 6,
    EndState.LOOP: 7,
    EndState.BUDGET: 8,
    EndState.FORMAT: 9,
    EndState.TRUNCATED: 10,
    EndState.DENIED: 11,
    EndState.CANCELLED: INTERRUPTED,
}

HELP = """\b
Exit codes:
  0  answered                     7  repeated calls
  1  unexpected failure           8  budget used up
  2  wrong usage                  9  replies could not be read
  3  wrong configuration         10  reply cut off
  4  model or server failed      11  calls denied
  5  step limit                  12  parse: nothing could be read
  6  call limit                 130  interrupted
"""
