"""Sample data that every template must render with: each branch that real data can take."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Literal

from react_engine.labels import LabelSet

Kind = Literal["system", "step", "observation", "repair", "guide", "forced", "completion"]


def sample_contexts(labels: LabelSet) -> dict[Kind, list[Mapping[str, Any]]]:
    """For each kind of template, contexts with all of its variables."""
    argument = SimpleNamespace(
        name="place", type="string", required=True, default=None, description="where", limits="at most 80 characters"
    )
    optional = SimpleNamespace(name="days", type="integer", required=False, default="1", description="", limits="")
    tools = [
        SimpleNamespace(name="forecast", description="Forecast.", arguments=(argument, optional), schema="{}"),
        SimpleNamespace(name="tide_tables", description="", arguments=(), schema=""),
    ]
    call = SimpleNamespace(name="forecast", arguments='{"place":"Bergen"}')
    good = SimpleNamespace(name="forecast", ok=True, status="success", text="rain", hint="", code="", cut=0)
    bad = SimpleNamespace(
        name="forecast", ok=False, status="timeout", text="No answer.", hint="Try later.", code="", cut=9
    )
    problem = SimpleNamespace(code="no_action", message="There is no action.", hint="Write one.")
    turns = [
        SimpleNamespace(role="system", text="Use tools.", observation=False),
        SimpleNamespace(role="user", text="Rain?", observation=False),
        SimpleNamespace(role="assistant", text=f"{labels.action}: forecast", observation=False),
        SimpleNamespace(role="user", text=f"{labels.observation}: rain", observation=True),
    ]
    system = {
        "labels": labels,
        "instructions": "Be brief.",
        "rendering": "signature",
        "tool_choice": "auto",
        "tools": tools,
    }
    return {
        "system": [
            system,
            *({**system, "instructions": "", "tool_choice": choice} for choice in ("required", "none", "forecast")),
            {**system, "rendering": "schema"},
            {**system, "tools": []},
        ],
        "step": [
            {"labels": labels, "thought": thought, "calls": calls, "answer": answer}
            for thought in ("Look it up.", "")
            for calls, answer in (([call, call], None), ([], "Yes."))
        ],
        "observation": [{"labels": labels, "results": results} for results in ([good], [bad], [good, bad])],
        "repair": [
            {"labels": labels, "raw": "Action:", "problems": problems} for problems in ([problem], [problem] * 2)
        ],
        "guide": [{"labels": labels}],
        "forced": [{"labels": labels, "reason": reason} for reason in ("The limit of 10 steps is reached.", "")],
        "completion": [{"labels": labels, "messages": turns}],
    }
