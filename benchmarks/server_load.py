"""The server under load: many streams at once, many requests in a row, and what it adds to the bare proxy.

A canned model stands behind it, in a process of its own. Each request names a word that only its own reply may hold,
so that mixed-up streams would be seen. The bare proxy is the same command with the model reached by litellm's own
``openai/``, without the engine.

    python -m benchmarks.server_load                     # all of it: about ten minutes on two cores
    python -m benchmarks.server_load --requests 2000     # fewer requests for memory
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.canned_connection import ROOT, event_stream, json_response, serve, started

KEY = f"sk-{secrets.token_hex(16)}"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Look up a word.",
            "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
        },
    }
]
WORD = re.compile(rb"word (w[0-9a-f]{12})")
PIECE = 6
"""Characters of a streamed piece: about two tokens."""


def reply_to(body: bytes) -> list[bytes]:
    """The writes of a response: a call of ``lookup`` with the word of the request, as text or natively."""
    request = json.loads(body)
    words = WORD.findall(body)
    word = words[-1].decode() if words else "none"
    arguments = json.dumps({"word": word})
    usage = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}
    head: dict[str, Any] = {"id": f"chatcmpl-{word}", "created": 1_700_000_000, "model": "canned"}
    call: dict[str, Any] = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "lookup", "arguments": arguments},
    }
    text = f"Thought: I look up {word}.\nAction: lookup\nAction Input: {arguments}"
    native = bool(request.get("tools"))
    finish = "tool_calls" if native else "stop"
    if not request.get("stream"):
        said: dict[str, Any] = {"content": None, "tool_calls": [call]} if native else {"content": text}
        message = {"role": "assistant", **said}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return [
            json_response(
                json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
            )
        ]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if native:
        deltas.append({"tool_calls": [{**call, "function": {"name": "lookup", "arguments": ""}}]})
        pieces = [arguments[at : at + PIECE] for at in range(0, len(arguments), PIECE)]
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    else:
        deltas += [{"content": text[at : at + PIECE]} for at in range(0, len(text), PIECE)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    events = [json.dumps({**head, "object": "chat.completion.chunk", "choices": [choice]}) for choice in choices]
    events += [json.dumps({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}), "[DONE]"]
    return [
        b"".join(event_stream(event.encode() for event in events))
    ]  # in one write: the proxy's own work is measured


@dataclass(frozen=True, slots=True)
class Running:
    """A server: its address and the process that serves."""

    url: str
    pid: int

    def memory(self) -> float:
        """Megabytes that the process holds."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


