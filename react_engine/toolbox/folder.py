"""A folder that nothing leads out of.

Where the system has directory handles (``openat``), every part of a path is opened below the one before
it without following links, so that no swap of a folder for a link in between can lead outside. Elsewhere
(Windows) each part is checked to be no link first, which leaves a moment between check and use.

Links are never followed, hidden entries (``.env``, ``.git``, ``.ssh``) do not exist for it, and only regular
files are opened: a named pipe or a device would hang the reader or do something.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from react_engine.errors import ConfigurationError, ToolError

HAS_HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and os.scandir in os.supports_fd
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

LONGEST_PATH = 500

Parts = tuple[str, ...]


class Entry(NamedTuple):
    """Something in the folder: its path with ``/``, whether it is a folder, and its size in bytes."""

    path: str
    is_folder: bool
    size: int


class Folder:
    """Files below one folder, by relative paths with ``/`` between the parts.

    Args:
        root: The folder. It may be reached over a link; what is below it may not.
        handles: Whether to use directory handles; by default wherever the system has them.

    Raises:
        ConfigurationError: There is no such folder.
    """

    def __init__(self, root: str | Path, *, handles: bool = HAS_HANDLES) -> None:
        try:
            self._root = Path(root).expanduser().resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as err:
            raise ConfigurationError(f"The folder {str(root)!r} cannot be used: {err}") from err
        if not self._root.is_dir():
            raise ConfigurationError(f"{str(root)!r} is not a folder.")
        self._handles = handles

    @contextmanager
    def read(self, path: str) -> Iterator[IO[bytes]]:
        """An open regular file.

        Raises:
            ToolError: The path leads nowhere, outside, or to something else.
        """
        parts = parse(path)
        if not parts:
            raise _not_a_file(path)
        with self._errors(path), self._inside(parts[:-1]) as place:
            _regular(place.status(parts[-1]), path)
            descriptor = place.open(parts[-1], _READ)
            with os.fdopen(descriptor, "rb") as file:
                _regular(os.fstat(descriptor), path)
                yield file

    def write(self, path: str, data: bytes) -> bool:
        """Write a whole file at once or not at all, and say whether it is new. Missing folders are made.

        Raises:
            ToolError: The path leads outside, or to something that is no regular file.
        """
        parts = parse(path)
        if not parts:
            raise _not_a_file(path)
        with self._errors(path), self._inside(parts[:-1], make=True) as place:
            mode = None
            with suppress(FileNotFoundError):
                status = place.status(parts[-1])
                _regular(status, path)
                mode = status.st_mode & 0o777
            temporary = f".{secrets.token_hex(8)}.part"
            try:
                with os.fdopen(place.open(temporary, _NEW), "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                    if mode is not None and hasattr(os, "fchmod"):
                        os.fchmod(file.fileno(), mode)
                place.replace(temporary, parts[-1])
            except BaseException:
                with suppress(OSError):
                    place.remove(temporary)
                raise
            return mode is None

    def entries(self, path: str = "", *, limit: int) -> Iterator[Entry]:
        """Everything below a folder in order, at most ``limit`` entries; links, pipes and hidden entries are left out.

        Raises:
            ToolError: There is no such folder.
        """
        parts = parse(path)
        left = limit
        pending = [parts]
        while pending and left > 0:
            current = pending.pop()
            try:
                found = self._listing(current, path, left)
            except ToolError:
                if current == parts:
                    raise
                continue  # gone, or not readable: the rest still counts
            below = [(*current, entry.path.rpartition("/")[2]) for entry in found if entry.is_folder]
            pending += reversed(below)
            yield from found
            left -= len(found)

    def _listing(self, parts: Parts, path: str, limit: int) -> list[Entry]:
        with self._errors(path), self._inside(parts) as place, place.scan() as items:
            found: list[Entry] = []
            for item in items:
                if len(found) == limit:
                    break
                if item.name.startswith("."):
                    continue
                status = item.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
                    shown = "/".join((*parts, item.name))
                    found.append(Entry(shown, stat.S_ISDIR(status.st_mode), status.st_size))
            return sorted(found)

    @contextmanager
    def _inside(self, parts: Parts, *, make: bool = False) -> Iterator[_Place]:
        place = _Place(self._root, os.open(self._root, _FOLDER) if self._handles else None)
        try:
            for part in parts:
                place = place.enter(part, make=make)
            yield place
        finally:
            place.close()

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        """Failures of the system as errors for the model, which never learns where the folder lies."""
        try:
            yield
        except FileNotFoundError as err:
            raise ToolError(
                f"{path!r} does not exist.", code="FILE_NOT_FOUND", hint="Call list_files to see what there is."
            ) from err
        except PermissionError as err:
            raise ToolError(f"{path!r} may not be used.", code="PERMISSION_DENIED") from err
        except OSError as err:
            if err.errno in (errno.ELOOP, errno.EMLINK):
                raise _link(path) from err
            if err.errno == errno.ENOTDIR:
                raise ToolError(
                    f"A part of {path!r} is not a folder.", code="NOT_A_FOLDER", hint="Call list_files."
                ) from err
            raise ToolError(f"{path!r} cannot be used: {err.strerror}.", code="FILE_ERROR") from err


class _Place:
    """One folder below the root: a handle where the system has them, and a path."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self._path = path
        self._handle = handle

    def enter(self, name: str, *, make: bool) -> _Place:
        """The folder of that name; this place is closed. Links raise OSError with ELOOP or ENOTDIR."""
        if make:
            with suppress(FileExistsError):
                os.mkdir(self._at(name), dir_fd=self._handle)
        status = self.status(name)
        if stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, "is a link")
        if not stat.S_ISDIR(status.st_mode):
            raise OSError(errno.ENOTDIR, "is not a folder")
        handle = os.open(name, _FOLDER, dir_fd=self._handle) if self._handle is not None else None
        self.close()
        return _Place(self._path / name, handle)

    def status(self, name: str) -> os.stat_result:
        return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self._at(name), flags, mode, dir_fd=self._handle)

    def replace(self, source: str, target: str) -> None:
        os.replace(self._at(source), self._at(target), src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._handle)

    def scan(self) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        return os.scandir(self._path) if self._handle is None else os.scandir(self._handle)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _at(self, name: str) -> str | Path:
        return name if self._handle is not None else self._path / name


