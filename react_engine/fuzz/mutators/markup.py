"""Markers and tags of a dialect that are missing, garbled, doubled, or another dialect's."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Survival
from react_engine.fuzz.render import can_say, render

_CLOSING_TAG = re.compile(r"</[^<>]{1,40}>\s*$")


@mutator("missing-section-markers", "writing", "frame")
def missing_section(draft: Draft, rng: Random) -> Draft | None:
    """The markers around the calls are missing; those of each call are there."""
    form = draft.form
    if not form.open or not re.search(r"[<\[(｜]", form.call) or form.codec == "python" or form.open.endswith("["):
        return None
    opens, closes = rng.choice((("", form.close), (form.open, ""), ("", "")))
    return draft.but(form=replace(form, open=opens, close=closes))


@mutator("missing-last-closer", "text", "tail")
def missing_closer(draft: Draft, _rng: Random) -> Draft | None:
    """The last closing tag is missing; the arguments are complete."""
    calls = draft.written.all("calls")
    if not calls or calls[-1].end != len(draft.written.text) or draft.form.codec in ("python",):
        return None
    match, given = _CLOSING_TAG.search(draft.written.text), draft.written.all("arguments")
    if match is None or not given or match.start() < given[-1].end:
        return None
    return draft.but(sample=draft.written.replaced(match.start(), len(draft.written.text), ""))


@mutator("xml-missing-tags", "writing", "tags")
def missing_parameter_closers(draft: Draft, _rng: Random) -> Draft | None:
    """Values without their closing tags: parameters do not nest, so a value ends where the next tag begins."""
    closer = re.search(r"\n?</[^<>]*>\n?$", draft.form.argument)
    if draft.form.codec != "tags" or closer is None or draft.dialect in ("muse_atem", "kimi_k3", "solar_open2"):
        return None
    if any("\n" in str(value) or "<" in str(value) for call in draft.reply.calls for value in call.arguments.values()):
        return None
    return draft.but(form=replace(draft.form, argument=draft.form.argument[: closer.start()] + "\n"))


@mutator("garbled-xml-tags", "writing", "tags")
def garbled_closers(draft: Draft, rng: Random) -> Draft | None:
    """Closing tags of another spelling."""
    if draft.form.codec != "tags" or "</parameter>" not in draft.form.argument:
        return None
    named = 'name="' in draft.form.argument
    other = rng.choice(
        ("</｜｜DSML｜｜parameter>", "</param>", "</parameter >") if named else ("</param>", "</parameter >")
    )
    return draft.but(form=replace(draft.form, argument=draft.form.argument.replace("</parameter>", other)))


@mutator("quotes-of-attributes", "writing", "tags")
def attribute_quotes(draft: Draft, rng: Random) -> Draft | None:
    """Attributes in single quotes, or in none."""
    if (
        draft.form.codec != "tags"
        or 'name="$' not in draft.form.call + draft.form.argument
        or "DSML" in draft.form.open
    ):
        return None
    quote = rng.choice(("'", ""))
    return draft.but(
        form=replace(
            draft.form,
            call=re.sub(r'name="\$(\w+)"', rf"name={quote}$\1{quote}", draft.form.call),
            argument=re.sub(r'name="\$(\w+)"', rf"name={quote}$\1{quote}", draft.form.argument),
        )
    )


@mutator("python-words-in-tags", "writing", "tags")
def python_words_in_tags(draft: Draft, rng: Random) -> Draft | None:
    """True and False where the schema says boolean."""
    if draft.form.codec != "tags" or not draft.reply.calls or draft.dialect in ("kimi_k3", "deepseek_v32"):
        return None
    words = {"true": "True", "false": "False"}
    return draft.with_random(rng, {"type": "boolean"}).with_habits(value=lambda text: words.get(text, text))


@mutator("literal-breaks-between-tags", "writing", "tags")
def literal_breaks(draft: Draft, _rng: Random) -> Draft | None:
    r"""``\n`` in two characters between tags."""
    if draft.dialect not in ("glm45", "longcat_kv"):
        return None
    changed = {name: getattr(draft.form, name).replace("\n", "\\n") for name in ("call", "argument")}
    return draft.but(form=replace(draft.form, **changed))


@mutator("other-tool-tags", "writing", "frame")
def other_tags(draft: Draft, rng: Random) -> Draft | None:
    """The JSON of a call in tags of another name."""
    if draft.dialect != "hermes":
        return None
    word = rng.choice(("tools", "tool", "function_call", "toolcall", "TOOLCALL"))
    return draft.but(form=replace(draft.form, call=f"<{word}>\n$body\n</{word}>"))


@mutator("ascii-bars", "text", "frame")
def ascii_bars(draft: Draft, _rng: Random) -> Draft | None:
    """Plain bars for the full-width ones of a family's tokens."""
    if not draft.dialect.startswith(("deepseek_v3", "step3")) or draft.dialect == "deepseek_v32":
        return None
    if any("｜" in str(call.arguments) for call in draft.reply.calls):
        return None
    text = draft.written.text
    return draft.with_text(text.replace("｜", "|"))


