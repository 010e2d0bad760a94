"""Models in the embedded llama.cpp: one server, started when needed, gone with its program."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from react_engine.errors import ConfigurationError, ModelUnavailable
from react_engine.models import open_model, weights
from react_engine.models.base import ModelRequest, Reply, ReplyBuilder
from react_engine.models.http import HttpModel
from react_engine.models.local import LocalModel
from react_engine.models.local_server import LocalServers, ServerOrder, launch, servers
from react_engine.models.machine import available_memory, usable_cores
from react_engine.models.profile import ModelProfile
from react_engine.models.progress import Silent
from react_engine.models.table import CapabilityTable
from react_engine.settings import Settings

HELLO = ModelRequest(
    messages=({"role": "user", "content": "Say hello."},), sampling={"temperature": 0, "max_tokens": 12, "seed": 1}
)
LONG = replace(HELLO, sampling={"temperature": 1, "max_tokens": 4000}, extra={"ignore_eos": True})


def local(path: Path | str) -> LocalModel:
    profile = CapabilityTable(environ={}).profile(f"local/{path}", {"context_length": 2048})
    return LocalModel(profile, progress=Silent())


@pytest.fixture
def pool() -> Iterator[LocalServers]:
    made = LocalServers(keep=1)
    yield made
    made.close()


@pytest.fixture(scope="session")
def smol() -> Path:
    """The smallest model, fetched once into the user's cache."""
    return weights.ensure("smollm2-135m")


@pytest.fixture(scope="session")
def coder() -> Path:
    """The smallest model that can call tools."""
    return weights.ensure("qwen2.5-coder-0.5b")


def test_the_client_follows_the_profile() -> None:
    assert isinstance(open_model("local/smollm2-135m"), LocalModel)
    assert isinstance(open_model("ollama/llama3"), HttpModel)
    assert isinstance(open_model("my-model", api_base="http://127.0.0.1:1"), HttpModel)
    assert type(open_model("gpt-4o")).__name__ == "LiteLLMModel"
    assert open_model(ModelProfile("x", client="http", api_base="http://127.0.0.1:1")).name == "x"


def test_opening_uses_the_settings() -> None:
    settings = Settings.load(
        environ={}, overrides={"models": {"mine": {"client": "http", "api_base": "http://127.0.0.1:1/v1"}}}
    )

    assert repr(open_model("mine", settings)) == "HttpModel('mine', 'http://127.0.0.1:1/v1')"


def test_a_name_that_cannot_be_opened_is_said() -> None:
    with pytest.raises(ConfigurationError, match="A model has no name"):
        open_model("  ")
    with pytest.raises(ConfigurationError, match=r"no local model 'smollm'. Did you mean smollm2-135m"):
        open_model("local/smollm")
    with pytest.raises(ConfigurationError, match="use replace"):
        open_model(ModelProfile("x"), dialect="react")


@pytest.mark.anyio
async def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"nothing.gguf cannot be read: No such file .*local/FILE.gguf"):
        await local(tmp_path / "nothing.gguf").complete(HELLO)