def parse(path: str) -> Parts:
    """The parts of a relative path, none for the folder itself.

    Raises:
        ToolError: The path is absolute, leads upwards, is hidden, or holds a character that no path may hold.
    """
    if len(path) > LONGEST_PATH:
        raise ToolError(f"The path has {len(path)} characters, {LONGEST_PATH} are allowed.", code="BAD_PATH")
    if path.startswith(("/", "~")) or path[1:2] == ":":
        raise ToolError(
            f"{path!r} is not a path within the folder.",
            code="OUTSIDE_FOLDER",
            hint="Give it relative to the folder, such as notes/today.txt.",
        )
    if "\\" in path:
        raise ToolError(f"{path!r} has a backslash.", code="BAD_PATH", hint="Write / between folders.")
    if any(ord(character) < 32 or "\ud800" <= character <= "\udfff" for character in path):
        raise ToolError("The path has a control character or half a character.", code="BAD_PATH")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        raise ToolError(
            f"{path!r} leads upwards.", code="OUTSIDE_FOLDER", hint="Only what is within the folder can be used."
        )
    if any(part.startswith(".") for part in parts):
        raise ToolError(
            f"{path!r} is hidden.", code="HIDDEN", hint="Files whose name begins with a dot are left alone."
        )
    return parts


def _regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _link(path)
    if not stat.S_ISREG(status.st_mode):
        raise _not_a_file(path)


def _link(path: str) -> ToolError:
    return ToolError(f"{path!r} is a link or leads over one.", code="LINK", hint="Links are not followed.")


def _not_a_file(path: str) -> ToolError:
    return ToolError(f"{path or '.'!r} is not a file.", code="NOT_A_FILE", hint="Call list_files to see the files.")
