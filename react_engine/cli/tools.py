"""``react-engine tools``: tools as people and models see them."""

from __future__ import annotations

import json
from typing import Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, load_registry, load_settings, tool_options


@click.group("tools")
def command() -> None:
    """List and show tools and their schemas."""


@command.command("list")
@config_option
@tool_options
@click.option("--available", is_flag=True, help="List the toolboxes that can be named instead.")
def list_(available: bool, **options: Any) -> int:
    """The tools that the settings and options name."""
    if available:
        from react_engine.toolbox import available as toolboxes

        for name, description in toolboxes().items():
            click.echo(f"{name}: {description}")
        return exit_codes.OK
    for tool in load_registry(load_settings(options)):
        mark = " (asks first)" if tool.options.asks_first else ""
        summary = tool.description.splitlines()[0] if tool.description else ""
        click.echo(f"{tool.name}{mark}: {summary}")
    return exit_codes.OK


@command.command("show")
@click.argument("name")
@config_option
@tool_options
def show(name: str, **options: Any) -> int:
    """The tool NAME: what it does, its parameters and how it may be run."""
    from dataclasses import asdict

    from react_engine.tools.schema import signature

    tool = load_registry(load_settings(options)).get(name)
    described = signature(tool)
    click.echo(f"{tool.name}: {tool.description}")
    for row in described.arguments:
        required = "required" if row.required else "optional"
        click.echo(f"  {row.name}: {row.type} ({required}) {row.description}".rstrip())
    for option, value in asdict(tool.options).items():
        click.echo(f"  [{option}] {value}")
    return exit_codes.OK


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
)
@click.option("--strict", is_flag=True, help="With strict schemas where the shape has them.")
def schema(names: tuple[str, ...], shape: str, strict: bool, **options: Any) -> int:
    """The schemas of all tools, or of those NAMED, in a provider's shape."""
    from react_engine.tools.schema import anthropic_tool, openai_tool, responses_tool

    registry = load_registry(load_settings(options))
    tools = list(registry.select(names=names)) if names else list(registry)
    if shape == "prompt":
        from react_engine.templates import Templates
        from react_engine.tools.schema import signature

        click.echo(Templates().tools([signature(tool) for tool in tools]))
        return exit_codes.OK
    shapes = {
        "openai": lambda tool: openai_tool(tool, strict=strict),
        "responses": lambda tool: responses_tool(tool, strict=strict),
        "anthropic": anthropic_tool,
    }
    click.echo(json.dumps([shapes[shape](tool) for tool in tools], ensure_ascii=False, indent=2))
    return exit_codes.OK
