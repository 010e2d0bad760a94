"""What the proxy needs to know before it starts: its models, its key, and that it asks nobody outside."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError
from react_engine.provider import PREFIX

if TYPE_CHECKING:
    from react_engine.settings import Settings

KEY_VARIABLE = "LITELLM_MASTER_KEY"
OPTIONS_VARIABLE = "_REACT_ENGINE_SERVER"  # read by the workers, which are processes of their own
CONFIG_FILE = "CONFIG_FILE_PATH"  # litellm's name for it
MEGABYTE = 1_000_000

# litellm fetches each of these over the network at start unless told not to, and reports its use.
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_AUTOROUTER_PRESETS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_TELEMETRY_DISABLED": "True",
    "DISABLE_ADMIN_UI": "True",
    "NO_DOCS": "True",
    "NO_REDOC": "True",
    "LITELLM_DONT_SHOW_FEEDBACK_BOX": "true",
    "LITELLM_DISABLE_NO_REDIS_WARNING": "True",
    "LITELLM_LOG": "ERROR",
    "LITELLM_MODE": "PRODUCTION",
}


@dataclass(frozen=True, slots=True)
class Options:
    """What a worker is told beside the proxy's config. ``max_body`` is in bytes.

    ``one_key``: there is no key but that of ``LITELLM_MASTER_KEY``, and no database that could hold others.
    """

    max_body: int = 20 * MEGABYTE
    announce: str = ""
    one_key: bool = False

    @classmethod
    def from_environment(cls) -> Options:
        """The options that ``prepare`` left for the workers."""
        return cls(**json.loads(os.environ.get(OPTIONS_VARIABLE) or "{}"))


def require_proxy() -> None:
    """Raises ConfigurationError where the extra is not installed."""
    missing = [
        name for name in ("uvicorn", "fastapi", "orjson", "apscheduler", "yaml", "prisma") if find_spec(name) is None
    ]
    if missing:
        raise ConfigurationError(
            f"The server needs litellm's proxy, which is not installed ({', '.join(missing)} is missing): "
            "pip install 'react-engine[serve]'."
        )


def served_names(settings: Settings, named: Sequence[str] = ()) -> list[str]:
    """The models to serve: those named; else the one of the settings, its other models, and those that run here."""
    if named:
        return list(dict.fromkeys(named))
    from react_engine.models.catalogue import catalogue

    known = [record.pattern for record in settings.models if not set(record.pattern) & set("*?[")]
    return list(dict.fromkeys([settings.model, *known, *(f"local/{name}" for name in catalogue())]))


def proxy_config(names: Sequence[str]) -> dict[str, Any]:
    """A config of litellm's proxy that serves these models under their own names."""
    models = [
        {
            "model_name": name,
            # Dropped are only what litellm knows and the provider has no use for, here and not for the model behind.
            "litellm_params": {
                "model": f"{PREFIX}/{name}",
                "allowed_openai_params": ["reasoning_effort"],
                "drop_params": True,
            },
            "model_info": {"mode": "chat", "supports_function_calling": True},
        }
        for name in names
    ]
    return {
        "model_list": models,
        "general_settings": {"master_key": f"os.environ/{KEY_VARIABLE}", "cancel_on_disconnect": True},
        # Retries are the engine's own, and one model's failure must not keep others from it.
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "litellm_settings": {"num_retries": 0},
    }


def write_config(names: Sequence[str], folder: Path) -> Path:
    """The config as a file in ``folder``. It holds no key. JSON is YAML, too."""
    file = folder / "proxy.yaml"
    file.write_text(json.dumps(proxy_config(names), indent=2), encoding="utf-8")
    return file


def has_key(file: Path, environ: Mapping[str, str]) -> bool:
    """Whether a key is set, in the environment or in a config of the user's own. Raises ConfigurationError."""
    if environ.get(KEY_VARIABLE):
        return True
    import yaml

    try:
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f"{file} cannot be read as a config of litellm's proxy: {error}.") from error
    if not isinstance(config, dict):
        raise ConfigurationError(f"{file} is no config of litellm's proxy: expected model_list and the like.")
    general = config.get("general_settings")
    key = general.get("master_key") if isinstance(general, dict) else None
    return bool(key) and key != f"os.environ/{KEY_VARIABLE}"


def prepare(file: Path, options: Options, environ: dict[str, str] | os._Environ[str] = os.environ) -> str | None:
    """Set the environment that the proxy and its workers read. Gives the key if one had to be made."""
    made = None if has_key(file, environ) else f"sk-{secrets.token_urlsafe(32)}"
    if made is not None:
        environ[KEY_VARIABLE] = made
    for name, value in QUIET.items():
        environ.setdefault(name, value)
    environ[CONFIG_FILE] = str(file)
    environ[OPTIONS_VARIABLE] = json.dumps(asdict(options))
    return made
