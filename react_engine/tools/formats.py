"""The formats of JSON Schema that are checked, by the standard library alone.

A little more tolerant than the standard where models differ from it without harm: a time may lack its offset.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

if TYPE_CHECKING:
    from jsonschema import FormatChecker

_DURATION = re.compile(
    r"P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:[.,]\d+)?S)?)?)", re.ASCII
)
_HOST_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*", re.ASCII)


def _is_hostname(text: str) -> bool:
    return 0 < len(text) <= 253 and all(_HOST_LABEL.fullmatch(label) for label in text.removesuffix(".").split("."))


def _is_uri(text: str) -> bool:
    return bool(urlsplit(text).scheme) and not re.search(r"\s", text)


def _is_date_time(text: str) -> bool:
    return _DATE_TIME.fullmatch(text) is not None and datetime.fromisoformat(text) is not None


CHECKS: dict[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "date-time": _is_date_time,
    "time": time.fromisoformat,
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "hostname": _is_hostname,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
    "uri": _is_uri,
    "uuid": UUID,
}
"""For each format what tells a valid text: it gives anything but False, or raises ValueError."""


@cache
def format_checker() -> FormatChecker:
    """The checks in the form that jsonschema wants."""
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name, check in CHECKS.items():
        checker.checks(name, raises=ValueError)(_for_text(check))
    return checker


def _for_text(check: Callable[[str], Any]) -> Callable[[object], bool]:
    def checked(value: object) -> bool:
        return not isinstance(value, str) or check(value) is not False

    return checked
