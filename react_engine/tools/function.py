"""Tools from Python callables: by their type hints, by a pydantic model, or by a JSON Schema.

pydantic and docstring-parser are imported when the first tool is made, not with this module.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, Unpack, overload

from react_engine.errors import ConfigurationError
from react_engine.tools.docstring import read_docstring
from react_engine.tools.options import OptionFields, ToolOptions, make_options
from react_engine.tools.tool import Tool, ToolParameter, TypedArguments

if TYPE_CHECKING:
    from pydantic import BaseModel

P = ParamSpec("P")
R = TypeVar("R")


class CallableTool(Tool):
    """A tool around a callable, with its schema known from the start."""

    def __init__(
        self, func: Callable[..., Any], name: str, description: str, schema: dict[str, Any], options: ToolOptions
    ) -> None:
        super().__init__(name, description, options)
        self.func = func
        vars(self)["_schema"] = schema
        if is_async_callable(func):
            vars(self)["run"] = self._run_async  # so that the executor sees a coroutine function

    def invoke(self, parameters: dict[str, Any]) -> Any:
        """Call the callable with the parameters, in the way that it takes them."""
        return self.func(**parameters)

    def run(self, parameters: dict[str, Any]) -> Any:
        """Call the function; of an async one the coroutine comes back."""
        return self.invoke(parameters)

    async def _run_async(self, parameters: dict[str, Any]) -> Any:
        return await self.invoke(parameters)

    def get_parameters(self) -> list[ToolParameter]:
        """The parameters as the schema has them."""
        parameters = []
        for name, schema in self._schema.get("properties", {}).items():
            plain = dict(schema) if isinstance(schema, Mapping) else {}
            description, default = plain.pop("description", ""), plain.pop("default", None)
            types = plain.pop("type", None)
            if not isinstance(types, str):
                plain, types = (plain if types is None else {**plain, "type": types}), "any"
            required = name in self._schema.get("required", ())
            parameters.append(ToolParameter(name, types, description, required, default, plain))
        return parameters


class FunctionTool(CallableTool, Generic[P, R]):
    """A tool from a function: its type hints give the schema, its docstring the descriptions.

    Calling the tool calls the function. ``run`` passes Python values of the declared types; parameters that were
    not given are left to the function's own defaults.
    """

    def __init__(
        self,
        func: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        options: ToolOptions | None = None,
        one_string: bool = False,
    ) -> None:
        from react_engine.tools.parameters import parameters_of

        if not callable(func):
            raise ConfigurationError(f"A tool is made from a function or another callable, got {func!r}.")
        name = name or _name_of(func)
        documented = read_docstring(_docstring_of(func))
        read = parameters_of(func, name, documented.arguments, one_string=one_string)
        text = documented.text if description is None else description
        super().__init__(func, name, text, read.schema, options or ToolOptions())
        self._model = read.model
        self._parameters = read.parameters
        functools.update_wrapper(self, func, updated=())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, without validation."""
        return self.func(*args, **kwargs)  # type: ignore[no-any-return]

    @property
    def arguments_model(self) -> type[BaseModel]:
        """The model of the parameters."""
        return self._model

    def hand_over(self, model: BaseModel) -> TypedArguments:
        """The values that were given, and those that only the model knows a default for."""
        values = {
            parameter.name: getattr(model, parameter.field)
            for parameter in self._parameters
            if parameter.field in model.model_fields_set or parameter.default is inspect.Parameter.empty
        }
        return TypedArguments(values | (model.model_extra or {}), model)

    def invoke(self, parameters: dict[str, Any]) -> Any:
        """Call the function. Parameters that were not validated yet are validated first."""
        if not isinstance(parameters, TypedArguments):
            parameters = self.hand_over(self._model.model_validate(parameters))
        named = dict(parameters)
        positional = [parameter for parameter in self._parameters if parameter.positional]
        while positional and positional[-1].name not in named:
            positional.pop()
        args = [named.pop(parameter.name, parameter.default) for parameter in positional]
        return self.func(*args, **named)


class ModelTool(CallableTool):
    """A tool whose parameters are a pydantic model; the function gets the instance."""

    def __init__(
        self, model: type[BaseModel], func: Callable[[Any], Any], name: str, description: str, options: ToolOptions
    ) -> None:
        from react_engine.tools.parameters import schema_of_model

        super().__init__(func, name, description, schema_of_model(model, name), options)
        self._model = model

    @property
    def arguments_model(self) -> type[BaseModel]:
        """The model that was given."""
        return self._model

    def invoke(self, parameters: dict[str, Any]) -> Any:
        """Call the function with the model's instance."""
        if isinstance(parameters, TypedArguments):
            return self.func(parameters.model)
        return self.func(self._model.model_validate(parameters))


