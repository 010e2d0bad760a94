"""The regular expressions of a record: what they must be, so that no text makes the reader slow."""

from __future__ import annotations

import re

from react_engine.errors import ConfigurationError

_LONGEST = 4096
_QUANTIFIER = re.compile(r"\{(\d*)(,?)(\d*)\}")


def check_pattern(pattern: str, where: str) -> frozenset[str]:
    """The names of a pattern's groups.

    Raises ConfigurationError when it is no regular expression, or when it repeats something without a bound (``*``,
    ``+``, ``{1,}``): it is tried at every marker, so it must be bounded.
    """
    try:
        groups = frozenset(re.compile(pattern).groupindex)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"{where} is no regular expression: {error}. Found {pattern!r}.") from error
    if (unbounded := _unbounded(pattern)) is not None:
        raise ConfigurationError(
            f"{where}: {pattern[max(0, unbounded - 12) : unbounded + 2]!r} at offset {unbounded} repeats without a bound, "
            f"which makes long texts slow. Give one, such as {{0,40}}; at most {_LONGEST}."
        )
    return groups


def _unbounded(pattern: str) -> int | None:
    """Where the first repetition without a bound stands."""
    position, in_class, counted = 0, False, -1  # counted: behind the last {m,n}, where + and ? are part of it
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            position += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            position += 1 if pattern.startswith("[^", position) else 0
            position += 1 if pattern.startswith("]", position + 1) else 0  # a bracket that comes first is a member
        elif char in "*+" and position != counted:
            return position
        elif char == "{" and (counts := _QUANTIFIER.match(pattern, position)) and counts[0] != "{}":
            most = counts[3] or ("" if counts[2] else counts[1])
            if not most or int(most) > _LONGEST:
                return position
            position = counted = counts.end()
            continue
        position += 1
    return None
