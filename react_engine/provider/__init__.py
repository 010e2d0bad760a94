"""The engine as a provider of litellm: ``litellm.completion(model="react/ollama/llama2", tools=…)``.

::

    import litellm, react_engine

    react_engine.register()
    litellm.completion(model="react/ollama/llama2", messages=[…], tools=[…])

In the config of litellm's proxy::

    litellm_settings:
      custom_provider_map:
        - {provider: react, custom_handler: react_engine.provider.react_llm}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from react_engine.paths.select import PathChoice
    from react_engine.settings import Settings

    react_llm: Any

PREFIX = "react"
"""The first part of the names of models that the engine answers for."""

__all__ = ["PREFIX", "react_llm", "register"]


def register(settings: Settings | None = None, *, path: PathChoice | None = None, repairs: int | None = None) -> Any:
    """Make litellm know ``react/NAME`` for every model that the engine knows; gives the handler.

    ``settings`` default to ``react-engine.toml`` and the environment. ``path`` forces one for all models;
    ``repairs``: how often a reply that cannot be read is told to the model (once). Calling it again replaces the
    handler. litellm is imported now.
    """
    from react_engine.models.litellm_runtime import load

    litellm = load()
    plain = settings is None and path is None and repairs is None
    handler = _made() if plain else _class()(settings, path=path, repairs=repairs)
    others = [entry for entry in litellm.custom_provider_map if entry["provider"] != PREFIX]
    litellm.custom_provider_map = [*others, {"provider": PREFIX, "custom_handler": handler}]
    load("litellm.utils").custom_llm_setup()
    return handler


def _class() -> Any:
    from react_engine.provider.handler import provider_class

    return provider_class()


def _made() -> Any:
    if "react_llm" not in globals():
        globals()["react_llm"] = _class()()
    return globals()["react_llm"]


def __getattr__(name: str) -> Any:
    if name == "react_llm":
        return _made()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