@contextmanager
def server(upstream: str, folder: Path, *, bare: bool) -> Iterator[Running]:
    """The server in front of the model, with the engine or without."""
    folder.mkdir()
    (folder / "react-engine.toml").write_text(f'[models."openai/canned"]\napi_base = "{upstream}"\n', encoding="utf-8")
    parameters = {"model": "openai/canned", "api_base": f"{upstream}/v1", "api_key": "none"}
    proxy = {
        "model_list": [{"model_name": "openai/canned", "litellm_params": parameters}],
        "general_settings": {"master_key": KEY},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }
    (folder / "bare.yaml").write_text(json.dumps(proxy), encoding="utf-8")
    chosen = ["--proxy-config", str(folder / "bare.yaml")] if bare else ["--model", "openai/canned"]
    command = [sys.executable, "-m", "react_engine", "serve", "--port", "0", *chosen]
    log = folder / "log"
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY, "PYTHONPATH": str(ROOT)}
    with (
        log.open("wb") as out,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out) as process,
    ):
        try:
            yield Running(_address(process, log), process.pid)
        finally:
            process.terminate()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(3000):
        said = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"Serving .* at (http://\S+)/v1", said):
            return found[1]
        if process.poll() is not None:
            break
        threading.Event().wait(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


async def ask(client: httpx.AsyncClient, url: str, *, stream: bool) -> float:
    """Seconds for one request. Raises where the reply is not the one for the word that was asked for."""
    word = f"w{secrets.token_hex(6)}"
    body = {
        "model": "openai/canned",
        "messages": [{"role": "user", "content": f"Look up the word {word} please."}],
        "tools": TOOLS,
        "stream": stream,
    }
    began = time.perf_counter()
    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
        text = (await response.aread()).decode()
    taken = time.perf_counter() - began
    if response.status_code != 200:
        raise RuntimeError(f"status {response.status_code}: {text[:300]}")
    name, arguments = streamed_call(text) if stream else whole_call(text)
    if (name, json.loads(arguments)) != ("lookup", {"word": word}):
        raise RuntimeError(f"asked for {word}, got {name} {arguments}")
    return taken


def whole_call(text: str) -> tuple[str, str]:
    """Name and arguments of the call in a reply."""
    function = json.loads(text)["choices"][0]["message"]["tool_calls"][0]["function"]
    return function["name"], function["arguments"]


def streamed_call(text: str) -> tuple[str, str]:
    """Name and arguments of the call in a stream, which must be whole and of one reply."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    if lines[-1] != "[DONE]":
        raise RuntimeError(f"the stream broke off: {text[-300:]}")
    events = [json.loads(line) for line in lines[:-1]]
    if len({event["id"] for event in events}) != 1:
        raise RuntimeError("the stream holds pieces of several replies")
    functions = [
        call["function"]
        for event in events
        for choice in event["choices"]
        for call in choice["delta"].get("tool_calls") or ()
    ]
    name = "".join(function.get("name") or "" for function in functions)
    return name, "".join(function.get("arguments") or "" for function in functions)


async def together(url: str, total: int, width: int, *, stream: bool) -> list[float]:
    """The seconds of ``total`` requests, ``width`` at a time."""
    limits = httpx.Limits(max_connections=width, max_keepalive_connections=width)
    headers = {"authorization": f"Bearer {KEY}"}
    taken: list[float] = []
    left = iter(range(total))
    async with httpx.AsyncClient(limits=limits, headers=headers, timeout=300, trust_env=False) as client:

        async def worker() -> None:
            for _ in left:
                taken.append(await ask(client, url, stream=stream))

        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(worker())
    return taken


def milliseconds(taken: Sequence[float]) -> str:
    """Median and 95th percentile."""
    ordered = sorted(taken)
    return f"{statistics.median(ordered) * 1000:8.1f} {ordered[int(len(ordered) * 0.95)] * 1000:8.1f}"


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--canned", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--streams", type=int, default=200, help="streams at once")
    parser.add_argument("--requests", type=int, default=10_000, help="requests for memory")
    parser.add_argument("--single", type=int, default=200, help="requests one after another, for latency")
    given = parser.parse_args()
    if given.canned:
        asyncio.run(serve(reply_to, lambda: b'{"data":[]}'))
        return
    whole, streamed = asyncio.run(own_part())
    print(f"processor time of the engine itself: {whole:.2f} ms a turn, {streamed:.2f} ms streamed\n", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        upstream = stack.enter_context(started("benchmarks.server_load", "--canned"))
        crowds: list[str] = []
        print("ms per request, median and 95th percentile, one client\n")
        print(f"{'':22}{'whole':>17}   {'streamed':>17}")
        for bare in (True, False):
            with server(upstream, folder / f"{bare}", bare=bare) as running:
                asyncio.run(together(running.url, 20, 1, stream=True))  # imports and first connections
                rows = [
                    milliseconds(asyncio.run(together(running.url, given.single, 1, stream=s))) for s in (False, True)
                ]
                print(f"{'bare proxy' if bare else 'with the engine':22}{rows[0]}   {rows[1]}", flush=True)
                crowds.append(crowd(running, given.streams, "bare proxy" if bare else "with the engine"))
                if not bare:
                    print("\n".join(["", *crowds]), flush=True)
                    load(running, given.requests)


def crowd(running: Running, streams: int, name: str) -> str:
    """A line on many streams at once. Raises where one failed, or had anything of another."""
    began = time.perf_counter()
    taken = asyncio.run(together(running.url, streams, streams, stream=True))
    seconds = time.perf_counter() - began
    return f"{name:22}{streams} streams at once: no error, none mixed up; {streams / seconds:.0f} a second, ms {milliseconds(taken)}"


async def own_part(turns: int = 300) -> tuple[float, float]:
    """Milliseconds of processor time that the engine itself takes for a turn, whole and streamed, without any server."""
    from react_engine.models.profile import ModelProfile
    from react_engine.models.scripted import ScriptedModel
    from react_engine.provider.backend import Backend
    from react_engine.provider.request import read_request
    from react_engine.templates import Templates

    text = 'Thought: I look it up.\nAction: lookup\nAction Input: {"word": "vexil"}'
    profile = ModelProfile("canned", function_calling=False)
    backend = Backend(ScriptedModel([text] * (2 * turns + 1), profile=profile, chunk_size=PIECE), profile, Templates())
    messages = [{"role": "user", "content": "Look up the word vexil please."}]
    await backend.turn(read_request(messages, {"tools": TOOLS}))
    began = time.process_time()
    for _ in range(turns):
        await backend.turn(read_request(messages, {"tools": TOOLS}))
    between = time.process_time()
    for _ in range(turns):
        async for _piece in backend.stream(read_request(messages, {"tools": TOOLS})):
            pass
    return (between - began) / turns * 1000, (time.process_time() - between) / turns * 1000


def load(running: Running, requests: int) -> None:
    """Requests in a row, with the memory after each part."""
    print(f"\n{'requests':>10}{'MB':>8}")
    part, done = max(1, requests // 10), 0
    while done < requests:
        asyncio.run(together(running.url, part, 20, stream=True))
        done += part
        print(f"{done:>10}{running.memory():>8.0f}", flush=True)


if __name__ == "__main__":
    main()
