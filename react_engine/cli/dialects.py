"""``react-engine dialects``: the text formats of calls, for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, dialect_names, filled, load_settings
from react_engine.cli.output import aligned, say, say_json

if TYPE_CHECKING:
    from react_engine.parsers.dialects import Dialect
    from react_engine.templates.dialect import DialectTemplates


@click.group("dialects")
def command() -> None:
    """List and show the text formats of calls."""


@command.command("list")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_(config: str | None, as_json: bool) -> int:
    """Every dialect that replies are read in, and whether a prompt can ask for it."""
    from react_engine.parsers.dialects import DIALECTS, added_records

    load_settings({"config": config})
    own = {record.name for record in added_records()}
    rows = [_row(DIALECTS[name], name in own) for name in sorted(DIALECTS)]
    if as_json:
        say_json(rows)
    else:
        for line in aligned(
            [("NAME", "FRAME", "ARGUMENTS", "PROMPT", "CALLS", "BY"), *(tuple(row.values()) for row in rows)]
        ):
            say(line)
    return exit_codes.OK


def _row(dialect: Dialect, own: bool) -> dict[str, str]:
    template = dialect.template or ""
    several = dialect.writing is None or dialect.writing.parallel
    return {
        "name": dialect.name,
        "frame": dialect.frame,
        "arguments": "own" if "{" in template else template or "-",
        "prompt": "yes" if dialect.taught else "no",
        "calls": "several" if several else "one",
        "by": "you" if own else "shipped",
    }


@command.command("show")
@click.argument("name", **filled(dialect_names))
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def show(name: str, config: str | None, as_json: bool) -> int:
    """The record of the dialect NAME, a call and a result as a prompt writes them, and the stop words."""
    from react_engine.parsers.dialects import dialect_named

    load_settings({"config": config})
    dialect = dialect_named(name)
    written = _written(dialect)
    if as_json:
        say_json(
            {**asdict(dialect), "example": written and asdict(written.example), "stop_words": written and written.stop}
        )
        return exit_codes.OK
    say(f"{dialect.name}: {'prompts ask for it' if dialect.taught else 'read, but no prompt asks for it'}")
    for line in aligned(list(_fields(dialect))):
        say(f"  {line}")
    if written is not None:
        for title, text in (
            ("call", written.example.call),
            ("calls", written.example.calls),
            ("result", written.example.observation),
            ("answer", written.example.answer),
            ("stop words", "\n".join(map(repr, written.stop)) or "none"),
        ):
            say(f"\n{title}:\n{_indented(text)}")
    return exit_codes.OK


def _written(dialect: Dialect) -> DialectTemplates | None:
    from react_engine.templates import Templates
    from react_engine.templates.dialect import DialectTemplates

    return DialectTemplates(Templates(), dialect) if dialect.writing is not None else None


def _fields(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """What the record says, a line for each field that is not as by default."""
    for record, prefix in ((dialect, ""), (dialect.tags, "tags."), (dialect.writing, "writing.")):
        for field in fields(record) if record is not None else ():
            value = getattr(record, field.name)
            if value != field.default and field.name not in ("name", "tags", "writing"):
                yield prefix + field.name, _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "  ".join(" … ".join(item) if isinstance(item, tuple) else repr(item) for item in value)
    return value if isinstance(value, str) and value.isprintable() and value.strip() == value else repr(value)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))
