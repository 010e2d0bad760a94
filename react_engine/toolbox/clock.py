"""A clock with the world's time zones, by IANA name, city or offset."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from react_engine.errors import ToolError
from react_engine.tools.tool import Tool, ToolOptions, ToolParameter

DESCRIPTION = "Tells the time anywhere and converts times between zones"

Now = Callable[[], datetime]

# Large cities that give no zone its name. Who asks for the time there means these.
_CITIES = {
    "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid",
    "beijing": "Asia/Shanghai",
    "boston": "America/New_York",
    "cape town": "Africa/Johannesburg",
    "delhi": "Asia/Kolkata",
    "dallas": "America/Chicago",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "guangzhou": "Asia/Shanghai",
    "hamburg": "Europe/Berlin",
    "hanoi": "Asia/Bangkok",
    "houston": "America/Chicago",
    "kyoto": "Asia/Tokyo",
    "las vegas": "America/Los_Angeles",
    "miami": "America/New_York",
    "milan": "Europe/Rome",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "new delhi": "Asia/Kolkata",
    "osaka": "Asia/Tokyo",
    "rio de janeiro": "America/Sao_Paulo",
    "saint petersburg": "Europe/Moscow",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "shenzhen": "Asia/Shanghai",
    "washington": "America/New_York",
}
_AREAS = frozenset(
    ["africa", "america", "antarctica", "arctic", "asia", "atlantic", "australia", "europe", "indian", "pacific"]
)
_OFFSET = re.compile(r"(?:utc|gmt)?\s*(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?", re.IGNORECASE)
_TIME_OF_DAY = re.compile(
    r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?::(?P<second>[0-9]{2}))?\s*(?P<half>[ap]\.?m\.?)?", re.IGNORECASE
)
_ZONE_HELP = (
    "an IANA name (Europe/Paris), a large city (Tokyo), an offset (UTC+2), UTC, or local for this machine's zone"
)


def _system_time() -> datetime:
    return datetime.now(UTC)


def make(_argument: str, now: Now = _system_time) -> list[Tool]:
    """The clock's tools. ``now`` gives the time, with a zone."""
    return [CurrentTime(now), ConvertTime(now)]


class CurrentTime(Tool):
    """The date and time in a zone."""

    def __init__(self, now: Now = _system_time) -> None:
        super().__init__(
            "current_time",
            "Get the current date, time and weekday, here or in a time zone or city.",
            ToolOptions(category="toolbox"),
        )
        self._now = now

    def get_parameters(self) -> list[ToolParameter]:
        """The zone."""
        return [ToolParameter("timezone", "string", _ZONE_HELP[0].upper() + _ZONE_HELP[1:], False, "local")]

    def run(self, parameters: dict[str, Any]) -> str:
        """The time as text."""
        name = parameters.get("timezone", "local")
        return _written(self._now().astimezone(find_zone(name)))


class ConvertTime(Tool):
    """A time of one zone in another."""

    def __init__(self, now: Now = _system_time) -> None:
        super().__init__(
            "convert_time",
            "Convert a date and time, or a time of today, from one time zone or city to another.",
            ToolOptions(category="toolbox"),
        )
        self._now = now

    def get_parameters(self) -> list[ToolParameter]:
        """The time and the two zones."""
        return [
            ToolParameter("time", "string", "ISO 8601 (2026-03-01T14:30), or a time of today (14:30, 2:30 pm)"),
            ToolParameter("from_timezone", "string", f"Zone of that time: {_ZONE_HELP}"),
            ToolParameter("to_timezone", "string", "Zone wanted"),
        ]

    def run(self, parameters: dict[str, Any]) -> str:
        """Both times as text."""
        origin, target = find_zone(parameters["from_timezone"]), find_zone(parameters["to_timezone"])
        moment = _moment(parameters["time"], origin, self._now())
        try:
            return f"{_written(moment)} is {_written(moment.astimezone(target))}"
        except (OverflowError, ValueError) as err:
            raise ToolError("The result is outside the years 1 to 9999.", code="BAD_TIME") from err


