"""``react-engine tools``: tools as people and models see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, load_registry, load_settings, tool_options
from react_engine.cli.output import note, nothing_else_on_stdout, say, say_json

if TYPE_CHECKING:
    from react_engine.tools.registry import Registry
    from react_engine.tools.tool import Tool


@click.group("tools")
def command() -> None:
    """List and show tools and their schemas."""


def listed(tool: Tool) -> str:
    """A tool in one line."""
    mark = " (asks first)" if tool.options.asks_first else ""
    return f"{tool.name}{mark}: {tool.description.strip().partition(chr(10))[0]}"


def _registry(options: dict[str, Any]) -> Registry:
    """The tools that options and settings name; where there are none the user is told how to name some."""
    with nothing_else_on_stdout():
        registry = load_registry(load_settings(options))
    if not len(registry):
        note("No tools are named. --toolbox and --tools name some; tools list --available lists the toolboxes.")
    return registry


@command.command("list")
@config_option
@tool_options
@click.option("--available", is_flag=True, help="List the toolboxes that can be named instead.")
def list_(available: bool, **options: Any) -> int:
    """The tools that the settings and options name."""
    if available:
        from react_engine.toolbox import available as toolboxes

        for name, description in toolboxes().items():
            say(f"{name}: {description}")
        return exit_codes.OK
    for tool in _registry(options):
        say(listed(tool))
    return exit_codes.OK


@command.command("show")
@click.argument("name")
@config_option
@tool_options
def show(name: str, **options: Any) -> int:
    """The tool NAME: what it does, its parameters and how it may be run."""
    from dataclasses import fields

    from react_engine.tools.schema import signature

    tool = _registry(options).get(name)
    say(f"{tool.name}: {tool.description}")
    for row in signature(tool).arguments:
        required = "required" if row.required else "optional"
        say(f"  {row.name}: {row.type} ({required}) {row.description}".rstrip())
    options_in_force = {item.name: getattr(tool.options, item.name) for item in fields(tool.options)} | {
        "confirm": tool.options.asks_first,
        "allow_lossy": tool.options.takes_lossy,
        "retries": tool.options.attempts - 1,
    }
    for option, value in options_in_force.items():
        say(f"  [{option}] {_shown(value)}")
    return exit_codes.OK


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, frozenset)):
        return ", ".join(sorted(item.__name__ if isinstance(item, type) else str(item) for item in value)) or "-"
    return "-" if value is None else str(value)


@command.command("schema")
@click.argument("names", nargs=-1)
@config_option
@tool_options
@click.option(
    "--format",
    "shape",
    type=click.Choice(["openai", "responses", "anthropic", "prompt"]),
    default="openai",
    show_default=True,
    help="Whose shape.",
)
@click.option("--strict", is_flag=True, help="With strict schemas where the shape has them.")
def schema(names: tuple[str, ...], shape: str, strict: bool, **options: Any) -> int:
    """The schemas of all tools, or of the NAMES, in a provider's shape or as the prompt has them."""
    from react_engine.tools.schema import anthropic_tool, openai_tool, responses_tool, signature

    registry = _registry(options)
    tools = [registry.get(name) for name in names] if names else list(registry)
    if shape == "prompt":
        from react_engine.templates import Templates

        say(Templates().tools([signature(tool) for tool in tools]))
        return exit_codes.OK
    if shape == "anthropic":
        say_json([anthropic_tool(tool) for tool in tools])
    else:
        shaped = openai_tool if shape == "openai" else responses_tool
        say_json([shaped(tool, strict=strict) for tool in tools])
    return exit_codes.OK
