"""Importing the clients loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("litellm", "httpx", "httpcore", "openai", "aiohttp", "tenacity", "pydantic", "anyio", "urllib.request")
MODULES = ("address", "completion", "connection", "failures", "http", "refusals", "retry", "scripted", "stream")
LITELLM = ("litellm_client", "litellm_failures", "litellm_map", "litellm_runtime")


@pytest.mark.parametrize("module", [*MODULES, *LITELLM])
def test_importing_a_client_loads_nothing_heavy(module: str) -> None:

    code = f"import sys, react_engine.models.{module}; print([n for n in {HEAVY!r} if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"
