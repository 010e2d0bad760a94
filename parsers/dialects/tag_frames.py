"""Dialects with one tag for each argument; values are raw text, typed by the tool's schema."""

from __future__ import annotations

from react_engine.parsers.dialects.json_frames import THINK
from react_engine.parsers.dialects.record import GAP, NAME, Dialect, Tags

_NAMESPACE = r"(?:[\w-]{1,16}:|[|｜]{1,2}[A-Z]{2,8}[|｜]{1,2})?[ ]?"
_SUFFIX = r"(?::[^\s<>]{1,32})?"
_PREFIX = r"(?:[a-z]{1,12}_|ifm\|)?"

PARAMETERS = Tags(
    r"<[ ]?(?:parameter|param|argument|arg)\s{0,4}=\s{0,4}[\"']?(?P<key>[^\"'<>=\n]{1,128}?)[\"']?\s{0,4}(?:>|=(?=\S)|(?=\n))",
    rf"</[ ]?{_NAMESPACE}(?:parameter|param|argument|arg)(?:\s{{0,4}}=[^<>\n]{{1,128}})?\s{{0,4}}>|<parameter>",
)
NAMED = Tags(
    rf"<{_NAMESPACE}(?:parameter|param|argument|arg)[\s_]{{0,4}}(?:name|key)\s{{0,4}}=\s{{0,4}}"
    r"[\"']?(?P<key>[^\"'<>\n]{1,128}?)[\"']?"
    r"(?:\s{1,4}string\s{0,2}=\s{0,2}[\"']?(?P<string>true|false)[\"']?"
    r"|\s{1,4}type\s{0,2}=\s{0,2}[\"']?(?P<type>\w{1,16})[\"']?"
    r"|\s{1,4}[\w-]{1,20}=[\"'][^\"'<>]{0,40}[\"']){0,3}\s{0,4}>",
    rf"</{_NAMESPACE}(?:parameter|param|argument|arg)\s{{0,4}}>",
)
_PAIR_KEY = rf"<{_PREFIX}arg_key{_SUFFIX}>"
PAIRS = Tags(
    rf"{_PAIR_KEY}(?P<key>[^<>]{{1,128}})(?:</{_PREFIX}arg_key{_SUFFIX}>)?{GAP}"
    rf"(?:<{_PREFIX}arg_type{_SUFFIX}>(?P<type>\w{{1,16}})</{_PREFIX}arg_type{_SUFFIX}>{GAP})?"
    rf"<{_PREFIX}arg_value{_SUFFIX}>",
    rf"</{_PREFIX}arg_value{_SUFFIX}>",
)
_PAIRS_BEGUN = Tags(PAIRS.open.replace(_PAIR_KEY, f"(?:{_PAIR_KEY})?", 1), PAIRS.close)
_CHANNEL_ARGUMENTS = Tags(
    r"<\|open\|>\s?argument\s{1,4}key\s{0,2}=\s{0,2}\"(?P<key>[^\"]{1,128})\""
    r"(?:\s{1,4}type\s{0,2}=\s{0,2}\"(?P<type>\w{1,16})\")?\s{0,4}<\|sep\|>",
    r"<\|close\|>\s?argument\s?<\|sep\|>",
    lines="never",
)
_TOKEN_ARGUMENTS = Tags(
    r"<\|tool_arg:start\|>\s{0,4}(?P<key>[^<\n]{1,128}?)\s{0,4}<\|tool_arg:value\|>", r"<\|tool_arg:end\|>",
    lines="never", first=True,
)  # fmt: skip
_QUOTED_NAME = rf"\s{{1,4}}name\s{{0,4}}=\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}/?>"
_PAIR_NAME = rf"{GAP}{NAME}{GAP}(?:<{_PREFIX}tool_sep{_SUFFIX}>)?{GAP}"

_ALWAYS = Tags(PARAMETERS.open, PARAMETERS.close, lines="always")
_NEVER = Tags(PARAMETERS.open, PARAMETERS.close, lines="never")
_NAMED_NEVER = Tags(NAMED.open, NAMED.close, lines="never")

