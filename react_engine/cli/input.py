"""What the command line is given: arguments, files and standard input, as text whatever their bytes are."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path

import click

from react_engine.cli.output import is_terminal, note

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(data: bytes, origin: str) -> str:
    """Bytes as text: UTF-8, or UTF-16 where a mark says so. What is neither is replaced, and the user told."""
    if data.startswith(_UTF16):
        text = data.decode("utf-16", "replace")
    else:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    if "\ufffd" in text and "\ufffd".encode() not in data:
        note(f"Note: {origin} is not all UTF-8; \ufffd stands for what is not.")
    return text


def argument_text(argument: str) -> str:
    """An argument as text: its bytes may be in no encoding at all."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return text_of(os.fsencode(argument), "the argument")
    return argument


def read_stdin(what: str) -> str:
    """All of standard input; at a terminal with a word of what is waited for."""
    if sys.stdin is None:
        return ""
    if is_terminal(sys.stdin):
        note(f"Type {what}; Ctrl-D on a line of its own ends it.")
    return text_of(sys.stdin.buffer.read(), "standard input")


def read_file(path: str) -> str:
    """A file as text. Raises ``click.UsageError`` when it cannot be read."""
    try:
        return text_of(Path(path).read_bytes(), path)
    except OSError as error:
        raise click.UsageError(f"The file {path!r} cannot be read: {error.strerror}.") from error


def read_task(words: tuple[str, ...]) -> str:
    """The task from the arguments, with standard input in the place of a last ``-`` or where there are none.

    Raises ``click.UsageError`` when there is none.
    """
    *given, last = words or ("-",)
    if last != "-":
        text = argument_text(" ".join(words))
    elif not words and is_terminal(sys.stdin):
        text = ""
    else:
        text = "\n".join([*([argument_text(" ".join(given))] if given else []), read_stdin("the task")])
    if not text.strip():
        raise click.UsageError('There is no task: give it as an argument, "What is 37 * 412?", or pipe it in.')
    return text
