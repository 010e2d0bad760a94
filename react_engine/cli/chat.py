"""``react-engine chat``: a plain conversation with commands behind a slash."""

from __future__ import annotations

import sys
from contextlib import suppress
from textwrap import indent
from typing import Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.input import text_of
from react_engine.cli.options import engine_options, make_engine
from react_engine.cli.output import is_terminal, note, nothing_else_on_stdout, say
from react_engine.errors import ReactEngineError, nearest

_HELP = """/path auto|native|prompt   how tools are offered from the next turn on
/model NAME                another model, same conversation
/tools                     the tools on offer
/history                   what was said
/reset                     forget the conversation
/help                      this list
/quit                      end"""
_COMMANDS = tuple(line.split()[0].removeprefix("/") for line in _HELP.splitlines())


@click.command("chat", epilog="\b\nCommands:\n" + indent(_HELP, "  "))
@engine_options
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
def command(quiet: bool, **options: Any) -> int:
    """Talk with a model that has tools.

    Each line is a turn. Ctrl-C interrupts a turn, Ctrl-D ends. Lines can be piped in; the exit code is then that of
    the last turn.
    """
    chat = _Chat(options, quiet)
    at_terminal = is_terminal(sys.stdin)
    if at_terminal:
        note(f"{chat.engine.profile.name} with {len(chat.engine.registry)} tools. /help lists the commands.")
    try:
        while (line := _read_line(at_terminal)) is not None:
            if line.startswith("/"):
                if chat.command(line) == "quit":
                    break
            elif line.strip():
                chat.say(line)
    finally:
        chat.engine.close()
    return exit_codes.OK if at_terminal else chat.code


def _read_line(at_terminal: bool) -> str | None:
    """The next line, None at the end of the input."""
    if not at_terminal:
        if sys.stdin is None:
            return None
        data = sys.stdin.buffer.readline()
        return text_of(data, "standard input").rstrip("\r\n") if data else None
    with suppress(ImportError):
        import readline  # noqa: F401 - gives ``input`` line editing and history
    while True:
        try:
            if is_terminal(sys.stdout):
                return input("> ")
            note("> ", end="")  # with stdout elsewhere, ``input`` would write its prompt there
            return input()
        except EOFError:
            note()
            return None
        except KeyboardInterrupt:
            note("\nCtrl-D or /quit ends.")


class _Chat:
    """The conversation and what it is held with. ``code`` is the exit code of the last turn."""

    def __init__(self, options: dict[str, Any], quiet: bool) -> None:
        self.options = options
        with nothing_else_on_stdout():
            self.engine = make_engine(options)
        self.session = self.engine.session()
        self.quiet = quiet
        self.code = exit_codes.OK
        self._commands = {
            "help": lambda _: say(_HELP), "tools": self._tools, "history": self._history, "reset": self._reset,
            "path": self._path, "model": self._model,
        }  # fmt: skip

    def say(self, text: str) -> None:
        """One turn."""
        from react_engine.cli.live import LiveView

        view = LiveView(quiet=self.quiet, stream=is_terminal(sys.stdout))
        try:
            with nothing_else_on_stdout():
                run = self.session.run(text, path=self.options.get("path"), listener=view)
        except KeyboardInterrupt:
            if not is_terminal(sys.stdin):
                raise
            note("Interrupted; the conversation stands as before.")
            return
        except ReactEngineError as error:
            note(f"Error: {error}")
            self.code = exit_codes.of_error(error)
            return
        view.answer(run)
        view.ended(run)
        self.code = exit_codes.BY_END[run.end]

    def command(self, line: str) -> str | None:
        """Carry out a slash command. Gives ``"quit"`` when the conversation ends."""
        name, _, argument = line[1:].strip().partition(" ")
        if name in ("quit", "exit", "q"):
            return "quit"
        action = self._commands.get(name)
        if action is None:
            note(f"There is no command /{name}.{nearest(name, _COMMANDS)} /help lists them.")
        else:
            action(argument.strip())
        return None

    def _tools(self, _: str) -> None:
        from react_engine.cli.tools import listed

        for tool in self.engine.registry:
            say(listed(tool))
        if not len(self.engine.registry):
            note("There are no tools: --toolbox and --tools name some.")

    def _history(self, _: str) -> None:
        from react_engine.cli.live import call_line, result_line

        for message in self.session.transcript:
            for call in message.calls:
                say(call_line(call))
            for result in message.results:
                say(result_line(result))
            if message.text:
                say(f"{message.role}: {message.text}")

    def _reset(self, _: str) -> None:
        self.session = self.engine.session()
        note("The conversation is forgotten.")

    def _path(self, argument: str) -> None:
        if argument not in ("auto", "native", "prompt"):
            note(f"The path is {self.options.get('path') or self.engine.path}; say /path auto, native or prompt.")
            return
        self.options["path"] = argument
        note(f"From the next turn on: {argument}.")

    def _model(self, argument: str) -> None:
        if not argument:
            note(f"The model is {self.engine.profile.name}.")
            return
        try:
            with nothing_else_on_stdout():
                engine = make_engine({**self.options, "model": argument})
        except ReactEngineError as error:
            note(f"Error: {error}")
            return
        self.engine.close()
        self.engine, self.options["model"] = engine, argument
        self.session = engine.session(self.session.transcript)
        note(f"From the next turn on: {engine.profile.name}.")