DIALECTS = (
    Dialect(
        "qwen3_coder", "marked", ("<function=", "< function="), head=rf"\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}>?", self_named=True,
        tags=_ALWAYS, elements="", closers=("</function>", "</function=*>", "</ function>", "</tool_call>"), chrome=("<tool_call>",),
        reasoning=THINK,
        results=("<tool_response>",), stop=("<|im_end|>",), template="tags",
    ),
    Dialect(
        "qwen3_coder", "marked", ("function=",), head=rf"{NAME}>\s{{0,4}}(?=<parameter)", self_named=True, tags=_ALWAYS,
    ),
    Dialect(
        "mimo", "marked", ("<function=",), head=rf"\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}>?", self_named=True,
        tags=_NEVER, closers=("</function>", "</tool_call>"), reasoning=THINK, stop=("<|im_end|>",), template="tags",
    ),
    Dialect(
        "seed_oss", "marked", ("<function=", "<seed:tool_call>"), head=rf"\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}>?",
        self_named=True, tags=_NEVER, closers=("</function>", "</seed:tool_call>"),
        reasoning=(("<seed:think>", "</seed:think>"),), stop=("<seed:eos>",), template="tags",
    ),
    Dialect(
        "glm45", "marked", ("<tool_call>",), head=_PAIR_NAME, tags=PAIRS, elements="", closers=("</tool_call>",), reasoning=THINK,
        stop=("<|user|>", "<|observation|>"), template="tags",
    ),
    Dialect(
        "glm45", "marked", ("<arg_key>",), lead=rf"(?<![^\s]){NAME}\s{{0,4}}", head=r"(?=[^<>]{1,128}</arg_key>)",
        self_named=True, tags=_PAIRS_BEGUN,
    ),
    Dialect(
        "glm47", "marked", ("<tool_call>",), head=_PAIR_NAME, tags=PAIRS, elements="", closers=("</tool_call>",), reasoning=THINK,
        stop=("<|user|>", "<|observation|>"), template="tags",
    ),
    Dialect(
        "longcat_kv", "marked", ("<longcat_tool_call>",), head=_PAIR_NAME, tags=PAIRS,
        closers=("</longcat_tool_call>",), reasoning=(("<longcat_think>", "</longcat_think>"),),
        stop=("</longcat_s>",), template="tags",
    ),
    Dialect(
        "iquest", "marked", ("<iquest_tool_call>",), head=_PAIR_NAME, tags=PAIRS, closers=("</iquest_tool_call>",),
        reasoning=THINK, template="tags",
    ),
    Dialect(
        "hunyuan_v3", "marked", ("<tool_call:*>",), head=_PAIR_NAME, tags=PAIRS,
        closers=("</tool_call:*>", "</tool_calls:*>"), chrome=("<tool_calls:*>",),
        reasoning=(("<think:*>", "</think:*>"),), template="tags",
    ),
    Dialect(
        "k2_horizon", "marked", ("<ifm|tool_call>",), head=_PAIR_NAME, tags=PAIRS,
        closers=("</ifm|tool_call>", "</ifm|tool_calls>"), chrome=("<ifm|tool_calls>",),
        reasoning=(("<ifm|think>", "</ifm|think>"), ("<ifm|think_fast>", "</ifm|think_fast>"),
                   ("<ifm|think_faster>", "</ifm|think_faster>")),
        template="tags",
    ),
    Dialect("k2_horizon", "marked", ("<ifm|tool_call>",)),
    Dialect(
        "minimax_m2", "marked", ("<invoke", "<minimax:tool_call>"), head=_QUOTED_NAME, self_named=True, tags=NAMED,
        elements="",
        closers=("</invoke>", "</minimax:tool_call>"), reasoning=THINK, stop=("[e~[",), template="tags",
    ),
    Dialect(
        "dots", "marked", ("<invoke", "<dots_function_call>"), head=_QUOTED_NAME, self_named=True, tags=NAMED,
        elements="",
        closers=("</invoke>", "</dots_function_call>"), template="tags",
    ),
    Dialect(
        "invoke_xml", "marked", ("<invoke", "<antml:invoke"), head=_QUOTED_NAME, self_named=True, tags=NAMED, elements="",
        closers=("</invoke>", "</antml:invoke>", "</function_calls>", "</antml:function_calls>"),
        chrome=("<function_calls>", "<antml:function_calls>"), reasoning=THINK, results=("<function_results>",),
        stop=("</function_calls>",), template="tags",
    ),
    Dialect(
        "invoke_xml", "marked", ("<invoke>",),
        head=rf"{GAP}<tool_name>{GAP}{NAME}{GAP}</tool_name>{GAP}(?:<parameters>)?{GAP}",
        self_named=True, elements="", closers=("</parameters>", "</invoke>"),
    ),
    Dialect(
        "step3", "marked", ("<steptml:invoke",), head=_QUOTED_NAME, tags=NAMED,
        lead=r"(?:<[|｜]tool_call_begin[|｜]>\s{0,4})?function\s{0,4}<[|｜]tool_sep[|｜]>\s{0,4}",
        closers=("</steptml:invoke>", "<｜tool_call_end｜>", "<|tool_call_end|>", "<｜tool_calls_end｜>",
                 "<|tool_calls_end|>"),
        chrome=("<｜tool_calls_begin｜>", "<|tool_calls_begin|>"), reasoning=THINK, template="tags",
    ),
    Dialect(
        "minicpm5_xml", "marked", ("<function", "<functionname"),
        head=rf"(?:\s{{1,4}}name)?\s{{0,4}}=\s{{0,4}}[\"']?{NAME}[\"']?[^<>\n]{{0,40}}>",
        self_named=True, tags=NAMED, closers=("</function>",), reasoning=THINK, stop=("<|im_end|>",),
        template="tags",
    ),
    Dialect(
        "deepseek_v32", "marked", ("<｜DSML｜invoke", "<｜DSML｜function_calls>", "<｜｜DSML｜｜invoke", "<|DSML|invoke"),
        head=_QUOTED_NAME, tags=_NAMED_NEVER,
        closers=("</｜DSML｜invoke>", "</｜DSML｜function_calls>", "</｜｜DSML｜｜invoke>", "</｜｜DSML｜｜*>"),
        reasoning=THINK, results=("<function_results>",), stop=("<｜end▁of▁sentence｜>",), template="tags",
    ),
    Dialect(
        "deepseek_v4", "marked", ("<｜DSML｜invoke", "<｜DSML｜tool_calls>"), head=_QUOTED_NAME, tags=_NAMED_NEVER,
        closers=("</｜DSML｜invoke>", "</｜DSML｜*>"), chrome=("<｜DSML｜*>",), reasoning=THINK,
        results=("<tool_result>",), stop=("<｜end▁of▁sentence｜>",), template="tags",
    ),
    Dialect(
        "deepseek_v41", "marked", ("<｜DSML｜ invoke",), head=_QUOTED_NAME, tags=_NAMED_NEVER,
        closers=("</｜DSML｜ invoke>", "</｜DSML｜ calls>"), chrome=("<｜DSML｜ calls>",), reasoning=THINK,
        results=("<tool_result>",), stop=("<｜end▁of▁sentence｜>",), template="tags",
    ),
    Dialect(
        "gigachat35", "marked", ("<｜GCML｜invoke",), head=_QUOTED_NAME, tags=_NAMED_NEVER,
        closers=("</｜GCML｜invoke>", "</｜GCML｜tool_calls>"), chrome=("<｜GCML｜tool_calls>",),
        stop=("<|message_sep|>",), template="tags",
    ),
    Dialect(
        "solar_open2", "marked", ("<|tool_call:start|>",), head=rf"{GAP}{NAME}{GAP}", tags=_TOKEN_ARGUMENTS,
        closers=("<|tool_call:end|>",), channels=(("<|think|>", "<|end|>"),), template="tags",
    ),
    Dialect(
        "kimi_k3", "marked", ("<|open|>call",),
        head=rf"\s{{1,4}}tool\s{{0,2}}=\s{{0,2}}\"{NAME}\"[^<]{{0,80}}<\|sep\|>{GAP}",
        tags=_CHANNEL_ARGUMENTS, closers=("<|close|>call<|sep|>", "<|close|>tools<|sep|>"),
        chrome=("<|open|>tools<|sep|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>",
                "<|close|>message<|sep|>"),
        reasoning=(("<|open|>think<|sep|>", "<|close|>think<|sep|>"),), stop=("<|end_of_msg|>",), template="tags",
    ),
    Dialect(
        "minimax_m3", "marked", ("]<]minimax[>[<invoke",), head=rf"\s{{1,4}}name=[\"']?{NAME}[\"']?\s{{0,4}}>",
        elements="]<]minimax[>[", closers=("]<]minimax[>[</invoke>", "]<]minimax[>[</tool_call>"),
        chrome=("]<]minimax[>[<tool_call>",), reasoning=(("<mm:think>", "</mm:think>"),), stop=("[e~[",),
        template="elements",
    ),
    Dialect(
        "muse_atem", "marked", ("<atem:invoke",), head=_QUOTED_NAME, tags=Tags(NAMED.open, NAMED.close, json=True),
        closers=("</atem:invoke>", "</atem:function_calls>"), chrome=("<atem:function_calls>",),
    ),
    Dialect(
        "function_name", "marked", ("<function>", "<name>", "<tool_name>"),
        head=rf"{GAP}(?:<name>)?{GAP}{NAME}{GAP}</\w{{1,12}}>{GAP}(?:<(?:arguments|parameters|args|tool_args)>)?{GAP}",
        self_named=True, tags=NAMED, elements="", closers=("</function>",),
    ),
    Dialect(
        "input_tags", "marked", ("<tool>", "<action>", "<tool_name>"),
        head=rf"{GAP}{NAME}{GAP}</(?:tool|action|tool_name)>{GAP}(?P<text><(?:tool|action)_input>){GAP}",
        self_named=True, elements="", closers=("</tool_input>", "</action_input>"), results=("<observation>",),
        chrome=("<final_answer>", "</final_answer>"),
    ),
    Dialect(
        "tool_attribute", "marked", ("<tool", "<tool_call", "<call", "<function_call", "<action"),
        head=rf"(?:\s{{1,4}}(?!name)[\w-]{{1,20}}=[\"'][^\"'<>]{{0,40}}[\"']){{0,3}}{_QUOTED_NAME}",
        self_named=True, tags=NAMED, elements="",
        closers=("</tool>", "</tool_call>", "</call>", "</function_call>", "</action>"),
    ),
)  # fmt: skip
"""``function_name`` and ``tool_attribute`` are garbled or invented forms of the others; ``input_tags`` is what agents of
XML prompts write."""
