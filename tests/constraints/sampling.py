"""Random texts that a grammar accepts, drawn by an engine that is not ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

llguidance = pytest.importorskip("llguidance")

_ENDINGS = frozenset(b'\n"}],<')


def sample(gbnf: str, seed: int, *, longest: int = 3000, fragments: Sequence[str] = ()) -> str:
    """A text that the grammar accepts as a whole; what may end something is chosen more often, so that it ends.

    Of ``fragments`` as much is written, here and there, as the grammar lets through.
    """
    return _walk(_gbnf_matcher(gbnf).deep_copy(), random.Random(seed), longest, fragments)


def sample_schema(schema: str, seed: int, *, longest: int = 3000) -> str:
    """A text that is an instance of a JSON Schema, itself given as JSON."""
    return _walk(_schema_matcher(schema).deep_copy(), random.Random(seed), longest)


def accepts(gbnf: str, text: str) -> bool:
    """Whether the grammar accepts the text as a whole."""
    matcher = _gbnf_matcher(gbnf).deep_copy()
    return all(matcher.consume_token(byte) for byte in text.encode()) and matcher.is_accepting()


@cache
def _tokenizer() -> Any:
    return llguidance.LLTokenizer("byte")


@cache
def _gbnf_matcher(gbnf: str) -> Any:
    from llguidance.gbnf_to_lark import any_to_lark

    return _matcher(any_to_lark(gbnf))


@cache
def _schema_matcher(schema: str) -> Any:
    return _matcher(llguidance.LLMatcher.grammar_from_json_schema(schema))


def _matcher(grammar: str) -> Any:
    matcher = llguidance.LLMatcher(_tokenizer(), grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return matcher


def _walk(matcher: Any, chance: random.Random, longest: int, fragments: Sequence[str] = ()) -> str:
    end, out = _tokenizer().eos_token, bytearray()
    while not matcher.is_stopped():
        allowed = [token for token, bias in enumerate(matcher.compute_logit_bias()) if bias]
        ends = [token for token in allowed if token in _ENDINGS or token == end]
        if fragments and len(out) < longest and chance.random() < 0.2:
            out += _let_through(matcher, chance.choice(fragments).encode())
            continue
        hurry = len(out) > longest or chance.random() < 0.08
        token = chance.choice(ends if ends and hurry else allowed)
        if token == end:
            break
        out.append(token)
        assert matcher.consume_token(token)
    return out.decode("utf-8")


def _let_through(matcher: Any, fragment: bytes) -> bytes:
    """As much of a fragment as the grammar accepts; written."""
    most = matcher.validate_tokens(list(fragment))
    assert matcher.consume_tokens(list(fragment[:most]))
    return fragment[:most]
