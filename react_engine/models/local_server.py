"""Embedded llama.cpp servers: each in a child process, on a loopback port, with a random key.

The server is xllamacpp's, but not inside this process. Tried there (xllamacpp 2026.10): it holds the interpreter's
lock while a model loads, so that every thread and event loop stands still for seconds; its end waits for ever when
a request is under way or when it comes right after the start, and crashes the interpreter at exit; a forked child
hangs; its log goes to the user's terminal. A child process has none of that, and ends with its parent, however
that ends.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from react_engine.errors import ModelUnavailable
from react_engine.folders import state_folder
from react_engine.models.machine import available_memory, usable_cores

DEFAULT_CONTEXT = 8192
_HOST = Path(__file__).with_name("llama_host.py")
_CACHE_MEGABYTES = 1024
_CORES_FOR_A_SERVER = 4


@dataclass(frozen=True, slots=True)
class ServerOrder:
    """What is to be served. ``context`` is in tokens."""

    path: Path
    name: str
    context: int = DEFAULT_CONTEXT


class LocalServer:
    """A running server: its address ``url`` and the ``key`` that its requests need."""

    def __init__(
        self, order: ServerOrder, process: subprocess.Popen[str], url: str, key: str, log: Path | None
    ) -> None:
        self.order = order
        self.url = url
        self.key = key
        self.users = 0
        self._process = process
        self._owner = os.getpid()
        self._log = log

    def __repr__(self) -> str:
        return f"LocalServer({self.order.path.name!r}, {self.url!r})"

    @property
    def alive(self) -> bool:
        """Whether it still runs. A forked child uses its parent's server, and only its parent can tell."""
        return os.getpid() != self._owner or self._process.poll() is None

    def failure(self) -> ModelUnavailable:
        """What to raise when it has ended by itself."""
        return _failed(self.order, self._process.poll(), self._log)

    def close(self) -> None:
        """End the process; nothing of it needs saving."""
        if os.getpid() == self._owner:
            _end(self._process)

    def disown(self) -> None:
        """In a forked child: the parent ends it, and this process must not hold its standard input open."""
        _close_pipes(self._process)
        self._process.returncode = 0  # else its finaliser would complain of a process that still runs


