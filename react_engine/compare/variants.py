"""What is compared: a model on a path, in a dialect, with or without a constraint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from react_engine.engine import Engine
from react_engine.errors import ConfigurationError
from react_engine.limits import Limits
from react_engine.models.base import Model
from react_engine.models.profile import ModelProfile
from react_engine.paths.constraint import can_be_held
from react_engine.suites import Suite
from react_engine.types import PathName

LIMITS = Limits(steps=8, calls=10, repeat_refuse=2, repeat_stop=3, format_retries=2)
"""Of one task. No task of the shipped suites needs more than five calls."""

TOKENS = 256
"""Of one reply: more than any step of the shipped suites takes, and an end to babble."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way to ask by prompt: the dialect, the language of its text, how tools are shown, the form of a constraint."""

    dialect: str = "react"
    language: str = "en"
    rendering: str = "signature"
    constraint: str = "on"

    def can_be_held(self, forms: Sequence[str]) -> bool:
        """Whether one of a server's forms of constraints is there for it; where none is known, whether any is."""
        if self.constraint == "json_schema":
            return True
        return any(can_be_held(self.dialect, form) for form in forms or ("gbnf",))


FORMS: Mapping[str, Form] = {
    "react": Form(),
    "react-zh": Form(language="zh"),
    "react-schema": Form(rendering="schema"),
    "json": Form(constraint="json_schema"),
}
"""ReAct as it can be compared: tools as signatures or as JSON Schema, in English or Chinese, and the step as one JSON
object, which only a JSON Schema makes of it. The trained dialects that a prompt can ask for stand beside these."""

OWN = "own"
"""The dialect that a model's record names."""


def form_named(name: str) -> Form:
    """The form of a name of ``FORMS`` or of a dialect that prompts can ask for. Raises ConfigurationError."""
    from react_engine.parsers.dialects import DIALECTS, FAMILIES

    if name in FORMS:
        return FORMS[name]
    known = DIALECTS.get(FAMILIES.get(name, name))
    if known is None or not known.taught:
        taught = sorted(name for name, record in DIALECTS.items() if record.taught and name not in FORMS)
        raise ConfigurationError(
            f"No prompt can ask for the dialect {name!r}. Those that can be compared are: "
            f"{', '.join([*FORMS, OWN, *taught])}."
        )
    return Form(dialect=known.name)


@dataclass(frozen=True, slots=True)
class Variant:
    """One column of the comparison. ``dialect`` is empty on the native path; ``gate``: as the table says, or off."""

    model: str
    path: PathName
    dialect: str = ""
    constraint: bool = False
    gate: bool = True

    @property
    def label(self) -> str:
        """The variant in a few words, without the model."""
        if self.path == "native":
            return "native"
        return f"{self.dialect}{' + constraint' if self.constraint else ''}{'' if self.gate else ', no gate'}"

    def profile_fields(self) -> dict[str, Any]:
        """The fields of the model's profile that make the variant."""
        if self.path == "native":
            return {"function_calling": True, "constraint": "off"}
        form = form_named(self.dialect)
        held = form.constraint if self.constraint else "off"
        fields = {"function_calling": False, "dialect": form.dialect, "constraint": held}
        return fields if self.gate else {**fields, "gate": "off"}

    def engine(self, model: Model, profile: ModelProfile, suite: Suite, templates: Path | None = None) -> Engine:
        """The engine of the variant; ``templates`` is a folder of the user's own."""
        form = form_named(self.dialect) if self.path == "prompt" else Form()
        record = replace(profile, **self.profile_fields())
        return Engine(
            model,
            suite.tools,
            path=self.path,
            language=form.language,
            templates=templates,
            rendering=form.rendering,
            limits=LIMITS,
            sampling={"temperature": 0.0, "max_tokens": TOKENS},
            record=record,
        )


def variants(
    models: Sequence[str],
    paths: Sequence[PathName],
    dialects: Sequence[str],
    constraints: Sequence[bool],
    gates: Sequence[bool] = (True,),
    profile_of: Callable[[str], ModelProfile] = ModelProfile,
) -> Iterator[Variant]:
    """Every combination that makes sense, model by model; ``profile_of`` gives a model's record.

    Where both are asked for, there is no constraint for a model whose server is not known to take one.

    Raises ConfigurationError for a dialect that no prompt can ask for.
    """
    from react_engine.parsers.dialects import dialect_named

    named = [(name, form_named(name)) for name in dialects if name != OWN]
    for model in models:
        if "native" in paths:
            yield Variant(model, "native")
        forms, profile = dict(named), profile_of(model)
        own = dialect_named(profile.dialect)
        if OWN in dialects and own.taught:
            forms.setdefault(own.name, form_named(own.name))
        possible = constraints if profile.constraints or len(constraints) == 1 else (False,)
        for name, form in forms.items() if "prompt" in paths else ():
            for held in possible:
                if form.can_be_held(profile.constraints) if held else name != "json":
                    # The gate reads a begun thought, which only ReAct has.
                    asked = gates if form.dialect == "react" else gates[:1]
                    yield from (Variant(model, "prompt", name, held, gate) for gate in asked)
