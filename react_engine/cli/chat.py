"""``react-engine chat``: a plain conversation with commands behind a slash."""

from __future__ import annotations

import sys
from typing import Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import engine_options, make_engine
from react_engine.errors import ReactEngineError
from react_engine.types import EndState

_HELP = """/path auto|native|prompt   how tools are offered from the next turn on
/model NAME                another model, same conversation
/tools                     the tools on offer
/history                   what was said
/reset                     forget the conversation
/help                      this list
/quit                      end"""


@click.command("chat")
@engine_options
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
def command(quiet: bool, **options: Any) -> int:
    """Talk with a model that has tools. /help lists the commands."""
    chat = _Chat(options, quiet)
    click.echo(f"{chat.engine.profile.name} with {len(chat.engine.registry)} tools. /help lists commands.", err=True)
    while True:
        try:
            line = _read_line()
        except (EOFError, KeyboardInterrupt):
            click.echo("", err=True)
            return exit_codes.OK
        if line.startswith("/"):
            if chat.command(line) == "quit":
                return exit_codes.OK
        elif line.strip():
            chat.say(line)


def _read_line() -> str:
    if sys.stdin.isatty():
        try:
            import readline  # noqa: F401 - editing and history for input()
        except ImportError:
            pass
        return input("> ")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


class _Chat:
    """The conversation and what it is held with."""

    def __init__(self, options: dict[str, Any], quiet: bool) -> None:
        self.options = options
        self.engine, _ = make_engine(options)
        self.session = self.engine.session()
        self.path: str | None = None
        self.quiet = quiet

    def say(self, text: str) -> None:
        """One turn."""
        from react_engine.cli.live import LiveView

        try:
            run = self.session.run(text, path=self.path, listener=LiveView(quiet=self.quiet))
        except KeyboardInterrupt:
            click.echo("Interrupted; the conversation stands as before.", err=True)
            return
        if run.answer is not None:
            click.echo(run.answer)
        if run.end is not EndState.ANSWERED:
            click.echo(f"{run.end}: {run.message}", err=True)

    def command(self, line: str) -> str | None:
        """Carry out a slash command. Gives ``"quit"`` when the conversation ends."""
        name, _, argument = line[1:].strip().partition(" ")
        argument = argument.strip()
        actions = {
            "help": lambda: click.echo(_HELP), "tools": self._tools, "history": self._history, "reset": self._reset,
            "path": lambda: self._path(argument), "model": lambda: self._model(argument),
        }  # fmt: skip
        if name in ("quit", "exit", "q"):
            return "quit"
        action = actions.get(name)
        if action is None:
            click.echo(f"There is no command /{name}. /help lists them.", err=True)
        else:
            action()
        return None

    def _tools(self) -> None:
        for tool in self.engine.registry:
            click.echo(f"{tool.name}: {tool.description.splitlines()[0] if tool.description else ''}")

    def _history(self) -> None:
        for message in self.session.transcript:
            for call in message.calls:
                click.echo(f"call: {call.name} {call.arguments}")
            for result in message.results:
                click.echo(f"result: {result.text}")
            if message.text:
                click.echo(f"{message.role}: {message.text}")

    def _reset(self) -> None:
        self.session = self.engine.session()
        click.echo("The conversation is forgotten.", err=True)

    def _path(self, argument: str) -> None:
        if argument not in ("auto", "native", "prompt"):
            click.echo(f"The path is {self.path or self.engine.path}; say /path auto, native or prompt.", err=True)
            return
        self.path = argument
        click.echo(f"From the next turn on: {argument}.", err=True)

    def _model(self, argument: str) -> None:
        if not argument:
            click.echo(f"The model is {self.engine.profile.name}.", err=True)
            return
        try:
            engine, _ = make_engine({**self.options, "model": argument})
        except ReactEngineError as error:
            click.echo(f"Error: {error}", err=True)
            return
        self.engine.close()
        self.engine = engine
        self.session = engine.session(self.session.transcript)
        click.echo(f"From the next turn on: {engine.profile.name}.", err=True)
