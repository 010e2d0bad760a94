"""Ready-made tools, real and safe.

A toolbox is a module here with ``DESCRIPTION`` (one line) and ``make(argument) -> list[Tool]``. To add one,
write the module and put its name into ``_TOOLBOXES``, and into ``_TAKE_ARGUMENT`` if it takes one: what follows the
first colon where it is asked for (``files:DIR``), empty where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError

if TYPE_CHECKING:
    from react_engine.tools.tool import Tool

__all__ = ["available", "make", "make_all"]

_TOOLBOXES = (
    "calculator",
    "clock",
    "files",
)
_TAKE_ARGUMENT = ("files",)


def available() -> dict[str, str]:
    """Every toolbox by name, with what it does."""
    return {name: _module(name).DESCRIPTION for name in _TOOLBOXES}


def make(spec: str) -> list[Tool]:
    """The tools of one toolbox: ``calculator``, ``clock``, ``files:DIR`` or ``files:DIR:rw``.

    Raises:
        ConfigurationError: There is no such toolbox, or it cannot be made with that argument.
    """
    name, _, argument = spec.strip().partition(":")
    if name not in _TOOLBOXES:
        close = get_close_matches(name, _TOOLBOXES, n=1)
        advice = f"Did you mean {close[0]}?" if close else f"There are {', '.join(_TOOLBOXES)}."
        raise ConfigurationError(f"There is no toolbox named {name!r}. {advice}")
    if argument and name not in _TAKE_ARGUMENT:
        raise ConfigurationError(f"The toolbox {name} takes nothing behind a colon, found {argument!r}.")
    tools: list[Tool] = _module(name).make(argument)
    return tools


def make_all(specs: str | Iterable[str]) -> list[Tool]:
    """The tools of several toolboxes: ``"calculator,clock,files:DIR"``, or one text for each.

    A folder with a comma in its name needs the second form.

    Raises:
        ConfigurationError: As ``make``.
    """
    separate = specs.split(",") if isinstance(specs, str) else specs
    return [tool for spec in separate if spec.strip() for tool in make(spec)]


def _module(name: str) -> Any:
    return import_module(f"react_engine.toolbox.{name}")
