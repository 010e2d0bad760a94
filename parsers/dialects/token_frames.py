"""Dialects with the name between markers of its own and the arguments as one value behind it."""

from __future__ import annotations

from react_engine.parsers.dialects.json_frames import THINK
from react_engine.parsers.dialects.record import ARGUMENTS, GAP, NAME, Dialect

_SEP = r"<[|｜]tool[▁_]sep[|｜]>"
_ID_NAME = NAME.replace("{0,127}", "{0,127}?")  # the index behind it is no part of the name
_CALL_BEGINS = (
    "<｜tool▁call▁begin｜>", "<|tool▁call▁begin|>", "<｜tool_call_begin｜>", "<|tool_call_begin|>", "<｜tool▁calls▁begin｜>",
)  # fmt: skip
_FENCE = r"(?:```\w{0,10}|json)?"

DIALECTS = (
    Dialect(
        "mistral_v11", "marked", ("[TOOL_CALLS]",),
        head=rf"{GAP}{NAME}{GAP}(?:\[CALL_ID\](?P<id>[^\[\s]{{1,64}}))?{GAP}(?:\[ARGS\](?:{GAP}\Z)?)?{GAP}(?:{ARGUMENTS}|(?<=\[ARGS\])\Z)",
        reasoning=(("[THINK]", "[/THINK]"),), results=("[TOOL_RESULTS]",), stop=("</s>",), template="json",
    ),
    Dialect(
        "llama3_functag", "marked", ("<function=",),
        head=rf"\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}[>=,]{{0,2}}{GAP}{ARGUMENTS}",
        self_named=True, closers=("</function>", "></function>"), stop=("<|eom_id|>", "<|eot_id|>"), template="json",
    ),
    Dialect(
        "llama3_functag", "marked", ("<function(", "<function/", "<function:", "<function_", "(function=", "<function>"),
        head=rf"\s{{0,4}}[\"']?{NAME}[\"']?\s{{0,4}}[)>=]{{0,3}}{GAP}{ARGUMENTS}", self_named=True,
        closers=("</function>",),
    ),
    Dialect(
        "deepseek_v3", "marked",
        _CALL_BEGINS,
        head=rf"{GAP}(?:function|tool){GAP}{_SEP}{GAP}{NAME}{GAP}{_FENCE}{GAP}{ARGUMENTS}",
        closers=("<｜tool▁call▁end｜>", "<|tool▁call▁end|>", "<｜tool▁calls▁end｜>", "<|tool▁calls▁end|>",
                 "<｜tool_call_end｜>", "<|tool_call_end|>", "<｜tool_calls_end｜>", "<|tool_calls_end|>"),
        chrome=("<｜tool▁calls▁begin｜>", "<|tool▁calls▁begin|>"), reasoning=THINK,
        results=("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"), stop=("<｜end▁of▁sentence｜>",),
        template="json",
    ),
    Dialect(
        "deepseek_v3", "marked", ("<｜tool▁sep｜>", "<|tool▁sep|>"), lead=r"function\s{0,4}",
        head=rf"{GAP}{NAME}{GAP}{_FENCE}{GAP}{ARGUMENTS}", self_named=True,
    ),
    Dialect(
        "deepseek_v31", "marked",
        _CALL_BEGINS,
        head=rf"{GAP}{NAME}{GAP}{_SEP}{GAP}{_FENCE}{GAP}{ARGUMENTS}",
        closers=("<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"), reasoning=THINK,
        results=("<｜tool▁output▁begin｜>",), stop=("<｜end▁of▁sentence｜>",), template="json",
    ),
    Dialect(
        "kimi_k2", "marked", ("<|tool_call_begin|>",),
        head=rf"{GAP}(?P<id>(?:functions?[._]?)?{_ID_NAME}(?::\d{{1,4}})?){GAP}<\|tool_call_argument_begin\|>{GAP}",
        closers=("<|tool_call_end|>", "<|tool_calls_section_end|>"), chrome=("<|tool_calls_section_begin|>",),
        reasoning=(*THINK, ("◁think▷", "◁/think▷")), stop=("<|im_end|>",), template="json",
    ),
    Dialect(
        "kimi_k2", "marked", ("<|tool_call_argument_begin|>",), head=rf"{GAP}{ARGUMENTS}",
        lead=rf"(?:functions?[._]?)?{NAME}(?::\d{{1,4}})?\s{{0,4}}",
    ),
    Dialect(
        "solar_open", "marked", ("<|tool_call:begin|>",),
        head=rf"{GAP}(?P<id>[^<\s]{{0,64}}){GAP}<\|tool_call:name\|>{GAP}{NAME}{GAP}<\|tool_call:args\|>{GAP}",
        closers=("<|tool_call:end|>", "<|calls|>"), channels=(("<|think|>", "<|end|>"),),
        chrome=("<|tool_calls|>", "<|content|>", "<|end|>", "<|begin|>assistant"), stop=("<|calls|>",),
        template="json",
    ),
    Dialect(
        "plamo3", "marked", ("<|plamo:begin_tool_request:plamo|>",),
        head=(
            rf"{GAP}<\|plamo:begin_tool_name:plamo\|>{GAP}{NAME}{GAP}<\|plamo:end_tool_name:plamo\|>{GAP}"
            rf"<\|plamo:begin_tool_arguments:plamo\|>(?:<\|plamo:constrain\|>json)?(?:<\|plamo:msg\|>)?{GAP}"
        ),
        closers=("<|plamo:end_tool_arguments:plamo|>", "<|plamo:end_tool_request:plamo|>",
                 "<|plamo:end_tool_requests:plamo|>"),
        chrome=("<|plamo:begin_tool_requests:plamo|>",),
        reasoning=(("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),),
        stop=("<|plamo:end_tool_requests:plamo|>",), template="json",
    ),
    Dialect(
        "miro_mcp", "marked", ("<use_mcp_tool>",),
        head=(
            rf"{GAP}(?:<server_name>[^<]{{0,128}}</server_name>)?{GAP}<tool_name>{GAP}{NAME}{GAP}</tool_name>{GAP}"
            rf"(?:<arguments>)?{GAP}"
        ),
        closers=("</arguments>", "</use_mcp_tool>"), reasoning=THINK, stop=("</use_mcp_tool>",), template="json",
    ),
    Dialect(
        "qwen_fncall", "marked", ("✿FUNCTION✿",), head=rf"\s{{0,4}}[:：]{GAP}{NAME}{GAP}(?P<text>✿ARGS✿)\s{{0,4}}[:：]{GAP}",
        closers=("✿RETURN✿: ", "✿RETURN✿:", "✿RETURN✿"), results=("✿RESULT✿",), chrome=("✿RETURN✿: ", "✿RETURN✿:"),
        stop=("✿RESULT✿", "✿RETURN✿"), template="json",
    ),
    Dialect(
        "functiongemma", "marked", ("<start_function_call>",),
        head=rf"{GAP}call\s{{0,4}}:\s{{0,4}}{NAME}{GAP}(?=[{{(])",
        quote="<escape>", closers=("<end_function_call>",), results=("<start_function_response>",),
        stop=("<start_function_response>", "<end_of_turn>"), template="quoted",
    ),
    Dialect(
        "gemma4", "marked", ("<|tool_call>",),
        head=rf"{GAP}call\s{{0,4}}:\s{{0,4}}(?:[\w-]{{1,64}}:)?{NAME}{GAP}(?=[{{(])",
        quote='<|"|>', closers=("<tool_call|>",), channels=(("<|channel>thought", "<channel|>"),),
        results=("<|tool_response>",), stop=("<|tool_response>", "<turn|>"), template="quoted",
    ),
    Dialect(
        "gemma4", "marked", ("call:",), head=rf"[ \t]{{0,4}}{NAME}(?=\{{[^<>{{}}\n]{{0,200}}(?:<\|\"\|>|<escape>))",
        quote='<|"|>', self_named=True,
    ),
    Dialect(
        "olmo3", "marked", ("<function_calls>",), closers=("</function_calls>",), reasoning=THINK,
        stop=("<|im_end|>",), template="python",
    ),
    Dialect(
        "lfm2", "marked", ("<|tool_call_start|>",), closers=("<|tool_call_end|>",), reasoning=THINK,
        results=("<|tool_response_start|>",), stop=("<|im_end|>",), template="python",
    ),
    Dialect(
        "minicpm3", "marked", ("<|tool_call_start|>",), closers=("<|tool_call_end|>",),
        reasoning=(("<|thought_start|>", "<|thought_end|>"),), stop=("<|im_end|>",), template="python",
    ),
    Dialect("gorilla_openfunctions", "marked", ("<<function>>",), stop=("<<question>>",), template="python"),
    Dialect(
        "recipient", "marked", ("to=",), self_named=True, variant="addressed",
        lead=r"(?:(?:assistant)?\s?(?:commentary|analysis)\s|assistant\s?)?",
        head=rf"(?:functions?\.)?{NAME}\s{{0,4}}(?:<\|constrain\|>)?\s{{0,4}}(?:json|code)?{GAP}"
        r"(?=[{｛]\s{0,8}[\"'}{“]|\[\s{0,8}[{｛]|\"\s{0,8}[{｛\[])",
    ),
)  # fmt: skip
"""``recipient`` is what is left of an addressed message when a server drops special tokens."""
