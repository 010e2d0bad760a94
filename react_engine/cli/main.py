"""The root command. Subcommands are imported when they are used, so that ``--help`` is quick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from react_engine import __version__
from react_engine.cli import exit_codes
from react_engine.cli.output import abandon_stdout, note, prepare, warnings_in_words
from react_engine.errors import ReactEngineError

COMMANDS = {
    "run": "Run one task and print the answer.",
    "chat": "Talk with a model that has tools.",
    "serve": "Serve models with tools over HTTP.",
    "parse": "Read a model's reply and show what it says.",
    "fuzz": "Fuzz the reader, or a parser of yours.",
    "models": "List, show, fetch and measure models.",
    "dialects": "List and show the text formats of calls.",
    "compare": "The same tasks on each path and in each dialect.",
    "tools": "List and show tools and their schemas.",
    "init": "Write a commented react-engine.toml.",
    "completion": "Print the completion script for a shell.",
}


class _Root(click.Group):
    """Commands by name, loaded on demand; errors as a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"react_engine.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> int:  # type: ignore[override]
        """Run a command and give its exit code. Nothing is raised for a mistake of the user."""
        prepare()
        try:
            return super().main(args, prog_name or "react-engine", **{**extra, "standalone_mode": False}) or 0
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            note("Interrupted.")
            return exit_codes.INTERRUPTED
        except ReactEngineError as error:
            note(f"Error: {error}")
            return exit_codes.of_error(error)
        except OSError as error:
            note(f"Error: {error}")
            return exit_codes.FAILED

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the arguments, and print help where that is asked for."""
        with _quiet_at_closed_pipe():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _quiet_at_closed_pipe(), warnings_in_words():
            return super().invoke(ctx)


@contextmanager
def _quiet_at_closed_pipe() -> Iterator[None]:
    """End quietly when nobody reads the output any more; click itself would take that for a failure."""
    try:
        yield
    except BrokenPipeError:
        abandon_stdout()
        raise click.exceptions.Exit(exit_codes.PIPE_CLOSED) from None


@click.group(
    "react-engine", cls=_Root, epilog=exit_codes.HELP, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, package_name="react-engine")
def cli() -> None:
    """Any chat model uses tools: natively where it can, through a prompt where it cannot."""