class LocalServers:
    """The servers of this process, at most ``keep`` of them besides those in use.

    Two servers on few cores slow each other far more than twice, so that one that is idle is closed before
    another starts: the default is one for every four cores.
    """

    def __init__(self, keep: int | None = None) -> None:
        self._keep = keep or max(1, usable_cores() // _CORES_FOR_A_SERVER)
        self._starting = threading.Lock()
        self._lock = threading.Lock()
        self._running: list[LocalServer] = []

    def start(self, order: ServerOrder) -> LocalServer:
        """A server for a file, started if none runs. Takes seconds. Raises ``ModelUnavailable``."""
        with self._starting:
            running = self._find(order)
            if running is None:
                self._make_room()
                running = launch(order)
                with self._lock:
                    self._running.append(running)
            return running

    def take(self, server: LocalServer) -> bool:
        """Begin to use a server: it is not closed until it is released. False when it was closed meanwhile."""
        with self._lock:
            if server not in self._running or not server.alive:
                return False
            self._running.remove(server)
            self._running.append(server)  # the least recently used one stands first
            server.users += 1
            return True

    def release(self, server: LocalServer) -> None:
        """End the use of a server."""
        with self._lock:
            server.users -= 1

    def close(self) -> None:
        """End all servers."""
        with self._lock:
            ended, self._running = self._running, []
        for server in ended:
            server.close()

    def disown(self) -> None:
        """In a forked child: go on using the servers, and leave their end to the parent."""
        self._lock, self._starting = threading.Lock(), threading.Lock()
        for server in self._running:
            server.disown()

    def _find(self, order: ServerOrder) -> LocalServer | None:
        with self._lock:
            self._running = [server for server in self._running if server.alive]
            for server in self._running:
                if server.order.path == order.path and server.order.context >= order.context:
                    return server
        return None

    def _make_room(self) -> None:
        with self._lock:
            idle = [server for server in self._running if server.users == 0]
            surplus = idle[: max(0, len(self._running) - self._keep + 1)]
            self._running = [server for server in self._running if server not in surplus]
        for server in surplus:
            server.close()


def launch(order: ServerOrder) -> LocalServer:
    """Start a server and wait until it has loaded its model. Raises ``ModelUnavailable``."""
    _require_gguf(order)
    key = secrets.token_urlsafe(24)
    log = _log_file(order)
    with open(log, "wb") if log else open(os.devnull, "wb") as stderr:
        process = subprocess.Popen(  # noqa: S603 - this interpreter and a script of this package
            [sys.executable, "-P", str(_HOST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
            env=_environment(),
            start_new_session=True,  # an interrupt at the terminal is for the program, not for its server
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    told: dict[str, str] = {}
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(_told(order, key)) + "\n")
        process.stdin.flush()
        told = json.loads(process.stdout.readline() or "{}")
    except (OSError, ValueError):
        told = {}  # it died before it could answer
    finally:
        if "url" not in told:
            _end(process, patience=5.0)
    if told.get("error") == "missing":
        raise ModelUnavailable(
            f"{order.name} runs in the embedded llama.cpp, which is not installed: {told['detail']}.",
            model=order.name,
            hint="pip install 'react-engine[local]'",
        )
    if "url" not in told:
        raise _failed(order, None if told else process.returncode, log)
    return LocalServer(order, process, told["url"], key, log)


def _told(order: ServerOrder, key: str) -> dict[str, object]:
    return {
        "path": str(order.path),
        "name": order.name,
        "key": key,
        "context": order.context,
        "threads": usable_cores(),
        "cache": _CACHE_MEGABYTES,
    }


def _environment() -> dict[str, str]:
    # Threads wait for each other by spinning. On idle cores a short spin is as fast as the long one of libgomp; when
    # anything else runs on the machine (tools, other programs, this very process) it is five times faster.
    return {"GOMP_SPINCOUNT": "300", **os.environ}


def _require_gguf(order: ServerOrder) -> None:
    try:
        with order.path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelUnavailable(
            f"The model file {order.path} cannot be read: {error.strerror or error}.",
            model=order.name,
            hint="Name a GGUF file by its path, local/FILE.gguf, or a model that can be fetched (react-engine models list).",
        ) from error
    if magic != b"GGUF":
        raise ModelUnavailable(
            f"{order.path} is no GGUF file: it begins with {magic!r}, expected b'GGUF'.",
            model=order.name,
            hint="Only models in the GGUF format of llama.cpp run here.",
        )


def _failed(order: ServerOrder, status: int | None, log: Path | None) -> ModelUnavailable:
    said = _first_error(log)
    reason = said or (f"it ended with status {status}" if status is not None else "it does not answer")
    size, free = order.path.stat().st_size if order.path.exists() else 0, available_memory()
    hint = f"Its log is {log}." if log else ""
    if free is not None and (status == -9 or free < size):
        hint = f"Memory may be short: the file has {size / 1e6:.0f} MB and {free / 1e6:.0f} MB are available. {hint}"
    return ModelUnavailable(f"llama.cpp cannot serve {order.path}: {reason}.", model=order.name, hint=hint.strip())


def _first_error(log: Path | None) -> str:
    """The first line that llama.cpp marks as an error (``time E text``)."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log else []
    except OSError:
        return ""
    marked = (line.partition(" E ")[2] for line in lines if " E " in line)
    return next(marked, "").strip()[:300]


def _log_file(order: ServerOrder) -> Path | None:
    folder = state_folder() / "logs"
    log = folder / f"{order.path.stem}.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log.unlink(missing_ok=True)  # another process may still write to it
        log.touch()
    except OSError:
        return None
    return log


def _end(process: subprocess.Popen[str], patience: float = 0.0) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    process.kill()
    _close_pipes(process)
    process.wait()


def _close_pipes(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was still to be written cannot be any more
                pipe.close()


servers = LocalServers()
"""The servers of this process, ended when it exits."""

atexit.register(servers.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=servers.disown)
