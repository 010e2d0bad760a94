"""What litellm's own map says of a model: prices, and whether it is said to call functions.

The map is read from litellm's package data without importing litellm, which takes seconds; once litellm
is loaded, its live map counts, with what the user registered in it. It is a hint: it is often wrong, and
silent about models that one serves oneself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from react_engine.types import Usage

_FILE = "model_prices_and_context_window_backup.json"
_EXAMPLE = "sample_spec"
_ANSWERING = (None, "chat", "responses", "completion")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a token."""

    prompt: float
    completion: float
    cached: float

    def cost(self, usage: Usage) -> float:
        """What the tokens cost."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        paid = usage.prompt_tokens - cached
        return paid * self.prompt + cached * self.cached + usage.completion_tokens * self.completion


def price_of(model: str) -> Price | None:
    """The price of a model by its litellm name, or None if it is not known."""
    entry = _entry(model)
    prompt, completion = _number(entry, "input_cost_per_token"), _number(entry, "output_cost_per_token")
    if prompt is None or completion is None:
        return None
    cached = _number(entry, "cache_read_input_token_cost")
    return Price(prompt, completion, prompt if cached is None else cached)


def hint(model: str) -> bool | None:
    """Whether litellm's map says that a model calls functions; None if it does not know the model. Never raises."""
    entry = _entry(model)
    if not entry or entry.get("mode") not in _ANSWERING:
        return None
    return entry.get("supports_function_calling") is True


def _entry(model: str) -> Mapping[str, Any]:
    known = _known()
    if model == _EXAMPLE:
        return {}
    entry = known.get(model)
    if not isinstance(entry, Mapping) and "/" in model:  # "openai/gpt-4o" stands there as "gpt-4o"
        provider, _, name = model.partition("/")
        entry = known.get(name)
        if not isinstance(entry, Mapping) or not str(entry.get("litellm_provider")).startswith(provider):
            entry = None
    return entry if isinstance(entry, Mapping) else {}


def _number(entry: Mapping[str, Any], name: str) -> float | None:
    value = entry.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _known() -> Mapping[str, Any]:
    live = getattr(sys.modules.get("litellm"), "model_cost", None)
    return live if isinstance(live, Mapping) and live else _shipped()


@cache
def _shipped() -> Mapping[str, Any]:
    try:
        spec = find_spec("litellm")
        folders = spec.submodule_search_locations if spec else None
        text = Path(next(iter(folders or ())), _FILE).read_text(encoding="utf-8")
        entries = json.loads(text)
    except (OSError, ValueError, StopIteration, ImportError):
        return {}
    return entries if isinstance(entries, dict) else {}
