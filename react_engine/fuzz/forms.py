"""The trained form of every dialect, as a fuzzer writes it: what models emit, and not what prompts show.

``$name``, ``$body``, ``$arguments``, ``$id`` and ``$index`` stand for the call; ``$key``, ``$value``, ``$type`` and
``$text`` for one argument of it; ``$thought``, ``$answer`` for what else a reply says. The facts are those of the
families' chat templates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Codec = Literal["body", "json", "python", "tags", "elements", "quoted"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a dialect writes a reply.

    ``codec`` says how arguments are written: in a JSON object with the name (``body``), as JSON of their own
    (``json``), as a call (``python``), one tag each (``tags``), nested elements, or JSON with quotes of its own
    (``quoted``). ``literals`` are those of Python or of JSON, ``quotes`` the ones that its strings prefer.
    ``plain`` says that words may stand before the calls, ``several`` that one reply may hold several calls.
    ``known`` says that the markup is so plain that only a known tool makes it a call.
    """

    codec: Codec
    call: str
    open: str = ""
    join: str = "\n"
    close: str = ""
    thought: str = "<think>\n$thought\n</think>\n\n"
    before: str = "$before\n"
    after: str = "\n$after"
    answer: str = "$answer"
    end: str = ""
    argument: str = ""
    keys: tuple[str, str] = ("name", "arguments")
    literals: Literal["json", "python"] = "python"
    quotes: str = '"'
    indent: bool = False
    plain: bool = True
    several: bool = True
    known: bool = False
    stop: str = ""


def _react(call: str, answer: str = "Final Answer: $answer", **more: Any) -> Form:
    return Form("json", call, thought="Thought: $thought\n", answer=answer, plain=False, **more)


def _body(open_: str, close: str = "", join: str = "\n", **more: Any) -> Form:
    return Form("body", f"{open_}$body{close}", join=join, **more)


def _array(open_: str, close: str = "", **more: Any) -> Form:
    return Form("body", "$body", open=f"{open_}[", join=", ", close=f"]{close}", **more)


def _tags(call: str, argument: str, open_: str = "", close: str = "", join: str = "\n", **more: Any) -> Form:
    return Form("tags", call, open=open_, close=close, join=join, argument=argument, **more)


def _dsml(token: str, block: str, gap: str = "") -> Form:
    return _tags(
        f'<{token}{gap}invoke name="$name">\n$arguments</{token}{gap}invoke>',
        f'<{token}{gap}parameter name="$key" string="$text">$value</{token}{gap}parameter>\n',
        f"<{token}{block}>\n",
        f"\n</{token}{block}>",
        thought="<think>$thought</think>",
    )


def _pairs(tag: str, prefix: str = "", suffix: str = "", line: str = "\n", **more: Any) -> Form:
    key = f"<{prefix}arg_key{suffix}>$key</{prefix}arg_key{suffix}>"
    value = f"<{prefix}arg_value{suffix}>$value</{prefix}arg_value{suffix}>"
    return _tags(
        f"<{tag}{suffix}>$name{line}$arguments</{tag}{suffix}>", f"{key}{line}{value}{line}", join=line, **more
    )


def _invoke(wrapper: str, invoke: str = "invoke", parameter: str = "parameter", **more: Any) -> Form:
    return _tags(
        f'<{invoke} name="$name">\n$arguments</{invoke}>',
        f'<{parameter} name="$key">$value</{parameter}>\n',
        f"<{wrapper}>\n",
        f"\n</{wrapper}>",
        **more,
    )


def _functions(wrapper: str, argument: str, **more: Any) -> Form:
    return _tags(f"<{wrapper}>\n<function=$name>\n$arguments</function>\n</{wrapper}>", argument, **more)


_M3 = "]<]minimax[>["
_CHANNEL = "<|channel|>analysis<|message|>$thought<|end|><|start|>assistant"
_TIGHT = "<think>$thought</think>"
_K3 = '<|open|>call tool="$name" index="$index"<|sep|>$arguments<|close|>call<|sep|>'
_PLAMO = (
    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>$name<|plamo:end_tool_name:plamo|>"
    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>$arguments"
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
)

