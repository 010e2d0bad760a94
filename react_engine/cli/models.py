"""``react-engine models``: the capability table, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option

if TYPE_CHECKING:
    from react_engine.models.table import CapabilityTable


@click.group("models")
def command() -> None:
    """List, show and fetch models."""


def _table(config: str | None) -> CapabilityTable:
    from react_engine.models.table import table_for
    from react_engine.settings import Settings

    return table_for(Settings.load(config))


@command.command("list")
@config_option
@click.option("--all", "everything", is_flag=True, help="Also the families and servers that the shipped table knows.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_(config: str | None, everything: bool, as_json: bool) -> int:
    """The models of the settings and those that run here; with --all whatever the table knows."""
    from react_engine.models.listing import list_models

    listed = [item for item in list_models(_table(config)) if everything or item.kind in ("config", "local")]
    if as_json:
        _echo_json(listed)
        return exit_codes.OK
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("name", "path", "dialect", "kind"):
        table.add_column(heading, no_wrap=True)
    table.add_column("note", overflow="fold")
    for item in listed:
        path = {True: "native", False: "prompt", None: ""}[item.function_calling]
        here = {True: "here: ", False: f"{round((item.size or 0) / 1e6)} MB to fetch: ", None: ""}[item.here]
        table.add_row(item.name, path, item.dialect or "", item.kind, here + item.note)
    Console(soft_wrap=False).print(table)
    return exit_codes.OK


@command.command("show")
@click.argument("name")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def show(name: str, config: str | None, as_json: bool) -> int:
    """The record of the model NAME, and who decided each field."""
    from react_engine.models.table import explain

    profile = _table(config).profile(name)
    rows = explain(profile)
    if as_json:
        _echo_json({field: {"value": value, "source": str(source)} for field, value, source in rows})
        return exit_codes.OK
    click.echo(f"{profile.name}: {'native' if profile.function_calling is True else 'prompt'} path")
    width = max(len(field) for field, _, _ in rows)
    for field, value, source in rows:
        click.echo(f"  {field:{width}}  {_shown(value):28}  {source}")
    return exit_codes.OK


@command.command("pull")
@click.argument("name")
@click.option("--check", is_flag=True, help="Verify a file that is already here again.")
def pull(name: str, check: bool) -> int:
    """Fetch the weights of a local model into the user's cache."""
    from react_engine.models import weights

    path = weights.ensure(name, check=check)
    click.echo(str(path))
    return exit_codes.OK


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or value in ("", (), {}):
        return "-"
    return str(value)


def _echo_json(value: Any) -> None:
    import json

    from react_engine.serialization import as_data

    click.echo(json.dumps(as_data(value), ensure_ascii=False, indent=2))
