"""Dialects as data: one record says how a family of models writes calls."""

from react_engine.parsers.dialects.record import Dialect, Tags
from react_engine.parsers.dialects.registry import (
    DIALECTS,
    FAMILIES,
    added_records,
    all_records,
    beside,
    dialect_named,
    dialect_of,
    forget_dialect,
    frame_of,
    is_known,
    register_dialect,
    version,
)
from react_engine.parsers.dialects.writing import Writing

__all__ = [
    "DIALECTS",
    "FAMILIES",
    "Dialect",
    "Tags",
    "Writing",
    "added_records",
    "all_records",
    "beside",
    "dialect_named",
    "dialect_of",
    "forget_dialect",
    "frame_of",
    "is_known",
    "register_dialect",
    "version",
]
