"""Reads arithmetic as people and models write it, and writes it as a Python expression.

Understood beside Python's own: ``^`` for powers, ``×`` ``·`` ``÷`` ``−`` ``²`` ``π`` and full-width signs,
``12 x 3``, ``5!``, ``20% of 50``, thousands separators, a trailing ``=``. What has two readings is an error.
Only numbers, operators, parentheses, commas and the names given get through: no strings, no attributes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import NamedTuple

from react_engine.errors import ToolError

LONGEST = 1000

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("×✕✖⋅·∙∗", "*"),
        **dict.fromkeys("÷∕", "/"),
        **dict.fromkeys("−–—", "-"),
        **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},  # full-width forms
        "²": "^2",
        "³": "^3",
        "π": " pi ",
        "√": " sqrt ",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
_TOKEN = re.compile(
    r"""
    \s*
    (?:
        (?P<grouped>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9]|,[0-9]))   # 1,234,567.8
      | (?P<number>(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?:math\.)?(?P<name>[a-z_][a-z0-9_]*)
      | (?P<operator>\*\*|//|==|!=|<=|>=|[-+*/%^()<>=,!])
    )
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*(?P<number>[0-9]+)", re.ASCII)
_OPERATORS = {"^": "**", "=": "==", "mod": "%", "x": "*"}


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def python_expression(text: str, names: Collection[str]) -> str:
    """The expression in Python's notation, in which only numbers, operators and ``names`` stand.

    Raises:
        ToolError: Something else is in it, or it can be read in two ways; code and hint say what to write.
    """
    if len(text) > LONGEST:
        raise ToolError(
            f"The expression has {len(text)} characters, {LONGEST} are allowed.",
            code="TOO_LONG",
            hint="Calculate it in several steps.",
        )
    plain = re.sub(r"=?\s*\??\s*$", "", text.translate(_SIGNS).strip(" \t\r\n`'\"$"))
    return _Writer(_tokens(plain, names)).expression()


def _tokens(text: str, names: Collection[str]) -> list[_Token]:
    tokens: list[_Token] = []
    calls: list[bool] = []  # for each open parenthesis, whether it holds the arguments of a function
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unexpected(text, position)
        kind = match.lastgroup or ""
        if kind == "grouped" and any(calls):  # there a comma parts arguments
            if ",0" in match["grouped"]:
                raise _comma(match.start(kind) + match["grouped"].index(","))
            match, kind = _NUMBER.match(text, position) or match, "number"
        token = _Token(kind, match[kind], match.start(kind))
        if token.text == "(":
            calls.append(bool(tokens) and tokens[-1].kind == "name" and tokens[-1].text not in _OPERATORS)
        elif token.text == ")" and calls:
            calls.pop()
        elif token.text == "," and not any(calls):
            raise _comma(token.place)
        tokens.append(_known(token, names) if kind == "name" else token)
        position = match.end()
    if not tokens:
        raise ToolError("There is no expression.", code="EMPTY", hint="Give one such as 37 * 412.")
    return tokens


def _comma(place: int) -> ToolError:
    return ToolError(
        f"It is unclear what the comma at position {place + 1} means.",
        code="UNCLEAR_COMMA",
        hint="Write decimals with a point (1.5) and large numbers without separators (1234567).",
    )


def _unexpected(text: str, position: int) -> ToolError:
    rest = text[position:].lstrip()
    place = len(text) - len(rest)
    return ToolError(
        f"{rest[:1]!r} at position {place + 1} cannot stand in an expression.",
        code="NOT_AN_EXPRESSION",
        hint="Use numbers, + - * / // % ^, parentheses and functions such as sqrt(16), nothing else.",
    )


def _known(token: _Token, names: Collection[str]) -> _Token:
    name = token.text.lower()
    if name in names or name in ("x", "mod", "of"):
        return token._replace(text=name)
    close = get_close_matches(name, names, n=1)
    raise ToolError(
        f"{token.text!r} at position {token.place + 1} is neither a function nor a constant.",
        code="UNKNOWN_NAME",
        hint=f"Did you mean {close[0]}?"
        if close
        else f"Give only the expression, with numbers for variables. Known: {', '.join(sorted(names))}.",
    )


class _Writer:
    """Turns tokens into a Python expression, from left to right."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._out: list[str] = []
        self._open: list[int] = []  # where in the output each open parenthesis, with its function, begins
        self._operand: int | None = None  # where the operand that was just completed begins

    def expression(self) -> str:
        for index, token in enumerate(self._tokens):
            following = self._tokens[index + 1] if index + 1 < len(self._tokens) else None
            self._write(token, following)
        return " ".join(self._out)

    def _write(self, token: _Token, following: _Token | None) -> None:
        match token.kind, token.text:
            case "number" | "grouped", text:
                self._add_operand(_number(text))
            case "name", ("x" | "mod") as text:
                self._add_operator(_OPERATORS[text])
            case "name", "of":
                if self._out[-1:] != ["/100)"]:
                    raise _unclear(token, "'of' can only follow a percentage", "Write * instead.")
                self._add_operator("*")
            case "name", text:
                self._add_operand(text)
            case _, "(":
                called = self._operand if self._operand is not None and self._out[-1].isidentifier() else None
                self._open.append(len(self._out) if called is None else called)
                self._add_operator("(")
            case _, ")":
                self._out.append(")")
                self._operand = self._open.pop() if self._open else None
            case _, "!":
                self._wrap("factorial(", ")", token)
            case _, "%" if not _starts_operand(following):
                self._percent(token, following)
            case _, text:
                self._add_operator(_OPERATORS.get(text, text))

    def _add_operand(self, text: str) -> None:
        self._operand = len(self._out)
        self._out.append(text)

    def _add_operator(self, text: str) -> None:
        self._operand = None
        self._out.append(text)

    def _wrap(self, before: str, after: str, token: _Token) -> None:
        if self._operand is None:
            raise _unclear(token, f"{token.text!r} has no number before it", "Write 5! or 20% of 50.")
        self._out.insert(self._operand, before)
        self._out.append(after)

    def _percent(self, token: _Token, following: _Token | None) -> None:
        before = self._out[self._operand - 1] if self._operand else None
        after = following.text if following else None
        factor = before in (None, "(", ",", "*", "/") and after in (None, ")", ",", "*", "/", "x")
        if after != "of" and not factor:
            hint = "Write 20% of 50 or 50 * 20 / 100; to add 20 %, multiply by 1.2."
            raise _unclear(token, "the percent sign has several readings here", hint)
        self._wrap("(", "/100)", token)


def _starts_operand(token: _Token | None) -> bool:
    return token is not None and (
        token.kind in ("number", "grouped")
        or token.text == "("
        or (token.kind == "name" and token.text not in ("of", "x"))
    )


def _unclear(token: _Token, problem: str, hint: str) -> ToolError:
    return ToolError(f"At position {token.place + 1} {problem}.", code="NOT_AN_EXPRESSION", hint=hint)


def _number(text: str) -> str:
    """A number without separators and leading zeros, which Python refuses."""
    plain = text.replace("_", "").replace(",", "").lstrip("0")
    return plain if plain[:1].isdigit() else f"0{plain}"
