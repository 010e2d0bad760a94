"""A calculator: exact integers, floats to 15 significant digits, nothing that takes long.

The evaluator is simpleeval, cut down to numbers: its own operators and functions are replaced by bounded
ones, and every syntax but operators, comparisons and calls of known functions is taken out.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from react_engine.errors import ToolError
from react_engine.toolbox.notation import python_expression
from react_engine.tools.tool import Tool, ToolOptions, ToolParameter

if TYPE_CHECKING:
    from simpleeval import SimpleEval

Number = int | float

DESCRIPTION = "Calculates: + - * / // % ^, comparisons, sqrt, sin, log, round, factorial and more"
MAX_BITS = 10_000  # of an integer, also on the way: about 3,000 digits
MAX_FACTORIAL = 1_000
MAX_ROUND_DIGITS = 300


def make(_argument: str) -> list[Tool]:
    """The calculator."""
    return [Calculator()]


class Calculator(Tool):
    """Evaluates an arithmetic expression."""

    def __init__(self) -> None:
        super().__init__(
            "calculator",
            "Calculate an arithmetic expression and get the exact result. Operators: + - * / // % and ^ or ** for "
            "powers. Functions: sqrt, abs, round, floor, ceil, min, max, sum, mean, log (natural), log10, exp, sin, "
            "cos, tan (radians), factorial and more. Constants: pi, e.",
            ToolOptions(timeout=10.0, category="toolbox"),
        )

    def get_parameters(self) -> list[ToolParameter]:
        """The expression."""
        return [ToolParameter("expression", "string", "Only numbers, operators and functions, such as 37 * 412")]

    def run(self, parameters: dict[str, Any]) -> str:
        """The result as text."""
        return calculate(parameters["expression"])


def calculate(expression: str) -> str:
    """The value of an arithmetic expression: ``15244``, ``0.3``, ``true``.

    Raises:
        ToolError: It is no such expression, has no finite real value, or would get too large.
    """
    written = python_expression(expression, _FUNCTIONS.keys() | _CONSTANTS.keys())
    try:
        value = _evaluator().eval(written)
    except ToolError:
        raise
    except ZeroDivisionError as err:
        raise ToolError("Division by zero.", code="DIVISION_BY_ZERO") from err
    except OverflowError as err:
        raise _too_large() from err
    except (RecursionError, MemoryError) as err:
        raise ToolError(
            "The expression has too many levels.", code="TOO_COMPLEX", hint="Use sum(1, 2, 3) or several steps."
        ) from err
    except ValueError as err:
        raise ToolError(
            f"The expression has no real value: {err}.", code="UNDEFINED", hint="Check the argument of the function."
        ) from err
    except SyntaxError as err:
        raise ToolError(
            f"{_quoted(expression)} is no complete expression.",
            code="NOT_AN_EXPRESSION",
            hint="Check parentheses and operators; write * between factors: 2 * (3 + 4).",
        ) from err
    except Exception as err:  # simpleeval has no common base for what it refuses
        raise ToolError(
            f"{_quoted(expression)} cannot be calculated.",
            code="NOT_AN_EXPRESSION",
            hint="Write * between factors and give functions the numbers they need: 2 * (3 + 4), round(2.567, 1).",
        ) from err
    return _text(value)


def _quoted(expression: str) -> str:
    return repr(expression if len(expression) <= 80 else f"{expression[:80]}…")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    number = _checked(value)
    if isinstance(number, int):
        return str(number)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return format(number, ".15g")


def _too_large() -> ToolError:
    return ToolError(
        "The result, or a number on the way to it, is too large.",
        code="TOO_LARGE",
        hint="Work with smaller numbers, or with their logarithms.",
    )


def _checked(value: object) -> Number:
    """The value, if it is a finite real number of bounded size."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if isinstance(value, complex):
            raise ToolError("The result is not a real number.", code="UNDEFINED")
        raise ToolError("A number was expected.", code="NOT_A_NUMBER", hint="Functions need parentheses: sqrt(16).")
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise _too_large()
    elif math.isnan(value):
        raise ToolError("The result is not a number.", code="UNDEFINED")
    elif math.isinf(value):
        raise _too_large()
    return value


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with numbers of bounded size as arguments and result."""

    def checked(*values: object) -> Any:
        result = function(*(_checked(value) for value in values))
        return result if isinstance(result, bool) else _checked(result)

    return checked


def _power(base: Number, exponent: Number) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and (base.bit_length() - 1) * exponent > MAX_BITS:
        raise _too_large()
    return base**exponent


def _divided(dividend: Number, divisor: Number) -> Number:
    """The quotient; of integers it is exact where it is an integer."""
    if isinstance(dividend, int) and isinstance(divisor, int):
        quotient, rest = divmod(dividend, divisor)
        return dividend / divisor if rest else quotient
    return dividend / divisor


def _root(value: Number) -> Number:
    if isinstance(value, int) and value >= 0 and math.isqrt(value) ** 2 == value:
        return math.isqrt(value)
    return math.sqrt(value)


def _factorial(value: Number) -> int:
    if value != int(value) or value < 0:
        raise ToolError("A factorial needs a whole number that is not negative.", code="UNDEFINED")
    if value > MAX_FACTORIAL:
        raise _too_large()
    return math.factorial(int(value))


def _rounded(value: Number, digits: Number = 0) -> Number:
    """Rounded as at school: halves go away from zero, and 2.675 is what it says."""
    if digits != int(digits) or abs(digits) > MAX_ROUND_DIGITS:
        raise ToolError("The second argument of round is a small whole number.", code="UNDEFINED")
    if isinstance(value, int) and digits >= 0:
        return value
    if isinstance(value, int):
        unit: int = 10 ** int(-digits)
        return (abs(value) + unit // 2) // unit * unit * (1 if value >= 0 else -1)
    result = Decimal(repr(value)).scaleb(int(digits)).to_integral_value(ROUND_HALF_UP).scaleb(-int(digits))
    return int(result) if digits <= 0 else float(result)


def _mean(*values: Number) -> Number:
    return _divided(sum(values), len(values))


def _equal(left: Number, right: Number) -> bool:
    return _text(left) == _text(right)  # 0.1 + 0.2 == 0.3, as in the results shown


_CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e, "tau": math.tau}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "acos": math.acos,
    "acosh": math.acosh,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atan2": math.atan2,
    "atanh": math.atanh,
    "cbrt": math.cbrt,
    "ceil": math.ceil,
    "cos": math.cos,
    "cosh": math.cosh,
    "degrees": math.degrees,
    "exp": math.exp,
    "factorial": _factorial,
    "floor": math.floor,
    "gcd": math.gcd,
    "hypot": math.hypot,
    "lcm": math.lcm,
    "ln": math.log,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "max": lambda *values: max(values),
    "mean": _mean,
    "min": lambda *values: min(values),
    "pow": _power,
    "radians": math.radians,
    "round": _rounded,
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": _root,
    "sum": lambda *values: sum(values),
    "tan": math.tan,
    "tanh": math.tanh,
    "trunc": math.trunc,
}
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Eq: _equal,
    ast.NotEq: lambda left, right: not _equal(left, right),
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
_SYNTAX = (ast.Expr, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call, ast.Name, ast.Constant)


@lru_cache(maxsize=1)
def _evaluator() -> SimpleEval:
    from simpleeval import SimpleEval

    evaluator = SimpleEval(
        operators={kind: _bounded(function) for kind, function in _OPERATORS.items()},
        functions={name: _bounded(function) for name, function in _FUNCTIONS.items()},
        names=dict(_CONSTANTS),
    )
    every_node: dict[type[ast.AST], Callable[..., Any]] = dict(evaluator.nodes or {})
    evaluator.nodes = {kind: every_node[kind] for kind in _SYNTAX}
    return evaluator
