"""The shipped records of dialects."""

from __future__ import annotations

import pytest

from react_engine.parsers.dialects import Dialect, all_records


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.name)
def test_every_shipped_record_is_sound(record: Dialect) -> None:
    record.check()
