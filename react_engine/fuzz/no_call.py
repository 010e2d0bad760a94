"""Replies that hold no call, however much they look like one. A call read from one of them is invented."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

from react_engine.fuzz import words
from react_engine.fuzz.draft import Draft
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.generate import make_answer, make_call, make_tools
from react_engine.fuzz.meaning import Reply, Survival, Tool
from react_engine.fuzz.render import can_say, render

Maker = Callable[[Draft, Random], Draft | None]
KINDS: dict[str, Maker] = {}
"""What such replies are, by name."""


def _kind(name: str, *, prose: bool = False) -> Callable[[Maker], Maker]:
    def register(make: Maker) -> Maker:
        def made(draft: Draft, rng: Random) -> Draft | None:
            found = make(draft, rng)
            return found.but(prose=prose) if found is not None else None

        made.__doc__ = make.__doc__
        KINDS[name] = made
        return make

    return register


def without_call(rng: Random, dialect: str, kinds: Sequence[str]) -> tuple[str, Draft]:
    """A kind, of some, and a reply of it, for a model that speaks a dialect."""
    tools = make_tools(rng)
    draft = Draft(tools, Reply(), dialect, FORMS[dialect], survival=Survival.REFUSE)
    while True:
        kind = rng.choice(kinds)
        made = KINDS[kind](draft, rng)
        if made is not None:
            return kind, made


def _says(draft: Draft, text: str, answer: str | None = None) -> Draft:
    return draft.but(reply=Reply(answer=text if answer is None else answer)).with_text(text)


def _sample_call(draft: Draft, rng: Random) -> str:
    tool = rng.choice(draft.tools)
    arguments = dict.fromkeys(tool["parameters"]["properties"], "<value>")
    return json.dumps({"name": tool["name"], "arguments": arguments})


@_kind("answer")
def answer(draft: Draft, rng: Random) -> Draft:
    """An answer in the dialect's own frame."""
    reply = make_answer(rng)
    if draft.labelled and draft.form.answer == "$answer":
        reply = Reply(answer=reply.answer)  # without a label it would be part of the thought
    return draft.but(reply=reply)


@_kind("plain-answer", prose=True)
def plain_answer(draft: Draft, rng: Random) -> Draft:
    """An answer and nothing else."""
    return _says(draft, rng.choice(words.ANSWERS[:5]))


@_kind("marker-or-tool-name-in-prose")
def mentions(draft: Draft, rng: Random) -> Draft:
    """Words about a tool, or about the markup."""
    name, other = rng.choice(draft.tools)["name"], rng.choice(draft.tools)["name"]
    text = rng.choice(
        (f"You could use {name} for this, but I know it already: noon.", f"Both {name} and {other} are offline today.",
         f"The function {name}(place) takes a place and gives a list.", f"I would call {name} with place=Visby, if I could.",
         "The marker <tool_call> is how I announce a tool. None is needed here.", "Models write Action: and then a name.",
         f"`{name}` is documented in the manual; see chapter 3.", f"In short: {name} {{place}} → list.",
         "An opener like <function=name> must be closed.", f"{name}: finds things. {other}: books them. Which one do you want?")
    )  # fmt: skip
    return _says(draft, text)


@_kind("sample-call-not-meant")
def sample(draft: Draft, rng: Random) -> Draft:
    """A call shown as an example, with placeholders, to the user."""
    shown = _sample_call(draft, rng)
    text = rng.choice(
        (f"I can't do that here. A request of this shape is what you need:\n\n```json\n{shown}\n```\n\nSend it with your own values.",
         f"The format is:\n\n```\n<tool_call>\n{shown}\n</tool_call>\n```\n\nShall I go on?",
         f"An example of a call:\n\n```xml\n<tool_call>\n{shown}\n</tool_call>\n```\n\nThat is all there is to it.")
    )  # fmt: skip
    return _says(draft, text)


