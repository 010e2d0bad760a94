"""The tools on offer, as the reader needs them: names for lookup, schemas compiled when first used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.parsers.names import Names, ResolvedName
from react_engine.shapes import Shape, shape_of


class KnownTool:
    """One tool: its name, its parameters in order, and the shape of its arguments."""

    __slots__ = ("_shape", "name", "schema")

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self.name = name
        self.schema = schema
        self._shape: Shape | None = None

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


class ToolIndex:
    """All tools of one reading. Build it once and pass it to ``read`` where many replies are read."""

    __slots__ = ("_names", "tools")

    def __init__(self, tools: Iterable[Any] | ToolIndex = ()) -> None:
        self.tools: dict[str, KnownTool] = {}
        for tool in tools.tools.values() if isinstance(tools, ToolIndex) else tools:
            known = _known(tool)
            self.tools[known.name] = known
        self._names: Names | None = None

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
        return ResolvedName("known", written) if written in self.tools else self.names.resolve(written)


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
