"""Values from outside, checked by pydantic, with errors that say where, what was expected and what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from react_engine.errors import ConfigurationError, nearest_or_all

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Place = tuple[str | int, ...]

# The forms of the keys that common providers give out: such text is never shown, nor accepted as a setting.
_KEY = re.compile(
    r"""(?<![A-Za-z0-9])(?:
        (?:sk|pk|rk|glpat)-[A-Za-z0-9_-]{20,}              # OpenAI and those who copy it, Stripe, GitLab
        | (?:xai|pplx)-[A-Za-z0-9]{20,}                    # without hyphens: names of models have those
        | nvapi-[A-Za-z0-9_-]{40,}
        | (?:gsk|hf|ghp|gho|ghs|github_pat|r8)_[A-Za-z0-9_]{20,}
        | AIza[A-Za-z0-9_-]{30,} | ya29\.[A-Za-z0-9_-]{20,}   # Google
        | AKIA[A-Z0-9]{16}                                 # AWS
        | Bearer\s+[A-Za-z0-9._+/=-]{16,}
    )""",
    re.VERBOSE,
)
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")


def looks_like_key(text: str) -> bool:
    """Whether a text has the form of an API key or token."""
    return _KEY.search(text) is not None


def shown(value: Any) -> str:
    """A value as an error shows it: short, and without anything that looks like a secret."""
    text = value if isinstance(value, str) else repr(value)
    if looks_like_key(text):
        return "a value that looks like a key (not shown)"
    text = _PASSWORD.sub("…@", text)
    text = text if len(text) <= 80 else text[:77] + "…"
    return repr(text) if isinstance(value, str) else text


def require_known(given: Iterable[str], known: Iterable[str], where: str, note: str = "") -> None:
    """Raise ``ConfigurationError`` for the first name that is not known, with the nearest one."""
    names = tuple(known)
    for name in given:
        if name not in names:
            guess = nearest_or_all(str(name), names)
            raise ConfigurationError(f"{where}: there is no setting {shown(str(name))}.{guess} {note}".rstrip())


def checked(
    adapter: TypeAdapter[Any], value: Any, where: Callable[[Place], str], expected: Mapping[str, str] | None = None
) -> Any:
    """``value`` as the adapter makes it; ``where`` says the place of a path inside it.

    ``expected`` has words of one's own for what a top-level field takes. Raises ``ConfigurationError`` for the
    first thing that does not fit.
    """
    from pydantic import ValidationError

    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place, found = first["loc"], first["input"]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, ConfigurationError):
            message = f"{where(place)}: {cause}"
        else:
            wanted = (expected or {}).get(str(place[0]) if place else "")
            wanted = wanted or first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
            message = f"{where(place)}: expected {wanted}, found {shown(found)}."
        raise ConfigurationError(message) from None