@mutator("several-in-one-marker", "writing", "frame")
def several_in_one(draft: Draft, rng: Random) -> Draft | None:
    """Two calls between one pair of markers: a list, or one behind the other."""
    if draft.dialect not in ("hermes", "exaone4", "longcat") or len(draft.reply.calls) < 2:
        return None
    head, _, tail = draft.form.call.partition("$body")
    opener, join, closer = rng.choice((("[", ", ", "]"), ("", "\n", ""), ("[\n", ",\n", "\n]")))
    return draft.but(form=replace(draft.form, open=head + opener, join=join, close=closer + tail, call="$body"))


@mutator("invoke-dialect", "meaning", "dialect")
def invoke_dialect(draft: Draft, rng: Random) -> Draft | None:
    """The call in another family's dialect than the rest of the reply."""
    if not draft.reply.calls or draft.labelled or draft.dialect in ("harmony", "muse_atem", "beam_rfl", "kimi_k3"):
        return None
    name = rng.choice(
        ("invoke_xml", "hermes", "qwen3_coder", "glm45", "mistral_v11", "deepseek_v31", "kimi_k2", "lfm2")
    )
    form = replace(FORMS[name], thought=draft.form.thought, before=draft.form.before)
    return draft.but(form=form) if can_say(form, draft.reply, draft.tools) else None


@mutator("mixed-dialects", "text", "tail", Survival.EITHER)
def mixed(draft: Draft, rng: Random) -> Draft | None:
    """A second call, in another dialect."""
    if not draft.reply.calls or not draft.form.several or draft.labelled:
        return None
    form = FORMS[rng.choice(("hermes", "qwen3_coder", "glm45", "mistral_v11", "invoke_xml", "kimi_k2"))]
    again = replace(draft.reply, thought="", before="", after="", calls=draft.reply.calls[-1:])
    if not can_say(form, again, draft.tools):
        return None
    return draft.but(
        sample=draft.written.wrapped("", "\n" + render(form, again).text), expected=(*draft.calls, *again.calls)
    )


@mutator("recipient-syntax", "writing", "frame")
def recipient(draft: Draft, rng: Random) -> Draft | None:
    """What is left of an addressed message when a server drops its tokens."""
    if draft.dialect != "harmony" or len(draft.reply.calls) != 1:
        return None
    call = rng.choice(
        (
            "to=$name $arguments",
            "commentary to=functions.$name json$arguments",
            "assistantcommentary to=functions.$name json$arguments",
        )
    )
    form = replace(draft.form, call=call, thought="", plain=False)
    return draft.but(form=form)


@mutator("harmony-headers", "writing", "frame")
def harmony_headers(draft: Draft, rng: Random) -> Draft | None:
    """Other orders of a message's header, and parts of it missing."""
    if draft.dialect != "harmony":
        return None
    call = rng.choice(
        ("<|channel|>commentary to=$name <|constrain|>json<|message|>$arguments<|call|>",
         "<|channel|>commentary to=functions.$name<|message|>$arguments<|call|>",
         " to=functions.$name<|channel|>commentary <|constrain|>json<|message|>$arguments<|call|>",
         "<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments")
    )  # fmt: skip
    join = draft.form.join if call.endswith("<|call|>") else "<|end|><|start|>assistant"
    return draft.but(form=replace(draft.form, call=call, join=join))


