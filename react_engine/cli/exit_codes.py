"""Exit codes: one for each way a command can end."""

from __future__ import annotations

from react_engine.errors import ConfigurationError, ModelError, ReactEngineError, UnknownTool
from react_engine.runs import EndState

OK = 0
FAILED = 1
USAGE = 2
CONFIGURATION = 3
MODEL = 4
UNREADABLE = 12
FUZZ = 13
INTERRUPTED = 130
PIPE_CLOSED = 141

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
   0  answered                      8  budget used up
   1  unexpected failure            9  replies could not be read
   2  wrong usage                  10  reply cut off
   3  wrong configuration          11  calls denied
   4  model or server failed       12  parse: neither call nor answer
   5  step limit                   13  fuzz: something was not read as it should be
   6  call limit                  130  interrupted
   7  repeated calls              141  whoever read the output has gone
"""


def of_error(error: ReactEngineError) -> int:
    """The exit code of an error that ended a command."""
    if isinstance(error, UnknownTool):
        return USAGE
    if isinstance(error, ConfigurationError):
        return CONFIGURATION
    return MODEL if isinstance(error, ModelError) else FAILED
