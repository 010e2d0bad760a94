"""``react-engine fuzz``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.input import read_file
from react_engine.cli.options import filled
from react_engine.cli.output import is_terminal, note, nothing_else_on_stdout, say, say_json
from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.fuzz.cases import Case
    from react_engine.fuzz.run import Plan
    from react_engine.fuzz.summary import Results, Side
    from react_engine.fuzz.tally import Tally

_SIDE_BY_SIDE = 2000
_LENGTHS = (1_000, 10_000, 30_000)


def _dialects() -> list[str]:
    from react_engine.fuzz.forms import FORMS

    return list(FORMS)


def _mutators() -> list[str]:
    from react_engine.fuzz.mutators import MUTATORS
    from react_engine.fuzz.no_call import KINDS

    return [*MUTATORS, *KINDS]


def _libraries() -> list[str]:
    from react_engine.fuzz.peers.libraries import LIBRARIES

    return ["all", *LIBRARIES]


_FILE = click.Path(dir_okay=False)


@click.command("fuzz")
@click.option("--n", "replies", type=click.IntRange(1), metavar="N", help="Replies (10,000 unless --time is given).")
@click.option("--seed", type=int, default=0, show_default=True, help="One seed, one set of replies.")
@click.option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Processes (one for each core).")
@click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), metavar="S", help="Stop after so long.")
@click.option("--dialect", "dialects", **filled(_dialects), multiple=True, metavar="NAME", help="Only this dialect.")
@click.option("--mutator", "mutators", **filled(_mutators), multiple=True, metavar="NAME", help="Only this damage.")
@click.option("--parser", default="", metavar="SPEC", help="Fuzz module:function or file.py:function, not the reader.")
@click.option("--against", **filled(_libraries), metavar="NAMES", help="Other libraries beside it, or all of them.")
@click.option("--against-n", type=click.IntRange(1), metavar="N", help="Replies for those (2,000, or --n if less).")
@click.option("--corpus", type=_FILE, metavar="FILE", help="Read the replies of a JSONL file in place of random ones.")
@click.option("--replay", type=_FILE, metavar="FILE", help="Read saved failures again.")
@click.option("--save", type=_FILE, metavar="FILE", help="Where failures are saved, as JSONL.")
@click.option("--report", type=_FILE, metavar="FILE", help="Write a page with tables and plots.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--least", type=click.FloatRange(0, 100), metavar="PERCENT", help="Fail if less is recovered.")
@click.option("--list", "listing", is_flag=True, help="List the mutators and the kinds of replies without a call.")
def command(listing: bool, corpus: str | None, replay: str | None, **options: Any) -> int:
    """Write random calls in every dialect, damage them, read them, and count what came out.

    The exit code is 13 when there was a crash, a wrong or an invented call, or a contract that does not hold; with
    --replay and --corpus, when any reply was not read as it should be.
    """
    if listing:
        _list()
        return exit_codes.OK
    if corpus and replay:
        raise click.UsageError("Give either --corpus or --replay, not both.")
    if options["report"]:
        _can_plot()
    with nothing_else_on_stdout():
        given = corpus or replay
        results = _from_file(given, **options) if given else _random(**options)
        _saved(results, options["save"], always=bool(options["save"]))
        if options["report"]:
            from react_engine.fuzz.report import write_report

            write_report(results, Path(options["report"]))
            note(f"The report is in {options['report']}.")
    if options["as_json"]:
        from react_engine.fuzz.summary import as_data

        say_json(as_data(results))
    else:
        _show(results)
    return _exit_code(results, options["least"], strict=bool(given))


def _random(
    *, replies: int | None, seconds: float | None, jobs: int | None, seed: int, dialects: tuple[str, ...],
    mutators: tuple[str, ...], parser: str, against: str | None, against_n: int | None, report: str | None, **_: Any,
) -> Results:  # fmt: skip
    from react_engine.fuzz import growth
    from react_engine.fuzz.parsers import parser_of
    from react_engine.fuzz.peers.libraries import chosen
    from react_engine.fuzz.run import Plan, default_jobs, run
    from react_engine.fuzz.summary import Results

    _known("dialect", dialects, _dialects())
    _known("mutator", mutators, _mutators())
    libraries = chosen(against) if against else ()
    total = replies or (None if seconds else 10_000)
    one = parser_of(parser)
    plan = Plan(seed, total, seconds, jobs or default_jobs(), parser, dialects, mutators)
    with _progress(total, parser or "reader") as told:
        ended = run(plan, told)
    shapes = {**growth.ORDINARY, **growth.WORST}
    lengths = _LENGTHS if (total or _SIDE_BY_SIDE) >= 1000 else _LENGTHS[:2]
    curves = growth.curves(one, shapes.items(), lengths, 2.0) if report else []
    number = against_n or min(_SIDE_BY_SIDE, total or _SIDE_BY_SIDE)
    sides = [_beside(library, plan, number, bool(report)) for library in libraries]
    return Results(plan, ended.tally, ended.seconds, curves, sides, parser or "react-engine reader")


def _beside(library: Any, plan: Plan, number: int, curves: bool) -> Side:
    """A library on the first replies of the run, and on as many of the dialects that it reads."""
    from react_engine.fuzz import growth
    from react_engine.fuzz.cases import make_case
    from react_engine.fuzz.parsers import own
    from react_engine.fuzz.peers.environments import NotInstalled
    from react_engine.fuzz.peers.libraries import Beside
    from react_engine.fuzz.run import run_cases
    from react_engine.fuzz.summary import Side

    try:
        beside = Beside(library)
    except NotInstalled as error:
        raise ConfigurationError(f"Could not install {error}") from error
    with beside:
        versions = ", ".join(f"{name} {version}" for name, version in beside.versions.items())
        note(f"{library.name}: {versions}")
        everything = [make_case(plan.seed, n, plan.dialects, plan.mutators) for n in range(number)]
        claimed = [make_case(plan.seed, n, library.reads, plan.mutators) for n in range(number)]
        with _progress(3 * number, library.name) as told:
            tallies = [
                run_cases(everything, beside, told),
                run_cases(claimed, beside, told),
                run_cases(claimed, own, told),
            ]
        shapes = [*growth.WORST.items(), ("react, long value", growth.ORDINARY["react, long value"])]
        grown = growth.curves(beside, shapes, _LENGTHS, 5.0) if curves else []
        return Side(library.name, beside.versions, tallies[0], library.reads, tallies[1], tallies[2], grown)


def _from_file(path: str, *, parser: str, seed: int, **_: Any) -> Results:
    from react_engine.fuzz.parsers import parser_of
    from react_engine.fuzz.run import Plan, run_cases
    from react_engine.fuzz.summary import Results

    cases = list(_cases(path))
    with _progress(len(cases), path) as told:
        tally = run_cases(cases, parser_of(parser), told)
    return Results(Plan(seed, len(cases), parser=parser), tally, tally.seconds, title=f"{parser or 'reader'} on {path}")


def _cases(path: str) -> Iterator[Case]:
    """The replies of a file: a text or an object on each line. Raises ConfigurationError with the line that is neither."""
    from react_engine.fuzz.cases import case_from

    for number, line in enumerate(read_file(path).splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            found = json.loads(line)
            yield case_from({"text": found} if isinstance(found, str) else found, where)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{where}: no valid JSON, {error}.") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(
                f"{where}: expected a text, or an object with 'text' and maybe 'tools' and 'expect'; {error!r}."
            ) from error


def _known(what: str, names: tuple[str, ...], known: list[str]) -> None:
    from difflib import get_close_matches

    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=3)
            advice = f" Did you mean {' or '.join(close)}?" if close else " See --list."
            raise click.UsageError(f"There is no {what} {name!r}.{advice}")


def _can_plot() -> None:
    from react_engine.fuzz.plots import figure

    figure(1, 1)


@contextmanager
def _progress(total: int | None, name: str) -> Iterator[Callable[[Tally], None]]:
    """A bar with live counts, where somebody looks at it."""
    if not is_terminal(sys.stderr):
        yield lambda _tally: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=total, counts="")
        before = 0

        def told(tally: Tally) -> None:
            nonlocal before
            progress.update(task, completed=before + tally.total, counts=_counts(tally))

        yield told


def _counts(tally: Tally) -> str:
    from react_engine.fuzz.summary import figures

    data = figures(tally)
    names = ("missed", "partial", "wrong", "invented", "crash", "broken", "timeout")
    counts = " ".join(f"{name} {data[name]}" for name in names if data[name])
    return f"recovered {data['recovered_percent']} % {counts}"


def _saved(results: Results, save: str | None, *, always: bool) -> None:
    from react_engine.folders import state_folder

    if not (results.tally.failures or always):
        return
    file = Path(save) if save else state_folder() / "fuzz" / f"seed-{results.plan.seed}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(failure.as_json()) for failure in results.tally.failures)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    note(f"{len(results.tally.failures)} failures are saved in {file}; --replay reads them again.")


def _show(results: Results) -> None:
    from react_engine.fuzz.table import table

    for line in table(results):
        say(line)


def _list() -> None:
    from react_engine.fuzz.mutators import MUTATORS
    from react_engine.fuzz.no_call import KINDS

    for name, mutator in sorted(MUTATORS.items()):
        say(f"{name:34} {mutator.survival:8} {mutator.describes}")
    for name, make in sorted(KINDS.items()):
        say(f"{name:34} no call  {make.__doc__}")


def _exit_code(results: Results, least: float | None, *, strict: bool) -> int:
    from react_engine.fuzz.judge import FAILURES, WORST
    from react_engine.fuzz.summary import figures

    if results.tally.count(*(FAILURES if strict else WORST)):
        return exit_codes.FUZZ
    share = figures(results.tally)["recovered_percent"]
    return exit_codes.FUZZ if least is not None and share is not None and share < least else exit_codes.OK