@pytest.mark.anyio
async def test_a_file_of_another_format_is_said(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04 and more")

    with pytest.raises(ModelUnavailable, match=r"is no GGUF file: it begins with b'PK\\x03\\x04'"):
        await local(tmp_path / "model.gguf").complete(HELLO)


def test_a_damaged_file_is_refused_in_the_words_of_llama(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "model.gguf").write_bytes(b"GGUF\x03\0\0\0" + b"\xff" * 64)

    with pytest.raises(ModelUnavailable, match=r"cannot serve .*model.gguf: gguf_init.* Its log is .*model.log"):
        launch(ServerOrder(tmp_path / "model.gguf", "local/model.gguf"))
    assert capfd.readouterr() == ("", "")


def impostor(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> ServerOrder:
    """An order in a process where importing xllamacpp runs ``code``."""
    (folder / "xllamacpp.py").write_text(code, encoding="utf-8")
    (folder / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return ServerOrder(folder / "model.gguf", "local/model.gguf")


def test_a_missing_llama_is_said_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = impostor(tmp_path, "raise ImportError('no such library')", monkeypatch)

    with pytest.raises(ModelUnavailable, match=r"not installed: no such library. pip install 'react-engine\[local\]'"):
        launch(order)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os._exit(7)", "it ended with status 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "it ended with status -9. Memory may be short"),
        (
            "import sys; sys.stderr.write('0.1 E ggml: out of everything\\n'); sys.stderr.flush(); sys.exit(1)",
            "ggml: out of",
        ),
    ],
)
def test_a_server_that_dies_at_its_start_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    with pytest.raises(ModelUnavailable, match=message):
        launch(impostor(tmp_path, code, monkeypatch))


def test_a_state_folder_that_cannot_be_written_only_costs_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("REACT_ENGINE_STATE_DIR", str(tmp_path / "state"))

    with pytest.raises(ModelUnavailable, match="it ended with status 7"):
        launch(impostor(tmp_path, "import os; os._exit(7)", monkeypatch))


def test_the_machine_is_measured() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
    memory = available_memory()
    assert memory is None or memory > 0


