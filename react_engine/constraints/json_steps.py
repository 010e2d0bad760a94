"""The step as a JSON Schema, for servers that constrain replies to one but take no grammar.

The reply is then one JSON object with the fields that the prompt calls thought, action, action input and final
answer; the reader takes such an object as a step.
"""

from __future__ import annotations

from typing import Any

from react_engine.constraints.frames import Order
from react_engine.constraints.free_text import THOUGHT
from react_engine.tools.tool import Tool


def step_schema(order: Order) -> dict[str, Any]:
    """A JSON Schema for the next reply: an object with a call or the answer."""
    definitions: dict[str, Any] = {}
    forms: list[dict[str, Any]] = []
    for number, tool in enumerate(order.callable_tools):
        key = f"tool{number}"
        definitions[key] = _rooted(tool.schema, f"#/$defs/{key}")
        forms.append(_form(action={"const": tool.name}, action_input={"$ref": f"#/$defs/{key}"}))
    if order.may_answer:
        forms.append(_form(final_answer={"type": "string", "minLength": 1}))
    schema = forms[0] if len(forms) == 1 else {"anyOf": forms}
    return {**schema, "$defs": definitions} if definitions else schema


def _form(**fields: Any) -> dict[str, Any]:
    properties = {"thought": {"type": "string", "maxLength": THOUGHT}, **fields}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _rooted(schema: Any, root: str) -> Any:
    """A schema whose references into itself still hold when it stands below ``root``."""
    if isinstance(schema, list):
        return [_rooted(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    rooted = {key: _rooted(value, root) for key, value in schema.items() if key != "$schema"}
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        rooted["$ref"] = f"{root}{reference[1:]}"
    return rooted


def is_servable(tool: Tool) -> bool:
    """Whether the schema of a tool can be sent below another one: named anchors cannot."""
    return "$anchor" not in str(tool.schema)
