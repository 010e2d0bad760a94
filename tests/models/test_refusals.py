"""What servers say when they refuse something, in their own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.models.refusals import classify

WORDINGS: dict[str, tuple[str, ...]] = {
    "tools": (
        # Ollama
        "stablelm2:latest does not support tools",
        "registry.ollama.ai/library/smollm2:135m does not support tools",
        # OpenRouter
        "No endpoints found that support tool use. To learn more about provider routing, visit: …",
        # vLLM
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        'tool_choice="required" requires --tool-call-parser to be set',
        "Value error, Currently only named tools are supported.",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'tools'), 'msg': 'Extra inputs are not permitted', 'input': []}]",
        # llama.cpp
        "tools param requires --jinja flag",
        "Unsupported param: tools",
        "Error: Jinja Exception: Only user, system and assistant roles are supported!",
        # Groq
        "`tools` is not supported with this model",
        # Gemini
        "Tool use with function calling is unsupported",
        "Function calling is not enabled for models/gemma-3-12b-it",
        """Invalid JSON payload received. Unknown name "tools" at 'request.generation_config': Cannot find field.""",
        # Mistral
        (
            '{"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not '
            'permitted","input":[]}]}'
        ),
        # Bedrock
        "This model doesn't support tool use in streaming mode.",
        "This model doesn’t support tool use.",
        # others
        "This model does not support function calling",
        "deepseek-reasoner does not support Function Calling",
        "Function call is not supported for this model.",
        "The model `x` does not support `tools`.",
        "the model does not support the 'tools' parameter",
        "'tools' parameter is not supported for this model",
        "Tools not supported",
        "Model does not support tool/function calling",
        "No connected provider supports tool calling for this model.",
        # litellm, before it sends anything
        "together_ai does not support parameters: ['tools'], for model=x. To drop these, set `litellm.drop_params=True`",
        "together_ai does not support parameters: tools, tool_choice, for model=x.",
    ),
    "tool_choice": (
        "deepseek-reasoner does not support this tool_choice",
        "Thinking mode does not support this tool_choice",
        "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",  # LM Studio
        "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again",
        "Only allowed string values for 'tool_choice' are none, auto, and required",  # Groq
        "Failed to deserialize the JSON body into the target type: tool_choice: expected one of `none`, `auto`",
    ),
    "parallel_tool_calls": (
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
        "parallel_tool_calls=False is not supported on this backend.",
        "This model only supports single tool-calls at once!",
    ),
    "stop": (
        "Unsupported parameter: 'stop' is not supported with this model.",
        "Unable to submit request because the model does not support the stopSequences parameter. Remove it.",
    ),
    "system": (
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "role 'system' is not supported on this model",
        "System role not supported",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        "Jinja Exception: System message must be at the beginning.",
        "Only user and assistant roles are supported!",
    ),
    "roles": (
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates",
        "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2])",
        "Unexpected role 'user' after role 'tool'",
    ),
    "strict": (
        (
            "Invalid schema for function 'set': In context=('properties', 'permissions'), 'additionalProperties' is "
            "required to be supplied and to be false."
        ),
        (
            "Invalid schema for function 'question': In context=(), 'required' is required to be supplied and to be an "
            "array including every key in properties. Missing 'multiple'."
        ),
    ),
    "schema": ("Invalid schema for function 'f': schema must have a 'type' key.",),
    "context": (
        (
            "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the "
            "messages, 10000 in the completion). Please reduce the length of the messages or completion."
        ),  # vLLM, OpenAI
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",  # llama.cpp
        "Context size has been exceeded.",
        "The input (61709 tokens) is longer than the model's context length (40960 tokens).",  # SGLang
        "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
        "The decoder prompt (length 163840) is longer than the maximum model length of 131072. Make sure that …",
        (
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
            "length of only 32768 tokens, which is not enough."
        ),  # LM Studio
        "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length",
        "prompt is too long: 203000 tokens > 200000 maximum",
        "Requested tokens (2285) exceed context window of 2048",
        "Input is too long for requested model.",
        "max_tokens must be at least 1, got -300.",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
    ),
    "stream_options": (
        "property 'stream_options' is unsupported, did you mean 'stream'?",
        "Validation error at #/stream_options: Extra inputs are not permitted",
    ),
    "max_tokens": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    "temperature": (
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    ),
}

OTHERS = (
    "",
    "Internal server error",
    "Invalid value for temperature",
    "No tools were available to the mechanic",
    "tool call validation failed: parameters for tool X did not match schema",
    "Please stop sending requests",
    "model 'x' not found",
    "The tool you asked for is interesting. Images are not supported",
    "tool result images are not supported",
    "does not support tool result images",
    "the function's result is not supported as JSON",
    "The system is not supported by staff at night",
)


@pytest.mark.parametrize(("feature", "wording"), [(key, text) for key, texts in WORDINGS.items() for text in texts])
def test_a_wording_names_what_was_refused(feature: str, wording: str) -> None:
    assert classify(wording) == feature


@pytest.mark.parametrize("wording", OTHERS)
def test_other_messages_name_nothing(wording: str) -> None:
    assert classify(wording) is None


@pytest.mark.parametrize(
    ("param", "code", "feature"),
    [
        ("stop", "unsupported_parameter", "stop"),
        ("tools[0].function.strict", "unknown_parameter", "strict"),
        ("functions", "unsupported_parameter", "tools"),
        ("stop", "invalid_value", None),
        ("", "unsupported_parameter", None),
    ],
)
def test_the_fields_of_an_error_object_count_too(param: str, code: str, feature: str | None) -> None:
    assert classify("Not like this.", param=param, code=code) == feature


@given(st.text(max_size=300), st.text(max_size=20), st.text(max_size=20))
def test_no_text_raises(message: str, param: str, code: str) -> None:
    assert classify(message, param=param, code=code) != ""


@pytest.mark.parametrize(
    "unit", ["tool ", "tools is ", "unsupported ", "does not support ", "'body', 'x' ", "stop ", "a"]
)
def test_worst_case_texts_are_read_in_bounded_time(unit: str) -> None:
    assert classify(unit * 200_000) in (None, "tools")
