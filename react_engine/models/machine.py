"""What this process may use of the machine."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Processor cores for this process: those it may run on, within the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return max(1, min(allowed, int(quota))) if quota else max(1, allowed)


def available_memory() -> int | None:
    """Bytes of memory that could be used now, or None where the system does not say (cgroups aside, Linux only)."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def _quota() -> float | None:
    """Cores by the container's quota: cgroup v2, or else v1 (kernel documentation, cgroup-v2 "cpu.max")."""
    try:
        limit, period = (_CGROUP / "cpu.max").read_text(encoding="ascii").split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        pass
    try:
        v1 = int((_CGROUP / "cpu/cpu.cfs_quota_us").read_text(encoding="ascii"))
        return v1 / int((_CGROUP / "cpu/cpu.cfs_period_us").read_text(encoding="ascii")) if v1 > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
