"""The libraries that can be run beside the reader, and the process that speaks with each."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from react_engine.errors import ConfigurationError
from react_engine.fuzz.cases import Case
from react_engine.fuzz.judge import Read
from react_engine.fuzz.meaning import Call
from react_engine.fuzz.peers.environments import python_of

LIMIT = 10.0
"""Seconds that one reply may take."""
_ENVIRONMENT = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "OTEL_SDK_DISABLED": "true",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True, slots=True)
class Library:
    """A library: what is installed, whose versions are told, and the dialects that it says it reads."""

    name: str
    requirements: tuple[str, ...]
    told: tuple[str, ...]
    reads: tuple[str, ...]


_JSON = ("json_fenced", "hermes", "exaone4", "nemotron_mini", "granite_20b_fc", "llama3_json", "gigachat3")
LIBRARIES = {
    library.name: library
    for library in (
        Library("langchain", ("langchain-classic",), ("langchain-classic", "langchain-core"), ("react", "react_json")),
        Library("llama-index", ("llama-index-core",), ("llama-index-core",), ("react", "react_answer")),
        Library("crewai", ("crewai",), ("crewai", "json-repair"), ("react",)),
        # The last three are imported by qwen-agent, which does not ask for them.
        Library(
            "qwen-agent", ("qwen-agent", "soundfile", "tqdm", "python-dateutil"), ("qwen-agent",),
            ("react", "qwen_fncall", "hermes"),
        ),
        Library("smolagents", ("smolagents",), ("smolagents",), ("json_fenced", "react_json", "hermes")),
        Library("json-repair", ("json-repair",), ("json-repair",), (*_JSON, "react", "json_array", "tool_calls_array")),
    )
}  # fmt: skip


def library(name: str) -> Library:
    """A library by name. Raises ConfigurationError for one that is not known."""
    if name not in LIBRARIES:
        raise ConfigurationError(f"There is no adapter for {name!r}. Known: {', '.join(LIBRARIES)}.")
    return LIBRARIES[name]


class Beside:
    """A library in its process, as a parser. Used as a context manager."""

    def __init__(self, of: Library, python: str | None = None) -> None:
        self.library = of
        self._python = python or python_of(of.name, of.requirements)
        self._start()

    def _start(self) -> None:
        script = Path(__file__).with_name("adapters.py")
        self._process = subprocess.Popen(  # noqa: S603 - the interpreter of an environment that was made for this
            [self._python, "-I", str(script), self.library.name, str(LIMIT), ",".join(self.library.told)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, **_ENVIRONMENT},
        )
        first = self._line()
        if first is None:
            self.close()
            raise ConfigurationError(f"{self.library.name} did not start: exit code {self._process.wait()}.")
        self.versions: dict[str, str] = first["versions"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __call__(self, case: Case) -> Read:
        """What the library makes of a reply."""
        return self.read(case, 1)

    def read(self, case: Case, repeat: int) -> Read:
        """The same, so many times over; the seconds are those of one time."""
        asked = json.dumps({"text": case.text, "tools": case.tools, "dialect": case.dialect, "repeat": repeat})
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(asked + "\n")
            self._process.stdin.flush()
            found = self._line()
        except OSError:
            found = None
        if found is None:
            code = self._process.wait()
            self.close()
            self._start()
            return Read(error=f"its process ended with exit code {code}")
        calls = tuple(Call(call["name"], call["arguments"]) for call in found.get("calls", ()))
        return Read(
            calls, found.get("answer"), found["seconds"], found.get("error", ""), timeout=found.get("timeout", False)
        )

    def close(self) -> None:
        """Let the process end."""
        with suppress(OSError):  # it may have gone before
            self._process.communicate()

    def _line(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found: dict[str, Any] | None = json.loads(line) if line else None
        return found


def chosen(names: str) -> Sequence[Library]:
    """The libraries of a list with commas; ``all`` is every one."""
    return list(LIBRARIES.values()) if names.strip() == "all" else [library(name.strip()) for name in names.split(",")]
