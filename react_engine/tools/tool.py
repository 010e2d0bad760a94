"""What can be called: one base class, its parameters and what it says about itself."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.shapes import Shape, shape_of
from react_engine.tools.options import TRANSIENT, RateLimit, ToolOptions

__all__ = ["TRANSIENT", "RateLimit", "Tool", "ToolOptions", "ToolParameter", "TypedArguments"]


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One parameter of a tool.

    ``type`` is a JSON Schema type name, or ``"any"`` where ``schema`` says it all; ``schema`` refines the type
    (enum, items, minimum, …).
    """

    name: str
    type: str = "string"
    description: str = ""
    required: bool = True
    default: Any = None
    schema: Mapping[str, Any] = field(default_factory=dict)

    def to_schema(self) -> dict[str, Any]:
        """The parameter as a JSON Schema."""
        schema = {**({} if self.type == "any" else {"type": self.type}), **self.schema}
        if self.description:
            schema["description"] = self.description
        if not self.required and self.default is not None:
            schema["default"] = self.default
        return schema


class TypedArguments(dict[str, Any]):
    """Validated arguments as Python values: what ``Tool.run`` gets where a pydantic model checked them.

    ``model`` is the validated instance itself.
    """

    __slots__ = ("model",)

    def __init__(self, values: Mapping[str, Any], model: Any) -> None:
        super().__init__(values)
        self.model = model


class Tool(ABC):
    """A named thing that a model may call.

    Subclass it with ``run`` and ``get_parameters``, or let ``tool``, ``Registry.register_function`` and
    ``tool_from_schema`` make one. ``run`` gets validated arguments; it may be a coroutine function. A subclass
    may set ``name``, ``description`` and ``options`` in its class body instead of passing them on.
    """

    name: str
    description: str
    options: ToolOptions

    def __init__(
        self, name: str | None = None, description: str | None = None, options: ToolOptions | None = None
    ) -> None:
        self.name = getattr(self, "name", "") if name is None else name
        self.description = getattr(self, "description", "") if description is None else description
        self.options = options or getattr(self, "options", None) or ToolOptions()
        if not isinstance(self.name, str) or not self.name or self.name != self.name.strip():
            raise ConfigurationError(f"A tool needs a name without blanks around it, got {self.name!r}.")
        if not self.name.isprintable():
            raise ConfigurationError(f"The name of a tool is one line of printable characters, got {self.name!r}.")

    @abstractmethod
    def run(self, parameters: dict[str, Any]) -> Any:
        """Do the work. The result becomes text: a string as it is, anything else as JSON."""

    @abstractmethod
    def get_parameters(self) -> list[ToolParameter]:
        """The parameters, in the order a person would give them. Asked once: a tool does not change."""

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as one JSON Schema (draft 2020-12) object; a copy each time."""
        return copy.deepcopy(self._schema)

    @cached_property
    def _schema(self) -> dict[str, Any]:
        parameters = self.get_parameters()
        return {
            "type": "object",
            "properties": {parameter.name: parameter.to_schema() for parameter in parameters},
            "required": [parameter.name for parameter in parameters if parameter.required],
            "additionalProperties": False,
        }

    @cached_property
    def shape(self) -> Shape:
        """The schema, compiled: for coercion and for telling what does not fit."""
        return shape_of(self.schema)

    @cached_property
    def checker(self) -> Any:
        """The compiled JSON Schema validator. Raises ConfigurationError when the schema is broken."""
        from react_engine.tools.json_schema import compile_checker

        return compile_checker(self.schema, self.name)

    @property
    def arguments_model(self) -> Any:
        """The pydantic model that validates the arguments, or None where only the schema does."""
        return None

    def hand_over(self, model: Any) -> TypedArguments:
        """What ``run`` gets, from the validated instance of ``arguments_model``."""
        names = {field_name: info.alias or field_name for field_name, info in type(model).model_fields.items()}
        values = {name: getattr(model, field_name) for field_name, name in names.items()}
        return TypedArguments(values | (model.model_extra or {}), model)

    @property
    def is_async(self) -> bool:
        """Whether ``run`` is a coroutine function."""
        return inspect.iscoroutinefunction(self.run)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"
