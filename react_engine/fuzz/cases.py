"""Cases: a reply, the tools on offer, and what may be read from it. A seed and a number make a case, always the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from react_engine.fuzz.draft import Draft, Mutator
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.generate import make_reply, make_tools
from react_engine.fuzz.meaning import Call, Reply, Survival, Tool
from react_engine.fuzz.mutators import MUTATORS
from react_engine.fuzz.no_call import KINDS, without_call
from react_engine.fuzz.render import can_say

WITHOUT_CALL = 0.25
"""The share of replies that hold no call."""
_DAMAGE = (0, 1, 1, 1, 1, 1, 2, 2, 3)
"""How many mutators a reply gets."""
_AROUND = frozenset({"end", "front", "blanks", "noise", "cut"})
"""Groups that may go together with what makes a call impossible."""
_RARE = 0.01
_AIMED = 0.4
"""The share of replies for which the mutator is chosen first."""


@dataclass(frozen=True, slots=True)
class Case:
    """One reply to be read.

    ``survival`` None means that nothing is known of what was meant: a recorded reply. ``answer`` is what people
    should see, where that is known. ``kinds`` names what the reply is or went through.
    """

    id: str
    text: str
    tools: list[Tool]
    dialect: str = "any"
    kinds: tuple[str, ...] = ()
    finish: str = "stop"
    survival: Survival | None = None
    calls: tuple[Call, ...] = ()
    answer: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The case as plain JSON, from which ``case_from`` makes it again."""
        expect = {"calls": [call.as_json() for call in self.calls], "final": self.answer}
        return {
            "id": self.id, "dialect": self.dialect, "kinds": list(self.kinds), "finish_reason": self.finish,
            "survival": self.survival, "tools": self.tools, "text": self.text, "expect": expect,
        }  # fmt: skip


def make_case(seed: int, number: int, dialects: Sequence[str] = (), mutators: Sequence[str] = ()) -> Case:
    """The case of a seed and a number, in one of the dialects and with the mutators to choose from (all by default)."""
    return draw_case(Random(f"{seed}/{number}"), f"{seed}/{number}", dialects, mutators)


def draw_case(rng: Random, name: str, dialects: Sequence[str] = (), mutators: Sequence[str] = ()) -> Case:
    """The case that a source of randomness makes."""
    dialect = rng.choice(dialects or _ALL)
    kinds = [kind for kind in mutators if kind in KINDS] or list(KINDS)
    chosen = [MUTATORS[kind] for kind in mutators if kind in MUTATORS] if mutators else list(MUTATORS.values())
    if (rng.random() < WITHOUT_CALL and (not mutators or set(mutators) & set(KINDS))) or not chosen:
        kind, draft = without_call(rng, dialect, kinds)
        draft, applied = damaged(draft, rng, chosen, rng.choice(_DAMAGE))
        return case_of(draft, name, [kind, *applied])
    draft = _with_calls(rng, dialect)
    if mutators or rng.random() < _AIMED:
        # Damage that only a few dialects can take would hardly be seen if the dialect always came first.
        aim = rng.choice(chosen)
        for _ in range(0 if aim.rare and len(chosen) > 1 else 25):
            changed, applied = damaged(draft, rng, [aim], 1)
            if applied:
                return case_of(changed, name, applied)
            draft = _with_calls(rng, rng.choice(dialects or _ALL))
    draft, applied = damaged(draft, rng, chosen, rng.choice(_DAMAGE))
    return case_of(draft, name, applied)


_ALL = tuple(FORMS)


def _with_calls(rng: Random, dialect: str) -> Draft:
    form, tools = FORMS[dialect], make_tools(rng)
    for hostile in (0.3, 0.3, 0.15, 0.0, 0.0, 0.0):
        reply = make_reply(rng, tools, hostile)
        if not form.several:
            reply = Reply(reply.thought, reply.before, reply.calls[:1], reply.after)
        if can_say(form, reply, tools):
            return Draft(tools, reply, dialect, form)
    return _with_calls(rng, dialect)


_STAGES = {"meaning": 0, "writing": 1, "text": 2}


def damaged(draft: Draft, rng: Random, mutators: Sequence[Mutator], count: int) -> tuple[Draft, list[str]]:
    """The draft after up to ``count`` mutators, of one group each, and the names of those that could be applied."""
    if not mutators or not count:
        return draft, []
    order = rng.sample(mutators, min(len(mutators), 12 * count))
    while order:
        picked: dict[str, Mutator] = {}
        while order and len(picked) < count:
            mutator = order.pop()
            if not mutator.rare or rng.random() < _RARE or len(mutators) == 1:
                picked.setdefault(mutator.group, mutator)
        changed, applied = _apply(draft, rng, sorted(picked.values(), key=lambda each: _STAGES[each.stage]))
        if applied:
            return changed, applied
    return draft, []


def _apply(draft: Draft, rng: Random, mutators: Sequence[Mutator]) -> tuple[Draft, list[str]]:
    applied: list[str] = []
    for mutator in mutators:
        if draft.sample is not None and mutator.stage != "text":
            continue  # what is written already cannot be meant or written otherwise
        refuses = mutator.survival is Survival.REFUSE
        if (applied and refuses) or (draft.survival is Survival.REFUSE and mutator.group not in _AROUND):
            continue
        changed = mutator.mutate(draft, rng)
        if changed is None or (mutator.stage == "meaning" and not changed.sayable()):
            continue
        draft = changed.weaker(mutator.survival)
        applied.append(mutator.name)
    return draft, applied


def case_of(draft: Draft, name: str, kinds: Sequence[str]) -> Case:
    """The case that a draft has become."""
    calls = () if draft.survival is Survival.REFUSE else draft.calls
    clean = len(kinds) <= 1 and not draft.reply.calls and draft.survival is Survival.REFUSE
    answer = draft.reply.answer if clean and draft.reply.answer and draft.finish == "stop" else None
    return Case(
        name, draft.written.text, draft.tools, draft.dialect, tuple(kinds), draft.finish, draft.survival, calls, answer
    )


def case_from(line: dict[str, Any], name: str) -> Case:
    """A case from JSON: one of our own, one of a set of cases with ``expect``, or a recorded reply."""
    expect = line.get("expect")
    calls = tuple(Call(call["name"], call["arguments"]) for call in expect["calls"]) if expect else ()
    survival = line.get("survival")
    if expect and survival is None:
        survival = Survival.RECOVER if calls else Survival.REFUSE
    kinds = line.get("kinds") or [line["kind"]] if line.get("kinds") or line.get("kind") else []
    finish = line.get("finish_reason") or ("length" if line.get("truncated") else "stop")
    return Case(
        str(line.get("id") or name), line["text"], list(line.get("tools") or []), line.get("dialect") or "any",
        tuple(kinds), finish, Survival(survival) if survival else None, calls, (expect or {}).get("final"),
    )  # fmt: skip
