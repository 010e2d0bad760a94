"""Sample data that every template must render with: each branch that real data can take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Literal

from react_engine.labels import LabelSet
from react_engine.parsers.dialects import DIALECTS, Writing

Kind = Literal[
    "system", "step", "observation", "repair", "guide", "forced", "completion", "dialect", "dialect_repair",
    "dialect_forced", "arguments", "tool",
]  # fmt: skip


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
            {"labels": labels, "raw": "Action:", "problems": problems, "thoughts": thoughts}
            for problems in ([problem], [problem] * 2)
            for thoughts in (True, False)
        ],
        "guide": [{"labels": labels}],
        "forced": [{"labels": labels, "reason": reason} for reason in ("The limit of 10 steps is reached.", "")],
        "completion": [{"labels": labels, "messages": turns}],
        **_dialect_contexts(labels, problem),
    }


def _dialect_contexts(labels: LabelSet, problem: SimpleNamespace) -> dict[Kind, list[Mapping[str, Any]]]:
    """What the templates of trained dialects see."""
    dialect = DIALECTS["minimax_m3"]
    writing = Writing(argument="<parameter=$key>$value</parameter>")
    known = replace(dialect, quote="<escape>", writing=writing)
    example = SimpleNamespace(call="<c>", calls="<c><c>", step="I look. <c>", observation="rain", answer="Rain.")
    place = SimpleNamespace(name="place", schema={"type": "string"}, required=True, description="where")
    many = SimpleNamespace(name="days", schema={"type": "integer", "enum": [1, 2]}, required=False, description="")
    tools = [
        SimpleNamespace(
            name="forecast", description="Rain?", parameters=(place, many), required=["place"], declared={}
        ),
        SimpleNamespace(name="tides", description="", parameters=(), required=[], declared={}),
    ]
    base = {"labels": labels, "dialect": known, "example": example}
    system = {**base, "instructions": "Be brief.", "tools": "<tools>", "tool_choice": "auto"}
    several = replace(known, writing=replace(writing, parallel=False, answer="<answer>$answer</answer>"))
    return {
        "dialect": [
            system,
            {**system, "dialect": several, "instructions": "", "tools": ""},
            *({**system, "tool_choice": choice} for choice in ("required", "forecast")),
        ],
        "dialect_repair": [
            {**base, "raw": raw, "problems": problems} for raw, problems in (("", [problem]), ("x", [problem] * 2))
        ],
        "dialect_forced": [
            {"labels": labels, "dialect": known, "reason": reason} for reason in ("The limit is reached.", "")
        ],
        "arguments": [
            {"labels": labels, "dialect": known, "arguments": arguments}
            for arguments in ({}, {"place": "Bergen", "days": [1, {"to": None}], "at": {"x": True}})
        ],
        "tool": [{"labels": labels, "dialect": known, "tool": tool} for tool in tools],
    }
