"""The tools on offer, by name. Only what is registered can ever run."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Literal, ParamSpec, TypeVar, Unpack, get_args, overload

from react_engine.errors import ConfigurationError, UnknownTool
from react_engine.tools.function import FunctionTool
from react_engine.tools.function import tool as make_tool
from react_engine.tools.options import OptionFields, make_options
from react_engine.tools.tool import Tool

P = ParamSpec("P")
R = TypeVar("R")
OnDuplicate = Literal["error", "replace", "warn"]


class DuplicateToolWarning(UserWarning):
    """A tool took the place of another one with its name."""


class Registry:
    """Tools by name, in the order of their registration.

    A name stands once: a second registration raises ConfigurationError, unless ``on_duplicate`` is ``"replace"``
    or ``"warn"`` (replace and warn), for hot reload. A replaced tool keeps its place, so that the description
    of the tools in a prompt stays the same. Readers in other threads see the tools before or after a change.
    """

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = (), *, on_duplicate: OnDuplicate = "error") -> None:
        if on_duplicate not in get_args(OnDuplicate):
            known = ", ".join(get_args(OnDuplicate))
            raise ConfigurationError(f"on_duplicate is one of {known}; got {on_duplicate!r}.")
        if not isinstance(tools, Iterable):
            raise ConfigurationError(f"Tools come as a list: pass [{getattr(tools, 'name', 'tool')}].")
        self.on_duplicate: OnDuplicate = on_duplicate
        self._lock = threading.Lock()
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool | Callable[..., Any]) -> Tool:
        """Register a tool, or a function as one; gives the tool.

        Raises ConfigurationError for a name that is taken and for a broken schema.
        """
        made = tool if isinstance(tool, Tool) else _made_from(tool)
        if made.arguments_model is None:
            _ = made.checker  # refuses a broken schema now rather than at the first call
        with self._lock:
            known = self._tools.get(made.name)
            if known is not None and self.on_duplicate == "error":
                raise ConfigurationError(
                    f"A tool named {made.name!r} is registered already: {_origin(known)}; the new one is "
                    f"{_origin(made)}. Rename one, or use on_duplicate='replace' or 'warn'."
                )
            self._tools = {**self._tools, made.name: made}
        if known is not None and self.on_duplicate == "warn":
            warnings.warn(
                f"Tool {made.name!r} from {_origin(known)} is replaced by {_origin(made)}.",
                DuplicateToolWarning,
                stacklevel=2,
            )
        return made

    def register_tool(self, tool: Tool) -> Tool:
        """Register a tool; the same as ``add``."""
        return self.add(tool)

    def register_function(
        self, name: str, description: str, func: Callable[..., Any], **options: Unpack[OptionFields]
    ) -> FunctionTool[..., Any]:
        """Register a function under a name. A sole parameter without a type is one of text."""
        made = FunctionTool(func, name=name, description=description, options=make_options(options), one_string=True)
        self.add(made)
        return made

    @overload
    def tool(self, func: Callable[P, R]) -> FunctionTool[P, R]: ...

    @overload
    def tool(
        self, *, name: str | None = None, description: str | None = None, **options: Unpack[OptionFields]
    ) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...

    def tool(
        self,
        func: Callable[P, R] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        **options: Unpack[OptionFields],
    ) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
        """Make a tool from a function and register it: ``@registry.tool``, with or without arguments."""

        def decorate(func: Callable[P, R]) -> FunctionTool[P, R]:
            made = make_tool(func, name=name, description=description, **options)
            self.add(made)
            return made

        return decorate if func is None else decorate(func)

    def remove(self, name: str) -> Tool:
        """Take a tool out; gives it. Raises UnknownTool."""
        with self._lock:
            removed = self.get(name)
            self._tools = {known: tool for known, tool in self._tools.items() if known != name}
        return removed

    def get(self, name: str) -> Tool:
        """The tool of exactly that name. Raises UnknownTool, which lists close names."""
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownTool(name, self._tools)
        return tool

    def select(
        self,
        names: Iterable[str] | None = None,
        categories: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
    ) -> Registry:
        """A new registry with the smallest set that a task needs.

        It holds every tool that is named, or in one of the categories, or has one of the tags, but for the names
        in ``exclude``; all tools if nothing is asked for. Raises ConfigurationError for a name, category or tag
        that no tool has.
        """
        tools = self._tools
        asked_names = _known("tool", names, tools)
        asked_categories = _known("category", categories, {tool.options.category for tool in tools.values()})
        asked_tags = _known("tag", tags, {tag for tool in tools.values() for tag in tool.options.tags})
        excluded = _known("tool", exclude, tools)
        everything = names is None and categories is None and tags is None
        return Registry(
            (
                tool
                for name, tool in tools.items()
                if name not in excluded
                and (
                    everything
                    or name in asked_names
                    or tool.options.category in asked_categories
                    or tool.options.tags & asked_tags
                )
            ),
            on_duplicate=self.on_duplicate,
        )

    def categories(self) -> dict[str, list[str]]:
        """The names of the tools in each category, both in order of registration."""
        found: dict[str, list[str]] = {}
        for tool in self:
            found.setdefault(tool.options.category, []).append(tool.name)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools."""
        return tuple(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"<Registry {', '.join(self._tools)}>"


def _made_from(candidate: Any) -> Tool:
    if callable(candidate) and not isinstance(candidate, type):
        return make_tool(candidate)
    advice = "make an instance of it" if isinstance(candidate, type) else "pass a Tool or a function"
    raise ConfigurationError(f"{candidate!r:.100} is no tool: {advice}.")


def _known(kind: str, asked: Iterable[str] | None, existing: Iterable[str]) -> set[str]:
    """The names asked for, all of which must exist. One name may come as a plain string."""
    wanted = [asked] if isinstance(asked, str) else list(asked or ())
    known = sorted(existing)
    for name in wanted:
        if name not in known:
            close = get_close_matches(name, known, n=3, cutoff=0.5)
            there = ", ".join(known[:20]) or "none"
            hint = f"Did you mean {' or '.join(close)}?" if close else f"There are: {there}."
            raise ConfigurationError(
                f"No tool is named {name!r}. {hint}" if kind == "tool" else f"No tool has the {kind} {name!r}. {hint}"
            )
    return set(wanted)


def _origin(tool: Tool) -> str:
    """Where a tool comes from, for messages about it."""
    source = getattr(tool, "func", type(tool))
    module, name = getattr(source, "__module__", ""), getattr(source, "__qualname__", repr(source))
    code = getattr(source, "__code__", None)
    return f"{module}.{name}" + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")
