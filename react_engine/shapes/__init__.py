"""What a JSON Schema makes plain, compiled once: does a value fit, and what does it mean if it does not quite?

``shape_of`` compiles a schema, ``coerce`` brings a value into its shape without inventing anything,
``problems`` names what still does not fit. The text reader and the validator both use them, so an
argument means the same whichever way it came. Pure, linear in the value, without dependencies.
"""

from __future__ import annotations

from react_engine.shapes.coercion import Coerced, Repair, coerce
from react_engine.shapes.compilation import resolve_pointer, shape_of
from react_engine.shapes.mismatch import Mismatch, problems, shown
from react_engine.shapes.shape import MAX_DEPTH, Shape, kind_of, same, type_text

__all__ = [
    "MAX_DEPTH",
    "Coerced",
    "Mismatch",
    "Repair",
    "Shape",
    "coerce",
    "kind_of",
    "problems",
    "resolve_pointer",
    "same",
    "shape_of",
    "shown",
    "type_text",
]
