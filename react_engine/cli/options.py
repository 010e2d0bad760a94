"""Options that several commands share, and the engine that they describe."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.engine import Engine
    from react_engine.settings import Settings
    from react_engine.tools.registry import Registry
    from react_engine.tools.tool import Tool
    from react_engine.types import ToolCall

F = TypeVar("F", bound=Callable[..., Any])

_CONFIG = click.option("--config", type=click.Path(dir_okay=False), help="The react-engine.toml to read.")
_TOOLS = (
    click.option(
        "--tools", "load", multiple=True, metavar="SPEC", help="Your tools: module:object or file.py. Repeatable."
    ),
    click.option("--toolbox", help="Shipped tools, such as calculator,clock,files:DIR."),
)
_MODEL = (
    click.option("--model", "-m", help="The model: local/NAME, local/PATH.gguf, ollama/NAME, or any litellm name."),
    click.option("--path", type=click.Choice(["auto", "native", "prompt"]), help="How tools are offered."),
    click.option("--dialect", help="The text format of calls on the prompt path."),
    click.option("--language", type=click.Choice(["en", "zh"]), help="Language of the prompts."),
    click.option("--api-base", help="Address of the model's server."),
    click.option("--instructions", "-i", default="", help="System text of your own."),
)
_LIMITS = (
    click.option("--max-steps", type=click.IntRange(1), help="Limit of steps."),
    click.option("--max-calls", type=click.IntRange(1), help="Limit of tool calls."),
    click.option("--max-tokens", type=click.IntRange(1), help="Limit of tokens of one reply."),
    click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Limit of seconds for the run."),
    click.option("--max-money", type=click.FloatRange(0, min_open=True), help="Limit of US dollars for the run."),
    click.option("--temperature", type=click.FloatRange(0, 2), help="Sampling temperature."),
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


def load_settings(options: dict[str, Any]) -> Settings:
    """The settings, with the command's options as arguments."""
    from react_engine.settings import Settings

    names = {
        "model": "model", "path": "path", "dialect": "dialect", "language": "language", "max_steps": "limits.steps",
        "max_calls": "limits.calls", "max_seconds": "limits.seconds", "max_money": "limits.money",
        "max_tokens": "sampling.max_tokens", "temperature": "sampling.temperature",
    }  # fmt: skip
    overrides = {key: options[name] for name, key in names.items() if options.get(name) is not None}
    if options.get("toolbox"):
        overrides["tools.toolbox"] = [item for item in options["toolbox"].split(",") if item]
    if options.get("load"):
        overrides["tools.load"] = list(options["load"])
    if options.get("yes"):
        overrides["tools.confirm"] = "allow"
    return Settings.load(options.get("config"), overrides=overrides)


def load_registry(settings: Settings) -> Registry:
    """The tools that the settings name."""
    from react_engine.toolbox import make_all
    from react_engine.tools.loading import load_tools
    from react_engine.tools.registry import Registry

    return Registry(
        [*make_all(settings.tools.toolbox), *(tool for spec in settings.tools.load for tool in load_tools(spec))]
    )


def make_engine(options: dict[str, Any]) -> tuple[Engine, Settings]:
    """The engine that settings and options describe."""
    from react_engine.engine import Engine

    settings = load_settings(options)
    registry = load_registry(settings)
    profile = {"api_base": options["api_base"]} if options.get("api_base") else None
    confirm = {"allow": lambda *_: True, "deny": None, "ask": ask}[settings.tools.confirm]
    engine = Engine.from_settings(
        settings, registry, instructions=options.get("instructions") or "", confirm=confirm, profile=profile
    )
    return engine, settings


def ask(call: ToolCall, tool: Tool) -> bool | str:
    """Ask the person at the terminal whether a call may run."""
    import json

    if not click.get_text_stream("stdin").isatty():
        return f"nobody is there to confirm {tool.name}; --yes allows it"
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    shown = arguments if len(arguments) <= 800 else arguments[:797] + "..."
    click.echo(f"\n{tool.name} has side effects and would run with {shown}", err=True)
    return click.confirm("Run it?", default=False, err=True)


def require_task(words: tuple[str, ...]) -> str:
    """The task from the arguments, or from stdin when it is piped in or ``-``."""
    stdin = click.get_text_stream("stdin")
    text = " ".join(words)
    if text == "-" or (not text and not stdin.isatty()):
        text = stdin.read()
    if not text.strip():
        raise ConfigurationError("There is no task: give it as an argument, or pipe it in.")
    return text
