"""Structured extraction in the dress of a forced tool call: it works wherever tools work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from react_engine.runs import LimitReached
from react_engine.tools.function import tool_from_model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from react_engine.runs import Run


class Extraction:
    """One tool without effect, whose parameters are the model; its validated arguments are the result."""

    instructions = "Extract what the text says by calling the tool once. Take values from the text only; leave out what it does not say."

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.__name__).lower()
        description = (model.__doc__ or "").strip() or f"Record the {name.replace('_', ' ')} found in the text."
        self.tool = tool_from_model(model, _itself, name=f"record_{name}", description=description)

    def result(self, run: Run) -> Any:
        """The instance that the run found. Raises LimitReached with the run if there is none."""
        for result in reversed(run.results):
            if result.ok and isinstance(result.value, self.model):
                return result.value
        last = next((result.text for result in reversed(run.results)), run.message)
        raise LimitReached(f"No valid {self.model.__name__} came out of the text. {last}", run)


def _itself(arguments: Any) -> Any:
    return arguments
