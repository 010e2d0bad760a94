"""One record of the capability table: how the engine speaks with a model, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FunctionCalling = bool | Literal["auto"]


@dataclass(frozen=True, slots=True)
class Source:
    """Who decided a field: ``kind`` is ``argument``, ``environment``, ``config``, ``probe``, ``learned``,
    ``shipped``, ``litellm`` or ``default``; ``detail`` names the file, variable, pattern, date or reason.
    """

    kind: str
    detail: str = ""

    @property
    def chosen(self) -> bool:
        """Whether the user said it."""
        return self.kind in ("argument", "environment", "config")

    def __str__(self) -> str:
        return f"{self.kind} ({self.detail})" if self.detail else self.kind


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What is known of a model on its server.

    ``function_calling``: ``True`` native path, ``False`` prompt path, ``"auto"`` decided by the table.
    ``dialect``: the text format it was trained on, or ``react``. ``system_role``: where system text may
    stand; ``"user"`` puts it in front of the first user message. ``merge_roles``: the server refuses two
    messages of one role in a row. ``chat``: False for base models, which are asked through completions.
    ``stop_words``: the server takes ``stop``. ``continues``: a message of the assistant that stands last is
    gone on with. ``thoughts``: steps in ReAct have a thought; without, the examples are turns of the conversation.
    ``grounded``: on the prompt path calls with values that nobody said are objected to,
    and a constraint leaves a refused tool out of the next reply.
    ``strict``: it takes ``strict`` schemas. ``reasoning``: pairs of opening and closing markers.
    ``calls_in_reasoning``: calls written there are meant. ``constraints``: forms of constrained decoding its
    server takes (``gbnf``, ``json_schema``, ``structured_outputs``), the best first. ``constraint``: the one in
    use on the prompt path, or ``on`` for the best, or ``off``. ``gate``: before the first step the
    model is asked how likely it is to answer without a tool; below the first bound it has to use one first, from
    the second on it may only answer; ``off`` does not ask.
    ``client``: which client reaches it; ``served_name`` is the name sent to the server.
    ``sampling``: default sampling parameters. ``sources`` says who decided each field.
    """

    name: str
    function_calling: FunctionCalling = "auto"
    dialect: str = "react"
    parallel_calls: bool = True
    strict: bool = False
    system_role: Literal["system", "user"] = "system"
    merge_roles: bool = False
    chat: bool = True
    stop_words: bool = True
    continues: bool = False
    thoughts: bool = True
    grounded: bool = False
    reasoning: tuple[tuple[str, str], ...] = (("<think>", "</think>"),)
    calls_in_reasoning: bool = False
    context_length: int | None = None
    constraints: tuple[str, ...] = ()
    constraint: str = "off"
    gate: tuple[float, float] | Literal["off"] = "off"
    client: Literal["litellm", "http", "local"] = "litellm"
    served_name: str = ""
    api_base: str | None = None
    api_key_env: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict, compare=False)
