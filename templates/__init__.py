"""Prompts as Jinja templates: what the prompt path says to a model, in English and Chinese."""

from __future__ import annotations

from react_engine.labels import LABELS, LabelSet
from react_engine.templates.neutralise import neutralise
from react_engine.templates.render import FILES, Templates

__all__ = ["FILES", "LABELS", "LabelSet", "Templates", "neutralise"]
