"""Records of dialects: the shipped ones hold, those that cannot work are refused, and users can add their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import react_engine
from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import DIALECTS, Dialect, Tags, Writing, dialect_named, register_dialect
from react_engine.parsers.dialects.registry import RECORDS
from react_engine.parsers.reader import read
from react_engine.parsers.stream import Reader, Shown

TOOLS = ({"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},)
MINE = Dialect("mine", "marked", ("«call»",), closers=("«end»",), reasoning=(("«muse»", "«act»"),))
REPLY = '«muse»I add.«act»Well. «call»{"name": "add", "arguments": {"a": 1}}«end»'


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_shipped_record_can_work(record: Dialect) -> None:
    record.check()


def test_every_shipped_dialect_with_a_template_says_how_it_is_written() -> None:
    assert {name for name, record in DIALECTS.items() if record.template and record.writing is None} == set()
    assert sum(record.writing is not None for record in DIALECTS.values()) >= 71


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": ""}, "needs a name of letters"),
        ({"name": "auto"}, "other than 'auto'"),
        ({"frame": "markd"}, "no frame 'markd'. Did you mean marked"),
        ({"openers": ()}, "needs openers"),
        ({"openers": ("<",)}, "openers holds '<', which stands in any text"),
        ({"closers": ("  ",)}, "closers holds '  '"),
        ({"reasoning": (("<t>", ""),)}, "pairs of markers"),
        ({"head": "("}, r"head is no regular expression: .*Found '\('"),
        ({"head": r"(?P<name>\w+)"}, r"head: .* repeats without a bound.*\{0,40\}"),
        ({"head": r"\s*(?P<name>\w{1,64})"}, "repeats without a bound"),
        ({"head": r"(?P<name>\w{1,})"}, "repeats without a bound"),
        ({"head": r"(?P<name>\w{1,90000})"}, "repeats without a bound.* at most 4096"),
        ({"lead": r"[^\]]+"}, "lead: .* repeats without a bound"),
        ({"tags": Tags("<x>", "</x>"), "head": r"(?P<name>\w{1,9})"}, r"tags.open must match .*\(\?P<key>"),
        (
            {"tags": Tags(r"<(?P<key>\w{1,9})>", "</[a-z]*>"), "head": r"(?P<name>\w{1,9})"},
            "tags.close: .* without a bound",
        ),
        ({"tags": Tags(r"<(?P<key>\w{1,9})>", "</x>")}, r"with tags .* head or lead must match it as \(\?P<name>"),
        ({"quote": "<q>"}, "with quote"),
        ({"elements": ""}, "with elements"),
        ({"frame": "messages", "head": r"\w{1,9}"}, "needs a head with .* the recipient"),
        ({"template": "jsn", "writing": Writing()}, "no template 'jsn'. Did you mean json"),
        ({"template": "json"}, "writing must say the rest"),
        ({"template": "json", "writing": Writing(call="<x>$name")}, r"writing.call must hold \$arguments"),
        ({"template": "json", "writing": Writing(call="<x>$arguments")}, "must say which tool is called"),
        ({"template": "json", "writing": Writing(calls="x")}, r"writing.calls must hold \$calls"),
        ({"template": "json", "writing": Writing(call="$nme $arguments")}, r"holds \$nme.*Did you mean \$name"),
        ({"template": "tags", "writing": Writing()}, r"writing.argument must hold \$key"),
        ({"template": "json", "writing": Writing(result="x")}, r"writing.result must hold \$text or \$json"),
        ({"template": "json", "writing": Writing(answer="x")}, r"writing.answer must hold \$answer"),
        ({"template": "json", "writing": Writing(quote="`")}, "writing.quote must be"),
        ({"template": "json", "writing": Writing(literals="perl")}, "writing.literals must be"),
        ({"template": "json", "writing": Writing(id_length=99)}, "writing.id_length must be from 0 to 32"),
    ],
    ids=str,
)
def test_a_record_that_cannot_work_is_refused_with_what_to_do(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        register_dialect(replace(MINE, **change))
    assert "mine" not in DIALECTS


def test_a_record_can_be_read_with_directly_and_nobody_else_knows_it() -> None:
    reading = read(REPLY, TOOLS, MINE)
    assert [(call.name, call.arguments, call.dialect) for call in reading.calls] == [("add", {"a": 1}, "mine")]
    assert (reading.text, reading.reasoning) == ("Well.", "I add.")
    assert read(REPLY, TOOLS).calls == ()
    with pytest.raises(ConfigurationError, match="no dialect named 'mine'"):
        read(REPLY, TOOLS, "mine")


def test_a_streamed_reply_is_read_with_a_record_as_well() -> None:
    reader = Reader(TOOLS, MINE)
    shown = [event for char in REPLY for event in reader.feed(char)]
    assert reader.close() == read(REPLY, TOOLS, MINE)
    assert "«call»" not in "".join(event.text for event in shown if isinstance(event, Shown))


def test_a_record_that_is_passed_is_checked() -> None:
    with pytest.raises(ConfigurationError, match="needs openers"):
        read("x", TOOLS, replace(MINE, openers=()))


def test_a_registered_dialect_is_read_without_being_named() -> None:
    mine = replace(MINE, name="registered_here", openers=("«do»",), closers=("«done»",))
    react_engine.register_dialect(mine)
    react_engine.register_dialect(mine)
    text = REPLY.replace("«call»", "«do»").replace("«end»", "«done»")
    assert [call.dialect for call in read(text, TOOLS).calls] == ["registered_here"]
    assert read(text, TOOLS).reasoning == "I add."
    assert dialect_named("registered_here") is mine


def test_a_registered_dialect_goes_before_a_family_of_its_name() -> None:
    mine = replace(MINE, name="cline", openers=("«cline»",))
    assert dialect_named("cline").name == "tool_tag"
    register_dialect(mine)
    assert dialect_named("cline") is mine
