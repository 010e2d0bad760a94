"""litellm's map is a hint that costs no import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.models.litellm_map import Price, hint, price_of
from react_engine.types import Usage


@pytest.mark.parametrize("name", ["gpt-4o", "openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash"])
def test_models_that_are_known_to_call_functions(name: str) -> None:
    assert hint(name) is True
    price = price_of(name)
    assert price is not None
    assert 0 < price.cached < price.prompt < price.completion < 0.001


@pytest.mark.parametrize(
    "name", ["", "/", "openai/", "openai/no-such-model", "groq/gpt-4o", "hosted_vllm/x", "sample_spec"]
)
def test_names_that_the_map_does_not_have(name: str) -> None:
    assert (hint(name), price_of(name)) == (None, None)


def test_models_that_are_known_without_the_flag_are_said_not_to() -> None:
    assert hint("ollama/llama3") is False


def test_models_that_answer_nothing_give_no_hint() -> None:
    assert hint("text-embedding-3-small") is None


def test_a_price_counts_cached_tokens_apart() -> None:
    assert Price(2.0, 10.0, 1.0).cost(Usage(10, 3, 4)) == 6 * 2.0 + 4 * 1.0 + 3 * 10.0


@given(st.text())
def test_no_name_raises(name: str) -> None:
    assert hint(name) in (None, True, False)
    assert price_of(name) is None or isinstance(price_of(name), Price)


def test_the_map_is_read_without_importing_litellm() -> None:
    code = (
        "import sys; from react_engine.models.litellm_map import hint; assert hint('gpt-4o'); "
        "assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
