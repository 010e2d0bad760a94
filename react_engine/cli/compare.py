"""``react-engine compare``: the same tasks on each path and in each dialect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, filled, load_settings, model_names
from react_engine.cli.output import is_terminal, note, say, say_json

if TYPE_CHECKING:
    from react_engine.compare.records import Record
    from react_engine.compare.runner import Plan
    from react_engine.models.table import CapabilityTable
    from react_engine.settings import Settings
    from react_engine.types import PathName


def _names(known: tuple[str, ...]) -> Any:
    def split(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        for name in names:
            if name not in known:
                raise click.BadParameter(f"expected some of {', '.join(known)}, found {name!r}.")
        if not names:
            raise click.BadParameter(f"expected some of {', '.join(known)}, found nothing.")
        return names

    return split


@click.command("compare", epilog=exit_codes.HELP)
@click.argument("models", nargs=-1, required=True, **filled(model_names))
@click.option("--suite", "suites", multiple=True, metavar="NAME|FILE", help="choice, steps, or a file. Repeatable.")
@click.option("--paths", default="native,prompt", callback=_names(("native", "prompt")), help="Paths to compare.")
@click.option(
    "--dialects",
    default="react,own",
    metavar="NAMES",
    help="With commas: react, react-zh, react-schema, json, own (the model's), any that prompts can ask for.",
)
@click.option(
    "--constraint", default="on,off", callback=_names(("on", "off")), help="With constrained decoding, without, both."
)
@click.option("--gate", default="on", callback=_names(("on", "off")), help="With the gate of the table, without, both.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="So many tasks of each suite, spread over it.")
@click.option("--jobs", type=click.IntRange(1), default=1, metavar="N", help="Tasks at once (1).")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="comparison",
    help="Folder of the report; goes on where it ended.",
)
@click.option("--write", is_flag=True, help="Let the capability table say what did best.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@config_option
def command(models: tuple[str, ...], **options: Any) -> int:
    """Run the same tasks with MODELS on each path and in each dialect, and print how each did.

    What is finished stands in the folder of the report: a comparison that was interrupted goes on where it ended.
    """
    import asyncio

    from react_engine.compare.keeping import keep
    from react_engine.compare.report import write_report
    from react_engine.compare.summary import rows, winner
    from react_engine.models.table import table_for

    settings = load_settings({"config": options["config"]})
    table = table_for(settings)
    plan = _plan(models, options, table)
    folder = Path(options["out"])
    with _Bar(plan) as bar:
        records = asyncio.run(_run(plan, settings, folder, bar))
    found = rows(records)
    files = write_report(records, folder)
    kept = {}
    for model in models if options["write"] else ():
        best = winner(found, model)
        if best is not None:
            kept[model] = {"variant": best.variant.label, "fields": keep(best, table)}
    if options["as_json"]:
        say_json({"rows": found, "written": kept, "files": [str(file) for file in files]})
    else:
        from react_engine.compare.tables import markdown

        say(markdown(found, records))
        for model, told in kept.items():
            say(f"{model}: {told['variant']} did best, and the table says so now (react-engine models show {model}).")
    note(f"The report is in {folder / 'report.html'}.")
    return exit_codes.OK


def _plan(models: tuple[str, ...], options: dict[str, Any], table: CapabilityTable) -> Plan:
    from react_engine.compare.runner import Plan
    from react_engine.compare.variants import variants
    from react_engine.suites import load_suite, shipped_suites

    dialects = tuple(name.strip() for name in options["dialects"].split(",") if name.strip())
    wanted = tuple(
        variants(
            tuple(dict.fromkeys(models)),
            cast("tuple[PathName, ...]", options["paths"]),
            dialects,
            tuple(word == "on" for word in options["constraint"]),
            tuple(word == "on" for word in options["gate"]),
            profile_of=table.profile,
        )
    )
    if not wanted:
        raise click.UsageError(
            "Nothing is left to compare: json needs --constraint on, other forms need --constraint off where the server takes no grammar."
        )
    suites = tuple(load_suite(name) for name in options["suites"] or shipped_suites())
    return Plan(wanted, suites, options["limit"], options["jobs"])


async def _run(plan: Plan, settings: Settings, folder: Path, bar: _Bar) -> list[Record]:
    from react_engine.compare.runner import run_plan

    return await run_plan(plan, settings, folder, bar.told)


class _Bar:
    """The progress on stderr: a bar at a terminal, a line for each variant elsewhere."""

    def __init__(self, plan: Plan) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._live = is_terminal(sys.stderr)
        self._size = plan.size
        self._last = ""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), disable=not self._live)
        self._task = self._progress.add_task("compare", total=plan.size)
        self._done = self._right = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def told(self, variant: Any, suite: Any, record: Record | None) -> None:
        """A task is finished."""
        self._done += 1
        title = f"{variant.model} {variant.label}, {suite.name}"
        self._right = (self._right if title == self._last else 0) + (record is not None and record.done)
        self._progress.update(self._task, advance=1, description=f"{title}: {self._right} right")
        if not self._live and title != self._last:
            note(f"{title} ({self._done} of {self._size})")
        self._last = title
