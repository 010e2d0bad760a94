"""Options that several commands share, and the engine that they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from react_engine.cli.output import note
from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.engine import Engine
    from react_engine.settings import Settings
    from react_engine.tools.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])


def filled(names: Callable[[], Iterable[str]] | None = None) -> dict[str, Any]:
    """What makes an option or argument take a text that is not blank; ``names`` gives what shells complete it with."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            known = list(names()) if names is not None else []
        except (ConfigurationError, OSError):  # settings that cannot be read complete nothing
            return []
        return [CompletionItem(name) for name in known if name.startswith(incomplete)]

    return {"callback": _not_blank, "shell_complete": complete}


def _not_blank(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    for given in value if isinstance(value, tuple) else (value,):
        if given is not None and not given.strip():
            raise click.BadParameter("expected a text, found a blank one.")
    return value


def model_names() -> list[str]:
    """The user's own models and those that run here."""
    from react_engine.models.listing import list_models
    from react_engine.models.table import table_for
    from react_engine.settings import Settings

    listed = list_models(table_for(Settings.load()))
    return [item.name for item in listed if item.kind in ("config", "local") and not set(item.name) & set("*?[")]


def dialect_names() -> list[str]:
    """The dialects that can be named: those that the reader knows, the user's own, and those that the table names."""
    from react_engine.models.shipped import shipped
    from react_engine.parsers.dialects import DIALECTS, FAMILIES

    return sorted({*DIALECTS, *FAMILIES, *(family.fields["dialect"] for family in shipped().families)})


def _toolbox_names() -> list[str]:
    from react_engine.toolbox import available

    return list(available())


_CONFIG = click.option("--config", type=click.Path(), metavar="FILE", help="The react-engine.toml to read.")
_TOOLS = (
    click.option(
        "--tools",
        "load",
        **filled(),
        multiple=True,
        metavar="SPEC",
        help="Your tools: module:object or file.py. Repeatable.",
    ),
    click.option(
        "--toolbox",
        **filled(_toolbox_names),
        metavar="NAMES",
        help="Shipped tools, such as calculator,clock,files:DIR.",
    ),
)
_MODEL = (
    click.option(
        "--model",
        "-m",
        **filled(model_names),
        metavar="NAME",
        help="The model: local/NAME, local/PATH.gguf, ollama/NAME, or any name that litellm knows.",
    ),
    click.option("--path", type=click.Choice(["auto", "native", "prompt"]), help="How tools are offered."),
    click.option(
        "--dialect",
        **filled(dialect_names),
        metavar="NAME",
        help="The text format of calls on the prompt path.",
    ),
    click.option(
        "--constraint",
        type=click.Choice(["auto", "on", "off", "gbnf", "json_schema", "structured_outputs"]),
        help="Constrained decoding on the prompt path.",
    ),
    click.option("--language", type=click.Choice(["en", "zh"]), help="Language of the prompts."),
    click.option("--api-base", metavar="URL", **filled(), help="Address of the model's server."),
    click.option("--instructions", "-i", default="", metavar="TEXT", help="System text of your own."),
)
_LIMITS = (
    click.option("--max-steps", type=click.IntRange(1), metavar="N", help="Limit of steps (10 unless set)."),
    click.option("--max-calls", type=click.IntRange(1), metavar="N", help="Limit of tool calls (20 unless set)."),
    click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Limit of tokens of one reply."),
    click.option("--max-seconds", type=float, metavar="X", help="Limit of seconds for a run."),
    click.option("--max-money", type=float, metavar="X", help="Limit of US dollars for a run."),
    click.option("--temperature", type=float, metavar="X", help="Sampling temperature."),
    click.option("--yes", "-y", is_flag=True, help="Allow tools with side effects without asking."),
)


def config_option(function: F) -> F:
    """``--config``."""
    return _CONFIG(function)


def tool_options(function: F) -> F:
    """``--tools`` and ``--toolbox``."""
    return _stacked(function, _TOOLS)


def engine_options(function: F) -> F:
    """Everything that makes an engine."""
    return config_option(_stacked(function, (*_MODEL, *_TOOLS, *_LIMITS)))


def _stacked(function: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


_SETTINGS = {
    "model": "model", "path": "path", "dialect": "dialect", "language": "language", "max_steps": "limits.steps",
    "max_calls": "limits.calls", "max_seconds": "limits.seconds", "max_money": "limits.money",
    "max_tokens": "sampling.max_tokens", "temperature": "sampling.temperature",
}  # fmt: skip


def load_settings(options: dict[str, Any]) -> Settings:
    """The settings, with the command's options as arguments."""
    from react_engine.settings import Settings

    overrides: dict[str, Any] = {key: options[name] for name, key in _SETTINGS.items() if options.get(name) is not None}
    if options.get("toolbox"):
        overrides["tools.toolbox"] = toolbox_specs(options["toolbox"])
    if options.get("load"):
        overrides["tools.load"] = list(dict.fromkeys(options["load"]))
    if options.get("yes"):
        overrides["tools.confirm"] = "allow"
    try:
        settings = Settings.load(options.get("config"), overrides=overrides)
    except FileNotFoundError as error:  # not the settings file, for which there is an error of its own
        raise ConfigurationError("The current folder does not exist any more: change to one that does.") from error
    settings.teach_dialects()
    _check_dialects(settings)
    return settings


def toolbox_specs(names: str) -> list[str]:
    """The toolboxes in a list with commas, each once. Raises ``click.BadParameter`` when there are none."""
    specs = list(dict.fromkeys(spec.strip() for spec in names.split(",") if spec.strip()))
    if not specs:
        raise click.BadParameter(f"expected names such as calculator,clock, found {names!r}.", param_hint="'--toolbox'")
    return specs


def _check_dialects(settings: Settings) -> None:
    """Raise ``ConfigurationError`` for a dialect that nobody knows, with its place and the nearest names."""
    from react_engine.config import where_of

    named: list[tuple[tuple[str, ...], str | None]] = [(("dialect",), settings.dialect)]
    named += [(("models", record.pattern, "dialect"), record.fields.get("dialect")) for record in settings.models]
    for place, dialect in named:
        if dialect is not None and dialect not in (known := dialect_names()):
            close = get_close_matches(dialect, known, n=3, cutoff=0.7)
            advice = f"Did you mean {' or '.join(close)}?" if close else f"Known are: {', '.join(known)}."
            where = where_of(settings.source_of(".".join(place)), place)
            raise ConfigurationError(f"{where}: there is no dialect named {dialect!r}. {advice}")


def _note_unwritten(settings: Settings) -> None:
    """Tell the user that a dialect of their choice is one that prompts are not written in."""
    from react_engine.parsers.dialects import DIALECTS, FAMILIES

    if settings.dialect is None:
        return
    dialect = DIALECTS.get(FAMILIES.get(settings.dialect, settings.dialect))
    if dialect is None or not dialect.taught:
        note(f"Note: there are no prompts in the dialect {settings.dialect}: react is asked for.")


def load_registry(settings: Settings) -> Registry:
    """The tools that the settings name."""
    from react_engine.toolbox import make_all
    from react_engine.tools.loading import load_tools
    from react_engine.tools.registry import Registry

    return Registry(
        [*make_all(settings.tools.toolbox), *(tool for spec in settings.tools.load for tool in load_tools(spec))]
    )


def make_engine(options: dict[str, Any]) -> Engine:
    """The engine that settings and options describe."""
    from react_engine.cli.confirmation import confirmation
    from react_engine.config import where_of
    from react_engine.engine import Engine

    settings = load_settings(options)
    if not settings.model.strip():
        raise ConfigurationError(
            f"{where_of(settings.source_of('model'), ('model',))}: expected a model's name, found nothing."
        )
    _note_unwritten(settings)
    registry = load_registry(settings)
    profile = {name: options[name] for name in ("api_base", "constraint") if options.get(name)}
    engine = Engine.from_settings(
        settings,
        registry,
        instructions=options.get("instructions") or "",
        confirm=confirmation(settings.tools.confirm),
        profile=profile,
    )
    if "api_base" in profile and engine.profile.client == "local":
        raise ConfigurationError(
            f"{engine.profile.name} runs in this process and has no server. Name the model that runs at "
            f"{options['api_base']} with --model."
        )
    return engine
