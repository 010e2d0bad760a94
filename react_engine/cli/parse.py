"""``react-engine parse``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import tool_options
from react_engine.errors import ConfigurationError
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.serialization import as_data

if TYPE_CHECKING:
    from react_engine.parsers.explain import Mark
    from react_engine.types import Reading


@click.command("parse")
@click.argument("text", required=False)
@click.option("--file", "-f", "file", type=click.Path(exists=True, dir_okay=False), help="Read the reply from a file.")
@tool_options
@click.option("--tools-json", type=click.Path(exists=True, dir_okay=False), help="Tools as a JSON list of definitions.")
@click.option("--dialect", default="auto", show_default=True, help="The text format, if it is known.")
@click.option("--finish-reason", help="Why the reply ended; 'length' means that it was cut.")
@click.option("--json", "as_json", is_flag=True, help="Print the reading as JSON.")
def command(
    text: str | None,
    file: str | None,
    load: tuple[str, ...],
    toolbox: str | None,
    tools_json: str | None,
    dialect: str,
    finish_reason: str | None,
    as_json: bool,
) -> int:
    """Read a model's reply (TEXT, a file, or stdin) and show calls, answer, tolerances and problems.

    Without tools any well-formed call is shown under its own name.
    """
    raw = _raw(text, file)
    reading = read(raw, ToolIndex(_tools(load, toolbox, tools_json)), dialect, finish_reason=finish_reason)
    if as_json:
        click.echo(json.dumps(as_data(reading), ensure_ascii=False, indent=2))
    else:
        _show(raw, reading)
    return exit_codes.OK if reading.calls or reading.answer is not None else exit_codes.UNREADABLE


def _raw(text: str | None, file: str | None) -> str:
    if text is not None and file is not None:
        raise ConfigurationError("Give the reply either as an argument or with --file, not both.")
    if file is not None:
        return Path(file).read_bytes().decode("utf-8", "replace")
    if text is not None and text != "-":
        return text
    return click.get_binary_stream("stdin").read().decode("utf-8", "replace")


def _tools(load: tuple[str, ...], toolbox: str | None, tools_json: str | None) -> list[Any]:
    tools: list[Any] = []
    if toolbox:
        from react_engine.toolbox import make_all

        tools.extend(make_all(toolbox))
    if load:
        from react_engine.tools.loading import load_tools

        tools.extend(tool for spec in load for tool in load_tools(spec))
    if tools_json:
        tools.extend(_from_json(tools_json))
    return tools


def _from_json(path: str) -> list[Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is no valid JSON: {error}.") from error
    if isinstance(found, dict):
        found = found.get("tools", [found])
    if not isinstance(found, list):
        raise ConfigurationError(f"{path}: expected a list of tool definitions, found {type(found).__name__}.")
    return found


_STYLES = {"call": "bold cyan", "tolerance": "green", "lossy": "yellow", "problem": "red", "invented": "strike magenta"}


def _show(raw: str, reading: Reading) -> None:
    from react_engine.parsers.explain import explain, marks, summary

    stdout = click.get_text_stream("stdout")
    if not stdout.isatty():
        click.echo(explain(raw, reading))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    coloured = Text(raw)
    for mark in marks(raw, reading):
        coloured.stylize(_STYLES[mark.kind], mark.span.start, mark.span.end)
    console.print(coloured)
    console.print()
    legend = Text()
    for mark in _one_of_each(marks(raw, reading)):
        legend.append(f" {mark.label} ", style=_STYLES[mark.kind]).append(" ")
    console.print(legend)
    console.print(Text("\n".join(summary(raw, reading))))


def _one_of_each(found: list[Mark]) -> list[Mark]:
    return list({mark.label: mark for mark in found}.values())
