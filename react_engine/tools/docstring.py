"""What a docstring says of a function and its arguments, in Google, NumPy, reST or Epydoc style."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Description:
    """``text`` is the summary and body without the sections; ``arguments`` maps names to descriptions."""

    text: str = ""
    arguments: dict[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None) -> Description:
    """The parts of a docstring. What no style fits is taken whole as the text."""
    cleaned = inspect.cleandoc(docstring or "")
    if not cleaned:
        return Description()
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(cleaned)
    except ParseError:
        return Description(cleaned)
    separator = "\n\n" if parsed.blank_after_short_description else "\n"
    text = separator.join(part.strip() for part in (parsed.short_description, parsed.long_description) if part)
    arguments: dict[str, str] = {}
    for parameter in parsed.params:
        description = " ".join((parameter.description or "").split())
        for name in parameter.arg_name.split(","):  # NumPy style: ``x, y : float``
            if description:
                arguments[name.strip().lstrip("*")] = description
    return Description(text, arguments)
