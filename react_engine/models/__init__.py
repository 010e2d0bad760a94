"""Who answers: the clients behind one seam, and the table that says how each model is spoken with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.models.base import Model
    from react_engine.models.profile import ModelProfile
    from react_engine.settings import Settings

__all__ = ["open_model"]


def open_model(
    model: str | ModelProfile, settings: Settings | None = None, *, api_key: str | None = None, **overrides: Any
) -> Model:
    """The client for a model, by name or profile; nothing is connected or loaded before the first request.

    ``api_key`` is the server's, in place of the one in the environment.
    ``overrides`` are fields of the profile, as in the settings file. Without ``settings`` the shipped table and
    what was learned decide. Raises ``ConfigurationError`` for names and fields that cannot be used.
    """
    from react_engine.models.table import default_table, table_for

    if isinstance(model, str):
        if not model.strip():
            raise ConfigurationError("A model has no name: expected one such as 'local/qwen2.5-coder-1.5b'.")
        profile = (table_for(settings) if settings else default_table()).profile(model.strip(), overrides)
    elif overrides:
        raise ConfigurationError(
            "Fields to override go with the name of a model; a profile is complete: use replace()."
        )
    else:
        profile = model
    options = _request_options(settings)
    if api_key and profile.client != "local":
        options["api_key"] = api_key
    return _client(profile, options)


def _client(profile: ModelProfile, options: dict[str, Any]) -> Model:
    if profile.client == "local":
        from react_engine.models.local import LocalModel

        return LocalModel(profile, **options)
    if profile.client == "http":
        from react_engine.models.http import HttpModel

        return HttpModel(profile, **options)
    from react_engine.models.litellm_client import LiteLLMModel

    return LiteLLMModel(profile, **options)


def _request_options(settings: Settings | None) -> dict[str, Any]:
    """What the user said of requests; what was left out is each client's own affair."""
    if settings is None:
        return {}
    names = {"requests.timeout": "timeout", "requests.retries": "max_retries"}
    values = {"requests.timeout": settings.requests.timeout, "requests.retries": settings.requests.retries}
    return {names[key]: value for key, value in values.items() if key in settings.sources}
