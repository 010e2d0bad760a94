"""Shared fixtures: a clean environment, no network by default, one async backend."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.served import served  # noqa: F401 - the fixture: one server for the whole session

settings.register_profile("ci", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def anyio_backend() -> str:
    """The engine runs on asyncio."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _import_path() -> Iterator[None]:
    """Folders that loading a tool appends to the import path do not outlive the test."""
    path = list(sys.path)
    yield
    sys.path[:] = path


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the user's settings or keys, nor writes into the user's folders."""
    for name in list(os.environ):
        if (name.startswith("REACT_ENGINE_") and name != "REACT_ENGINE_CACHE_DIR") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("REACT_ENGINE_STATE_DIR", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(autouse=True)
def _shipped_dialects() -> Iterator[None]:
    """Dialects that a test teaches the reader do not outlive it."""
    yield
    registry = sys.modules.get("react_engine.parsers.dialects")
    if registry is not None and (added := registry.added_records()):
        registry.forget_dialect(*(record.name for record in added))
