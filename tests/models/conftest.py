"""The clients that the contract is tested with."""

from __future__ import annotations

from typing import Any

import pytest

from react_engine.models.base import Model
from react_engine.models.http import HttpModel
from react_engine.models.litellm_client import LiteLLMModel
from react_engine.models.profile import ModelProfile
from tests.loopback import Server
from tests.models.contract import KEY, Opener, Waits


@pytest.fixture(params=["http", "litellm"])
def open_model(request: pytest.FixtureRequest) -> Opener:
    """Opens the same model by one client or the other."""

    def opener(
        server: Server, *, key: str | None = KEY, profile: dict[str, Any] | None = None, **options: Any
    ) -> Model:
        fields: dict[str, Any] = {"api_base": server.url, "api_key_env": "LOOPBACK_API_KEY", **(profile or {})}
        options = {"sleep": Waits(), "timeout": 20.0, **options}
        if request.param == "http":
            return HttpModel(ModelProfile("openai/served", served_name="served", **fields), api_key=key, **options)
        return LiteLLMModel(ModelProfile("openai/served", **fields), api_key=key, **options)

    return opener
