"""``react-engine serve``: any model behind OpenAI's and Anthropic's APIs, by litellm's own proxy."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from react_engine.cli import exit_codes
from react_engine.cli.options import config_option, filled, load_settings, model_names
from react_engine.cli.output import note
from react_engine.errors import ConfigurationError


@click.command("serve")
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    **filled(model_names),
    metavar="NAME",
    help="A model to serve. Repeatable.",
)
@config_option
@click.option(
    "--proxy-config",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A config of litellm's proxy, with models named react/NAME in it.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=4000, show_default=True, type=click.IntRange(0, 65535), help="0 is a free one.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 256), help="Processes.")
@click.option("--path", type=click.Choice(["auto", "native", "prompt"]), help="How tools are offered.")
@click.option(
    "--max-body", default=20.0, show_default=True, type=click.FloatRange(0.001), metavar="MB", help="Limit of a body."
)
def command(
    models: tuple[str, ...],
    proxy_config: str | None,
    host: str,
    port: int,
    workers: int,
    max_body: float,
    **options: Any,
) -> int:
    """Serve models with tools: /v1/chat/completions, /v1/responses, /v1/messages, /v1/models.

    Without --model: the model of the settings, the other models in them, and those that run on this machine. The
    key is that of LITELLM_MASTER_KEY; without one a key is made and printed. Needs react-engine[serve].
    """
    from react_engine.server.setup import MEGABYTE, Options, prepare, require_proxy, served_names, write_config

    if (options.get("config") or "").endswith((".yaml", ".yml")):
        raise click.BadParameter("a config of litellm's proxy goes to --proxy-config.", param_hint="'--config'")
    if models and proxy_config:
        raise click.UsageError("--model and --proxy-config: the models stand in the proxy's config.")
    require_proxy()
    from react_engine.server.running import listen, run

    settings = load_settings({**options, "model": models[0] if models else None})
    _for_workers(settings.file, options.get("path"))
    names = [] if proxy_config else served_names(settings, models)
    _check(names, workers)
    with tempfile.TemporaryDirectory(prefix="react-engine-") as folder, listen(host, port) as listening:
        file = Path(proxy_config).absolute() if proxy_config else write_config(names, Path(folder))
        place = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/v1"
        what = f"{len(names)} model{'s' * (len(names) != 1)}" if names else f"the models of {proxy_config}"
        told = f"Serving {what} at {place}" if workers == 1 else ""
        one_key = not proxy_config and not os.environ.get("DATABASE_URL")
        key = prepare(file, Options(int(max_body * MEGABYTE), told, one_key))
        if key is not None:
            note(f"Key (made for this run; LITELLM_MASTER_KEY sets one of your own): {key}")
        note(f"Starting {workers} workers at {place}" if workers > 1 else f"Starting at {place}")
        run(listening, workers)
    return exit_codes.OK


def _for_workers(file: Path | None, path: str | None) -> None:
    """Workers are processes of their own: they read the settings again, from the same file."""
    if file is not None:
        os.environ["REACT_ENGINE_CONFIG"] = str(file.absolute())
    if path is not None:
        os.environ["REACT_ENGINE_PATH"] = path


def _check(names: list[str], workers: int) -> None:
    """Refuse names that no request could be answered for."""
    from react_engine.models.catalogue import find

    local = [name for name in names if name.startswith("local/")]
    for name in local:
        if not name.lower().endswith(".gguf"):
            find(name)
        elif not Path(name.removeprefix("local/")).expanduser().is_file():
            raise ConfigurationError(f"There is no file {name.removeprefix('local/')!r} to serve as {name}.")
    if local and workers > 1:
        note(f"Note: each worker loads a copy of its own of {', '.join(local)} when it is asked for it.")
