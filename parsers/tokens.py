"""The characters and patterns of values, in one place for all who look at them."""

from __future__ import annotations

import re

# Blank space between tokens: also no-break and zero-width blanks, and line breaks written as \n.
BLANK = r"[\s\u00a0\u200b-\u200d\u2060\ufeff]"
SPACE = re.compile(rf"(?:{BLANK}|\\[nrt](?![A-Za-z_]))+")
COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*")
SHORT_COMMENT = re.compile(r"//[^\n]{0,300}|/\*(?:[^*]|\*(?!/)){0,300}\*/|#[^\n]{0,300}")
"""A comment while looking ahead: bounded, so that no look ahead costs more than its place is worth."""

KEY_AHEAD = re.compile(
    rf"""{BLANK}*(?:["'“”‘’`][^"'“”‘’`\n]{{1,80}}["'“”‘’`]|[A-Za-z_][\w.\\-]{{0,60}}){BLANK}*[:：]"""
)
"""A key with its colon: a new entry of an object begins."""
VALUE_AHEAD = re.compile(rf"""{BLANK}*(?:["'“‘`{{\[(\]}}｛［-]|[-+]?\d|(?:true|false|null|True|False|None)\b)""")
"""The beginning of a value: a new entry of an array may begin."""
KEYWORD = re.compile(r"[^\W\d][\w.-]{0,60}\s*(?:=(?![=>])|:(?!//)|：)")
"""A named argument in call syntax."""
NAMED_AHEAD = re.compile(rf"\s*(?:[-*•]\s+)?(?:{KEYWORD.pattern}|[\"'“][^\"'“”\n]{{1,80}}[\"'”]\s*[:：])")
"""The next named argument where arguments stand free, a line each."""
CALL_AHEAD = re.compile(r"\s*(?:[^\W\d][\w.]{0,80}\s*\(|[{\[])")
"""Another call or object behind a comma."""
BARE_STOP = re.compile(r"[,，;}\]｝］)）\n]|\\n|(?<=\s)(?://|/\*|#)")
"""Where an unquoted scalar may end."""
KEY_WORD = re.compile(r"[^\s\"'“”‘’`:：=,，{}\[\]｛｝()]{1,128}")
"""A key without quotes."""
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
"""A JSON number; the groups are what makes it a float."""

COMMA, COLON = ",，;", ":：="
OPENERS = {"{": "}", "[": "]", "(": ")", "｛": "}", "［": "]", "（": ")"}
CLOSERS = {"}": "}", "]": "]", ")": ")", "｝": "}", "］": "]", "）": ")"}
FULL_WIDTH = frozenset("，：｛｝［］（）")
WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}
NOT_NUMBERS = frozenset({"nan", "infinity", "inf", "-infinity", "-inf", "+inf", "+infinity"})

MAX_DEPTH = 200
"""Deeper nesting is refused: no tool needs it, and other readers of the value would overflow."""
