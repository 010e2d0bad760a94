"""Task suites: tools with fixed data, tasks, and what a right run of each looks like."""

from __future__ import annotations

from react_engine.suites.scoring import Score, score
from react_engine.suites.suite import Suite, Task, load_suite, shipped_suites

__all__ = ["Score", "Suite", "Task", "load_suite", "score", "shipped_suites"]