class SchemaTool(CallableTool):
    """A tool described by a JSON Schema; the function gets plain JSON values."""

    def __init__(
        self,
        func: Callable[..., Any],
        name: str,
        description: str,
        schema: dict[str, Any],
        options: ToolOptions,
        *,
        pass_dict: bool = False,
    ) -> None:
        super().__init__(func, name, description, schema, options)
        self._pass_dict = pass_dict
        _ = self.checker  # a broken schema is refused here, not at the first call
        if not pass_dict:
            _check_takes(func, name, schema)

    def invoke(self, parameters: dict[str, Any]) -> Any:
        """Call the function with keywords, or with the dict."""
        return self.func(parameters) if self._pass_dict else self.func(**parameters)


@overload
def tool(func: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None, **options: Unpack[OptionFields]
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


@overload
def tool(
    func: Callable[P, R], /, *, name: str | None = None, description: str | None = None, **options: Unpack[OptionFields]
) -> FunctionTool[P, R]: ...


def tool(
    func: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Unpack[OptionFields],
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a tool from a sync or async function: ``@tool``, ``@tool(side_effects=True)`` or ``tool(func)``.

    Args:
        func: The function, or any other callable with a signature.
        name: Instead of the function's name.
        description: Instead of the docstring's summary and body.
        options: The fields of ``ToolOptions``.

    Raises ConfigurationError for a signature that no model could call by name.
    """
    made = make_options(options)

    def decorate(func: Callable[P, R]) -> FunctionTool[P, R]:
        return FunctionTool(func, name=name, description=description, options=made)

    return decorate if func is None else decorate(func)


def tool_from_model(
    model: type[BaseModel],
    func: Callable[[Any], Any],
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Unpack[OptionFields],
) -> ModelTool:
    """Make a tool whose parameters are a pydantic model: ``func`` gets the validated instance.

    The description falls back to the function's docstring, then to the model's. Raises ConfigurationError for
    what is no model, and for one that has no JSON Schema.
    """
    if description is None:
        description = read_docstring(_docstring_of(func)).text or read_docstring(model.__doc__).text
    return ModelTool(model, func, name or _name_of(func), description, make_options(options))


def tool_from_schema(
    name: str,
    description: str,
    schema: Mapping[str, Any],
    func: Callable[..., Any],
    *,
    pass_dict: bool = False,
    **options: Unpack[OptionFields],
) -> SchemaTool:
    """Make a tool from a JSON Schema: ``func`` gets the arguments as keywords, or as a dict with ``pass_dict``.

    OpenAPI's ``nullable`` is understood. Raises ConfigurationError for a broken schema, for references that do
    not point into it, and for a function that cannot take the arguments.
    """
    from react_engine.tools.json_schema import object_schema

    return SchemaTool(func, name, description, object_schema(schema, name), make_options(options), pass_dict=pass_dict)


def is_async_callable(func: Any) -> bool:
    """Whether calling it gives a coroutine: async functions, partials of them, objects with an async call."""
    while isinstance(func, functools.partial):
        func = func.func
    if inspect.iscoroutinefunction(func):
        return True
    return not inspect.isclass(func) and inspect.iscoroutinefunction(type(func).__call__)


def _name_of(func: Any) -> str:
    while isinstance(func, functools.partial):
        func = func.func
    name = getattr(func, "__name__", None) or type(func).__name__
    if name == "<lambda>":
        raise ConfigurationError("A lambda has no name: pass name=.")
    return str(name)


def _docstring_of(func: Any) -> str | None:
    while isinstance(func, functools.partial):
        func = func.func
    if inspect.isroutine(func) or inspect.isclass(func):
        return inspect.getdoc(func)
    return inspect.getdoc(type(func).__call__) or inspect.getdoc(type(func))


def _check_takes(func: Callable[..., Any], name: str, schema: Mapping[str, Any]) -> None:
    """Refuse a function that could not be called with all, or with only the required, arguments."""
    try:
        signature = inspect.signature(func)
    except (TypeError, ValueError):
        return
    for names in (schema.get("properties", {}), schema.get("required", ())):
        try:
            signature.bind(**dict.fromkeys(names))
        except TypeError as err:
            raise ConfigurationError(
                f"The function of tool {name!r} does not take the arguments of its schema ({', '.join(names)}): {err}. "
                "Change its parameters, or pass pass_dict=True to get the arguments as one dict."
            ) from err