def find_zone(name: str) -> tzinfo | None:
    """The zone of an IANA name, a city or an offset, in any case; None for this machine's own.

    Raises:
        ToolError: There is none of that name, or several; the hint lists close ones.
    """
    plain = _plain(name)
    if plain in ("local", ""):
        return None
    if plain in ("utc", "z", "gmt", "zulu"):
        return UTC
    offset = _OFFSET.fullmatch(plain)
    if offset:
        return _fixed(offset)
    by_name, by_city = _zones()
    city = plain.partition(",")[0].strip()  # Paris, France
    found = by_name.get(plain) or by_city.get(city) or _CITIES.get(city.rpartition("/")[2])
    if found is None:
        raise _unknown(name, plain)
    return ZoneInfo(found)


def _fixed(offset: re.Match[str]) -> tzinfo:
    hours, minutes = int(offset["hours"]), int(offset["minutes"] or 0)
    if hours > 14 or minutes > 59:
        raise ToolError(f"{offset[0]!r} is no offset from UTC.", code="UNKNOWN_ZONE", hint="They go from -12 to +14.")
    delta = timedelta(hours=hours, minutes=minutes)
    return timezone(-delta if offset["sign"] == "-" else delta)


def _unknown(name: str, plain: str) -> ToolError:
    by_name, by_city = _zones()
    close = get_close_matches(plain, [*by_name, *by_city, *_CITIES], n=6, cutoff=0.7)
    names = dict.fromkeys(by_name.get(key) or by_city.get(key) or _CITIES[key] for key in close)
    hint = f"Did you mean {' or '.join(list(names)[:3])}?" if names else f"Give {_ZONE_HELP}."
    shown = name if len(name) <= 60 else f"{name[:60]}…"
    return ToolError(f"There is no time zone {shown!r}.", code="UNKNOWN_ZONE", hint=hint)


def _plain(name: str) -> str:
    """Lower case, single blanks, no accents."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return " ".join(letters.replace("_", " ").split()).lower()


@lru_cache(maxsize=1)
def _zones() -> tuple[dict[str, str], dict[str, str]]:
    """IANA names by their plain form, and by city: of ``America/Indiana/Knox`` the last part.

    Where several zones share a city they are old and new names of one zone; the one of most parts is new.
    """
    by_name: dict[str, str] = {}
    by_city: dict[str, str] = {}
    for zone in sorted(available_timezones(), key=lambda zone: (zone.count("/"), zone)):
        plain = _plain(zone)
        by_name[plain] = zone
        area, _, city = plain.rpartition("/")
        if area.partition("/")[0] in _AREAS:
            by_city[city] = zone
    return by_name, by_city


def _moment(text: str, zone: tzinfo | None, now: datetime) -> datetime:
    """The moment that a text names in a zone; a time of day alone is one of the day that it is there."""
    plain = text.strip()
    match = _TIME_OF_DAY.fullmatch(plain)
    try:
        if match and (match["minute"] or match["half"]):
            moment = now.astimezone(zone).replace(
                hour=_hour(match), minute=int(match["minute"] or 0), second=int(match["second"] or 0), microsecond=0
            )
            moment = moment.replace(tzinfo=None)
        else:
            moment = datetime.fromisoformat(plain)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone) if zone else moment.astimezone()
        exists = moment.astimezone(UTC).astimezone(moment.tzinfo).replace(fold=0) == moment.replace(fold=0)
    except (ValueError, OverflowError) as err:
        hint = "Write it as 2026-03-01T14:30, or 14:30 for today."
        raise ToolError(f"{plain[:60]!r} is no time.", code="BAD_TIME", hint=hint) from err
    if not exists:
        raise ToolError(f"{plain!r} does not exist in that zone: the clocks were put forward then.", code="BAD_TIME")
    return moment


def _hour(match: re.Match[str]) -> int:
    hour = int(match["hour"])
    if not match["half"]:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + (12 if match["half"].lower().startswith("p") else 0)


def _written(moment: datetime) -> str:
    """ISO 8601 to the second with offset, the weekday and the zone."""
    zone = getattr(moment.tzinfo, "key", None) or moment.tzname() or ""
    return f"{moment.isoformat(timespec='seconds')} ({moment:%A}, {zone})"
