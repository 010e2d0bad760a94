"""How the shipped dialects are written, from the chat templates of their families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from react_engine.parsers.dialects.writing import RESPONSE, THINK, Writing

_OBJECT = '{"name": $quoted, "arguments": $arguments}'
_PARAMETERS = '{"name": $quoted, "parameters": $arguments}'
_LIST = "[$tools]"

_REACT = Writing(
    call="Action: $name\nAction Input: $arguments", thought="Thought: $thought\n", answer="Final Answer: $answer",
    result="Observation: $text", tool="$name: $description Parameters: $parameters", tools="$tools", parallel=False,
)  # fmt: skip
_HERMES = Writing(call=f"<tool_call>\n{_OBJECT}\n</tool_call>", thought=THINK)
_ARRAY = Writing(call=_OBJECT, between=", ", tool="$function", tools=_LIST, between_tools=", ")
_PAIRS = Writing(
    call="<tool_call>$name\n$arguments</tool_call>",
    argument="<arg_key>$key</arg_key>\n<arg_value>$value</arg_value>\n", thought=THINK,
)  # fmt: skip
_PLAIN_PAIRS = replace(
    _PAIRS, call="<tool_call>$name$arguments</tool_call>", between="",
    argument="<arg_key>$key</arg_key><arg_value>$value</arg_value>",
)  # fmt: skip
_CODER = Writing(
    call="<tool_call>\n<function=$name>\n$arguments</function>\n</tool_call>",
    argument="<parameter=$key>\n$value\n</parameter>\n", thought=THINK, tool="$xml",
)  # fmt: skip
_INVOKE = Writing(
    call='<invoke name="$name">\n$arguments</invoke>', argument='<parameter name="$key">$value</parameter>\n',
    tool="<tool>$function</tool>", thought=THINK,
)  # fmt: skip


def _dsml(bars: str, block: str, space: str = "") -> Writing:
    """The grammar of DSML with a token of its own."""
    mark = f"｜{bars}｜{space}"
    return Writing(
        call=f'<{mark}invoke name="$name">\n$arguments</{mark}invoke>',
        calls=f"<{mark}{block}>\n$calls\n</{mark}{block}>",
        argument=f'<{mark}parameter name="$key" string="$string">$value</{mark}parameter>\n', thought=THINK,
        tool="$function", tools="$tools", result="<tool_result>$text</tool_result>",
    )  # fmt: skip


_MINIMAX = "]<]minimax[>["
_CHANNEL_TURN = "<|end|><|start|>assistant"

TEXT: Mapping[str, Writing] = {
    "react": _REACT,
    "react_answer": replace(_REACT, answer="Answer: $answer"),
    "react_json": replace(
        _REACT, call='Action:\n```json\n{"action": $quoted, "action_input": $arguments}\n```',
        answer='Action:\n```json\n{"action": "Final Answer", "action_input": $quoted}\n```',
    ),
    "toolllama_react": replace(
        _REACT, call="Action: $name\nAction Input: $arguments\nEnd Action",
        answer='Action: Finish\nAction Input: {"return_type": "give_answer", "final_answer": $quoted}\nEnd Action',
    ),
    "command_r_plus": Writing(
        call='    {\n        "tool_name": $quoted,\n        "parameters": $arguments\n    }', between=",\n",
        calls="Action:\n```json\n[\n$calls\n]```", result="Document: $number\n$text",
        results="<results>\n$results\n</results>", between_results="\n\n", tool="```python\n$python\n```",
        tools="$tools", between_tools="\n\n",
    ),
    "pythonic": Writing(call="$name($arguments)", calls="[$calls]", between=", ", tool="$function", tools=_LIST,
                        between_tools=",\n"),
    "gemma_tool_code": Writing(
        call="$name($arguments)", calls="```tool_code\n$calls\n```", result="```tool_output\n$text\n```",
        tool="```python\n$python\n```", tools="$tools", between_tools="\n\n",
    ),
    "glm4_9b": Writing(
        call="$name\n$arguments", between="<|assistant|>", thought=THINK, tool="## $name\n\n$function", tools="$tools",
        between_tools="\n\n", parallel=False,
    ),
    "functionary_v3_2": Writing(
        call="$name\n$arguments", between=">>>", thought="all\n$thought>>>", answer="all\n$answer", tool="$typescript",
        tools="namespace functions {\n\n$tools\n\n} // namespace functions", between_tools="\n\n",
    ),
    "functionary_v2": Writing(
        call="$name\n<|content|>$arguments", between="\n<|from|>assistant\n<|recipient|>",
        thought="all\n<|content|>$thought\n<|from|>assistant\n<|recipient|>", answer="all\n<|content|>$answer",
        tool="$typescript", tools="namespace functions {\n\n$tools\n\n} // namespace functions", between_tools="\n\n",
        own_turns=True,
    ),
    "harmony": Writing(
        call="<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments",
        between="<|call|><|start|>assistant",
        thought=f"<|channel|>analysis<|message|>$thought{_CHANNEL_TURN}",
        answer="<|channel|>final<|message|>$answer", tool="$typescript",
        tools="namespace functions {\n\n$tools\n\n} // namespace functions", between_tools="\n\n", own_turns=True,
    ),
    "muse_atem": Writing(
        call=' to=$name<|message|><atem:function_calls>\n<atem:invoke name="$name">\n$arguments</atem:invoke>\n'
        "</atem:function_calls>",
        between="<|eom|><|start|>assistant", argument='<atem:parameter name="$key">$value</atem:parameter>\n',
        thought=" to=self<|message|>$thought<|eom|><|start|>assistant", answer=" to=user<|message|>$answer",
        result='<tool_output name="$name">\n$text\n</tool_output>', own_turns=True,
    ),
    "beam_rfl": Writing(
        call=" to=$name<|channel|>analysis <|constrain|>xml<|message|>$arguments", between=_CHANNEL_TURN,
        argument='<rfl:parameter name="$key">\n$value\n</rfl:parameter>',
        thought=f"<|channel|>analysis<|message|>$thought{_CHANNEL_TURN}",
        answer="<|channel|>final<|message|>$answer", own_turns=True,
    ),
}  # fmt: skip

JSON: Mapping[str, Writing] = {
    "hermes": _HERMES,
    "exaone4": Writing(
        call=f"<tool_call>{_OBJECT}</tool_call>", thought=THINK, result='<tool_result>{"result": $json}</tool_result>',
        tool="<tool>$openai</tool>", tools="$tools",
    ),
    "ernie45": replace(_HERMES, answer="<response>\n$answer\n</response>"),
    "longcat": Writing(
        call=f"<longcat_tool_call>\n{_OBJECT}\n</longcat_tool_call>",
        thought="<longcat_think>\n$thought\n</longcat_think>\n",
    ),
    "nemotron_toolcall": replace(
        _ARRAY, calls="<TOOLCALL>[$calls]</TOOLCALL>", thought=THINK, result="$json",
        results="<TOOL_RESPONSE>[$results]</TOOL_RESPONSE>", between_results=", ",
        tools="<AVAILABLE_TOOLS>[$tools]</AVAILABLE_TOOLS>",
    ),
    "nemotron_mini": Writing(
        call=f"<toolcall> {_OBJECT} </toolcall>", between=" ", tool="<tool> $function </tool>", tools="$tools",
    ),
    "tool_calls_array": replace(
        _ARRAY, calls="<tool_calls>[$calls]</tool_calls>", thought=THINK,
        tools="<available_tools>[$tools]</available_tools>",
    ),
    "minimax_m1": Writing(
        call=_OBJECT, calls="<tool_calls>\n$calls\n</tool_calls>", thought=THINK,
        result="tool name: $name\ntool result: $text", between_results="\n\n", tool="$function",
    ),
    "granite3": replace(_ARRAY, calls="<|tool_call|>[$calls]", thought=THINK, tool="$openai"),
    "granite_20b_fc": Writing(
        call=f"<function_call> {_OBJECT}", between="", result="<function_response> $text", tool="$function",
        tools="<|function_call_library|>\n$tools",
    ),
    "phi4_mini": replace(_ARRAY, calls="<|tool_call|>[$calls]<|/tool_call|>", tools="<|tool|>[$tools]<|/tool|>"),
    "functools": replace(_ARRAY, calls="functools[$calls]"),
    "internlm2": replace(
        _ARRAY, call=f"<|action_start|><|plugin|>\n{_PARAMETERS}<|action_end|>", between="",
    ),
    "apertus": replace(
        _ARRAY, call="{$quoted: $arguments}", calls="<|tools_prefix|>[$calls]<|tools_suffix|>",
        thought="<|inner_prefix|>$thought<|inner_suffix|>", result="$json", results="[$results]", between_results=", ",
        tool="$typescript", tools="$tools", between_tools="\n",
    ),
    "mistral_v3": replace(
        _ARRAY, call='{"name": $quoted, "arguments": $arguments, "id": "$id"}', calls="[TOOL_CALLS][$calls]",
        id_length=9, thought=THINK, result='[TOOL_RESULTS] {"content": $json, "call_id": "$id"}[/TOOL_RESULTS]',
        between_results="", tool="$openai", tools="[AVAILABLE_TOOLS][$tools][/AVAILABLE_TOOLS]",
    ),
    "cohere_action": replace(
        _ARRAY, call='    {"tool_call_id": "$number", "tool_name": $quoted, "parameters": $arguments}', between=",\n",
        calls="<|START_ACTION|>[\n$calls\n]<|END_ACTION|>", thought="<|START_THINKING|>$thought<|END_THINKING|>",
        answer="<|START_RESPONSE|>$answer<|END_RESPONSE|>",
        result='    {"tool_call_id": "$number", "results": {"0": $json}, "is_error": null}', between_results=",\n",
        results="<|START_TOOL_RESULT|>[\n$results\n]<|END_TOOL_RESULT|>", between_tools=",\n",
        tools="```json\n[\n$tools\n]\n```",
    ),
    "gigachat3": Writing(
        call=f"function call<|role_sep|>\n{_OBJECT}", between="<|message_sep|>\n\n",
        thought="$thought<|message_sep|>\n\n", result="function result<|role_sep|>\n$text", parallel=False, own_turns=True,
    ),
    "hyperclovax": replace(
        _ARRAY, calls=" -> tool/function_call\n[$calls]", thought="/think\n$thought<|im_end|>\n", answer="\n$answer",
        own_turns=True,
    ),
    "inkling": Writing(
        call='$name<|content_invoke_tool_json|>{"name": $quoted, "args": $arguments}<|end_message|>',
        between="<|message_model|>", thought="<|content_thinking|>$thought<|end_message|><|message_model|>",
        answer="<|content_text|>$answer<|end_message|>", own_turns=True,
    ),
    "llama3_json": Writing(
        call=_PARAMETERS, between="; ", result='{"output": $json}', tools="$tools", between_tools="\n\n",
    ),
    "json_array": replace(_ARRAY, calls="[$calls]"),
    "json_fenced": replace(
        _ARRAY, calls="```json\n$calls\n```", several="```json\n[$calls]\n```", between=",\n", tools="$tools",
        between_tools="\n",
    ),
}  # fmt: skip

TOKENS: Mapping[str, Writing] = {
    "mistral_v11": Writing(
        call="[TOOL_CALLS]$name[ARGS]$arguments", between="", thought="[THINK]$thought[/THINK]",
        result="[TOOL_RESULTS]$text[/TOOL_RESULTS]", between_results="",
        tools="[AVAILABLE_TOOLS][$tools][/AVAILABLE_TOOLS]", between_tools=", ",
    ),
    "llama3_functag": Writing(
        call="<function=$name>$arguments</function>", between="", result='{"output": $json}',
        tool="Use the function '$name' to: $description\n$function", tools="$tools", between_tools="\n\n",
    ),
    "deepseek_v3": Writing(
        call="<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n$arguments\n```<｜tool▁call▁end｜>",
        calls="<｜tool▁calls▁begin｜>$calls<｜tool▁calls▁end｜>", thought=THINK,
        result="<｜tool▁output▁begin｜>$text<｜tool▁output▁end｜>",
        results="<｜tool▁outputs▁begin｜>$results<｜tool▁outputs▁end｜>", tools="$tools",
    ),
    "deepseek_v31": Writing(
        call="<｜tool▁call▁begin｜>$name<｜tool▁sep｜>$arguments<｜tool▁call▁end｜>", between="",
        calls="<｜tool▁calls▁begin｜>$calls<｜tool▁calls▁end｜>", thought=THINK,
        result="<｜tool▁output▁begin｜>$text<｜tool▁output▁end｜>", between_results="",
        tool="### $name\nDescription: $description\n\nParameters: $parameters", tools="$tools", between_tools="\n\n",
    ),
    "kimi_k2": Writing(
        call="<|tool_call_begin|>functions.$name:$number<|tool_call_argument_begin|>$arguments<|tool_call_end|>",
        calls="<|tool_calls_section_begin|>$calls<|tool_calls_section_end|>", between="", thought=THINK,
        result="## Return of functions.$name:$number\n$text", tools=_LIST, between_tools=", ",
    ),
    "solar_open": Writing(
        call="<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>$arguments<|tool_call:end|>",
        calls="<|tool_calls|>$calls", between="", id_length=10, thought="<|think|>$thought<|end|><|begin|>assistant",
        answer="<|content|>$answer<|end|>",
        result="<|tool_response:begin|>$id<|tool_response:name|>$name<|tool_response:result|>$text"
        "<|tool_response:end|>",
    ),
    "plamo3": Writing(
        call="<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>$name<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>$arguments"
        "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
        calls="<|plamo:begin_tool_requests:plamo|>$calls<|plamo:end_tool_requests:plamo|>", between="",
        thought="<|plamo:begin_think:plamo|>$thought<|plamo:end_think:plamo|>",
    ),
    "miro_mcp": Writing(
        call="<use_mcp_tool>\n<server_name>tools</server_name>\n<tool_name>$name</tool_name>\n<arguments>\n$arguments\n"
        "</arguments>\n</use_mcp_tool>",
        thought=THINK, tool="### Tool name: $name\nDescription: $description\nInput JSON schema: $parameters",
        tools="## Server name: tools\n\n$tools", between_tools="\n\n", parallel=False,
    ),
    "qwen_fncall": Writing(
        call="✿FUNCTION✿: $name\n✿ARGS✿: $arguments", result="✿RESULT✿: $text",
        tool="### $name\n\n$name: $description Parameters: $parameters", tools="$tools", between_tools="\n\n",
    ),
    "functiongemma": Writing(
        call="<start_function_call>call:$name$arguments<end_function_call>", between="",
        result="<start_function_response>response:$name{value:<escape>$text<escape>}<end_function_response>",
        between_results="", tool="<start_function_declaration>$declaration<end_function_declaration>", tools="$tools",
        between_tools="",
    ),
    "gemma4": Writing(
        call="<|tool_call>call:$name$arguments<tool_call|>", between="",
        thought="<|channel>thought\n$thought\n<channel|>",
        result='<|tool_response>response:$name{value:<|"|>$text<|"|>}<tool_response|>', between_results="",
        tool="<|tool>$declaration<tool|>", tools="$tools", between_tools="",
    ),
    "olmo3": Writing(
        call="$name($arguments)", calls="<function_calls>$calls</function_calls>", literals="json", thought=THINK,
        tools="<functions>[$tools]</functions>", between_tools=", ",
    ),
    "lfm2": Writing(
        call="$name($arguments)", calls="<|tool_call_start|>[$calls]<|tool_call_end|>", between=", ", quote="'",
        thought=THINK, result="<|tool_response_start|>$text<|tool_response_end|>", tool="$function",
        tools="List of tools: <|tool_list_start|>[$tools]<|tool_list_end|>", between_tools=", ",
    ),
    "minicpm3": Writing(
        call="$name($arguments)", calls="<|tool_call_start|>\n```python\n$calls\n```\n<|tool_call_end|>",
        thought="<|thought_start|>\n$thought\n<|thought_end|>\n", tool="$python",
        tools="# Functions\n```python\n$tools\n```", between_tools="\n\n",
    ),
    "gorilla_openfunctions": Writing(
        call="<<function>>$name($arguments)", between="", quote="'", tool="$function",
        tools="<<function>>[$tools]", between_tools=", ",
    ),
}  # fmt: skip

TAGS: Mapping[str, Writing] = {
    "qwen3_coder": _CODER,
    "mimo": replace(_CODER, argument="<parameter=$key>$value</parameter>\n", tool="$openai"),
    "seed_oss": replace(
        _CODER, call="<seed:tool_call>\n<function=$name>\n$arguments</function>\n</seed:tool_call>",
        argument="<parameter=$key>$value</parameter>\n", thought="<seed:think>\n$thought\n</seed:think>\n",
        tool="$python", tools="$tools", between_tools="\n\n",
    ),
    "glm45": _PAIRS,
    "glm47": _PLAIN_PAIRS,
    "longcat_kv": Writing(
        call="<longcat_tool_call>$name\n$arguments</longcat_tool_call>",
        argument="<longcat_arg_key>$key</longcat_arg_key>\n<longcat_arg_value>$value</longcat_arg_value>\n",
        thought="<longcat_think>\n$thought\n</longcat_think>\n",
    ),
    "iquest": replace(_PLAIN_PAIRS, call="<iquest_tool_call>$name$arguments</iquest_tool_call>", between="\n"),
    "hunyuan_v3": Writing(
        call="<tool_call:opensource>$name<tool_sep:opensource>\n$arguments</tool_call:opensource>",
        calls="<tool_calls:opensource>\n$calls\n</tool_calls:opensource>",
        argument="<arg_key:opensource>$key</arg_key:opensource>\n<arg_value:opensource>$value</arg_value:opensource>\n",
        thought="<think:opensource>$thought</think:opensource>", result="<tool_response>$text</tool_response>",
        results="<tool_responses>\n$results\n</tool_responses>",
    ),
    "k2_horizon": Writing(
        call="<ifm|tool_call>$name$arguments</ifm|tool_call>", calls="<ifm|tool_calls>$calls</ifm|tool_calls>",
        between="", argument="<ifm|arg_key>$key</ifm|arg_key><ifm|arg_value>$value</ifm|arg_value>",
        thought="<ifm|think>$thought</ifm|think>\n",
    ),
    "minimax_m2": replace(
        _INVOKE, calls="<minimax:tool_call>\n$calls\n</minimax:tool_call>", result="<response>$text</response>",
    ),
    "dots": replace(
        _INVOKE, calls="<dots_function_call>\n$calls\n</dots_function_call>", thought="$thought\n", result=RESPONSE,
    ),
    "invoke_xml": replace(
        _INVOKE, calls="<function_calls>\n$calls\n</function_calls>", result="<result>\n$text\n</result>",
        results="<function_results>\n$results\n</function_results>", tool="<function>$function</function>",
        tools="<functions>\n$tools\n</functions>",
    ),
    "step3": Writing(
        call='<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="$name">\n$arguments</steptml:invoke>'
        "<｜tool_call_end｜>",
        calls="<｜tool_calls_begin｜>\n$calls\n<｜tool_calls_end｜>",
        argument='<steptml:parameter name="$key">$value</steptml:parameter>\n', thought=THINK, tools="$tools",
    ),
    "minicpm5_xml": Writing(
        call='<function name="$name">$arguments</function>', argument='<param name="$key">$value</param>', cdata=True,
        thought=THINK,
    ),
    "deepseek_v32": replace(
        _dsml("DSML", "function_calls"), result="<result>$text</result>",
        results="<function_results>\n$results\n</function_results>", tools="<functions>\n$tools\n</functions>",
    ),
    "deepseek_v4": _dsml("DSML", "tool_calls"),
    "deepseek_v41": _dsml("DSML", "calls", " "),
    "gigachat35": replace(_dsml("GCML", "tool_calls"), result=RESPONSE),
    "solar_open2": Writing(
        call="<|tool_call:start|>$name\n$arguments<|tool_call:end|>",
        argument="<|tool_arg:start|>$key<|tool_arg:value|>$value<|tool_arg:end|>\n", thought="<|think|>$thought<|end|>",
    ),
    "kimi_k3": Writing(
        call='<|open|>call tool="$name" index="$order"<|sep|>$arguments<|close|>call<|sep|>', between="",
        calls="<|open|>tools<|sep|>$calls<|close|>tools<|sep|>",
        argument='<|open|>argument key="$key" type="$type"<|sep|>$value<|close|>argument<|sep|>',
        thought="<|open|>think<|sep|>$thought<|close|>think<|sep|>",
        answer="<|open|>response<|sep|>$answer<|close|>response<|sep|>",
        result='<|open|>message role="tool" tool="$name" index="$order"<|sep|>$text<|close|>message<|sep|>',
        between_results="",
    ),
    "minimax_m3": Writing(
        call=f'{_MINIMAX}<invoke name="$name">$arguments{_MINIMAX}</invoke>',
        calls=f"{_MINIMAX}<tool_call>\n$calls\n{_MINIMAX}</tool_call>", thought="<mm:think>$thought</mm:think>\n",
        result="<response>$text</response>", tool="<tool>$function</tool>",
    ),
}  # fmt: skip

WRITINGS: Mapping[str, Writing] = {**TEXT, **JSON, **TOKENS, **TAGS}
"""By the dialect's name."""
