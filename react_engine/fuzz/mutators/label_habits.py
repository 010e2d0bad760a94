"""What models do to ReAct's labels and to what stands behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Call, Survival
from react_engine.fuzz.render import python_literals

_STRING = {"type": "string"}
_LABEL = re.compile(r"^(Thought|Action Input|Action)(:)", re.MULTILINE)


def _relabelled(draft: Draft, label: Callable[[str], str]) -> Draft | None:
    """With every label of the form rewritten; what is inside of arguments stays as it is."""
    if not draft.labelled or not draft.reply.calls:
        return None
    rewrite: Callable[[str], str] = lambda text: _LABEL.sub(lambda match: label(match[1]), text)
    form = replace(draft.form, call=rewrite(draft.form.call), thought=rewrite(draft.form.thought))
    return draft.but(form=form)


@mutator("markdown-bold-labels", "writing", "labels")
def bold(draft: Draft, rng: Random) -> Draft | None:
    """Labels in bold, with the colon inside or outside, as headings or list items."""
    pattern = rng.choice(("**{}:**", "**{}**:", "*{}:*", "### {}:", "- {}:", "__{}:__", "> {}:", "#### **{}:**"))
    return _relabelled(draft, pattern.format)


@mutator("numbered-labels", "writing", "labels")
def numbered(draft: Draft, _rng: Random) -> Draft | None:
    """Labels with a number."""
    return _relabelled(draft, lambda word: f"{word} 1:") if len(draft.reply.calls) == 1 else None


@mutator("labels-in-other-case", "writing", "labels")
def other_case(draft: Draft, rng: Random) -> Draft | None:
    """Labels in capitals, in small letters, run together, with blanks before the colon."""
    spell: Callable[[str], str] = rng.choice(
        (str.upper, str.lower, lambda word: word.replace(" ", "_"), lambda word: f"{word} ", lambda word: f"  {word}", lambda word: word.replace(" ", ""))
    )  # fmt: skip
    return _relabelled(draft, lambda word: f"{spell(word)}:")


_TRANSLATED = (
    {"Thought": "思考", "Action": "行动", "Action Input": "行动输入"},
    {"Thought": "Gedanke", "Action": "Aktion", "Action Input": "Aktionseingabe"},
    {"Thought": "Pensamiento", "Action": "Acción", "Action Input": "Entrada de la acción"},
    {"Thought": "Pensée", "Action": "Action", "Action Input": "Entrée de l'action"},
    {"Thought": "Мысль", "Action": "Действие", "Action Input": "Входные данные"},
)


@mutator("translated-labels", "writing", "labels")
def translated(draft: Draft, rng: Random) -> Draft | None:
    """Labels in the language of the talk."""
    words = rng.choice(_TRANSLATED)
    colon = rng.choice(("：", ":")) if "思考" in words.values() else ":"
    return _relabelled(draft, lambda word: f"{words[word]}{colon}")


@mutator("fullwidth-colons", "writing", "labels")
def fullwidth_colons(draft: Draft, _rng: Random) -> Draft | None:
    """Full-width colons behind the labels."""
    return _relabelled(draft, lambda word: f"{word}：")


@mutator("action-on-next-line", "writing", "labels")
def next_line(draft: Draft, rng: Random) -> Draft | None:
    """What belongs to a label stands on the line below."""
    if not draft.labelled:
        return None
    gap = rng.choice(("\n", "\n\n", " \n  "))
    return draft.but(form=replace(draft.form, call=draft.form.call.replace(": ", f":{gap}")))


@mutator("call-syntax-in-action", "writing", "call")
def call_syntax(draft: Draft, rng: Random) -> Draft | None:
    """The action as a call: with JSON or keywords in parentheses."""
    if not draft.labelled or not draft.reply.calls:
        return None
    if any(not re.fullmatch(r"\w+", call.name) for call in draft.reply.calls):
        return None
    if rng.random() < 0.5:
        return draft.but(form=replace(draft.form, call="Action: $name($arguments)"))
    literal = python_literals(draft.form)

    def keywords(call: Call, _written: str) -> str:
        return ", ".join(f"{key}={literal(value)}" for key, value in call.arguments.items())

    return draft.but(form=replace(draft.form, call="Action: $name($arguments)")).with_habits(arguments=keywords)


@mutator("react-step-as-json", "writing", "call")
def step_as_json(draft: Draft, rng: Random) -> Draft | None:
    """The whole step as one object."""
    if not draft.labelled or len(draft.reply.calls) != 1:
        return None
    call = draft.reply.calls[0]
    step = {"thought": draft.reply.thought or "I look.", "action": call.name, "action_input": call.arguments}
    written = json.dumps(step, ensure_ascii=False, indent=rng.choice((None, 2)))
    return draft.with_text(rng.choice(("{}", "```json\n{}\n```")).replace("{}", written, 1))


@mutator("json-in-action", "writing", "call")
def json_in_action(draft: Draft, _rng: Random) -> Draft | None:
    """The label Action with a whole call in JSON behind it."""
    if not draft.labelled or not draft.reply.calls:
        return None
    form = replace(draft.form, codec="body", call="Action: $body")
    return draft.but(form=form)


@mutator("code-fence-around-input", "writing", "input")
def fenced_input(draft: Draft, rng: Random) -> Draft | None:
    """The input in a fence, or as inline code."""
    if not draft.labelled or any("`" in str(call.arguments) for call in draft.reply.calls):
        return None
    left, right = rng.choice(
        (("\n```json\n", "\n```"), ("```\n", "\n```"), ("`", "`"), ("\n```\n", "\n```"), ("```json\n", "```"))
    )
    return draft.with_habits(arguments=lambda _call, written: f"{left}{written}{right}")


@mutator("plain-text-input", "meaning", "input")
def plain_text(draft: Draft, rng: Random) -> Draft | None:
    """The bare value as the input of a tool with one parameter."""
    if not draft.labelled or len(draft.reply.calls) != 1:
        return None
    name = draft.reply.calls[0].name
    value = rng.choice(
        ("red lantern", "HD-77-810", "Łódź, Poland", "SELECT count(*) FROM boats", "什么时候开船", "two words?")
    )
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tools = [{**tool, "parameters": parameters} if tool["name"] == name else tool for tool in draft.tools]
    quote = rng.choice(("", "", '"', "'"))
    changed = draft.but(tools=tools).with_calls(Call(name, {"query": value}))

    def bare(call: Call, written: str) -> str:
        if set(call.arguments) != {"query"}:
            return written
        text = call.arguments["query"]
        return text if quote in text else f"{quote}{text}{quote}"

    return changed.with_habits(arguments=bare)


@mutator("kwargs-or-yaml-input", "writing", "input")
def keyword_input(draft: Draft, rng: Random) -> Draft | None:
    """Keywords, or lines of key and value, for an object."""
    if not draft.labelled or not all(call.arguments for call in draft.reply.calls):
        return None
    simple = all(
        isinstance(value, (int, float)) or (isinstance(value, str) and re.fullmatch(r"[A-Za-z]\w*(?: \w+)*", value))
        for call in draft.reply.calls
        for value in call.arguments.values()
    )
    if not simple or any(str(v).lower() in _WORDS for c in draft.reply.calls for v in c.arguments.values()):
        return None
    join, colon, quote = rng.choice(((", ", "=", VALID.write), ("\n", ": ", VALID.write)))
    return draft.with_habits(
        arguments=lambda call, _written: (
            ("\n" if join == "\n" else "")
            + join.join(f"{key}{colon}{quote(value)}" for key, value in call.arguments.items())
        )
    )


_WORDS = ("null", "none", "true", "false", "nan")


@mutator("no-arg-tool-empty-input", "meaning", "input")
def nothing_to_give(draft: Draft, rng: Random) -> Draft | None:
    """No input, or a word for nothing, where the tool takes nothing."""
    if not draft.labelled or not draft.reply.calls:
        return None
    tool = {"name": "ring_bell", "description": "Rings.", "parameters": {"type": "object", "properties": {}}}
    changed = draft.but(tools=[*draft.tools, tool]).with_calls(Call("ring_bell", {}))
    word = rng.choice(("", "None", "null", "{}", "N/A", '""', "no input", "\n"))
    if rng.random() < 0.2:
        return changed.but(form=replace(changed.form, call="Action: $name"))
    return changed.with_habits(arguments=lambda call, written: written if call.arguments else word)


@mutator("stop-word-remainder", "text", "tail")
def stop_remainder(draft: Draft, rng: Random) -> Draft | None:
    """What a stop sequence leaves of the next label."""
    if not draft.labelled or not draft.reply.calls:
        return None
    word = "\nObservation:"
    return draft.but(sample=draft.written.wrapped("", word[: rng.randint(4, len(word))]))


@mutator("action-without-thought", "text", "head")
def unlabelled_thought(draft: Draft, rng: Random) -> Draft | None:
    """Free text where the label Thought should stand."""
    if not draft.labelled or draft.reply.thought or not draft.reply.calls:
        return None
    words = rng.choice(("The archivist knows best.", "I need the weather first, then the tide.", "好，我来查。"))
    return draft.but(sample=draft.written.wrapped(words + rng.choice(("\n", "\n\n"))))


@mutator("whole-step-in-fence", "text", "fence")
def whole_in_fence(draft: Draft, rng: Random) -> Draft | None:
    """The whole step in a code fence, with nothing outside."""
    if not draft.labelled or "```" in draft.written.text or "~~~" in draft.written.text:
        return None
    return draft.but(sample=draft.written.wrapped(f"```{rng.choice(('', 'text', 'markdown'))}\n", "\n```"))


@mutator("react-markers-quoted", "text", "head")
def quoted_sample(draft: Draft, _rng: Random) -> Draft | None:
    """A fenced sample of a step in the thought, then the real one."""
    if not draft.labelled or draft.reply.thought or "```" in draft.written.text:
        return None
    name = draft.tools[0]["name"]
    sample = f"```\nThought: sample\nAction: {name}\nAction Input: {{}}\n```\n"
    return draft.but(sample=draft.written.wrapped(f"Thought: The manual shows a step:\n{sample}I do the same now.\n"))


@mutator("pipe-separated-input", "writing", "input", Survival.REFUSE)
def piped(draft: Draft, _rng: Random) -> Draft | None:
    """Values in a row, without names, for several parameters."""
    if not draft.labelled or len(draft.reply.calls) != 1:
        return None
    tool = draft.tool(draft.reply.calls[0].name)["parameters"]
    if len(tool["properties"]) < 3 or not tool["required"]:
        return None
    return draft.with_habits(arguments=lambda _call, _written: "Botanist|Which fern grows here?|The well is dry.")


@mutator("invented-continuation", "text", "tail")
def invented(draft: Draft, rng: Random) -> Draft | None:
    """The model went on with an observation, and with a step built on it."""
    if not draft.reply.calls or not draft.labelled:
        return None
    other = draft.tools[-1]["name"]
    tail = rng.choice(
        ("\nObservation: 3 found", "\nObservation: 3\nThought: Good.\nFinal Answer: Three.",
         f"\nObservation: {{\"ok\": true}}\nThought: And now.\nAction: {other}\nAction Input: {{}}",
         "\n\nObservation: none\n\nQuestion: What else?\nThought: hm")
    )  # fmt: skip
    return draft.but(sample=draft.written.wrapped("", tail))
