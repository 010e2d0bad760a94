"""The help texts in ``docs/cli.md``: ``python -m tests.cli.help_texts`` writes them anew, a test holds that they are current."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from react_engine.cli import cli

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
_BLOCK = re.compile(r"(<!-- help: (?P<command>[^>]+) -->\n```text\n)(?P<text>.*?)(\n```\n)", re.DOTALL)


def commands(group: click.Group = cli, name: str = "react-engine") -> Iterator[tuple[str, click.Command]]:
    """Every command by its full name, the root first."""
    yield name, group
    context = click.Context(group, info_name=name)
    for child in group.list_commands(context):
        command = group.get_command(context, child)
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {child}")
        elif command is not None:
            yield f"{name} {child}", command


def help_text(name: str, command: click.Command) -> str:
    """What ``--help`` prints at 80 columns."""
    settings = {**cli.context_settings, **command.context_settings}
    text = command.get_help(click.Context(command, info_name=name, terminal_width=80, **settings))
    return "\n".join(line.rstrip() for line in text.splitlines())


def shown(page: str) -> dict[str, str]:
    """The help texts on a page, by command."""
    return {match["command"]: match["text"] for match in _BLOCK.finditer(page)}


def renewed(page: str) -> str:
    """The page with every help text as it is now."""
    current = {name: help_text(name, command) for name, command in commands()}
    return _BLOCK.sub(lambda match: f"{match[1]}{current[match['command']]}{match[4]}", page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
