"""What is set before the server starts: models, key, silence, limits; and what the command says of mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from react_engine.cli import cli
from react_engine.errors import ConfigurationError
from react_engine.server.app import Guarded
from react_engine.server.running import listen
from react_engine.server.setup import Options, has_key, prepare, proxy_config, served_names, write_config
from react_engine.settings import Settings

yaml = pytest.importorskip("yaml", reason="react-engine[serve] is not installed")
pytest.importorskip("prisma", reason="react-engine[serve] is not installed")


def test_without_names_the_models_of_the_settings_and_of_this_machine_are_served() -> None:
    models = {"ollama/a": {"api_base": "http://x"}, "ollama/*": {"parallel_calls": False}}
    settings = Settings.load(environ={"REACT_ENGINE_MODELS": json.dumps(models), "REACT_ENGINE_MODEL": "openai/b"})
    assert served_names(settings)[:3] == ["openai/b", "ollama/a", "local/qwen2.5-coder-1.5b"]
    assert served_names(settings, ["x/y", "x/y"]) == ["x/y"]


def test_the_config_of_the_proxy_names_models_and_holds_no_key(tmp_path: Path) -> None:
    file = write_config(["openai/b"], tmp_path)
    config = yaml.safe_load(file.read_text())
    assert config == proxy_config(["openai/b"])
    assert config["model_list"][0]["litellm_params"]["model"] == "react/openai/b"
    assert config["general_settings"]["master_key"] == "os.environ/LITELLM_MASTER_KEY"


def test_a_key_is_made_where_none_is_set(tmp_path: Path) -> None:
    file = write_config(["openai/b"], tmp_path)
    environ: dict[str, str] = {"LITELLM_LOG": "DEBUG"}
    made = prepare(file, Options(5, "told", one_key=True), environ)
    assert made is not None
    assert made.startswith("sk-")
    assert len(made) > 40
    assert environ["LITELLM_MASTER_KEY"] == made
    assert environ["LITELLM_LOG"] == "DEBUG"
    assert environ["LITELLM_TELEMETRY_DISABLED"] == "True"
    assert json.loads(environ["_REACT_ENGINE_SERVER"]) == {"max_body": 5, "announce": "told", "one_key": True}
    assert prepare(file, Options(), environ) is None


def test_a_key_in_a_config_of_ones_own_counts(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("general_settings:\n  master_key: sk-own-key-that-is-long-enough\n", encoding="utf-8")
    assert has_key(file, {})
    file.write_text("model_list: []\n", encoding="utf-8")
    assert not has_key(file, {})
    for broken in ("a: [", "just text"):
        file.write_text(broken, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"own\.yaml"):
            has_key(file, {})


def test_an_address_in_use_is_told() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(ConfigurationError, match="Try another --port"):
        listen("127.0.0.1", first.getsockname()[1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--config", "proxy.yaml"], "goes to --proxy-config"),
        (["--model", "local/no-such-model"], "no local model 'no-such-model'"),
        (["--model", "local/none.gguf"], "no file 'none.gguf'"),
        (["--port", "70000"], "70000"),
        (["--workers", "0"], "0"),
        (["--proxy-config", "none.yaml"], "none.yaml"),
    ],
)
def test_mistakes_are_told_before_anything_starts(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["serve", *arguments]) in (2, 3)
    assert said in capfd.readouterr().err


class _Client:
    """One request to an ASGI application, by hand."""

    def __init__(self, *bodies: bytes, **headers: str) -> None:
        self.bodies, self.ended = list(bodies), False
        self.scope = {
            "type": "http",
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        }
        self.sent: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if self.ended:
            raise AssertionError("asked for more than the body")
        body = self.bodies.pop(0) if self.bodies else b""
        self.ended = not self.bodies
        return {"type": "http.request", "body": body, "more_body": bool(self.bodies)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)


async def _reading(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("client", "status"),
    [
        (_Client(b"12345", content_length="5"), 200),
        (_Client(b"123456", content_length="6"), 413),
        (_Client(b"123", b"456"), 413),
        (_Client(b"123", b"45"), 200),
        (_Client(b" [1]", content_type="application/json"), 400),
        (_Client(b"{", b"}", content_type="application/json"), 200),
        (_Client(b"[1]", content_type="text/plain"), 200),
        (_Client(content_length="many"), 413),
        (_Client(authorization="Bearer right"), 200),
        (_Client(authorization="bearer  right"), 200),
        (_Client(x_api_key="right"), 200),
        (_Client(authorization="Bearer wrong", x_api_key="right"), 200),
        (_Client(authorization="Bearer wrong"), 401),
        (_Client(authorization="Bearer "), 401),
        (_Client(x_api_key="wright"), 401),
        (_Client(), 200),
    ],
)
async def test_bodies_are_bounded_and_keys_compared(client: _Client, status: int) -> None:
    await Guarded(_reading, 5, key="right")(client.scope, client.receive, client.send)
    assert client.sent[0]["status"] == status
