"""``react-engine init``."""

from __future__ import annotations

from pathlib import Path

import click

from react_engine.cli import exit_codes
from react_engine.cli.output import note, say
from react_engine.errors import ConfigurationError


@click.command("init")
@click.argument("path", default="react-engine.toml", type=click.Path())
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(path: str, force: bool) -> int:
    """Write a commented react-engine.toml with every setting and its default. PATH may be -, for stdout."""
    from react_engine.settings_file import template

    if path == "-":
        say(template().rstrip("\n"))
        return exit_codes.OK
    try:
        with Path(path).open("w" if force else "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError as error:
        raise ConfigurationError(f"{path} is already there; --force overwrites it.") from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from error
    note(f"Wrote {path}.")
    return exit_codes.OK
