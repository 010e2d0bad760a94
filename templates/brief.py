"""ReAct for the smallest models: steps without thoughts, and worked examples as turns of the conversation.

Models of half a billion parameters and less take a thought as room to guess in, and follow turns that they seem to
have taken themselves better than examples in a system text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from react_engine.templates.render import Templates
from react_engine.templates.views import SchemaLike, SignatureLike
from react_engine.types import ToolCall


class BriefTemplates(Templates):
    """``Templates`` that ask for no thoughts: made by ``Templates.without_thoughts``."""

    thoughts = False

    def __init__(self, base: Templates) -> None:
        self.language, self.labels = base.language, base.labels
        self._origin, self._overrides = base._origin, base._overrides

    @property
    def label_of_a_step(self) -> str:
        """Empty: a step begins with a call or the answer, under their own labels."""
        return ""

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        """The worked examples: a question or an observation is the user's turn, a step the assistant's."""
        return self._turns

    @cached_property
    def _turns(self) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = []
        for line in self.render(f"react_turns.{self.language}.j2").splitlines():
            question = line.removeprefix(f"{self.labels.question}: ")
            observed = line.startswith(f"{self.labels.observation}: ")
            role = "user" if question != line or observed else "assistant"
            if role == "assistant" and turns and turns[-1]["role"] == role:
                turns[-1]["content"] += f"\n{line}"
            elif line:
                turns.append({"role": role, "content": line if observed else question})
        return turns

    @property
    def gate_lead(self) -> str | None:
        """Nothing has to be begun: the first word of a step tells whether a tool is wanted."""
        replaced = any(name in self._overrides for name in ("react_brief.en.j2", "react_turns.en.j2"))
        return "" if self.language == "en" and not replaced else None

    def unknown_lead(self, name: str) -> str:
        """Nothing: there is no thought."""
        return ""

    @property
    def gate_word(self) -> str:
        """The word with which a step begins when no tool is wanted."""
        return self.labels.final_answer.split()[0].casefold()

    def system(
        self,
        tools: Sequence[SignatureLike] | Sequence[SchemaLike],
        *,
        instructions: str = "",
        rendering: str = "signature",
        tool_choice: str = "auto",
    ) -> str:
        """See ``Templates.system``."""
        return self._system("react_brief", tools, instructions, rendering, tool_choice)

    def step(self, thought: str | None = None, calls: Sequence[ToolCall] = (), answer: str | None = None) -> str:
        """A step of the transcript, without a thought that it may have."""
        return super().step(None, calls, answer)
