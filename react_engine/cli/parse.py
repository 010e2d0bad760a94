"""``react-engine parse``."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.input import argument_text, read_file, read_stdin
from react_engine.cli.options import config_option, filled, load_settings, tool_options, toolbox_specs
from react_engine.cli.output import is_terminal, nothing_else_on_stdout, say, say_json
from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.parsers.index import ToolIndex
    from react_engine.types import Reading


def _dialects() -> list[str]:
    from react_engine.parsers.dialects import DIALECTS, FAMILIES

    return ["auto", *DIALECTS, *FAMILIES]


@click.command("parse")
@click.argument("text", required=False)
@click.option("--file", "-f", "file", type=click.Path(), metavar="FILE", help="Read the reply from a file.")
@tool_options
@click.option("--tools-json", type=click.Path(), metavar="FILE", help="Tools as a JSON list of definitions.")
@click.option(
    "--dialect",
    **filled(_dialects),
    metavar="NAME",
    default="auto",
    show_default=True,
    help="The text format, if it is known.",
)
@click.option(
    "--strictness",
    type=click.Choice(["strict", "tolerant", "lenient"]),
    default="tolerant",
    show_default=True,
    help="strict: only the trained form; lenient: what cannot be read is repaired by guessing.",
)
@config_option
@click.option("--finish-reason", metavar="WORD", help="Why the reply ended; 'length' means that it was cut.")
@click.option("--json", "as_json", is_flag=True, help="Print the reading as JSON.")
def command(
    text: str | None,
    file: str | None,
    dialect: str,
    strictness: str,
    config: str | None,
    finish_reason: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Read a model's reply (TEXT, a file, or stdin) and show calls, answer, tolerances and problems.

    Without tools a call behind a label or marker is shown under its own name; an object counts only if it names a
    tool. The exit code is 12 when there is neither call nor answer.
    """
    from react_engine.parsers.index import ToolIndex
    from react_engine.parsers.reader import read

    load_settings({"config": config})  # its dialects are read as well
    raw = _raw(text, file)
    with nothing_else_on_stdout():
        index = ToolIndex(_tools(**options))
    reading = read(raw, index, dialect, strictness, finish_reason=finish_reason)
    if as_json:
        say_json(reading)
    else:
        _show(raw, reading, index)
    return exit_codes.OK if reading.calls or reading.answer is not None else exit_codes.UNREADABLE


def _raw(text: str | None, file: str | None) -> str:
    if text is not None and file is not None:
        raise click.UsageError("Give the reply either as an argument or with --file, not both.")
    if file not in (None, "-"):
        return read_file(str(file))
    if text not in (None, "-"):
        return argument_text(str(text))
    return read_stdin("the model's reply")


def _tools(load: tuple[str, ...], toolbox: str | None, tools_json: str | None) -> list[Any]:
    tools: list[Any] = []
    if toolbox:
        from react_engine.toolbox import make_all

        tools.extend(make_all(toolbox_specs(toolbox)))
    if load:
        from react_engine.tools.loading import load_tools

        tools.extend(tool for spec in load for tool in load_tools(spec))
    if tools_json:
        tools.extend(_from_json(tools_json))
    return tools


def _from_json(path: str) -> list[Any]:
    try:
        found = json.loads(read_file(path))
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"{path}, line {error.lineno}, column {error.colno}: no valid JSON, {error.msg}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}.") from error
    if isinstance(found, dict):
        found = found.get("tools", [found])
    if not isinstance(found, list):
        raise ConfigurationError(f"{path}: expected a list of tool definitions, found {type(found).__name__}.")
    return found


_STYLES = {
    "call": "bold cyan",
    "tolerance": "green",
    "lossy": "yellow",
    "problem": "bold red",
    "invented": "strike magenta",
}


def _show(raw: str, reading: Reading, index: ToolIndex) -> None:
    """The reading for people; with colours on a terminal, the same without elsewhere."""
    from react_engine.parsers import explain

    if not is_terminal(sys.stdout):
        say(explain.explain(raw, reading, index))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    for row in explain.rows(raw, explain.marks(reading), shutil.get_terminal_size().columns - 8):
        text = Text(row.text)
        for start, end, kind in row.styles:
            text.stylize(_STYLES[kind], start, end)
        console.print(Text.assemble((f"{row.number or '':4} │ ", "dim"), text))
    console.print()
    for line in explain.summary(raw, reading, index):
        head, colon, rest = line.partition(":")
        console.print(Text.assemble((head + colon, "bold"), rest))