@_kind("json-data-not-a-call")
def data(draft: Draft, rng: Random) -> Draft:
    """JSON that is an answer: documents with a name, records, lists, settings."""
    value = rng.choice(
        ({"name": "tide-board", "version": "1.2.0", "arguments": {"port": 8080}}, {"name": "Ida", "age": 41, "city": "Visby"},
         [{"name": "Oslo", "parameters": {"x": 1}}, {"name": "Bergen"}], {"decision": "none", "reason": "closed"},
         {"result": [1, 2, 3], "status": "ok"}, {"type": "object", "properties": {"place": {"type": "string"}}},
         {"tools": [], "model": "small"}, {"query": "red", "limit": 3}, [], {})
    )  # fmt: skip
    written = json.dumps(value, indent=rng.choice((None, 2)))
    lead = rng.choice(
        ("Here is the file:\n\n```json\n{}\n```", "```json\n{}\n```", "{}", "The record:\n{}", "As JSON: {} (checked)")
    )
    said = None if value else ""  # an empty list is how some say that there is nothing to call
    return _says(draft, lead.replace("{}", written, 1), said)


@_kind("code-sample")
def code(draft: Draft, rng: Random) -> Draft:
    """Source code for the user, some of which calls functions of a tool's name."""
    name = rng.choice(draft.tools)["name"]
    function = "".join(char if char.isalnum() else "_" for char in name)
    text = rng.choice(
        (f"```python\nimport harbour\n\nresult = harbour.{function}(place='Visby')\nprint(result)\n```\nThis prints the list.",
         f"```js\nconst boats = await api.{function}({{ place: 'Visby' }});\n```", "```sh\ncurl -s localhost:8080 | jq '.name'\n```",
         "```html\n<function name=\"x\"><param>1</param></function>\n```\nThat is the page.",
         f"```python\ndef {function}(place: str) -> list[str]:\n    return [place]\n```\nThe function is yours to change.",
         "```yaml\nname: ci\non: push\n```", "Use `print(x)` here, then `x = [f(1), f(2)]`.")
    )  # fmt: skip
    return _says(draft, text)


@_kind("fenced-illustration")
def illustration(draft: Draft, rng: Random) -> Draft | None:
    """A whole reply in some dialect, quoted in a fence with words around it."""
    form = FORMS[rng.choice(("react", "hermes", "qwen3_coder", "glm45", "invoke_xml", "mistral_v11"))]
    call = make_call(rng, rng.choice(draft.tools), 0.0)
    reply = Reply(calls=(call,))
    if not can_say(form, reply, draft.tools):
        return None
    shown = render(form, reply).text
    return _says(
        draft,
        f"This is how another model would write it:\n\n```text\n{shown}\n```\n\nI do it differently; nothing was run.",
    )


@_kind("final-answer-label-variants")
def labelled_answer(draft: Draft, rng: Random) -> Draft:
    """A final answer under one of its labels."""
    said = rng.choice(words.ANSWERS[:5])
    label = rng.choice(
        (
            "Final Answer:",
            "**Final Answer:**",
            "FINAL ANSWER:",
            "Final answer:",
            "FinalAnswer:",
            "最终答案：",
            "Final Answer：",
            "Endgültige Antwort:",
        )
    )
    thought = "思考：我知道了。" if label.startswith("最") else "Thought: I know it now."
    return _says(draft, f"{thought}\n{label} {said}", said)


@_kind("final-answer-as-action")
def action_is_answer(draft: Draft, rng: Random) -> Draft:
    """The answer as the input of an action of that name."""
    said = rng.choice(words.ANSWERS[:2])
    blob = json.dumps({"action": "Final Answer", "action_input": said})
    return _says(draft, rng.choice(("```json\n{}\n```", "Action:\n```\n{}\n```", "{}")).replace("{}", blob, 1), said)


