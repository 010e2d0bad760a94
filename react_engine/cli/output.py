"""What the command line prints: answers on stdout, all else on stderr, and nothing that could drive a terminal."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO

import click

from react_engine.parsers.visible import printable, visible


def prepare() -> None:
    """Let the standard streams take any text: what their encoding has no sign for is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print what was asked for."""
    click.echo(printable(text))


def note(text: str = "", *, end: str = "\n") -> None:
    """Tell the person at the terminal. That nobody listens any more is no reason to fail."""
    with suppress(OSError, ValueError):
        click.echo(printable(text) + end, nl=False, err=True)


def say_json(value: Any) -> None:
    """Print a value as JSON. What could drive a terminal is escaped, and all that the encoding does not have."""
    from react_engine.serialization import as_data

    text = json.dumps(as_data(value), ensure_ascii=not _takes_unicode(sys.stdout), indent=2)
    click.echo("".join(char if char == "\n" else _escaped(char) for char in text) if visible(text) != text else text)


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns below each other. A cell of unusual length moves only its own row."""
    widths = [min(max(map(len, column)), 40) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _takes_unicode(stream: TextIO | None) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _escaped(char: str) -> str:
    return char if visible(char) == char else f"\\u{ord(char):04x}"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads the stream, or types into it."""
    return stream is not None and not stream.closed and stream.isatty()


@contextmanager
def warnings_in_words() -> Iterator[None]:
    """A warning about what was learned of models is for the person at the terminal: its text, without code."""
    from react_engine.models.facts import FactsWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", FactsWarning)
        plain = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, FactsWarning):
                note(f"Warning: {message}")
            else:
                plain(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def nothing_else_on_stdout() -> Iterator[None]:
    """What tools, their child processes and native libraries print goes to stderr, unless stdout is a terminal."""
    if sys.stdout is None or sys.stderr is None or is_terminal(sys.stdout):
        yield
        return
    with redirect_stdout(sys.stderr), _descriptor_redirected():
        yield


@contextmanager
def _descriptor_redirected() -> Iterator[None]:
    """The same for those that write to the process's descriptor, not to ``sys.stdout``."""
    try:
        stdout, stderr = sys.__stdout__.fileno(), sys.__stderr__.fileno()  # type: ignore[union-attr]
        kept = os.dup(stdout)
    except (AttributeError, OSError, ValueError):  # closed, or no real file
        yield
        return
    try:
        os.dup2(stderr, stdout)
        yield
    finally:
        os.dup2(kept, stdout)
        os.close(kept)


def abandon_stdout() -> None:
    """Whoever read our output has gone: keep the interpreter from trying to write the rest of it at exit."""
    with suppress(AttributeError, OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
