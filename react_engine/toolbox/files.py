"""Files of one folder: list, read, search, and write where that was asked for (``files:DIR:rw``)."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from react_engine.errors import ConfigurationError, ToolError
from react_engine.toolbox.folder import Folder
from react_engine.tools.tool import Tool, ToolOptions, ToolParameter

DESCRIPTION = "Lists, reads and searches the files of one folder, files:DIR, and writes them with files:DIR:rw"

MAX_ENTRIES = 500  # shown by list_files
MAX_VISITED = 20_000  # entries looked at
MAX_FILE = 10_000_000  # bytes of a file that is read or searched
MAX_WRITE = 1_000_000  # bytes
MAX_SEARCHED = 100_000_000  # bytes in one search
MAX_MATCHES = 100
MAX_SHOWN = 12_000  # characters of a file in one answer: within the default size limit of results
MAX_LINE = 300  # characters of a line that was found

_OPTIONS = ToolOptions(category="toolbox")


def make(argument: str) -> list[Tool]:
    """The tools for ``DIR`` or ``DIR:rw``.

    Raises:
        ConfigurationError: No folder is named, or there is none of that name.
    """
    path, writable = (argument[:-3], True) if argument.endswith(":rw") else (argument.removesuffix(":ro"), False)
    if not path:
        raise ConfigurationError("The toolbox files needs a folder: files:DIR, or files:DIR:rw to write there too.")
    folder = Folder(path)
    tools: list[Tool] = [ListFiles(folder), ReadFile(folder), SearchFiles(folder)]
    return [*tools, WriteFile(folder)] if writable else tools


class ListFiles(Tool):
    """Names and sizes of files."""

    def __init__(self, folder: Folder) -> None:
        super().__init__("list_files", "List the files, with their sizes, in the folder and its subfolders.", _OPTIONS)
        self._folder = folder

    def get_parameters(self) -> list[ToolParameter]:
        """Where to look, and for which names."""
        return [
            ToolParameter("folder", "string", "Subfolder to list; everything when left out", False, ""),
            ToolParameter("pattern", "string", "Only names like this, such as *.txt", False, "*"),
        ]

    def run(self, parameters: dict[str, Any]) -> str:
        """One line for each file or folder."""
        folder, pattern = parameters.get("folder", ""), parameters.get("pattern", "*")
        lines: list[str] = []
        visited = 0
        for entry in self._folder.entries(folder, limit=MAX_VISITED):
            visited += 1
            if _matches(entry.path, pattern) and not (entry.is_folder and pattern != "*"):
                if len(lines) == MAX_ENTRIES:
                    lines.append(f"(only the first {MAX_ENTRIES}; name a subfolder or a pattern to see others)")
                    break
                lines.append(f"{entry.path}/" if entry.is_folder else f"{entry.path} ({entry.size:,} bytes)")
        if visited == MAX_VISITED:
            lines.append(f"(stopped after {MAX_VISITED:,} entries; name a subfolder)")
        return (
            "\n".join(lines) or f"No files{'' if pattern == '*' else f' like {pattern}'} in {folder or 'the folder'}."
        )


class ReadFile(Tool):
    """The text of a file, or some of its lines."""

    def __init__(self, folder: Folder) -> None:
        super().__init__("read_file", "Read a text file, or some of its lines.", _OPTIONS)
        self._folder = folder

    def get_parameters(self) -> list[ToolParameter]:
        """The path and the lines."""
        return [
            ToolParameter("path", "string", "Path as list_files gives it, such as notes/today.txt"),
            ToolParameter("first_line", "integer", "First line wanted, from 1", False, 1, {"minimum": 1}),
            ToolParameter("last_line", "integer", "Last line wanted; to the end when left out", False, None),
        ]

    def run(self, parameters: dict[str, Any]) -> str:
        """The text; a part of the file says which part it is and how to go on."""
        path, first, last = parameters["path"], parameters.get("first_line", 1), parameters.get("last_line")
        try:
            content = _read(self._folder, path)
        except ToolError as error:
            if error.code == "FILE_NOT_FOUND":
                error.hint = _suggestion(self._folder, path) or error.hint
            raise
        if content.text is None:
            return f"{path} is a binary file of {content.size:,} bytes."
        lines = content.text.splitlines(keepends=True)
        if not lines:
            return f"{path} is empty."
        last = len(lines) if last is None else min(last, len(lines))
        if first > last:
            raise ToolError(
                f"{path} has {len(lines)} lines; lines {first} to {last} do not exist.", code="NO_SUCH_LINES"
            )
        return _excerpt(lines, first, last)


class SearchFiles(Tool):
    """Lines that hold a text."""

    def __init__(self, folder: Folder) -> None:
        super().__init__("search_files", "Find the lines that contain a text, in any case, in all files.", _OPTIONS)
        self._folder = folder

    def get_parameters(self) -> list[ToolParameter]:
        """What to look for, and in which files."""
        return [
            ToolParameter("text", "string", "Text to find, as it is written", schema={"minLength": 1}),
            ToolParameter("pattern", "string", "Only in files with names like this, such as *.md", False, "*"),
        ]

    def run(self, parameters: dict[str, Any]) -> str:
        """``path:line: text`` for each line found."""
        wanted, pattern = parameters["text"].lower(), parameters.get("pattern", "*")
        if not wanted:
            raise ToolError("There is no text to search for.", code="EMPTY")
        found: list[str] = []
        searched = 0
        for entry in self._folder.entries(limit=MAX_VISITED):
            if entry.is_folder or entry.size > MAX_FILE or not _matches(entry.path, pattern):
                continue
            searched += entry.size
            if searched > MAX_SEARCHED:
                return "\n".join((*found, "(stopped: too much to search; name files with pattern)"))
            for line in _found_lines(self._folder, entry.path, wanted):
                if len(found) == MAX_MATCHES:
                    return "\n".join((*found, f"(only the first {MAX_MATCHES}; search for something longer)"))
                found.append(line)
        return "\n".join(found) or f"No line contains {parameters['text'][:100]!r}."


class WriteFile(Tool):
    """Replaces or makes a file."""

    def __init__(self, folder: Folder) -> None:
        options = ToolOptions(category="toolbox", side_effects=True)
        super().__init__("write_file", "Write a text file: a new one, or in place of the old one.", options)
        self._folder = folder

    def get_parameters(self) -> list[ToolParameter]:
        """The path and the whole text."""
        return [
            ToolParameter("path", "string", "Path within the folder, such as notes/today.txt"),
            ToolParameter("content", "string", "The whole text of the file"),
        ]

    def run(self, parameters: dict[str, Any]) -> str:
        """What was done."""
        path = parameters["path"]
        data = parameters["content"].encode("utf-8", "replace")
        if len(data) > MAX_WRITE:
            raise ToolError(f"The text has {len(data):,} bytes; {MAX_WRITE:,} can be written.", code="TOO_LARGE")
        is_new = self._folder.write(path, data)
        return f"{path} {'was made' if is_new else 'was replaced'} ({len(data):,} bytes)."


class _Content(NamedTuple):
    size: int
    text: str | None  # None for a binary file


def _read(folder: Folder, path: str) -> _Content:
    with folder.read(path) as file:
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        hint = "Use search_files to find the lines you need."
        raise ToolError(f"{path!r} is larger than {MAX_FILE:,} bytes.", code="TOO_LARGE", hint=hint)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _Content(len(data), data.decode("utf-16", "replace"))
    if b"\0" in data[:8192]:
        return _Content(len(data), None)
    return _Content(len(data), data.decode("utf-8-sig", "replace"))


def _suggestion(folder: Folder, path: str) -> str:
    """A hint that names files like one that does not exist, if there are any."""
    files = [entry.path for entry in folder.entries(limit=MAX_ENTRIES) if not entry.is_folder]
    name = path.rpartition("/")[2].lower()
    close = [file for file in files if file.rpartition("/")[2].lower() == name]
    close = close or get_close_matches(path, files, n=3)
    return f"Did you mean {' or '.join(close[:3])}?" if close else ""


def _excerpt(lines: list[str], first: int, last: int) -> str:
    """Lines up to the size of one answer, with a note where they are not the whole file."""
    shown: list[str] = []
    length = 0
    for line in lines[first - 1 : last]:
        if shown and length + len(line) > MAX_SHOWN:
            break
        shown.append(line)
        length += len(line)
    end = first + len(shown) - 1
    text = "".join(shown).rstrip("\n")
    if first == 1 and end == len(lines):
        return text
    more = f"; call read_file with first_line={end + 1} for more" if end < last else ""
    return f"{text}\n(lines {first} to {end} of {len(lines)}{more})"


def _found_lines(folder: Folder, path: str, wanted: str) -> Iterator[str]:
    try:
        text = _read(folder, path).text
    except ToolError:
        return  # gone, grown or not readable since it was listed
    if text is None or wanted not in text.lower():
        return
    for number, line in enumerate(text.splitlines(), 1):
        place = line.lower().find(wanted)
        if place >= 0:
            start = max(0, place - MAX_LINE // 3)
            yield f"{path}:{number}: {line[start : start + MAX_LINE].strip()}"


def _matches(path: str, pattern: str) -> bool:
    """Whether a path, or its last part, is like a pattern with ``*`` and ``?``."""
    folded = pattern[:200].lower()
    return fnmatchcase(path.lower(), folded) or fnmatchcase(path.rpartition("/")[2].lower(), folded)