@_kind("answer-quotes-a-step")
def quoting(draft: Draft, rng: Random) -> Draft:
    """A labelled answer that has labels and calls in it."""
    name = rng.choice(draft.tools)["name"]
    return _says(
        draft, f'Thought: I know.\nFinal Answer: Write it so:\n\nAction: {name}\nAction Input: {{"place": "Visby"}}', ""
    )


@_kind("tool-question-answered-no", prose=True)
def no_tool_needed(draft: Draft, rng: Random) -> Draft:
    """The format's own question, answered with no."""
    said = rng.choice(words.ANSWERS[:2])
    return _says(draft, f"Thought: Do I need to use a tool? No\nFinal Answer: {said}", said)


@_kind("list-of-tools")
def listing(draft: Draft, rng: Random) -> Draft:
    """The tools, described to the user."""
    lines = [
        f"- **{tool['name']}**: takes {', '.join(tool['parameters']['properties']) or 'nothing'}"
        for tool in draft.tools
    ]
    return _says(draft, "\n".join(("I have these tools:", *lines, rng.choice(("Which one?", "Ask for any.")))))


@_kind("empty-list-of-calls")
def no_calls(draft: Draft, rng: Random) -> Draft:
    """JSON that says: no calls."""
    return _says(
        draft, rng.choice(("[]", '{"tool_calls": []}', '{"tool_calls": null}', '{"tool_call": null}', "{}")), ""
    )


@_kind("escaped-markup")
def escaped(draft: Draft, rng: Random) -> Draft:
    """A call with its markup escaped for a page: text about calls."""
    shown = _sample_call(draft, rng).replace("<", "&lt;").replace(">", "&gt;")
    return _says(draft, f"On the page it reads &lt;tool_call&gt;{shown}&lt;/tool_call&gt;, as a sample.", "")


@_kind("schema-shown")
def schema_shown(draft: Draft, rng: Random) -> Draft:
    """The definition of a tool as JSON: it has a name and parameters, and is no call."""
    tool: Tool = rng.choice(draft.tools)
    shown = json.dumps(tool, indent=rng.choice((None, 2)))
    return _says(
        draft,
        rng.choice(
            (f"This is its definition:\n\n```json\n{shown}\n```", f"The definition is\n{shown}\nas you can see.")
        ),
    )


@_kind("degenerate-output", prose=True)
def degenerate(draft: Draft, rng: Random) -> Draft:
    """Noise and repetition."""
    unit = rng.choice(("M", "the ", "\n", "😀", "0", "lorem ", "- ", "..", "好"))
    return _says(draft, "So: " + unit * rng.randint(1, 400))


@_kind("only-a-thought")
def only_thought(draft: Draft, rng: Random) -> Draft:
    """A thought, and neither action nor answer."""
    name = rng.choice(draft.tools)["name"]
    return _says(draft, f"Thought: I should perhaps use {name}, but I am not sure what for.", "")


@_kind("markdown", prose=True)
def markdown(draft: Draft, rng: Random) -> Draft:
    """Headings, tables, lists, links, quotations."""
    text = rng.choice(
        ("# Tides\n\n| day | height |\n|---|---|\n| Mon | 2.1 |\n\nSee [the table](https://example.org/a(b)).",
         "> Quoted words\n\n1. first\n2. second\n\n---\n\n*Done.*", "## Plan\n\n- [ ] look\n- [x] book\n\nNote: it's *not* final.",
         "Let $f(x) = [x]$ and $g = \\{1, 2\\}$; then f(g) is a list.", "A [link](url), an ![image](x.png), and `code`.")
    )  # fmt: skip
    return _says(draft, text)


@_kind("math-and-brackets", prose=True)
def brackets(draft: Draft, rng: Random) -> Draft:
    """Brackets and calls of mathematics."""
    return _says(
        draft,
        rng.choice(
            (
                "f(x) = [1, 2] and max(a=3, b=4) is 4.",
                "[1] See the notes. [2] As before.",
                "The set {a, b} has two elements: a and b.",
                "[sqrt(2), sin(x)]",
            )
        ),
    )