@mutator("kimi-ids", "writing", "frame")
def kimi_ids(draft: Draft, rng: Random) -> Draft | None:
    """Ids that carry the name in another way."""
    if draft.dialect != "kimi_k2":
        return None
    written = rng.choice(("$name:$index0", "functions_$name:$index0", "functions.$name", "functions.$name:$index"))
    return draft.but(form=replace(draft.form, call=draft.form.call.replace("functions.$name:$index0", written)))


@mutator("tag-named-after-tool", "writing", "frame")
def tool_tag(draft: Draft, rng: Random) -> Draft | None:
    """A tag of the tool's name, with a tag for each argument."""
    if draft.dialect != "hermes" or len(draft.reply.calls) != 1 or not draft.reply.calls[0].arguments:
        return None
    call = draft.reply.calls[0]
    if not re.fullmatch(r"\w+", call.name) or not all(isinstance(v, str) and v for v in call.arguments.values()):
        return None
    form = replace(
        FORMS["qwen3_coder"], call="<$name>\n$arguments</$name>", argument="<$key>$value</$key>\n", open="", close=""
    )
    return draft.but(form=form) if can_say(form, draft.reply, draft.tools) else None


@mutator("dspy-field-markers", "writing", "frame")
def field_markers(draft: Draft, rng: Random) -> Draft | None:
    """A step in the fields of another library."""
    if draft.dialect != "hermes" or len(draft.reply.calls) != 1:
        return None
    call, prefix = draft.reply.calls[0], rng.choice(("next_", ""))
    text = (
        f"[[ ## {prefix}thought ## ]]\nI look.\n\n[[ ## {prefix}tool_name ## ]]\n{call.name}\n\n"
        f"[[ ## {prefix}tool_args ## ]]\n{VALID.write(call.arguments)}\n\n[[ ## completed ## ]]"
    )
    return draft.with_text(text)


@mutator("python-tag", "writing", "frame")
def python_tag(draft: Draft, _rng: Random) -> Draft | None:
    """A token for code before the JSON of a call."""
    if draft.dialect != "llama3_json":
        return None
    return draft.but(form=replace(draft.form, open="<|python_tag|>"))


@mutator("wrong-closing-tag", "writing", "frame")
def wrong_closer(draft: Draft, rng: Random) -> Draft | None:
    """A closing tag without its slash, or of another name; the JSON is complete."""
    if draft.dialect not in ("hermes", "llama3_functag"):
        return None
    closer = rng.choice(
        ("<tool_call>", "</tools>", "</tool_calls>") if draft.dialect == "hermes" else ("<function>", "</functions>")
    )
    call = re.sub(r"</\w+>$", closer, draft.form.call)
    if len(draft.reply.calls) > 1 and "/" not in closer:
        return None
    return draft.but(form=replace(draft.form, call=call))


@mutator("gemma-quotes", "writing", "frame")
def gemma_quotes(draft: Draft, _rng: Random) -> Draft | None:
    """JSON in place of a family's own literals."""
    if draft.dialect not in ("gemma4", "functiongemma"):
        return None
    form = replace(draft.form, codec="json", call=draft.form.call.replace("{$arguments}", "$arguments"))
    return draft.but(form=form)


@mutator("print-around-call", "writing", "frame")
def printed(draft: Draft, _rng: Random) -> Draft | None:
    """``print()`` around the calls in a code block."""
    if draft.dialect != "gemma_tool_code":
        return None
    return draft.but(form=replace(draft.form, call="print($name($arguments))"))


@mutator("pythonic-variants", "writing", "frame")
def pythonic_variants(draft: Draft, rng: Random) -> Draft | None:
    """JSON words, other quotes, blanks: what Python writes otherwise."""
    if draft.form.codec != "python":
        return None
    changes = rng.choice(({"literals": "json"}, {"quotes": "'"}, {"quotes": '"'}))
    return draft.but(form=replace(draft.form, **changes))  # type: ignore[arg-type]
