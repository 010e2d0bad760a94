"""The root command. Subcommands are imported when they are used, so that ``--help`` is quick."""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from typing import Any

import click

from react_engine import __version__
from react_engine.cli import exit_codes
from react_engine.errors import ConfigurationError, ModelError, ReactEngineError

_COMMANDS = {
    "run": ("react_engine.cli.run", "Run one task and print the answer."),
    "chat": ("react_engine.cli.chat", "Talk with a model that has tools."),
    "parse": ("react_engine.cli.parse", "Read a model's reply and show what it says."),
    "models": ("react_engine.cli.models", "List, show and fetch models."),
    "tools": ("react_engine.cli.tools", "List and show tools and their schemas."),
    "init": ("react_engine.cli.init", "Write a commented react-engine.toml."),
    "completion": ("react_engine.cli.completion", "Print the completion script for a shell."),
}


class _Root(click.Group):
    """Commands by name, loaded on demand; errors of the engine as a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in _COMMANDS.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run and give the exit code."""
        kwargs["standalone_mode"] = False
        try:
            return super().main(*args, **kwargs)
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except click.Abort:
            click.echo("Interrupted.", err=True)
            return exit_codes.INTERRUPTED
        except BrokenPipeError:
            _close_stdout()
            return exit_codes.OK
        except ReactEngineError as error:
            click.echo(f"Error: {error}", err=True)
            return _code_of(error)


def _code_of(error: ReactEngineError) -> int:
    if isinstance(error, ConfigurationError):
        return exit_codes.CONFIGURATION
    return exit_codes.MODEL if isinstance(error, ModelError) else exit_codes.FAILED


def _close_stdout() -> None:
    """Whoever read our output has gone; keep the interpreter from complaining at exit."""
    with contextlib.suppress(OSError):
        sys.stdout.close()


@click.group(cls=_Root, epilog=exit_codes.HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="react-engine")
def cli() -> None:
    """Any chat model uses tools: natively where it can, through a prompt where it cannot."""
