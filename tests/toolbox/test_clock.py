"""The clock: zones by name, city and offset; conversions over changes of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ToolError
from react_engine.toolbox.clock import ConvertTime, CurrentTime, find_zone, make


def now() -> datetime:
    return datetime(2026, 3, 29, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "time"),
    [
        ("UTC", "2026-03-29T00:30:00+00:00 (Sunday, UTC)"),
        ("Asia/Tokyo", "2026-03-29T09:30:00+09:00 (Sunday, Asia/Tokyo)"),
        ("asia/tokyo", "2026-03-29T09:30:00+09:00 (Sunday, Asia/Tokyo)"),
        ("Tokyo", "2026-03-29T09:30:00+09:00 (Sunday, Asia/Tokyo)"),
        ("New York", "2026-03-28T20:30:00-04:00 (Saturday, America/New_York)"),
        ("america/new_york", "2026-03-28T20:30:00-04:00 (Saturday, America/New_York)"),
        ("Paris, France", "2026-03-29T01:30:00+01:00 (Sunday, Europe/Paris)"),
        ("São Paulo", "2026-03-28T21:30:00-03:00 (Saturday, America/Sao_Paulo)"),
        ("San Francisco", "2026-03-28T17:30:00-07:00 (Saturday, America/Los_Angeles)"),
        ("Asia/Beijing", "2026-03-29T08:30:00+08:00 (Sunday, Asia/Shanghai)"),
        ("Indianapolis", "2026-03-28T20:30:00-04:00 (Saturday, America/Indiana/Indianapolis)"),
        ("UTC+2", "2026-03-29T02:30:00+02:00 (Sunday, UTC+02:00)"),
        ("+05:30", "2026-03-29T06:00:00+05:30 (Sunday, UTC+05:30)"),
        ("GMT-3", "2026-03-28T21:30:00-03:00 (Saturday, UTC-03:00)"),
        ("Etc/GMT-3", "2026-03-29T03:30:00+03:00 (Sunday, Etc/GMT-3)"),
    ],
)
def test_current_time_in_a_zone(zone: str, time: str) -> None:
    assert CurrentTime(now).run({"timezone": zone}) == time


def test_without_a_zone_it_is_the_time_of_this_machine() -> None:
    text = CurrentTime(now).run({})
    assert datetime.fromisoformat(text.split(" ")[0]) == now()


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("Tokio", "Did you mean Asia/Tokyo?"),
        ("Europe/Belin", "Did you mean Europe/Berlin"),
        ("Atlantis", "Give an IANA name"),
        ("../../etc/passwd", "Give an IANA name"),
        ("\0", "Give an IANA name"),
        ("x" * 10_000, "Give an IANA name"),
        ("UTC+99", "They go from -12 to +14."),
    ],
)
def test_unknown_zones_come_with_close_ones(zone: str, hint: str) -> None:
    with pytest.raises(ToolError) as caught:
        find_zone(zone)
    assert caught.value.code == "UNKNOWN_ZONE"
    assert caught.value.hint.startswith(hint)
    assert len(caught.value.message) < 120


@pytest.mark.parametrize(
    ("time", "origin", "target", "text"),
    [
        (
            "2026-03-01T14:30",
            "UTC",
            "Asia/Kolkata",
            "2026-03-01T14:30:00+00:00 (Sunday, UTC) is 2026-03-01T20:00:00+05:30 (Sunday, Asia/Kolkata)",
        ),
        (
            "2:30 pm",
            "New York",
            "UTC",
            "2026-03-28T14:30:00-04:00 (Saturday, America/New_York) is 2026-03-28T18:30:00+00:00 (Saturday, UTC)",
        ),
        (
            "12 am",
            "UTC",
            "Tokyo",
            "2026-03-29T00:00:00+00:00 (Sunday, UTC) is 2026-03-29T09:00:00+09:00 (Sunday, Asia/Tokyo)",
        ),
        (
            "2026-07-01 12:00+01:00",
            "UTC",
            "Berlin",
            "2026-07-01T12:00:00+01:00 (Wednesday, UTC+01:00) is 2026-07-01T13:00:00+02:00 (Wednesday, Europe/Berlin)",
        ),
    ],
)
def test_conversion_gives_both_times(time: str, origin: str, target: str, text: str) -> None:
    parameters = {"time": time, "from_timezone": origin, "to_timezone": target}
    assert ConvertTime(now).run(parameters) == text


def test_a_time_skipped_by_the_clocks_does_not_exist() -> None:
    with pytest.raises(ToolError, match="does not exist in that zone"):
        ConvertTime(now).run({"time": "2:30", "from_timezone": "Berlin", "to_timezone": "UTC"})


@pytest.mark.parametrize("time", ["soon", "25:00", "13 pm", "14", "2026-02-30T10:00", "0001-01-01T00:00", ""])
def test_what_is_no_time_is_refused(time: str) -> None:
    with pytest.raises(ToolError) as caught:
        ConvertTime(now).run({"time": time, "from_timezone": "UTC+5", "to_timezone": "UTC-5"})
    assert caught.value.code == "BAD_TIME"


@given(st.text(), st.text(alphabet="0123456789:T-+ apm."), st.text())
def test_any_text_gives_a_time_or_a_tool_error(origin: str, time: str, target: str) -> None:
    try:
        text = ConvertTime(now).run({"time": time, "from_timezone": origin, "to_timezone": target})
    except ToolError:
        return
    assert " is " in text


def test_the_clock_has_two_tools() -> None:
    assert [tool.name for tool in make("")] == ["current_time", "convert_time"]
