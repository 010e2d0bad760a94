"""Dialects from TOML: what is taken over, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine.dialect_tables import load_dialects
from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import Dialect, Tags, Writing, dialect_named
from react_engine.settings import Settings

WHOLE = """
[dialects.mine]
frame = "marked"
openers = ["<do>"]
head = '(?P<name>\\w{1,64}) '
closers = ["</do>"]
reasoning = [["<muse>", "</muse>"]]
self_named = true
template = "tags"
[dialects.mine.tags]
open = '<(?P<key>\\w{1,64})='
close = '/>'
lines = "never"
[dialects.mine.writing]
call = "<do>$name $arguments</do>"
argument = "<$key=$value/>"
parallel = false

[dialects.theirs]
like = "mine"
openers = ["<make>"]
[dialects.theirs.writing]
call = "<make>$name $arguments</do>"
"""
MINE = Dialect(
    "mine", "marked", ("<do>",), head=r"(?P<name>\w{1,64}) ", closers=("</do>",), reasoning=(("<muse>", "</muse>"),),
    self_named=True, template="tags", tags=Tags(r"<(?P<key>\w{1,64})=", "/>", lines="never"),
    writing=Writing(call="<do>$name $arguments</do>", argument="<$key=$value/>", parallel=False),
)  # fmt: skip


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_its_dialects(tmp_path: Path) -> None:
    mine, theirs = load_dialects(write(tmp_path, WHOLE))
    assert mine == MINE
    assert (theirs.openers, theirs.closers, theirs.tags) == (("<make>",), MINE.closers, MINE.tags)
    assert theirs.writing == Writing(call="<make>$name $arguments</do>", argument="<$key=$value/>", parallel=False)


def test_a_shipped_dialect_can_be_taken_over(tmp_path: Path) -> None:
    (mine,) = load_dialects(write(tmp_path, '[dialects.mine]\nlike = "qwen"\nstop = ["<|im_end|>", "<|end|>"]'))
    hermes = dialect_named("hermes")
    assert (mine.name, mine.openers, mine.writing) == ("mine", hermes.openers, hermes.writing)
    assert mine.stop == ("<|im_end|>", "<|end|>")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[dialects.mine]\nfrme = "marked"',
            "line 2, dialects.mine.frme: there is no setting 'frme'. Did you mean frame?",
        ),
        ('[dialects.mine]\nopeners = ["<x>"]', "line 1, dialects.mine: a dialect needs a frame"),
        ('[dialects.mine]\nframe = "markd"', "line 2, dialects.mine.frame: expected 'labels', 'marked'"),
        (
            '[dialects.mine]\nframe = "marked"',
            "line 1, dialects.mine: The dialect 'mine': the frame 'marked' needs openers",
        ),
        (
            '[dialects.mine]\nlike = "hermez"',
            "line 2, dialects.mine.like: There is no dialect named 'hermez'. Did you mean",
        ),
        ("[dialects.mine]\nlike = 3", "line 2, dialects.mine.like: expected the name of a dialect, found 3"),
        (
            '[dialects.mine]\nlike = "hermes"\nopeners = "<x>"',
            "line 3, dialects.mine.openers: expected a list of texts",
        ),
        (
            '[dialects.mine]\nlike = "hermes"\nself_named = 3',
            "line 3, dialects.mine.self_named: expected true or false",
        ),
        ('[dialects.mine]\nlike = "hermes"\nreasoning = [["<t>"]]', "reasoning: expected a list of pairs of texts"),
        ('[dialects.mine]\nlike = "hermes"\ntags = 1', "line 3, dialects.mine.tags: expected a table, found 1"),
        ('[dialects.mine]\nlike = "hermes"\ntags = {open = "x"}', "line 3, dialects.mine.tags: close is missing"),
        (
            '[dialects.mine]\nlike = "hermes"\n[dialects.mine.writing]\ncal = "x"',
            "line 4, dialects.mine.writing.cal: there is no setting 'cal'. Did you mean call?",
        ),
        (
            '[dialects.mine]\nlike = "hermes"\n[dialects.mine.writing]\ncall = "<x>$nam $arguments"',
            r"line 1, dialects.mine: .* writing.call holds \$nam.* Did you mean \$name",
        ),
        ('[dialects]\nmine = "x"', "line 2, dialects.mine: expected a table, found 'x'"),
        ("dialects = 3", "line 1, dialects: expected tables"),
        ("[models]\nx = 1", "models: a file of dialects holds tables"),
        ("[dialects.mine", "is no valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_dialects(write(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"file of dialects '.*nowhere.toml' cannot be read"):
        load_dialects(tmp_path / "nowhere.toml")


def test_settings_hold_the_dialects_of_their_tables_and_of_the_files_that_they_name(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    write(tmp_path, WHOLE, "more/mine.toml")
    path = write(
        tmp_path,
        'dialect = "own"\ndialect_files = ["more/mine.toml"]\n[dialects.own]\nlike = "hermes"\n'
        '[dialects.theirs]\nlike = "glm47"\n',
        "react-engine.toml",
    )
    settings = Settings.load(path, {})
    assert [(dialect.name, dialect.openers) for dialect in settings.dialects] == [
        ("mine", ("<do>",)),
        ("own", dialect_named("hermes").openers),
        ("theirs", dialect_named("glm47").openers),
    ]
    with pytest.raises(ConfigurationError, match="no dialect named 'mine'"):
        dialect_named("mine")
    settings.teach_dialects()
    assert dialect_named("mine") == MINE


def test_mistakes_in_settings_are_told_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path, 'model = "x"\n[dialects.own]\nlike = "hermes"\nopenrs = ["<x>"]', "react-engine.toml")
    with pytest.raises(
        ConfigurationError, match=r"react-engine.toml, line 4, dialects.own.openrs: .*Did you mean openers"
    ):
        Settings.load(path, {})
    path = write(tmp_path, 'dialect_files = ["none.toml"]', "react-engine.toml")
    with pytest.raises(ConfigurationError, match=r"react-engine.toml, line 1, dialect_files: The file of dialects"):
        Settings.load(path, {})


def test_a_variable_names_files_and_dialects(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE)
    settings = Settings.load(
        None,
        {
            "REACT_ENGINE_DIALECT_FILES": f" {path}",
            "REACT_ENGINE_DIALECTS": '{"own": {"like": "hermes"}}',
            "REACT_ENGINE_CONFIG": str(write(tmp_path, "", "react-engine.toml")),
        },
    )
    assert [dialect.name for dialect in settings.dialects] == ["mine", "theirs", "own"]
