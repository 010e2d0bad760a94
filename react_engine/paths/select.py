"""Which path a model is spoken to on, and what is given up when its server refuses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from react_engine.errors import ConfigurationError, ModelError
from react_engine.models.failures import refused_feature
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Path
from react_engine.types import PathName

PathChoice = Literal["auto", "native", "prompt"]
MakePath = Callable[[PathName, ModelProfile, frozenset[str]], Path]
"""Makes a path for a profile; the names are request parameters to leave out."""


def require_choice(choice: str) -> None:
    """Raise ConfigurationError for what is no choice of a path."""
    if choice not in get_args(PathChoice):
        raise ConfigurationError(f"path must be 'auto', 'native' or 'prompt', got {choice!r}.")


class Paths:
    """Both paths to one model, made when first used. ``current`` is the one in use.

    ``choice`` forces a path; ``"auto"`` lets the profile's ``function_calling`` decide and allows the engine to
    leave the native path when it does not hold. Raises ConfigurationError for any other choice.
    """

    def __init__(self, profile: ModelProfile, make: MakePath, choice: PathChoice = "auto") -> None:
        require_choice(choice)
        self.profile = profile
        self.choice = choice
        self._make = make
        self._omitted: frozenset[str] = frozenset()
        self._made: dict[PathName, Path] = {}
        native = profile.function_calling is True if choice == "auto" else choice == "native"
        self._name: PathName = "native" if native else "prompt"

    @property
    def current(self) -> Path:
        """The path in use."""
        if self._name not in self._made:
            self._made[self._name] = self._make(self._name, self.profile, self._omitted)
        return self._made[self._name]

    @property
    def may_switch(self) -> bool:
        """Whether the engine may leave the native path by itself."""
        return self.choice == "auto"

    def use(self, name: PathName) -> None:
        """Go on on this path."""
        self._name = name

    def give_up(self, error: ModelError) -> str | None:
        """Do without what the server refused. What was given up, or None if nothing can be."""
        feature = refused_feature(error)
        if feature is None or feature in self._omitted:
            return None
        if changes := profile_changes(feature):
            profile = replace(self.profile, **changes)
            if profile == self.profile:
                return None
            self.profile = profile
        elif feature == "tool_choice" or feature in self.profile.sampling:
            self._omitted |= {feature}
        else:
            return None
        self._made.clear()
        return feature


def profile_changes(feature: str) -> Mapping[str, Any]:
    """The fields of a profile that do without a part of the request; none if no field says so."""
    return _PROFILE_CHANGES.get(feature, {})


_PROFILE_CHANGES: dict[str, dict[str, Any]] = {
    "stop": {"stop_words": False},
    "constraint": {"constraint": "off"},
    "system": {"system_role": "user"},
    "roles": {"merge_roles": True, "system_role": "user"},
    "strict": {"strict": False},
    "schema": {"strict": False},
    "parallel_tool_calls": {"parallel_calls": True},
}