@pytest.mark.local_model
@pytest.mark.anyio
async def test_a_reply_comes_whole_and_in_equal_pieces(smol: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = local(smol)
    whole = await model.complete(HELLO)
    builder = ReplyBuilder()
    async for chunk in model.stream(HELLO):
        builder.add(chunk)
    await model.aclose()

    assert whole.text.startswith("Hello")
    assert whole.usage.completion_tokens == 12
    assert (builder.reply().text, builder.reply().finish_reason) == (whole.text, "length")
    assert capfd.readouterr() == ("", "")


@pytest.mark.local_model
def test_one_server_serves_event_loop_after_event_loop(smol: Path) -> None:
    model = local(smol)

    async def ask() -> Reply:
        return (await asyncio.gather(model.complete(HELLO), model.complete(HELLO)))[1]

    first, second = asyncio.run(ask()), asyncio.run(ask())
    assert first.text == second.text
    order = ServerOrder(smol, "local/x", 1024)
    assert servers.start(order) is servers.start(replace(order, name="local/y"))


@pytest.mark.local_model
@pytest.mark.anyio
async def test_a_stranger_is_not_served(smol: Path) -> None:
    model = local(smol)
    await model.complete(HELLO)
    server = servers.start(ServerOrder(smol, "local/x", 1024))

    assert urlsplit(server.url).hostname == "127.0.0.1"
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{server.url}/v1/chat/completions", json={"messages": []})
    assert answer.status_code == 401
    assert server.key not in repr(server)
    await model.aclose()


@pytest.mark.local_model
@pytest.mark.anyio
async def test_a_stream_that_is_left_frees_the_server(smol: Path) -> None:
    model = local(smol)
    async for _ in model.stream(LONG):
        break
    task = asyncio.ensure_future(model.complete(LONG))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (await model.complete(HELLO)).text.startswith("Hello")
    await model.aclose()


@pytest.mark.local_model
@pytest.mark.anyio
async def test_a_server_that_died_is_started_again(smol: Path, pool: LocalServers) -> None:
    profile = ModelProfile(f"local/{smol}", client="local", context_length=1024)
    model = LocalModel(profile, max_retries=0, progress=Silent(), pool=pool)
    await model.complete(HELLO)
    pool.start(ServerOrder(smol, "", 1024)).close()

    assert (await model.complete(HELLO)).text.startswith("Hello")
    await model.aclose()


@pytest.mark.local_model
@pytest.mark.anyio
async def test_a_server_that_dies_under_a_request_is_said(smol: Path, pool: LocalServers) -> None:
    profile = ModelProfile(f"local/{smol}", client="local", context_length=1024)
    model = LocalModel(profile, max_retries=0, progress=Silent(), pool=pool)

    async def lose_it() -> None:
        async for _ in model.stream(LONG):
            pool.start(ServerOrder(smol, "", 1024)).close()

    with pytest.raises(ModelUnavailable, match=r"llama\.cpp cannot serve"):
        await lose_it()
    await model.aclose()


@pytest.mark.local_model
def test_an_idle_server_makes_room_and_a_busy_one_stays(smol: Path, pool: LocalServers) -> None:
    small = pool.start(ServerOrder(smol, "small", 512))
    large = pool.start(ServerOrder(smol, "large", 1024))
    assert (small.alive, large.alive) == (False, True)
    assert pool.take(large)
    assert not pool.take(small)
    assert pool.start(ServerOrder(smol, "small", 512)) is large

    larger = pool.start(ServerOrder(smol, "larger", 2048))
    assert (large.alive, larger.alive) == (True, True)
    pool.release(large)
    largest = pool.start(ServerOrder(smol, "largest", 4096))
    assert (large.alive, larger.alive, largest.alive) == (False, False, True)


PROGRAM = """
import asyncio, contextlib, os, sys, threading
from react_engine.errors import ModelError
from react_engine.models.base import ModelRequest
from react_engine.models.local import LocalModel
from react_engine.models.local_server import ServerOrder, servers
from react_engine.models.profile import ModelProfile
from react_engine.models.progress import Silent

path, deed = sys.argv[1:]
model = LocalModel(ModelProfile(f"local/{path}", client="local", context_length=1024), progress=Silent())
hello = ModelRequest(messages=({"role": "user", "content": "Say hello."},), sampling={"max_tokens": 4})
long = ModelRequest(messages=hello.messages, sampling={"max_tokens": 900}, extra={"ignore_eos": True})
asyncio.run(model.complete(hello))
print(servers.start(ServerOrder(model._what, "", 1024)).url, flush=True)
if deed == "wait":
    sys.stdin.read()
if deed == "busy":
    begun = threading.Event()

    async def stream():
        with contextlib.suppress(ModelError):  # the server ends before this thread does
            async for _ in model.stream(long):
                begun.set()

    threading.Thread(target=lambda: asyncio.run(stream()), daemon=True).start()
    begun.wait()
if deed == "fork":
    child = os.fork()
    if not child:
        sys.exit(0 if asyncio.run(model.complete(hello)).text else 1)
    assert os.waitpid(child, 0)[1] == 0
    asyncio.run(model.complete(hello))
"""


def program(smol: Path, deed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(smol), deed],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_refused(url: str) -> None:
    """Return when nothing listens any more; the test's own time is the limit."""
    address = urlsplit(url)
    while True:
        try:
            socket.create_connection((address.hostname, address.port), timeout=1).close()
        except TimeoutError:
            continue  # its queue is full: it is there, and on its way out
        except ConnectionError:
            return


@pytest.mark.local_model
@pytest.mark.parametrize("deed", ["nothing", "busy", *(["fork"] if hasattr(os, "fork") else [])])
def test_a_program_ends_cleanly_and_its_server_with_it(smol: Path, deed: str) -> None:
    process = program(smol, deed)
    out, err = process.communicate(timeout=300)

    assert (process.returncode, err) == (0, "")
    wait_until_refused(out.strip())


@pytest.mark.local_model
def test_a_killed_program_leaves_no_server(smol: Path) -> None:
    with program(smol, "wait") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        process.kill()
    wait_until_refused(url)


@pytest.mark.local_model
@pytest.mark.anyio
@pytest.mark.usefixtures("coder")
async def test_the_coder_answers_too() -> None:
    model = open_model("local/qwen2.5-coder-0.5b")
    reply = await model.complete(HELLO)

    assert "ello" in reply.text
    await model.aclose()
