"""Whatever a tool returns becomes text, bounded and without secrets."""

from __future__ import annotations

import enum
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from react_engine.tools.redaction import Redactor
from react_engine.tools.results import NO_OUTPUT, error_text, safe_str, show, to_text


class Colour(enum.Enum):
    RED = "red"


class Place(BaseModel):
    name: str
    founded: date


@dataclass
class Point:
    x: int
    label: Any


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Shouting(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "SHOUT"


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\n", "as it is\n"),
        (Shouting("quiet"), "quiet"),
        ("", "(an empty text)"),
        (None, NO_OUTPUT),
        (True, "true"),
        (3, "3"),
        ({"città": [1, 2.5, None]}, '{"città":[1,2.5,null]}'),
        ((1, 2), "[1,2]"),
        ({3, 1, 2}, "[1,2,3]"),
        (deque([1]), "[1]"),
        (OrderedDict(a=1), '{"a":1}'),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        ({1: "a", None: "b"}, '{"1":"a","null":"b"}'),
        ({(1, 2): "a"}, '{"(1, 2)":"a"}'),
        (b"\x89PNG\r\n\x1a\nrest", "(12 bytes of binary data, beginning with 89 50 4e 47 0d 0a 1a 0a)"),
        ({"data": b""}, '{"data":"(0 bytes of binary data)"}'),
        (Place(name="Rome", founded=date(2000, 1, 2)), '{"name":"Rome","founded":"2000-01-02"}'),
        ([Point(1, Place(name="a", founded=date(1, 1, 1)))], '[{"x":1,"label":{"name":"a","founded":"0001-01-01"}}]'),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), '"2026-01-02T03:04:00+00:00"'),
        ([Colour.RED, Decimal("1.50"), PurePosixPath("a/b")], '["red","1.50","a/b"]'),
        (float("nan"), "NaN"),
        (Broken(), '"<Broken>"'),
        ({"a": Broken()}, '{"a":"<Broken>"}'),
        ([10**5000], '["<an integer of 16,610 bits>"]'),
    ],
)
def test_values_become_short_text(value: object, text: str) -> None:
    assert to_text(value) == text


def test_cycles_and_depth_are_cut() -> None:
    cycle: dict[str, Any] = {"name": "loop"}
    cycle["self"] = cycle
    assert to_text(cycle) == '{"name":"loop","self":"<cycle>"}'
    assert '"<more levels>"' in to_text(nested(100_000))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.binary()
        | st.dates()
        | st.just(Broken()),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.integers() | st.text() | st.binary(), inner) | st.tuples(inner)
        ),
    )
)
def test_every_value_becomes_text(value: object) -> None:
    assert isinstance(to_text(value), str)


def test_long_text_keeps_head_and_tail_and_says_what_is_missing() -> None:
    shown = show("a" * 700 + "b" * 700, 300, Redactor())
    assert shown.cut == 1100
    head, tail = shown.text.split("\n[… 1,100 of 1,400 characters were cut out here.")
    assert head == "a" * 200
    assert tail.endswith("]\n" + "b" * 100)
    assert "ask for less at once" in tail


def test_text_at_the_limit_is_whole() -> None:
    assert show("x" * 300, 300, Redactor()) == ("x" * 300, 0, 0)


def test_a_limit_of_one_character_holds() -> None:
    assert show("abc", 1, Redactor()).text.startswith("a\n[…")


def test_a_secret_across_the_cut_is_masked() -> None:
    text = "x" * 185 + " password=" + "hunter2" * 3 + " " + "y" * 2000
    shown = show(text, 300, Redactor())
    assert shown.redacted == 1
    assert "hunter" not in shown.text


def test_fifty_megabytes_are_shown_without_reading_them_all() -> None:
    shown = show("password=hunter2 " * 3_000_000, 16_000, Redactor())
    assert shown.cut == 51_000_000 - 16_000
    assert "hunter2" not in shown.text


@pytest.mark.parametrize(("text", "shown"), [("a\ud800b", "a�b"), ("\ud83d\ude00", "😀"), ("ok ü", "ok ü")])
def test_half_characters_are_joined_or_replaced(text: str, shown: str) -> None:
    assert show(text, 100, Redactor()).text == shown


@given(st.text(alphabet=st.characters()), st.integers(1, 50))
def test_what_is_shown_can_always_be_sent(text: str, limit: int) -> None:
    shown = show(text, limit, Redactor(emails=True))
    shown.text.encode()
    assert shown.cut == max(0, len(text) - limit)


def test_error_text_is_one_short_line() -> None:
    assert error_text(ValueError("a\n  b")) == "ValueError: a b"
    assert error_text(KeyError()) == "KeyError"
    assert error_text(RuntimeError("x" * 10_000)) == f"RuntimeError: {'x' * 600}…"


def test_text_of_an_object_without_text() -> None:
    assert safe_str(Broken()) == "<Broken>"


def test_arrays_are_lists() -> None:
    class Array:
        def tolist(self) -> list[int]:
            return [1, 2]

    assert to_text({"array": Array()}) == '{"array":[1,2]}'
