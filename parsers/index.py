"""The tools on offer, as the reader needs them: names for lookup, schemas compiled when first used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.parsers.names import Names, ResolvedName
from react_engine.shapes import Shape, shape_of


class KnownTool:
    """One tool: its name, its parameters in order, and the shape of its arguments."""

    __slots__ = ("_plain", "_shape", "name", "schema")

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self.name = name
        self.schema = schema
        self._shape: Shape | None = None
        self._plain: dict[str, frozenset[type]] | None = None

    @property
    def plain(self) -> dict[str, frozenset[type]]:
        """For each parameter of a plain type, the Python types whose values fit it, whatever they are."""
        if self._plain is None:
            self._plain = _plain_types(self.shape)
        return self._plain

    @property
    def shape(self) -> Shape:
        """The compiled schema of the arguments."""
        if self._shape is None:
            self._shape = shape_of(self.schema)
        return self._shape

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, in the order of the schema."""
        return list(self.shape.properties)

    @property
    def sole_parameter(self) -> str | None:
        """The parameter that a bare value is for: the only one, or the only required one."""
        shape = self.shape
        if len(shape.properties) == 1:
            return next(iter(shape.properties))
        required = [name for name in shape.properties if name in shape.required]
        return required[0] if len(required) == 1 else None


_PYTHON = {"string": (str,), "integer": (int,), "number": (int,), "boolean": (bool,), "null": (type(None),)}


def _plain_types(shape: Shape) -> dict[str, frozenset[type]]:
    """Parameters whose type says all. Floats are left out: not all of them are numbers."""
    if shape.options or shape.also or shape.enum is not None or (shape.types and "object" not in shape.types):
        return {}
    plain = {}
    for name, below in shape.properties.items():
        if below.types and not (below.enum is not None or below.options or below.also or below.format):
            plain[name] = frozenset(kind for type_name in below.types for kind in _PYTHON.get(type_name, ()))
    return plain


_REMEMBERED, _LONGEST = 500, 100
"""How many names that were looked up are remembered, and how long they may be: models write few, again and again."""


class ToolIndex:
    """All tools of one reading. Build it once and pass it to ``read`` where many replies are read."""

    __slots__ = ("_names", "_resolved", "tools")

    def __init__(self, tools: Iterable[Any] | ToolIndex = ()) -> None:
        self.tools: dict[str, KnownTool] = {}
        for tool in tools.tools.values() if isinstance(tools, ToolIndex) else tools:
            known = _known(tool)
            self.tools[known.name] = known
        self._names: Names | None = None
        self._resolved: dict[str, ResolvedName] = {}

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __getitem__(self, name: str) -> KnownTool:
        return self.tools[name]

    def __len__(self) -> int:
        return len(self.tools)

    @property
    def names(self) -> Names:
        """The names, prepared for tolerant lookup."""
        if self._names is None:
            self._names = Names(self.tools)
        return self._names

    def resolve(self, written: str) -> ResolvedName:
        """The tool that a written name means."""
        found = self._resolved.get(written)
        if found is None:
            found = ResolvedName("known", written) if written in self.tools else self.names.resolve(written)
            if len(self._resolved) >= _REMEMBERED:
                self._resolved.clear()
            if len(written) < _LONGEST:
                self._resolved[written] = found
        return found

    def fitting(self, written: Any) -> str | None:
        """The only tool that takes an object with just these keys, None if there is none or more than one."""
        if not isinstance(written, Mapping) or not written:
            return None
        fitting = [
            name
            for name, tool in self.tools.items()
            if written.keys() <= tool.shape.properties.keys() and tool.shape.required <= written.keys()
        ]
        return fitting[0] if len(fitting) == 1 else None


def _known(tool: Any) -> KnownTool:
    if isinstance(tool, KnownTool):
        return tool
    if isinstance(tool, Mapping):
        function = tool.get("function")
        if isinstance(function, Mapping):  # OpenAI's wrapper
            tool = function
        name, schema = tool.get("name"), tool.get("parameters") or tool.get("input_schema") or {}
    else:
        name, schema = getattr(tool, "name", None), getattr(tool, "schema", None)
    if not isinstance(name, str) or not isinstance(schema, Mapping):
        raise ConfigurationError(
            f"A tool needs a name and parameters (a JSON Schema object), got {type(tool).__name__}: {tool!r:.120}."
        )
    return KnownTool(name, schema)
