"""Dialects whose calls are JSON with the tool's name inside, between markers or bare."""

from __future__ import annotations

from react_engine.parsers.dialects.record import Dialect

THINK = (("<think>", "</think>"),)

DIALECTS = (
    Dialect(
        "hermes", "marked", ("<tool_call>",), closers=("</tool_call>",),
        reasoning=(*THINK, ("<scratch_pad>", "</scratch_pad>")), results=("<tool_response>",), stop=("<|im_end|>",),
        template="json",
    ),
    Dialect(
        "exaone4", "marked", ("<tool_call>",), closers=("</tool_call>",), reasoning=THINK, results=("<tool_result>",),
        stop=("[|endofturn|]",), template="json",
    ),
    Dialect(
        "ernie45", "marked", ("<tool_call>",), closers=("</tool_call>",), reasoning=THINK,
        chrome=("<response>", "</response>"), template="json",
    ),
    Dialect(
        "longcat", "marked", ("<longcat_tool_call>",), closers=("</longcat_tool_call>",),
        reasoning=(("<longcat_think>", "</longcat_think>"),), stop=("</longcat_s>",), template="json",
    ),
    Dialect(
        "nemotron_toolcall", "marked", ("<TOOLCALL>",), closers=("</TOOLCALL>",), reasoning=THINK,
        results=("<TOOL_RESPONSE>",), stop=("<SPECIAL_12>",), template="json",
    ),
    Dialect(
        "nemotron_mini", "marked", ("<toolcall>",), closers=("</toolcall>",), stop=("<extra_id_1>",),
        template="json",
    ),
    Dialect(
        "tool_calls_array", "marked", ("<tool_calls>",), closers=("</tool_calls>",), reasoning=THINK,
        channels=(("Here are my reasoning steps:\n", "[BEGIN FINAL RESPONSE]"),),
        chrome=("[END FINAL RESPONSE]", "<answer>", "</answer>", "助手：", "助手:"),
        results=("<|tool_result|>", "<|begin_tool_result|>"),
        template="json",
    ),
    Dialect(
        "minimax_m1", "marked", ("<tool_calls>",), closers=("</tool_calls>",), reasoning=THINK,
        stop=("<end_of_sentence>",), template="json",
    ),
    Dialect(
        "granite3", "marked", ("<|tool_call|>", "<tool_call>"), reasoning=THINK, stop=("<|end_of_text|>",),
        results=("<|start_of_role|>tool",), template="json",
    ),
    Dialect(
        "granite_20b_fc", "marked", ("<function_call>",), closers=("</function_call>",),
        results=("<function_response>",), stop=("<|endoftext|>",), template="json",
    ),
    Dialect(
        "phi4_mini", "marked", ("<|tool_call|>",), closers=("<|/tool_call|>",), stop=("<|end|>",),
        template="json",
    ),
    Dialect("functools", "marked", ("functools",), head=r"[ \t]{0,4}(?=\[)", template="json"),
    Dialect(
        "internlm2", "marked", ("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|plugin|>"),
        closers=("<|action_end|>",), stop=("<|action_end|>", "<|im_end|>"), template="json",
    ),
    Dialect(
        "apertus", "marked", ("<|tools_prefix|>",), closers=("<|tools_suffix|>",),
        reasoning=(("<|inner_prefix|>", "<|inner_suffix|>"),), stop=("<|assistant_end|>",), template="json",
    ),
    Dialect(
        "mistral_v3", "marked", ("[TOOL_CALLS]",), closers=("[/TOOL_CALLS]",), reasoning=THINK, results=("[TOOL_RESULTS]",),
        stop=("</s>",), template="json",
    ),
    Dialect(
        "cohere_action", "marked", ("<|START_ACTION|>",), closers=("<|END_ACTION|>",),
        reasoning=(("<|START_THINKING|>", "<|END_THINKING|>"),),
        chrome=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
        results=("<|START_TOOL_RESULT|>",), stop=("<|END_OF_TURN_TOKEN|>",), template="json",
    ),
    Dialect(
        "gigachat3", "marked", ("function call<|role_sep|>", "<|function_call|>"), chrome=("<|message_sep|>",),
        results=("function result<|role_sep|>",), stop=("<|message_sep|>",), template="json",
    ),
    Dialect(
        "hyperclovax", "marked", ("-> tool/function_call",), lead=r"[ \t]{0,4}", channels=(("/think\n", "<|im_end|>"),),
        stop=("<|im_end|>", "<|stop|>"), template="json",
    ),
    Dialect(
        "inkling", "marked", ("<|content_invoke_tool_json|>",), lead=r"[\w.\-/:]{1,128}",
        channels=(("<|content_thinking|>", "<|end_message|>"),), closers=("<|end_message|>",),
        chrome=("<|message_model|>", "<|content_text|>", "<|content_model_end_sampling|>"), stop=("<|end_message|>",),
        template="json",
    ),
    Dialect(
        "tools_tag", "marked",
        ("<tools>", "<tool>", "[TOOL_REQUEST]", "<tool_request>", "<tool_use>", "<tool_code>",
         "<execute_tool>",
         "<functioncall>", "[TOOL_CALL]", "[tool_call]", "<|tool_calls|>"),
        closers=("</tools>", "</tool>", "[END_TOOL_REQUEST]", "</tool_request>", "</tool_use>",
                 "</execute_tool>",
                 "</tool_code>", "</functioncall>", "[/TOOL_CALL]", "[/tool_call]", "<|/tool_calls|>"),
        results=("[TOOL_RESULT]",),
    ),
    Dialect("llama3_json", "object", ("<|python_tag|>",), stop=("<|eot_id|>", "<|eom_id|>"), template="json"),
    Dialect("json_array", "object", template="json"),
    Dialect("json_fenced", "object", template="json", variant="fenced"),
)  # fmt: skip
"""``tools_tag``: what Qwen2.5-Coder writes when it echoes its prompt, what LM Studio asks of untrained models, and kin."""
