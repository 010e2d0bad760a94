"""The server as users start it, once for all tests of a session, in front of a scripted model that knows no tools.

The model behind is one loopback server. It answers ``scripted`` and ``native`` by what the request holds, so that
any number of clients may ask at once; ``free`` is answered by whatever handler a test puts in its place.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from tests.loopback import Canned, Handler, Server, chunks, completion, serve, sse
from tests.loopback import Request as Asked

KEY = "sk-of-the-tests-0123456789abcdef"
UPSTREAM_KEY = "sk-upstream-secret-0123456789abcdef"
ROOT = Path(__file__).parent.parent
SCRIPTED, NATIVE, FREE, FREE_NATIVE = "openai/scripted", "openai/native", "openai/free", "openai/free-native"
LOCAL = ("local/qwen2.5-coder-1.5b", "local/qwen2.5-coder-0.5b", "local/smollm2-135m")
STEPS = ('get_weather\nAction Input: {"city": "Oslo"}', 'to_fahrenheit\nAction Input: {"celsius": 7}')
ANSWER = "It is 44.6 °F in Oslo."
MAX_BODY = 2_000_000


@dataclass
class Served:
    """A running server: where it is, and the model behind it."""

    url: str
    upstream: Server
    log: Path
    free: dict[str, Handler] = field(default_factory=dict)

    @contextmanager
    def answering(self, handler: Handler) -> Iterator[list[Asked]]:
        """Let the free models be answered by a handler; gives the requests that come."""
        asked: list[Asked] = []

        def noting(request: Asked) -> Canned:
            asked.append(request)
            if callable(handler):
                return handler(request)
            return handler if isinstance(handler, Canned) else handler[min(len(asked), len(handler)) - 1]

        self.free["handler"] = noting
        try:
            yield asked
        finally:
            self.free.clear()

    def post(self, path: str, body: Any, *, key: str | None = KEY) -> tuple[int, Any, dict[str, str]]:
        """Status, decoded body and headers of a request."""
        import httpx

        headers = {"authorization": f"Bearer {key}"} if key else {}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        done = httpx.post(
            f"{self.url}{path}",
            content=content,
            headers={"content-type": "application/json", **headers},
            timeout=60,
            trust_env=False,
        )
        try:
            return done.status_code, done.json(), dict(done.headers)
        except ValueError:
            return done.status_code, done.text, dict(done.headers)


def said(body: Any) -> tuple[str, int]:
    """The system text of a request, and how many results the conversation holds."""
    messages = body.get("messages") or [{"role": "system", "content": body.get("prompt", "")}]
    texts = [
        m["content"] if isinstance(m["content"], str) else json.dumps(m["content"], ensure_ascii=False)
        for m in messages
    ]
    system = texts[0] if messages[0]["role"] in ("system", "prompt") else ""
    later = "\n".join(t for m, t in zip(messages, texts, strict=True) if m["role"] == "user")
    results = len(re.findall(r"^Observation( \d+)?[^\n]{0,40}:", later, re.MULTILINE))
    return system, results + sum(m["role"] == "tool" for m in messages)


def scripted(request: Asked) -> Canned:
    """Looks up the weather, converts it, and answers; extracts a person where one is asked for."""
    body = request.json()
    system, results = said(body)
    if "Use the tool Person before" in system:
        step = 'Action: Person\nAction Input: {"name": "Ada", "age": 36}'
    elif not system.startswith("You answer the user with the help of tools"):
        step = "" if "tools" not in body else "Final Answer: no tools were offered"
    elif results < len(STEPS) and "get_weather(" in system:
        step = f"Action: {STEPS[results]}"
    elif "final_answer(" in system:
        step = f"Action: final_answer\nAction Input: {json.dumps({'answer': ANSWER}, ensure_ascii=False)}"
    else:
        step = f"Final Answer: {ANSWER}"
    return spoken(f"Thought: Known: {results} results. Next: go on.\n{step}" if step else "Hello there.", request)


def native(request: Asked) -> Canned:
    """The same task by a model that calls natively."""
    body = request.json()
    results = said(body)[1]
    task: list[tuple[str, dict[str, Any]]] = [("get_weather", {"city": "Oslo"}), ("to_fahrenheit", {"celsius": 7})]
    calls = task[results : results + 1]
    if "final_answer" in str(body.get("tools")) and not calls:
        calls = [("final_answer", {"answer": ANSWER})]
    usage = {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}  # enough to have held the tools
    if not body.get("stream"):
        return Canned((completion(None, calls) if calls else completion(ANSWER)) | {"usage": usage})
    if not calls:
        return sse([*chunks(*ANSWER.split(" "), usage=False), {"choices": [], "usage": usage}])
    name, arguments = calls[0]
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": f"call_{results}", "type": "function", "function": function}
    events = chunks({"tool_calls": [call]}, finish="tool_calls", usage=False)
    return sse([*events, {"choices": [], "usage": usage}])


def spoken(text: str, request: Asked, size: int = 7) -> Canned:
    """A text as the reply, streamed if that was asked for."""
    if not request.json().get("stream"):
        return Canned(completion(text))
    return sse(chunks(*(text[at : at + size] for at in range(0, len(text), size))))


@contextmanager
def running(folder: Path) -> Iterator[Served]:
    """A server with its upstream, until the block ends."""
    free: dict[str, Any] = {}

    def answer(request: Asked) -> Canned:
        model = request.json().get("model", "")
        if model.startswith("free"):
            handler = free.get("handler")
            return handler(request) if handler is not None else Canned({"error": {"message": "no handler"}}, 500)
        return native(request) if model == "native" else scripted(request)

    with serve(answer) as upstream:
        record = f'api_base = "{upstream.url}"\napi_key_env = "UPSTREAM_KEY"\n'
        (folder / "react-engine.toml").write_text(
            f'model = "{SCRIPTED}"\n[requests]\nretries = 0\n'
            f'[models."{SCRIPTED}"]\n{record}[models."{NATIVE}"]\nfunction_calling = true\n{record}'
            f'[models."{FREE}"]\n{record}[models."{FREE_NATIVE}"]\nfunction_calling = true\n{record}',
            encoding="utf-8",
        )
        log = folder / "server.log"
        names = [SCRIPTED, NATIVE, FREE, FREE_NATIVE, *LOCAL]
        command = [sys.executable, "-m", "react_engine", "serve", "--port", "0", "--max-body", str(MAX_BODY / 1e6)]
        command += [part for name in names for part in ("--model", name)]
        environment = {name: value for name, value in os.environ.items() if not _is_the_users(name)}
        environment |= {"LITELLM_MASTER_KEY": KEY, "UPSTREAM_KEY": UPSTREAM_KEY, "PYTHONPATH": str(ROOT)}
        environment["REACT_ENGINE_STATE_DIR"] = str(folder / "state")
        with (
            log.open("wb") as out,
            subprocess.Popen(command, cwd=folder, env=environment, stderr=out, stdout=out) as process,
        ):
            try:
                url = _address(process, log)
                yield Served(url, upstream, log, free)
            finally:
                process.terminate()
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()


def _is_the_users(name: str) -> bool:
    """Whether a variable may hold settings or keys of whoever runs the tests."""
    if name == "REACT_ENGINE_CACHE_DIR":
        return False
    return name.startswith(("REACT_ENGINE_", "LITELLM_")) or name.endswith("_API_KEY") or name == "DATABASE_URL"


def _address(process: subprocess.Popen[bytes], log: Path, seconds: float = 180.0) -> str:
    """Where the server says that it is, once it serves."""
    waited = threading.Event()
    for _ in range(int(seconds * 10)):
        text = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"Serving \d+ models? at (http://\S+)/v1", text):
            return found[1]
        if process.poll() is not None:
            break
        waited.wait(0.1)  # the process can only be watched: another one imports for half a minute
    raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")


def fetch(url: str, key: str | None = None) -> Any:
    """The decoded body of a GET."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with build_opener(ProxyHandler({})).open(Request(url, headers=headers), timeout=30) as response:
        return json.load(response)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The server of this session."""
    pytest.importorskip("prisma", reason="react-engine[serve] is not installed")
    pytest.importorskip("uvicorn", reason="react-engine[serve] is not installed")
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        yield server
