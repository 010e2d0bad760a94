"""``react-engine models``: the capability table, for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, filled, load_settings, model_names
from react_engine.cli.output import aligned, note, say, say_json

if TYPE_CHECKING:
    from react_engine.models.listing import Listed
    from react_engine.models.table import CapabilityTable
    from react_engine.probe.probing import Probe


@click.group("models")
def command() -> None:
    """List, show and fetch models, measure them, forget what was learned."""


def learned_names() -> list[str]:
    """The models of which something was learned or measured."""
    from react_engine.models.facts import FactStore

    return list(FactStore().names())


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
        for line in aligned([("NAME", "PATH", "DIALECT", "KIND", "NOTE"), *map(_row, found)]):
            say(line)
    return exit_codes.OK


def _row(item: Listed) -> tuple[str, ...]:
    path = {True: "native", False: "prompt", None: "-"}[item.function_calling]
    here = {True: "here: ", False: f"{round((item.size or 0) / 1e6)} MB to fetch: ", None: ""}[item.here]
    return item.name, path, item.dialect or "-", item.kind, here + item.note


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
    for line in aligned([(field, _shown(value), str(source)) for field, value, source in rows]):
        say(f"  {line}")
    return exit_codes.OK


@command.command("probe")
@click.argument("name", **filled(model_names))
@config_option
@click.option("--verbose", is_flag=True, help="Show the raw replies as well.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--gate", "gate_too", is_flag=True, help="Calibrate the gate (call or not) as well: 60 short requests.")
@click.option("--dry-run", is_flag=True, help="Do not write the record.")
def probe(name: str, config: str | None, verbose: bool, as_json: bool, gate_too: bool, dry_run: bool) -> int:
    """Measure what the model NAME can do, on each path, and let the capability table say so.

    Eight small scenarios: the right one of two tools and of twenty, two calls in one reply, a stream, a forced call,
    quotes and line breaks in arguments, an answer from a result, and no call where none is needed.
    """
    import asyncio

    from react_engine.models import open_model
    from react_engine.probe.calibration import Asked, Calibration, calibrate, gate_field
    from react_engine.probe.probing import Finding
    from react_engine.probe.probing import probe as probed
    from react_engine.settings import Settings

    table = _table(config)
    profile = table.profile(name)

    def told(finding: Finding) -> None:
        note(f"{finding.way}, {finding.scenario}: {finding.outcome}")

    async def ask() -> tuple[Probe, Calibration | None]:
        model = open_model(profile, Settings.load(config))
        try:
            findings = await probed(model, profile, told)
            return findings, await calibrate(model, profile, asked) if gate_too else None
        finally:
            await model.aclose()

    def asked(item: Asked) -> None:
        note(f"gate, {'a tool' if item.needs else 'no tool'}: {item.chance:.2g} {item.ask}")

    found, calibration = asyncio.run(ask())
    if gate_too:
        found = replace(found, record={**found.record, "gate": gate_field(calibration)})
    for field, (value, reason) in found.record.items() if not dry_run else ():
        table.remember(name, field, value, reason, "probe", profile.api_base)
    if as_json:
        say_json({"probe": found, "gate": calibration} if gate_too else found)
        return exit_codes.OK
    for line in aligned(list(_probe_rows(found))):
        say(line)
    for field, (value, reason) in found.record.items():
        say(f"{field} = {_shown(value)}: {reason}")
    for finding in found.findings if verbose else ():
        say(f"\n--- {finding.way}, {finding.scenario}: {finding.outcome} ({finding.seconds:.1f} s)\n{finding.raw}")
    return exit_codes.OK


def _probe_rows(found: Probe) -> Iterator[tuple[str, ...]]:
    from react_engine.probe.scenarios import SCENARIOS

    yield ("", *(way.upper() for way in found.ways))
    for scenario in SCENARIOS:
        outcomes = {finding.way: finding.outcome for finding in found.findings if finding.scenario == scenario.name}
        yield (scenario.about, *(outcomes.get(way, "-") for way in found.ways))


@command.command("forget")
@click.argument("name", required=False, **filled(learned_names))
@click.option("--all", "everything", is_flag=True, help="What was learned of every model.")
@config_option
def forget(name: str | None, everything: bool, config: str | None) -> int:
    """Forget what runs learned of the model NAME and probes measured; the next run finds it out again."""
    if everything == (name is not None):
        raise click.UsageError("Name a model, or give --all; not both.")
    count = _table(config).forget(None if everything else name)
    say(f"{count} {'fact' if count == 1 else 'facts'} forgotten.")
    if not count and name is not None and (known := learned_names()):
        note(f"Something is known of: {', '.join(known)}.")
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
