"""react-engine: any chat model uses tools.

Names are imported when first used: ``import react_engine`` itself loads nothing heavy.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# litellm fetches a price list over the network at import unless told not to; nothing here may need the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

__version__ = "0.1.0"

if TYPE_CHECKING:
    from react_engine.dialect_tables import load_dialects
    from react_engine.engine import Engine, Session
    from react_engine.errors import (
        ConfigurationError,
        ContextTooLong,
        InvalidArguments,
        ModelError,
        ModelTimeout,
        ModelUnavailable,
        RateLimited,
        ReactEngineError,
        ToolError,
        ToolsRefused,
        UnknownTool,
    )
    from react_engine.limits import Limits
    from react_engine.models.base import Model, ModelRequest, RawCall, Reply
    from react_engine.models.profile import ModelProfile
    from react_engine.models.scripted import ScriptedModel
    from react_engine.parsers.dialects import Dialect, Tags, Writing, register_dialect
    from react_engine.parsers.explain import explain
    from react_engine.parsers.index import ToolIndex
    from react_engine.parsers.reader import read
    from react_engine.parsers.stream import Reader
    from react_engine.provider import register
    from react_engine.runs import EndState, Fallback, FallbackReason, GateDecision, LimitReached, Run, Step
    from react_engine.tools.executor import Executor
    from react_engine.tools.function import tool, tool_from_model, tool_from_schema
    from react_engine.tools.registry import Registry
    from react_engine.tools.tool import RateLimit, Tool, ToolOptions, ToolParameter
    from react_engine.types import Message, Problem, Reading, Span, Status, Tolerance, ToolCall, ToolResult, Usage

_HOMES = {
    "react_engine.engine": ("Engine", "Session"),
    "react_engine.dialect_tables": ("load_dialects",),
    "react_engine.errors": (
        "ConfigurationError", "ContextTooLong", "InvalidArguments", "ModelError", "ModelTimeout", "ModelUnavailable",
        "RateLimited", "ReactEngineError", "ToolError", "ToolsRefused", "UnknownTool",
    ),
    "react_engine.limits": ("Limits",),
    "react_engine.models.base": ("Model", "ModelRequest", "RawCall", "Reply"),
    "react_engine.models.profile": ("ModelProfile",),
    "react_engine.models.scripted": ("ScriptedModel",),
    "react_engine.parsers.dialects": ("Dialect", "Tags", "Writing", "register_dialect"),
    "react_engine.parsers.explain": ("explain",),
    "react_engine.parsers.index": ("ToolIndex",),
    "react_engine.parsers.reader": ("read",),
    "react_engine.parsers.stream": ("Reader",),
    "react_engine.provider": ("register",),
    "react_engine.runs": ("EndState", "Fallback", "FallbackReason", "GateDecision", "LimitReached", "Run", "Step"),
    "react_engine.tools.executor": ("Executor",),
    "react_engine.tools.function": ("tool", "tool_from_model", "tool_from_schema"),
    "react_engine.tools.registry": ("Registry",),
    "react_engine.tools.tool": ("RateLimit", "Tool", "ToolOptions", "ToolParameter"),
    "react_engine.types": (
        "Message", "Problem", "Reading", "Span", "Status", "Tolerance", "ToolCall", "ToolResult", "Usage",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ConfigurationError",
    "ContextTooLong",
    "Dialect",
    "EndState",
    "Engine",
    "Executor",
    "Fallback",
    "FallbackReason",
    "GateDecision",
    "InvalidArguments",
    "LimitReached",
    "Limits",
    "Message",
    "Model",
    "ModelError",
    "ModelProfile",
    "ModelRequest",
    "ModelTimeout",
    "ModelUnavailable",
    "Problem",
    "RateLimit",
    "RateLimited",
    "RawCall",
    "ReactEngineError",
    "Reader",
    "Reading",
    "Registry",
    "Reply",
    "Run",
    "ScriptedModel",
    "Session",
    "Span",
    "Status",
    "Step",
    "Tags",
    "Tolerance",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolIndex",
    "ToolOptions",
    "ToolParameter",
    "ToolResult",
    "ToolsRefused",
    "UnknownTool",
    "Usage",
    "Writing",
    "__version__",
    "explain",
    "load_dialects",
    "read",
    "register",
    "register_dialect",
    "tool",
    "tool_from_model",
    "tool_from_schema",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
