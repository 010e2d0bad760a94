"""``react-engine init``."""

from __future__ import annotations

from pathlib import Path

import click

from react_engine.cli import exit_codes
from react_engine.errors import ConfigurationError


@click.command("init")
@click.argument("path", default="react-engine.toml", type=click.Path(dir_okay=False))
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(path: str, force: bool) -> int:
    """Write a commented react-engine.toml with every setting and its default."""
    from react_engine.settings_file import template

    target = Path(path)
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError as error:
        raise ConfigurationError(f"{target} is already there; --force overwrites it.") from error
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}.") from error
    click.echo(f"Wrote {target}.", err=True)
    return exit_codes.OK
