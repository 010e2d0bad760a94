"""The parameters of a Python function as a pydantic model and a JSON Schema.

Imports pydantic, so it is imported itself only when a tool is made.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from react_engine.errors import ConfigurationError
from react_engine.shapes import resolve_pointer
from react_engine.tools.subschemas import subschemas


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """One parameter of a function, and the field of the model that stands for it.

    ``positional``: it can be passed by position only. ``default``: what the function itself takes when nothing
    is passed, or ``inspect.Parameter.empty`` if the model has to supply the value.
    """

    name: str
    field: str
    positional: bool
    default: Any


@dataclass(frozen=True, slots=True)
class FunctionParameters:
    """All parameters of a function. ``model`` validates them, ``schema`` describes them to a model."""

    model: type[BaseModel]
    schema: dict[str, Any]
    parameters: tuple[FunctionParameter, ...]


def parameters_of(
    func: Callable[..., Any], tool: str, descriptions: Mapping[str, str], *, one_string: bool = False
) -> FunctionParameters:
    """Read the signature of a function. ``one_string``: a sole parameter without a type takes text.

    Raises ConfigurationError for ``*args``, types that have no JSON Schema, and names that do not resolve.
    """
    declared = _declared(func, tool)
    hints = _hints(func, declared, tool)
    if one_string and len(declared) == 1 and declared[0].name not in hints:
        hints[declared[0].name] = str
    fields: dict[str, Any] = {}
    parameters: list[FunctionParameter] = []
    extra: Any = None
    for number, parameter in enumerate(declared):
        hint = hints.get(parameter.name, Any)
        if parameter.kind is parameter.VAR_KEYWORD:
            if get_origin(hint) is typing.Unpack:
                raise ConfigurationError(f"Tool {tool!r} ({_place(func)}) unpacks {hint}: write these parameters out.")
            extra = hint
            continue
        field = parameter.name if _can_be_field(parameter.name) else f"argument_{number}"
        fields[field] = _field(parameter, hint, descriptions.get(parameter.name))
        given = isinstance(parameter.default, FieldInfo)
        default = parameter.empty if given else parameter.default
        positional = parameter.kind is parameter.POSITIONAL_ONLY
        parameters.append(FunctionParameter(parameter.name, field, positional, default))
    try:
        model = create_model(f"{tool}_arguments", __base__=_base(extra), **fields)
        schema = _schema_of(model)
    except _UNFIT as err:
        raise _not_described(f"The parameters of tool {tool!r} ({_place(func)})", err) from err
    return FunctionParameters(model, schema, tuple(parameters))


def schema_of_model(model: type[BaseModel], tool: str) -> dict[str, Any]:
    """The JSON Schema of a model as a tool shows it. Raises ConfigurationError where there is none."""
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise ConfigurationError(f"The parameters of tool {tool!r} must be a pydantic model class, got {model!r:.80}.")
    try:
        schema = _schema_of(model)
    except _UNFIT as err:
        raise _not_described(f"The model {model.__name__} of tool {tool!r}", err) from err
    if schema.get("type") != "object":
        raise ConfigurationError(
            f"The model {model.__name__} of tool {tool!r} must describe an object, since arguments have names; "
            f"it describes {schema.get('type', 'something else')}."
        )
    return schema


_UNFIT = (PydanticUserError, PydanticUndefinedAnnotation, TypeError, ValueError)


def _not_described(what: str, error: Exception) -> ConfigurationError:
    said = str(error).splitlines()[0].rstrip(".")
    return ConfigurationError(f"{what} cannot be described: {said}. Use types that pydantic can validate from JSON.")


def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """No titles, no null defaults; unknown fields are refused unless a model says itself what becomes of them."""
    schema = model.model_json_schema(schema_generator=_ToolSchema, mode="validation")
    for part in subschemas(schema):
        if isinstance(part.get("title"), str):
            del part["title"]
        if "default" in part and part["default"] is None:
            del part["default"]
    if "$ref" in schema:  # a model that contains itself: providers want the object at the root
        schema = {**resolve_pointer(schema, schema["$ref"]), "$defs": schema["$defs"]}
    schema.pop("description", None)
    if schema.get("type") == "object":
        schema.setdefault("properties", {})
    return schema


class _ToolSchema(GenerateJsonSchema):
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def model_schema(self, schema: Any) -> dict[str, Any]:
        described = super().model_schema(schema)
        return described if "extra" in schema["cls"].model_config else _closed(described)

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _closed(super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _closed(super().typed_dict_schema(schema))


def _closed(described: dict[str, Any]) -> dict[str, Any]:
    if "properties" in described:
        described.setdefault("additionalProperties", False)
    return described


def _declared(func: Callable[..., Any], tool: str) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(func).parameters.values())
    except (TypeError, ValueError) as err:
        raise ConfigurationError(
            f"The parameters of tool {tool!r} ({_place(func)}) are unknown: Python shows no signature. "
            "Describe them with tool_from_schema."
        ) from err
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ConfigurationError(
                f"Tool {tool!r} ({_place(func)}) takes *{parameter.name}: arguments of a tool have names. "
                f"Take a list instead: {parameter.name}: list[str]."
            )
    qualified = getattr(func, "__qualname__", "")
    inside_class = "." in qualified and not qualified.rpartition(".")[0].endswith("<locals>")
    if parameters and inside_class and parameters[0].name in ("self", "cls") and inspect.isfunction(func):
        raise ConfigurationError(
            f"Tool {tool!r} ({_place(func)}) is a method without its object: make the tool from the bound method, "
            f"tool(instance.{func.__name__})."
        )
    return parameters


def _hints(func: Callable[..., Any], declared: list[inspect.Parameter], tool: str) -> dict[str, Any]:
    """The types of the parameters, with names in quotes resolved; the return type is left alone."""
    written = {p.name: p.annotation for p in declared if p.annotation is not p.empty}
    holder = SimpleNamespace(__annotations__=written)
    plain = _plain_function(func)
    names = getattr(plain, "__globals__", {})
    error: Exception | None = None
    for local in _local_names():
        try:
            return typing.get_type_hints(holder, names, local, include_extras=True)
        except NameError as err:  # a class local to the function that makes the tool
            error = error or err
        except (TypeError, SyntaxError, AttributeError) as err:
            error = err
            break
    raise ConfigurationError(
        f"A type in the signature of tool {tool!r} ({_place(func)}) cannot be resolved: {error}. "
        "Import it at run time, not only for type checking."
    ) from error


def _local_names() -> Iterator[dict[str, Any]]:
    yield {}
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("react_engine."):
        frame = frame.f_back
    yield dict(frame.f_locals)


def _plain_function(func: Any) -> Any:
    """The function that holds the annotations: behind partial objects, wrappers, methods, callable objects."""
    while True:
        if hasattr(func, "func") and hasattr(func, "keywords"):
            func = func.func
        elif hasattr(func, "__wrapped__"):
            func = func.__wrapped__
        elif inspect.ismethod(func):
            func = func.__func__
        elif not hasattr(func, "__globals__") and hasattr(type(func).__call__, "__globals__"):
            func = type(func).__call__
        else:
            return func


def _field(parameter: inspect.Parameter, hint: Any, description: str | None) -> Any:
    own: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, own = hint.__origin__, hint.__metadata__
    if hint is Any and type(parameter.default) in (str, bool, int, float):
        hint = type(parameter.default)
    # What the parameter's own Field says comes later and so overrides this one.
    known = Annotated[(hint, Field(alias=parameter.name, description=description), *own)]
    return known if parameter.default is parameter.empty else (known, parameter.default)


def _base(extra: Any) -> type[BaseModel]:
    config = ConfigDict(extra="forbid" if extra is None else "allow", protected_namespaces=())
    body: dict[str, Any] = {"model_config": config, "__module__": __name__}
    if extra is not None and extra is not Any:
        body["__annotations__"] = {"__pydantic_extra__": dict[str, extra]}
    return type("ToolArguments", (BaseModel,), body)


def _can_be_field(name: str) -> bool:
    return not name.startswith("_") and not hasattr(BaseModel, name)


def _place(func: Any) -> str:
    code = getattr(_plain_function(func), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else getattr(func, "__qualname__", type(func).__name__)
