"""Nested elements as values: each parameter a tag of its own name, objects and lists as elements inside.

The schema says what an element holds, so text with tags in it stays text where text is expected.
"""

from __future__ import annotations

import re
from typing import Any

from react_engine.parsers.values import Raw
from react_engine.shapes import Shape

_DEEPEST = 32
_ITEM = "item"


class Unclosed(Exception):
    """An element has no closing tag."""


class Elements:
    """Reads elements whose tags begin with ``prefix``."""

    def __init__(self, text: str, end: int, prefix: str) -> None:
        self.text, self.end, self.prefix = text, end, prefix
        before = re.escape(prefix)
        self.opening = re.compile(rf"\s*{before}<(?P<key>[^\s<>/][^\s<>]{{0,127}})>")
        self.misses: set[str] = set()

    def members(self, position: int, shape: Shape | None, depth: int = 0) -> tuple[dict[str, Any], int]:
        """(the elements from ``position`` on as an object, the offset behind them). A repeated name makes a list."""
        members: dict[str, Any] = {}
        repeated: set[str] = set()
        while (opening := self.opening.match(self.text, position, self.end)) is not None:
            key = opening["key"]
            below = shape.properties.get(key) if shape is not None else None
            value, position = self._element(key, opening.end(), below, depth)
            if key in repeated:
                members[key].append(value)
            elif key in members:
                members[key] = [members[key], value]
                repeated.add(key)
            else:
                members[key] = value
        return members, position

    def _element(self, key: str, start: int, shape: Shape | None, depth: int) -> tuple[Any, int]:
        closing = f"{self.prefix}</{key}>"
        inner = self.opening.match(self.text, start, self.end)
        takes_text = shape is not None and bool(shape.types) and shape.allows("string")
        if inner is not None and not takes_text and depth < _DEEPEST and (self.prefix or shape is not None):
            members, position = self.members(start, self._below(shape, inner["key"]), depth + 1)
            behind = self._behind(closing, position)
            if behind is not None:
                return self._container(members, shape), behind
        close = self._close(closing, start)
        if close == -1:
            raise Unclosed(key)
        text = self.text[start:close]
        if not text.strip() and shape is not None and shape.types and not takes_text:
            return ([] if shape.allows("array") else {} if shape.allows("object") else Raw(text)), close + len(closing)
        return Raw(text), close + len(closing)

    def _below(self, shape: Shape | None, first: str) -> Shape | None:
        """The shape of what stands inside an element; the items of a list are read like members."""
        if shape is not None and shape.allows("array") and (first == _ITEM or not shape.allows("object")):
            return _items(shape)
        return shape

    def _container(self, members: dict[str, Any], shape: Shape | None) -> Any:
        is_list = members.keys() == {_ITEM} and (shape is None or not shape.types or shape.allows("array"))
        if not is_list:
            return members
        items = members[_ITEM]
        return items if isinstance(items, list) else [items]

    def _behind(self, closing: str, position: int) -> int | None:
        while position < self.end and self.text[position].isspace():
            position += 1
        return position + len(closing) if self.text.startswith(closing, position) else None

    def _close(self, closing: str, start: int) -> int:
        """The closing tag that markup follows, else the first one."""
        if closing in self.misses:
            return -1
        first = close = self.text.find(closing, start, self.end)
        tries = 0
        while close != -1 and tries < 64:
            at = close + len(closing)
            if not self.prefix and not self.text[at : at + 60].lstrip()[:1] in ("<", ""):
                close = self.text.find(closing, at, self.end)
                tries += 1
                continue
            return close
        if first == -1:
            self.misses.add(closing)
        return first


def _items(shape: Shape) -> Shape:
    """The shape of a list's items, under the name that items have as elements."""
    members = Shape()
    if shape.items is not None:
        members.properties = {_ITEM: shape.items}
    members.seal()
    return members
