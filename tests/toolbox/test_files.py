"""Files of one folder: nothing leads out, nothing hangs, everything is bounded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError, ToolError
from react_engine.toolbox import files
from react_engine.toolbox.files import ListFiles, ReadFile, SearchFiles, WriteFile
from react_engine.toolbox.folder import HAS_HANDLES, Folder
from react_engine.tools.tool import Tool

posix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and modes of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with text, binary and hidden files, and a secret beside it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("one\nTwo\nthree\n")
    (root / "docs" / "b.md").write_text("x\nfoo Two\n")
    (root / "docs" / "deep" / "wide.txt").write_text("ünï\n", encoding="utf-16")
    (root / "image.png").write_bytes(b"\x89PNG\0\1\2")
    (root / "empty.txt").touch()
    (root / ".env").write_text("KEY=two")
    return root


@pytest.fixture(params=[True, False] if HAS_HANDLES else [False], ids=lambda handles: "handles" if handles else "paths")
def folder(request: pytest.FixtureRequest, root: Path) -> Folder:
    """The folder, reached in each way that this system has."""
    return Folder(root, handles=request.param)


def refusal(act: Callable[[], Any]) -> str:
    with pytest.raises(ToolError) as caught:
        act()
    return caught.value.code


def test_listing_shows_files_with_sizes_and_no_hidden_ones(folder: Folder) -> None:
    assert ListFiles(folder).run({}).splitlines() == [
        "a.txt (14 bytes)",
        "docs/",
        "empty.txt (0 bytes)",
        "image.png (7 bytes)",
        "docs/b.md (10 bytes)",
        "docs/deep/",
        "docs/deep/wide.txt (10 bytes)",
    ]


def test_listing_takes_a_subfolder_and_a_pattern(folder: Folder) -> None:
    assert ListFiles(folder).run({"folder": "docs", "pattern": "*.TXT"}) == "docs/deep/wide.txt (10 bytes)"
    assert ListFiles(folder).run({"pattern": "*.zip"}) == "No files like *.zip in the folder."


def test_long_listings_say_so(folder: Folder, root: Path) -> None:
    for number in range(files.MAX_ENTRIES + 1):
        (root / "docs" / f"{number}.log").touch()
    lines = ListFiles(folder).run({"pattern": "*.log"}).splitlines()
    assert len(lines) == files.MAX_ENTRIES + 1
    assert lines[-1].startswith("(only the first 500;")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"path": "a.txt"}, "one\nTwo\nthree"),
        ({"path": "./docs//b.md"}, "x\nfoo Two"),
        ({"path": "docs/deep/wide.txt"}, "ünï"),
        ({"path": "image.png"}, "image.png is a binary file of 7 bytes."),
        ({"path": "empty.txt"}, "empty.txt is empty."),
        ({"path": "a.txt", "first_line": 2, "last_line": 2}, "Two\n(lines 2 to 2 of 3)"),
        ({"path": "a.txt", "first_line": 2, "last_line": 99}, "Two\nthree\n(lines 2 to 3 of 3)"),
    ],
)
def test_reading(folder: Folder, parameters: dict[str, Any], text: str) -> None:
    assert ReadFile(folder).run(parameters) == text


def test_reading_lines_that_do_not_exist_is_refused(folder: Folder) -> None:
    assert refusal(lambda: ReadFile(folder).run({"path": "a.txt", "first_line": 9})) == "NO_SUCH_LINES"


def test_long_files_are_read_in_parts(folder: Folder, root: Path) -> None:
    (root / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    text = ReadFile(folder).run({"path": "long.txt"})
    last = text.splitlines()[-1]
    assert last == "(lines 1 to 1310 of 5000; call read_file with first_line=1311 for more)"
    assert len(text) < files.MAX_SHOWN + 200
    assert ReadFile(folder).run({"path": "long.txt", "first_line": 1311}).startswith("line 1311\n")


def test_a_missing_file_comes_with_close_ones(folder: Folder) -> None:
    with pytest.raises(ToolError) as caught:
        ReadFile(folder).run({"path": "B.md"})
    assert (caught.value.code, caught.value.hint) == ("FILE_NOT_FOUND", "Did you mean docs/b.md?")


def test_searching_finds_lines_in_any_case(folder: Folder) -> None:
    assert SearchFiles(folder).run({"text": "two"}) == "a.txt:2: Two\ndocs/b.md:2: foo Two"
    assert SearchFiles(folder).run({"text": "two", "pattern": "*.md"}) == "docs/b.md:2: foo Two"
    assert SearchFiles(folder).run({"text": "nowhere"}) == "No line contains 'nowhere'."


def test_searching_stops_after_many_lines_and_shortens_long_ones(folder: Folder, root: Path) -> None:
    (root / "many.txt").write_text(f"{'x' * 5000}needle{'y' * 5000}\n" * 200)
    lines = SearchFiles(folder).run({"text": "needle"}).splitlines()
    assert len(lines) == files.MAX_MATCHES + 1
    assert all("needle" in line and len(line) < files.MAX_LINE + 30 for line in lines[:-1])


def test_writing_makes_and_replaces_files(folder: Folder, root: Path) -> None:
    write = WriteFile(folder)
    assert write.run({"path": "new/x/y.txt", "content": "hé"}) == "new/x/y.txt was made (3 bytes)."
    assert write.run({"path": "new/x/y.txt", "content": "b"}) == "new/x/y.txt was replaced (1 bytes)."
    assert [path.name for path in (root / "new" / "x").iterdir()] == ["y.txt"]
    assert (root / "new" / "x" / "y.txt").read_bytes() == b"b"


@posix
def test_a_replaced_file_keeps_its_mode(folder: Folder, root: Path) -> None:
    (root / "run.sh").touch()
    (root / "run.sh").chmod(0o750)
    WriteFile(folder).run({"path": "run.sh", "content": "#!/bin/sh"})
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o750


def test_a_failed_write_leaves_the_old_file_and_nothing_else(folder: Folder, root: Path) -> None:
    assert refusal(lambda: WriteFile(folder).run({"path": "docs", "content": "x"})) == "NOT_A_FILE"
    too_long = f"{'x' * 300}.txt"
    assert refusal(lambda: WriteFile(folder).run({"path": too_long, "content": "x"})) == "FILE_ERROR"
    large = "x" * (files.MAX_WRITE + 1)
    assert refusal(lambda: WriteFile(folder).run({"path": "a.txt", "content": large})) == "TOO_LARGE"
    assert sorted(path.name for path in root.iterdir()) == [".env", "a.txt", "docs", "empty.txt", "image.png"]
    assert (root / "a.txt").read_text() == "one\nTwo\nthree\n"


def test_half_characters_are_written_as_question_marks(folder: Folder, root: Path) -> None:
    WriteFile(folder).run({"path": "a.txt", "content": "a\ud800b"})
    assert (root / "a.txt").read_bytes() == b"a?b"


OUTSIDE = [
    ("../outside/secret.txt", "OUTSIDE_FOLDER"),
    ("docs/../../outside/secret.txt", "OUTSIDE_FOLDER"),
    ("docs/../a.txt", "OUTSIDE_FOLDER"),
    ("/etc/passwd", "OUTSIDE_FOLDER"),
    ("~/secret.txt", "OUTSIDE_FOLDER"),
    ("C:/secret.txt", "OUTSIDE_FOLDER"),
    ("docs\\b.md", "BAD_PATH"),
    ("a.txt\0.png", "BAD_PATH"),
    ("a\nb", "BAD_PATH"),
    ("\udc80", "BAD_PATH"),
    ("x" * 5000, "BAD_PATH"),
    (".env", "HIDDEN"),
    (".git/config", "HIDDEN"),
    ("docs/.hidden", "HIDDEN"),
    ("a.txt/b", "NOT_A_FOLDER"),
    ("", "NOT_A_FILE"),
    (".", "NOT_A_FILE"),
    ("docs", "NOT_A_FILE"),
]


@pytest.mark.parametrize(("path", "code"), OUTSIDE)
def test_paths_that_lead_elsewhere_are_refused(folder: Folder, root: Path, path: str, code: str) -> None:
    assert refusal(lambda: ReadFile(folder).run({"path": path})) == code
    assert refusal(lambda: WriteFile(folder).run({"path": path, "content": "x"})) == code
    assert (root.parent / "outside" / "secret.txt").read_text() == "secret"


@posix
def test_links_are_neither_followed_nor_listed_nor_replaced(folder: Folder, root: Path) -> None:
    (root / "file").symlink_to(root.parent / "outside" / "secret.txt")
    (root / "dir").symlink_to(root.parent / "outside")
    (root / "inner").symlink_to("docs")
    (root / "loop").symlink_to("loop")
    for path in ("file", "dir/secret.txt", "inner/b.md", "loop", "loop/x"):
        assert refusal(lambda path=path: ReadFile(folder).run({"path": path})) == "LINK"  # type: ignore[misc]
        assert refusal(lambda path=path: WriteFile(folder).run({"path": path, "content": "x"})) == "LINK"  # type: ignore[misc]
    assert refusal(lambda: ListFiles(folder).run({"folder": "dir"})) == "LINK"
    assert "secret" not in ListFiles(folder).run({})
    assert SearchFiles(folder).run({"text": "secret"}) == "No line contains 'secret'."
    assert (root.parent / "outside" / "secret.txt").read_text() == "secret"


@posix
def test_named_pipes_do_not_hang(folder: Folder, root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert refusal(lambda: ReadFile(folder).run({"path": "pipe"})) == "NOT_A_FILE"
    assert refusal(lambda: WriteFile(folder).run({"path": "pipe", "content": "x"})) == "NOT_A_FILE"
    assert "pipe" not in ListFiles(folder).run({})
    assert "pipe" not in SearchFiles(folder).run({"text": "x"})


@posix
def test_a_folder_that_may_not_be_read_does_not_stop_the_listing(folder: Folder, root: Path) -> None:
    (root / "docs" / "deep").chmod(0)
    try:
        assert "docs/b.md" in ListFiles(folder).run({})
    finally:
        (root / "docs" / "deep").chmod(0o700)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.text() | st.lists(st.sampled_from(["..", ".", "", "a.txt", "docs", "/", "~", "\0", "x"])).map("/".join))
def test_any_path_is_read_within_the_folder_or_refused(folder: Folder, path: str) -> None:
    try:
        text = ReadFile(folder).run({"path": path})
    except ToolError:
        return
    assert text in ("one\nTwo\nthree", "x\nfoo Two", "ünï", "empty.txt is empty.")


def test_no_error_tells_where_the_folder_lies(folder: Folder, root: Path) -> None:
    for path, _ in OUTSIDE:
        with pytest.raises(ToolError) as caught:
            ReadFile(folder).run({"path": path})
        assert str(root) not in f"{caught.value} {caught.value.hint}"


def names(tools: list[Tool]) -> list[str]:
    return [tool.name for tool in tools]


def test_writing_is_there_only_when_asked_for(root: Path) -> None:
    reading = ["list_files", "read_file", "search_files"]
    assert names(files.make(str(root))) == reading
    assert names(files.make(f"{root}:ro")) == reading
    tools = files.make(f"{root}:rw")
    assert names(tools) == [*reading, "write_file"]
    assert [tool.options.side_effects for tool in tools] == [False, False, False, True]


@pytest.mark.parametrize("argument", ["", ":rw", "{root}/nowhere", "{root}/a.txt", "\0"])
def test_a_folder_that_is_none_is_a_configuration_error(root: Path, argument: str) -> None:
    with pytest.raises(ConfigurationError):
        files.make(argument.format(root=root))
