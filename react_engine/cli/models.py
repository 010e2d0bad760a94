"""``react-engine models``: the capability table, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, filled, load_settings, model_names
from react_engine.cli.output import say, say_json

if TYPE_CHECKING:
    from react_engine.models.listing import Listed
    from react_engine.models.table import CapabilityTable


@click.group("models")
def command() -> None:
    """List, show and fetch models."""


def _table(config: str | None) -> CapabilityTable:
    from react_engine.models.table import table_for

    return table_for(load_settings({"config": config}))


@command.command("list")
@config_option
@click.option("--all", "everything", is_flag=True, help="Also the families and servers that the shipped table knows.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_(config: str | None, everything: bool, as_json: bool) -> int:
    """The models of the settings and those that run here; with --all whatever the table knows."""
    from react_engine.models.listing import list_models

    found = [item for item in list_models(_table(config)) if everything or item.kind in ("config", "local")]
    if as_json:
        say_json(found)
    else:
        for line in _aligned([("NAME", "PATH", "DIALECT", "KIND", "NOTE"), *map(_row, found)]):
            say(line)
    return exit_codes.OK


def _row(item: Listed) -> tuple[str, ...]:
    path = {True: "native", False: "prompt", None: "-"}[item.function_calling]
    here = {True: "here: ", False: f"{round((item.size or 0) / 1e6)} MB to fetch: ", None: ""}[item.here]
    return item.name, path, item.dialect or "-", item.kind, here + item.note


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns below each other. A name of unusual length moves only its own row."""
    widths = [min(max(map(len, column)), 40) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


@command.command("show")
@click.argument("name", **filled(model_names))
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def show(name: str, config: str | None, as_json: bool) -> int:
    """The record of the model NAME, and who decided each field."""
    from react_engine.models.table import explain

    profile = _table(config).profile(name)
    rows = explain(profile)
    if as_json:
        say_json({field: {"value": value, "source": str(source)} for field, value, source in rows})
        return exit_codes.OK
    say(f"{profile.name}: {'native' if profile.function_calling is True else 'prompt'} path")
    for line in _aligned([(field, _shown(value), str(source)) for field, value, source in rows]):
        say(f"  {line}")
    return exit_codes.OK


@command.command("pull")
@click.argument("name", **filled(model_names))
@click.option("--check", is_flag=True, help="Verify a file that is already here again.")
def pull(name: str, check: bool) -> int:
    """Fetch the weights of the local model NAME into the user's cache and print where they are."""
    from react_engine.models import weights

    say(str(weights.ensure(name, check=check)))
    return exit_codes.OK


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or value in ("", (), {}):
        return "-"
    if isinstance(value, tuple):
        return ", ".join(" ".join(item) if isinstance(item, tuple) else str(item) for item in value)
    return str(value)