FORMS: dict[str, Form] = {
    "react": _react("Action: $name\nAction Input: $arguments", stop="\nObservation:"),
    "react_answer": _react("Action: $name\nAction Input: $arguments", "Answer: $answer", stop="\nObservation:"),
    "react_json": Form(
        "body", "Action:\n```json\n$body\n```", thought="Thought: $thought\n", answer="Final Answer: $answer",
        keys=("action", "action_input"), plain=False, several=False, stop="\nObservation:",
    ),
    "toolllama_react": _react("Action: $name\nAction Input: $arguments\nEnd Action", "$answer", several=False),
    "hermes": _body("<tool_call>\n", "\n</tool_call>", end="<|im_end|>"),
    "exaone4": _body("<tool_call>", "</tool_call>", end="[|endofturn|]"),
    "ernie45": _body(
        "<tool_call>\n", "\n</tool_call>", thought="$thought\n</think>\n\n\n", answer="<response>\n$answer\n</response>"
    ),
    "longcat": _body(
        "<longcat_tool_call>\n", "\n</longcat_tool_call>", thought="<longcat_think>\n$thought\n</longcat_think>\n"
    ),
    "longcat_kv": _pairs("longcat_tool_call", "longcat_", thought="<longcat_think>\n$thought\n</longcat_think>\n"),
    "nemotron_toolcall": _array("<TOOLCALL>", "</TOOLCALL>"),
    "nemotron_mini": _body("<toolcall> ", " </toolcall>", join=" ", thought=""),
    "minimax_m1": Form("body", "$body", open="<tool_calls>\n", close="\n</tool_calls>"),
    "tool_calls_array": _array("<tool_calls>", "</tool_calls>"),
    "granite3": _array("<|tool_call|>", after=""),
    "granite_20b_fc": _body("<function_call> ", join="", thought="", after=""),
    "internlm2": _body(
        "<|action_start|><|plugin|>\n", "<|action_end|>", join="", keys=("name", "parameters"), thought="",
        before="$before",
    ),
    "phi4_mini": _array("<|tool_call|>", "<|/tool_call|>", thought=""),
    "functools": _array("functools", thought="", after="", known=True),
    "json_array": _array("", after="", known=True),
    "json_fenced": _body(
        "```json\n", "\n```", before="$before\n\n", after="\n\n$after", thought="", several=False, known=True
    ),
    "apertus": Form(
        "body", "{$quoted: $arguments}", open="<|tools_prefix|>[", join=", ", close="]<|tools_suffix|>",
        thought="<|inner_prefix|>$thought<|inner_suffix|>", before="$before",
    ),
    "mistral_v3": _array("[TOOL_CALLS] ", thought="<think>\n$thought\n</think>\n", after="", end="</s>"),
    "mistral_v11": Form(
        "json", "[TOOL_CALLS]$name[ARGS]$arguments", join="", thought="[THINK]$thought[/THINK]", before="$before",
        after="", end="</s>",
    ),
    "llama3_json": _body(
        "", join="; ", keys=("name", "parameters"), thought="", after="", plain=False, known=True, end="<|eot_id|>"
    ),
    "llama3_functag": Form("json", "<function=$name>$arguments</function>", join="", thought="", known=True),
    "pythonic": Form(
        "python", "$name($arguments)", open="[", join=", ", close="]", thought="", plain=False, known=True
    ),
    "gemma_tool_code": Form(
        "python", "$name($arguments)", open="```tool_code\n", close="\n```", thought="", known=True, after=""
    ),
    "olmo3": Form(
        "python", "$name($arguments)", open="<function_calls>", close="</function_calls>", literals="json"
    ),
    "lfm2": Form(
        "python", "$name($arguments)", open="<|tool_call_start|>[", join=", ", close="]<|tool_call_end|>",
        thought=_TIGHT, quotes="'",
    ),
    "minicpm3": Form(
        "python", "$name($arguments)", open="<|tool_call_start|>\n```python\n", close="\n```\n<|tool_call_end|>",
        thought="<|thought_start|>\n$thought\n<|thought_end|>\n",
    ),
    "gorilla_openfunctions": Form(
        "python", "<<function>>$name($arguments)", join="", thought="", quotes="'", after=""
    ),
    "command_r_plus": Form(
        "body", "$body", open="Action:\n```json\n[\n", join=",\n", close="\n]```", keys=("tool_name", "parameters"),
        indent=True, thought="", plain=False,
    ),
    "cohere_action": Form(
        "body", '    {"tool_call_id": "$index0", "tool_name": $quoted, "parameters": $arguments}',
        open="<|START_ACTION|>[\n", join=",\n", close="\n]<|END_ACTION|>",
        thought="<|START_THINKING|>$thought<|END_THINKING|>", before="$before",
        answer="<|START_RESPONSE|>$answer<|END_RESPONSE|>",
    ),
    "functionary_v2": Form(
        "json", "$name\n<|content|>$arguments", join="\n<|from|>assistant\n<|recipient|>", end="<|stop|>", thought="",
        answer="all\n<|content|>$answer", plain=False,
    ),
    "functionary_v3_2": Form(
        "json", "$name\n$arguments", join=">>>", thought="", answer="all\n$answer", plain=False, known=True
    ),
    "deepseek_v3": Form(
        "json", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n$arguments\n```<｜tool▁call▁end｜>",
        open="<｜tool▁calls▁begin｜>", close="<｜tool▁calls▁end｜>", before="$before", end="<｜end▁of▁sentence｜>",
    ),
    "deepseek_v31": Form(
        "json", "<｜tool▁call▁begin｜>$name<｜tool▁sep｜>$arguments<｜tool▁call▁end｜>", open="<｜tool▁calls▁begin｜>",
        join="", close="<｜tool▁calls▁end｜>", thought="$thought</think>", before="$before",
        end="<｜end▁of▁sentence｜>",
    ),
    "deepseek_v32": _dsml("｜DSML｜", "function_calls"),
    "deepseek_v4": _dsml("｜DSML｜", "tool_calls"),
    "deepseek_v41": _dsml("｜DSML｜", " calls", " "),
    "gigachat35": _dsml("｜GCML｜", "tool_calls"),
    "kimi_k2": Form(
        "json", "<|tool_call_begin|>functions.$name:$index0<|tool_call_argument_begin|>$arguments<|tool_call_end|>",
        open="<|tool_calls_section_begin|>", join="", close="<|tool_calls_section_end|>", before="$before",
        thought=_TIGHT,
    ),
    "kimi_k3": _tags(
        _K3, '<|open|>argument key="$key" type="$type"<|sep|>$value<|close|>argument<|sep|>', "<|open|>tools<|sep|>",
        "<|close|>tools<|sep|>", "", thought="<|open|>think<|sep|>$thought<|close|>think<|sep|>",
        before="<|open|>response<|sep|>$before<|close|>response<|sep|>",
        answer="<|open|>response<|sep|>$answer<|close|>response<|sep|>", after="",
        end="<|close|>message<|sep|><|end_of_msg|>",
    ),
    "glm45": _pairs("tool_call", thought="<think>$thought</think>\n"),
    "glm47": _pairs("tool_call", line="", thought=_TIGHT, before="$before"),
    "iquest": _pairs("iquest_tool_call", line="", thought=_TIGHT),
    "hunyuan_v3": _tags(
        "<tool_call:opensource>$name<tool_sep:opensource>\n$arguments</tool_call:opensource>",
        "<arg_key:opensource>$key</arg_key:opensource>\n<arg_value:opensource>$value</arg_value:opensource>\n",
        "<tool_calls:opensource>\n", "\n</tool_calls:opensource>",
        thought="<think:opensource>$thought</think:opensource>", before="$before",
    ),
    "k2_horizon": _tags(
        "<ifm|tool_call>$name$arguments</ifm|tool_call>",
        "<ifm|arg_key>$key</ifm|arg_key><ifm|arg_value>$value</ifm|arg_value>",
        "<ifm|tool_calls>", "</ifm|tool_calls>", "", thought="<ifm|think>$thought</ifm|think>", before="$before",
    ),
    "solar_open": Form(
        "json", "<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>$arguments<|tool_call:end|>",
        open="<|tool_calls|>", join="", close="<|calls|>", thought="<|think|>$thought<|end|><|begin|>assistant",
        before="<|content|>$before<|end|><|begin|>assistant", answer="<|content|>$answer<|end|>", after="",
    ),
    "solar_open2": _tags(
        "<|tool_call:start|>$name\n$arguments<|tool_call:end|>",
        "<|tool_arg:start|>$key<|tool_arg:value|>$value<|tool_arg:end|>\n",
        thought="<|think|>$thought<|end|>", after="",
    ),
    "qwen3_coder": _functions("tool_call", "<parameter=$key>\n$value\n</parameter>\n", before="$before\n\n"),
    "seed_oss": _functions(
        "seed:tool_call", "<parameter=$key>$value</parameter>\n", thought="<seed:think>$thought</seed:think>\n"
    ),
    "mimo": _functions("tool_call", "<parameter=$key>$value</parameter>\n"),
    "minimax_m2": _invoke("minimax:tool_call"),
    "dots": _invoke("dots_function_call"),
    "invoke_xml": _invoke("function_calls"),
    "minimax_m3": Form(
        "elements", f'{_M3}<invoke name="$name">$arguments{_M3}</invoke>', open=f"{_M3}<tool_call>\n",
        close=f"\n{_M3}</tool_call>", thought="<mm:think>$thought</mm:think>", before="$before",
    ),
    "step3": _tags(
        '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="$name">\n$arguments</steptml:invoke>'
        "<｜tool_call_end｜>",
        '<steptml:parameter name="$key">$value</steptml:parameter>\n', "<｜tool_calls_begin｜>\n",
        "\n<｜tool_calls_end｜>", thought="$thought\n</think>\n",
    ),
    "muse_atem": _tags(
        ' to=$name<|message|><atem:function_calls>\n<atem:invoke name="$name">\n$arguments</atem:invoke>\n'
        "</atem:function_calls>",
        '<atem:parameter name="$key">$value</atem:parameter>\n', join="<|eom|><|start|>assistant",
        thought=" to=self<|message|>$thought<|eom|><|start|>assistant",
        before=" to=user<|message|>$before<|eom|><|start|>assistant", answer=" to=user<|message|>$answer",
        after="", end="<|eot|>",
    ),
    "minicpm5_xml": _tags('<function name="$name">$arguments</function>', '<param name="$key">$value</param>', known=True),
    "beam_rfl": _tags(
        " to=$name<|channel|>analysis <|constrain|>xml<|message|>$arguments",
        '<rfl:parameter name="$key">\n$value\n</rfl:parameter>', join="<|end|><|start|>assistant", thought=_CHANNEL,
        before="<|channel|>commentary<|message|>$before<|end|><|start|>assistant",
        answer="<|channel|>final<|message|>$answer", after="", end="<|call|>",
    ),
    "miro_mcp": Form(
        "json",
        "<use_mcp_tool>\n<server_name>tools</server_name>\n<tool_name>$name</tool_name>\n<arguments>\n$arguments\n"
        "</arguments>\n</use_mcp_tool>", after="",
    ),
    "functiongemma": Form(
        "quoted", "<start_function_call>call:$name{$arguments}<end_function_call>", join="", quotes="<escape>",
        thought="", after="", end="<start_function_response>",
    ),
    "gemma4": Form(
        "quoted", "<|tool_call>call:$name{$arguments}<tool_call|>", join="", quotes='<|"|>', before="$before",
        thought="<|channel>thought\n$thought\n<channel|>",
    ),
    "harmony": Form(
        "json", "<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments<|call|>",
        join="<|start|>assistant", thought=_CHANNEL, answer="<|channel|>final<|message|>$answer<|return|>",
        before="<|channel|>commentary<|message|>$before<|end|><|start|>assistant", after="",
    ),
    "inkling": Form(
        "body", "$name<|content_invoke_tool_json|>$body<|end_message|>", join="<|message_model|>",
        keys=("name", "args"), thought="<|content_thinking|>$thought<|end_message|><|message_model|>",
        before="<|content_text|>$before<|end_message|><|message_model|>", after="",
        answer="<|content_text|>$answer<|end_message|>",
    ),
    "gigachat3": _body("function call<|role_sep|>\n", thought="", before="$before<|message_sep|>\n\n", after="", several=False),
    "plamo3": Form(
        "json", _PLAMO, open="<|plamo:begin_tool_requests:plamo|>", join="", close="<|plamo:end_tool_requests:plamo|>",
        thought="<|plamo:begin_think:plamo|>$thought<|plamo:end_think:plamo|>", before="$before", after="",
    ),
    "hyperclovax": _array(
        " -> tool/function_call\n", thought="/think\n$thought<|im_end|>\n<|im_start|>assistant", before="$before",
        answer="\n$answer", plain=False, after="", end="<|im_end|><|stop|>",
    ),
    "glm4_9b": Form("json", "$name\n$arguments", join="<|assistant|>", thought="", plain=False, known=True),
    "qwen_fncall": Form("json", "✿FUNCTION✿: $name\n✿ARGS✿: $arguments", thought="", after="\n✿RETURN✿: $after"),
}  # fmt: skip
"""The 71 dialects by name."""
