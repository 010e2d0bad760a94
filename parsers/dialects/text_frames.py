"""Dialects of plain text: labels, lines, Python calls; and messages with a recipient."""

from __future__ import annotations

from react_engine.parsers.dialects.record import Dialect, Tags
from react_engine.parsers.dialects.tag_frames import NAMED

_REACT_STOP = ("\nObservation:", "\n观察:", "\n观察：")
_HEADER = (
    r"(?:<\|start\|>|<\|constrain\|>|\s|<\|channel\|>\w{1,16}|to=(?P<name>[^\s<]{1,128})"
    r"|(?:assistant|analysis|commentary|final|json|code|xml|text)(?![\w.])){1,24}"
)
_ENDS = ("<|end|>", "<|call|>", "<|return|>", "<|eom|>", "<|eot|>", "<|start|>", "<|channel|>")

DIALECTS = (
    Dialect("react", "labels", stop=_REACT_STOP, template="json"),
    Dialect("react_answer", "labels", stop=_REACT_STOP, template="json"),
    Dialect("react_json", "labels", stop=_REACT_STOP, template="json", variant="stepped"),
    Dialect("toolllama_react", "labels", stop=("\nObservation:", "End Action"), template="json"),
    Dialect("command_r_plus", "labels", stop=("<|END_OF_TURN_TOKEN|>",), template="json", variant="listed"),
    Dialect(
        "pythonic", "python", chrome=("<|python_start|>", "<|python_end|>"), stop=("<|eot|>", "<|eot_id|>"),
        template="python",
    ),
    Dialect("gemma_tool_code", "python", stop=("<end_of_turn>",), template="python", variant="fenced"),
    Dialect("tool_tag", "tools"),
    Dialect("fields", "fields"),
    Dialect("glm4_9b", "lines", ("<|assistant|>",), stop=("<|observation|>", "<|user|>"), template="json"),
    Dialect("functionary_v3_2", "lines", (">>>",), stop=("<|eot_id|>",), template="json", variant="addressed"),
    Dialect(
        "functionary_v2", "messages", ("<|content|>",), closers=("<|stop|>", "<|from|>"),
        head=r"\s{0,8}(?:<\|from\|>assistant\s{0,4})?(?:<\|recipient\|>)?\s{0,4}(?P<name>[^\s<]{1,128})\s{0,4}",
        stop=("<|stop|>",), template="json",
    ),
    Dialect(
        "harmony", "messages", ("<|message|>",), closers=_ENDS, head=_HEADER,
        stop=("<|call|>", "<|return|>"), template="json", variant="addressed",
    ),
    Dialect(
        "muse_atem", "messages", ("<|message|>",), head=_HEADER, closers=_ENDS,
        stop=("<|eot|>",), template="tags",
    ),
    Dialect(
        "beam_rfl", "messages", ("<|message|>",), head=_HEADER, closers=_ENDS,
        tags=Tags(NAMED.open, NAMED.close, lines="always"), stop=("<|call|>",), template="tags",
    ),
)  # fmt: skip
