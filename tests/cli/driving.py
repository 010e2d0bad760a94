"""Ways to drive the command line: in this process, in one of its own, and at a terminal."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from react_engine.cli import cli
from tests.loopback import Canned, Handler, Request, Server, chunks, completion, serve, sse

PATIENCE = 30.0
"""Seconds after which a test that waits for a process gives up."""

TOOLS = '''
from react_engine import tool

@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    print("add was called")
    return a + b

@tool(side_effects=True)
def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"

@tool(secret=True)
def password() -> str:
    """The password."""
    return "open sesame"
'''

ADD = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
ANSWER = "Thought: I know.\nFinal Answer: It is 3."


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What was printed as JSON."""
        return json.loads(self.out)


def react_engine(*args: str, stdin: str | bytes = "", env: Mapping[str, str] | None = None) -> Done:
    """A command in this process."""
    done = CliRunner().invoke(cli, list(args), input=stdin, env=dict(env or {}))
    if done.exception is not None:
        raise done.exception
    return Done(done.return_value, done.stdout, done.stderr)


def start(*args: str, folder: Path, env: Mapping[str, str] | None = None, **streams: Any) -> subprocess.Popen[bytes]:
    """A command in a process of its own, away from the terminal that the tests were started at."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return _spawned(["-m", "react_engine", *args], folder, env, {**pipes, **streams})


def _spawned(
    command: list[str], folder: Path, env: Mapping[str, str] | None, streams: Mapping[str, Any]
) -> subprocess.Popen[bytes]:
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored:  # a job in the background ignores interrupts, and so would its children
        signal.signal(signal.SIGINT, signal.default_int_handler)
    variables = {**os.environ, "TERM": "xterm-256color", **(env or {})}
    try:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            env=variables,
            start_new_session=True,
            stdin=streams["stdin"],
            stdout=streams["stdout"],
            stderr=streams["stderr"],
        )
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def process(*args: str, folder: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Done:
    """A command in a process of its own, from its start to its end."""
    with start(*args, folder=folder, env=env, stdin=subprocess.PIPE) as running:
        out, err = running.communicate(stdin, timeout=PATIENCE)
    return Done(running.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))


class Terminal:
    """A command at a terminal: what it shows, and a keyboard."""

    def __init__(self, running: subprocess.Popen[bytes], screen: int) -> None:
        self._running, self._screen = running, screen
        self.shown = ""
        self._seen = 0

    def wait_for(self, text: str) -> str:
        """Wait until ``text`` is shown, behind what was waited for before; gives what stands from there to its end."""
        start, until = self._seen, time.monotonic() + PATIENCE
        while (found := self.shown.find(text, start)) < 0:
            if not self._read(until):
                raise AssertionError(f"{text!r} was not shown, but {self.shown[start:]!r}")
        self._seen = found + len(text)
        return self.shown[start : self._seen]

    def type(self, text: str) -> None:
        """Type something; ``"\\x03"`` is Ctrl-C, ``"\\x04"`` Ctrl-D."""
        os.write(self._screen, text.encode())

    def end(self) -> int:
        """The exit code, once the command has ended."""
        until = time.monotonic() + PATIENCE
        while self._read(until):
            pass
        return self._running.wait(timeout=PATIENCE)

    def _read(self, until: float) -> bool:
        if not select.select([self._screen], [], [], max(0.0, until - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._screen, 65536)
        except OSError:  # how Linux says that the other side has closed
            return False
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


_LEADER = """
import fcntl, runpy, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
runpy.run_module("react_engine", run_name="__main__")
"""


@contextmanager
def terminal(*args: str, folder: Path, env: Mapping[str, str] | None = None, columns: int = 100) -> Iterator[Terminal]:
    """A command at a terminal of its own, which it may be interrupted from."""
    import fcntl
    import pty
    import struct
    import termios

    screen, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), inside)
    running = _spawned(["-c", _LEADER, *args], folder, env, streams)
    os.close(inside)
    try:
        yield Terminal(running, screen)
    finally:
        with suppress(ProcessLookupError):
            running.kill()
        running.wait()
        os.close(screen)


def model(*replies: str | Canned) -> Handler:
    """A server's handler that gives the replies one after the other, streamed if asked so; the last is repeated."""
    given: list[Request] = []

    def answer(request: Request) -> Canned:
        reply = replies[min(len(given), len(replies) - 1)]
        given.append(request)
        if isinstance(reply, Canned):
            return reply
        if not request.json().get("stream"):
            return Canned(completion(reply))
        return sse(chunks(*(reply[at : at + 5] for at in range(0, len(reply), 5))))

    return answer


@dataclass(frozen=True)
class House:
    """A folder with settings for a server's model and with tools."""

    folder: Path
    server: Server

    @property
    def config(self) -> tuple[str, str]:
        """The option that names the settings."""
        return "--config", str(self.folder / "react-engine.toml")

    def run(self, *args: str, **options: Any) -> Done:
        """``react-engine run`` in this process."""
        return react_engine("run", *self.config, *args, **options)

    def chat(self, *lines: str, args: tuple[str, ...] = ()) -> Done:
        """``react-engine chat`` in this process, with the lines piped in."""
        return react_engine("chat", *self.config, *args, stdin="".join(f"{line}\n" for line in lines))


@contextmanager
def house(folder: Path, *replies: str | Canned, settings: str = "", record: str = "") -> Iterator[House]:
    """A model that gives these replies, with the settings that reach it and the tools of ``TOOLS``."""
    (folder / "my_tools.py").write_text(TOOLS, encoding="utf-8")
    with serve(model(*replies)) as server:
        (folder / "react-engine.toml").write_text(
            f'model = "served"\n{settings}\n'
            f"[requests]\nretries = 0\n"
            f'[tools]\nload = ["{(folder / "my_tools.py").as_posix()}"]\n'
            f'[models.served]\nclient = "http"\napi_base = "{server.url}"\nfunction_calling = false\n{record}\n',
            encoding="utf-8",
        )
        yield House(folder, server)
