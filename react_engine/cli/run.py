"""``react-engine run``."""

from __future__ import annotations

import json
from typing import Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import engine_options, make_engine, require_task
from react_engine.events import Event, RunEnded
from react_engine.types import Run


@click.command("run", epilog=exit_codes.HELP)
@click.argument("task", nargs=-1)
@engine_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole run as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option("--show-prompt", is_flag=True, help="Print the messages of the first request and stop.")
def command(task: tuple[str, ...], as_json: bool, quiet: bool, show_prompt: bool, **options: Any) -> int:
    """Run TASK and print the answer.

    The answer goes to stdout, the steps to stderr. The exit code says how the run ended.
    """
    text = require_task(task)
    engine, _ = make_engine(options)
    if show_prompt:
        for message in engine.prompt(text):
            click.echo(f"--- {message['role']}\n{message['content']}")
        return exit_codes.OK
    from react_engine.cli.live import LiveView

    run = _run(engine, text, LiveView(quiet=quiet))
    if as_json:
        from react_engine.serialization import run_data

        click.echo(json.dumps(run_data(run), ensure_ascii=False, indent=2))
    elif run.answer is not None:
        click.echo(run.answer)
    if not run.ok:
        click.echo(f"{run.end}: {run.message}", err=True)
    return exit_codes.BY_END[run.end]


def _run(engine: Any, text: str, view: Any) -> Run:
    """The run; an interrupt ends it as cancelled, with the steps so far."""
    ended: list[Run] = []

    def listen(event: Event) -> None:
        if isinstance(event, RunEnded):
            ended.append(event.run)
        view(event)

    try:
        run: Run = engine.run(text, listener=listen)
        return run
    except KeyboardInterrupt:
        if ended:
            return ended[0]
        raise click.Abort from None
