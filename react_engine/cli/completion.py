"""``react-engine completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from react_engine.cli import exit_codes


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script for SHELL; put it into the shell's start file.

    \b
    bash: react-engine completion bash >> ~/.bashrc
    zsh:  react-engine completion zsh >> ~/.zshrc
    fish: react-engine completion fish > ~/.config/fish/completions/react-engine.fish
    """
    from react_engine.cli.main import cli

    completion = get_completion_class(shell)
    if completion is None:
        raise click.ClickException(f"There is no completion for {shell}.")
    click.echo(completion(cli, {}, "react-engine", "_REACT_ENGINE_COMPLETE").source())
    return exit_codes.OK
