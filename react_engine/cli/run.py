"""``react-engine run``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.input import read_task
from react_engine.cli.options import engine_options, make_engine
from react_engine.cli.output import is_terminal, nothing_else_on_stdout, say, say_json

if TYPE_CHECKING:
    from react_engine.cli.live import LiveView
    from react_engine.engine import Engine
    from react_engine.runs import Run


@click.command("run", epilog=exit_codes.HELP)
@click.argument("task", nargs=-1)
@engine_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole run as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option("--show-prompt", is_flag=True, help="Print the first request instead of sending it.")
def command(task: tuple[str, ...], as_json: bool, quiet: bool, show_prompt: bool, **options: Any) -> int:
    """Run TASK and print the answer.

    The answer goes to stdout, the steps to stderr, and so does what tools print. Without TASK, or with a last word
    of -, the task is read from stdin. The exit code says how the run ended.
    """
    text = read_task(task)
    with nothing_else_on_stdout():
        engine = make_engine(options)
    if show_prompt:
        return _show_prompt(engine, text, as_json)
    from react_engine.cli.live import LiveView

    view = LiveView(quiet=quiet, stream=is_terminal(sys.stdout) and not as_json)
    with closing(engine), nothing_else_on_stdout():
        run = _run(engine, text, view)
    if as_json:
        from react_engine.serialization import run_data

        say_json(run_data(run))
    else:
        view.answer(run)
    view.ended(run)
    return exit_codes.BY_END[run.end]


def _run(engine: Engine, text: str, view: LiveView) -> Run:
    """The run; an interrupt ends it as cancelled, with the steps so far."""
    from react_engine.events import Event, RunEnded

    ended: list[Run] = []

    def listen(event: Event) -> None:
        if isinstance(event, RunEnded):
            ended.append(event.run)
        view(event)

    try:
        return engine.run(text, listener=listen)
    except KeyboardInterrupt:
        if ended:
            return ended[0]
        raise


def _show_prompt(engine: Engine, text: str, as_json: bool) -> int:
    messages = engine.prompt(text)
    tools = _native_tools(engine)
    if as_json:
        say_json({"messages": messages, **({"tools": tools} if tools else {})})
        return exit_codes.OK
    for message in messages:
        say(f"--- {message['role']}\n{_content(message)}")
    if tools:
        say(f"--- tools\n{json.dumps(tools, ensure_ascii=False, indent=2)}")
    return exit_codes.OK


def _native_tools(engine: Engine) -> list[Any]:
    """What goes beside the messages on the native path."""
    native = engine.profile.function_calling is True if engine.path == "auto" else engine.path == "native"
    if not native:
        return []
    from react_engine.tools.schema import openai_tool

    return [openai_tool(tool, strict=engine.profile.strict) for tool in engine.registry]


def _content(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
