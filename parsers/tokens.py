"""The characters and patterns of values, in one place for all who look at them."""

from __future__ import annotations

import re

# Blank space between tokens: also no-break and zero-width blanks, and line breaks written as \n.
BLANK = r"[\s\u00a0\u200b-\u200d\u2060\ufeff]"
SPACE = re.compile(rf"(?:{BLANK}++|\\[nrt](?![A-Za-z_]))++")
EDGES = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + "\u200b\u200c\u200d\u2060\ufeff"
"""The characters of ``BLANK``, to be stripped."""
NO_SPACE = frozenset("".join(map(chr, range(33, 127)))) - frozenset("\\/#`")
"""Characters that are neither blank nor the beginning of something that counts as blank."""
FENCE = re.compile(r"`{3,}+(?:\w{0,10}\s*+(?=[{\[\"])|\s*+(?=[,}\])]|\Z))")
"""A code fence around a value inside of another."""
COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*")
SHORT_COMMENT = re.compile(r"//[^\n]{0,300}|/\*(?:[^*]|\*(?!/)){0,300}\*/|#[^\n]{0,300}")
"""A comment while looking ahead: bounded, so that no look ahead costs more than its place is worth."""

KEY_AHEAD = re.compile(
    rf"""{BLANK}*(?:"[^"“”\n]{{1,80}}"|["'“”‘’`„«「＂][^"'“”‘’`„«»「」＂\n]{{1,80}}["'“”‘’`»」＂]|[A-Za-z_][\w.\\-]{{0,60}}){BLANK}*[:：]"""
)
"""A key with its colon: a new entry of an object begins."""
VALUE_AHEAD = re.compile(
    rf"""{BLANK}*(?:["'“‘`«「＂\ufdd0{{\[(\]}}｛［-]|[-+]?\d|(?:true|false|null|True|False|None)\b)"""
)
"""The beginning of a value: a new entry of an array may begin."""
KEYWORD = re.compile(r"[^\W\d][\w.-]{0,60}\s*(?:=(?![=>])|:(?!//)|：)")
"""A named argument in call syntax."""
NAMED_AHEAD = re.compile(rf"\s*(?:[-*•]\s+)?(?:{KEYWORD.pattern}|[\"'“][^\"'“”\n]{{1,80}}[\"'”]\s*[:：])")
"""The next named argument where arguments stand free, a line each."""
_CALL_KEYS = (
    "name|tool_name|function_name|tool|function|action|type|id|index|recipient_name|tool_call_id|call_id|thought"
)
NEXT_CALL = re.compile(rf"[\s,;]{{0,20}}[{{｛]\s{{0,20}}[\"'“”„](?:{_CALL_KEYS})[\"'“”]\s{{0,4}}[:：]")
"""The object of another call, by its first key."""
CALL_AHEAD = re.compile(r"\s*(?:[^\W\d][\w.]{0,80}\s*\(|[{\[])")
"""Another call or object behind a comma."""
BARE_STOP = re.compile(rf"[,，;}}\]｝］)）]|(?:\n|\\[nrt])(?:{BLANK}|\\[nrt])*+|(?<=\s)(?://|/\*|#)")
"""Where an unquoted scalar may end."""
KEY_WORD = re.compile(r"[^\s\"'“”‘’`:：=,，{}\[\]｛｝()]{1,128}")
"""A key without quotes."""
QUOTED = "\"'“„"
"""What a quoted key begins with."""
PLAIN_SCALAR = re.compile(r"(?:true|false|null|-?\d{1,20}(?:\.\d{1,20})?)\s{0,8}", re.IGNORECASE)
"""A value that no bracket can be a part of."""
EXPRESSION = re.compile(r"[^\W\d][\w.]{0,80}\(|[fFbB][rR]?[\"']|\S{1,60} for \S{1,60} in ")
"""What begins code that would have to be run to give a value: a call, a formatted string, a comprehension."""
OPERATOR = re.compile(r"[+*%]|\.[a-z_]{1,40}\(|if\b[^,\n]{1,60}\belse\b")
"""What makes a value a part of an expression, behind it."""
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
"""A JSON number; the groups are what makes it a float."""


def behind(pattern: re.Pattern[str], text: str, position: int, end: int) -> int:
    """The offset behind what ``pattern`` matches at ``position``; the position itself where it matches nothing."""
    match = pattern.match(text, position, end)
    return match.end() if match is not None else position


COMMA, COLON = ",，;", ":：="
OPENERS = {"{": "}", "[": "]", "(": ")", "｛": "}", "［": "]", "（": ")"}
CLOSERS = {"}": "}", "]": "]", ")": ")", "｝": "}", "］": "]", "）": ")"}
FULL_WIDTH = frozenset("，：｛｝［］（）")
WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}
NOT_NUMBERS = frozenset({"nan", "infinity", "inf", "-infinity", "-inf", "+inf", "+infinity"})

MAX_DEPTH = 200
"""Deeper nesting is refused: no tool needs it, and other readers of the value would overflow."""
