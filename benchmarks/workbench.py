"""Contenders in processes of their own, which measure their own CPU time.

Both sides are here: ``Bench`` gives the orders, ``work`` carries them out. One order or answer is one line of JSON.
Nothing but the standard library is imported: the processes may belong to other environments.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.canned_connection import ROOT
from benchmarks.canned_server import ANSWER

Run = Callable[[], Any]
"""One run of the task: the answer, or a coroutine that gives it."""
Make = Callable[[str], Run]
"""Makes what is needed, once, for the server at an address."""

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # its import would fetch a list over the network
    "LANGSMITH_TRACING": "false",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}


class ContenderFailed(Exception):
    """A contender could not be prepared, or did not end with the answer."""


class Bench:
    """A process with contenders, started from a module that calls ``work``."""

    def __init__(self, python: str, module: str, url: str) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [python, "-m", module, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": path},
        )

    def prepare(self, contender: str, packages: Iterable[str] = ()) -> dict[str, str]:
        """Import, connect and warm up with one run; the versions of the packages."""
        versions: dict[str, str] = self._order(contender=contender, packages=list(packages))["versions"]
        return versions

    def measure(self, contender: str, runs: int, at_once: int) -> float:
        """Seconds of CPU, of all threads of the process, for so many runs."""
        return float(self._order(contender=contender, runs=runs, at_once=at_once)["cpu"])

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def _order(self, **order: Any) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(order) + "\n")
            stdin.flush()
            line = stdout.readline()
        except OSError as error:
            raise ContenderFailed(f"its process has gone: {error}") from error
        if not line:
            raise ContenderFailed(f"its process ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ContenderFailed(answer["error"])
        return answer


def work(makers: Mapping[str, Make]) -> None:
    """Carry out the orders on standard input, for the server whose address is the first argument."""
    url = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a contender prints is no answer
    made: dict[str, Run] = {}
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            order = json.loads(line)
            name = order["contender"]
            try:
                if name not in made:
                    made[name] = makers[name](url)
                    _measure(runner, made[name], 1, 1)
                    answer: dict[str, Any] = {"versions": _versions(order["packages"])}
                else:
                    answer = {"cpu": _measure(runner, made[name], order["runs"], order["at_once"])}
            except Exception as error:  # noqa: BLE001 - whatever a contender raises is told, and the others go on
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=answers, flush=True)


def _measure(runner: asyncio.Runner, run: Run, runs: int, at_once: int) -> float:
    gc.collect()  # what the contender before left is not this one's to clear
    began = time.process_time()
    if inspect.iscoroutinefunction(run):
        answers = runner.run(_gathered(run, runs, at_once))
    elif at_once == 1:
        answers = [run() for _ in range(runs)]
    else:
        with ThreadPoolExecutor(at_once) as pool:
            answers = list(pool.map(lambda _: run(), range(runs)))
    spent = time.process_time() - began
    for answer in answers:
        if ANSWER not in answer:
            raise ContenderFailed(f"expected {ANSWER!r}, and it ended with {answer!r}")
    return spent


async def _gathered(run: Run, runs: int, at_once: int) -> list[str]:
    answers: list[str] = []
    while len(answers) < runs:
        answers += await asyncio.gather(*(run() for _ in range(min(at_once, runs - len(answers)))))
    return answers


def _versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
