"""Settings: where they come from, which one wins, and errors that say what to do."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.config import find_file
from react_engine.errors import ConfigurationError
from react_engine.limits import Limits
from react_engine.models.profile import Source
from react_engine.models.record import FIELD_NAMES, SAMPLING_NAMES, Record
from react_engine.settings import Settings
from react_engine.settings_file import template
from react_engine.settings_sections import RequestSettings, TemplateSettings, ToolSettings
from react_engine.toml_lines import line_of

FULL = """\
model = "ollama/qwen3"
path = "native"
language = "zh"

[limits]
steps = 5
seconds = 2.5
calls = "none"

[sampling]
temperature = 0
extra = { mirostat = 2 }

[templates]
folder = "prompts"

[tools]
toolbox = ["calculator", "files:notes"]
confirm = "deny"

[models."ollama/*"]
function_calling = "auto"
reasoning = [["<a>", "</a>"]]
sampling = { top_p = 0.5 }

[models."gpt-4o"]
api_key_env = "MY_KEY"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "react-engine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, text: str, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    return Settings.load(write(folder, text), environ or {}, overrides)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    settings = read(tmp_path, FULL)
    file = tmp_path / "react-engine.toml"

    assert settings == Settings(
        model="ollama/qwen3",
        path="native",
        language="zh",
        limits=Limits(steps=5, seconds=2.5, calls=None),
        sampling={"temperature": 0.0, "mirostat": 2},
        templates=TemplateSettings(tmp_path / "prompts"),
        tools=ToolSettings(("calculator", "files:notes"), confirm="deny"),
        models=(
            Record(
                "ollama/*",
                {"function_calling": "auto", "reasoning": (("<a>", "</a>"),), "sampling": {"top_p": 0.5}},
                Source("config", f'{file}, models."ollama/*"'),
            ),
            Record("gpt-4o", {"api_key_env": "MY_KEY"}, Source("config", f"{file}, models.gpt-4o")),
        ),
    )
    assert settings.file == file
    assert settings.sources["limits.seconds"] == Source("config", f"{file}, line 7")
    assert settings.sources["models.ollama/*.reasoning"] == Source("config", f"{file}, line 23")


def test_without_anything_there_are_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, "") == Settings()


def test_the_last_that_speaks_wins(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        'model = "file"\nlanguage = "zh"\n[limits]\nsteps = 1\ncalls = 2\ntokens = 3\n',
        {"REACT_ENGINE_MODEL": "variable", "REACT_ENGINE_LIMITS__CALLS": "20", "REACT_ENGINE_LIMITS__STEPS": "10"},
        **{"limits.steps": 100, "limits": {"money": 0.5}, "model": None},
    )

    assert (settings.model, settings.language) == ("variable", "zh")
    assert settings.limits == Limits(steps=100, calls=20, tokens=3, money=0.5)
    assert {key: str(source) for key, source in settings.sources.items() if "line" not in source.detail} == {
        "model": "environment (REACT_ENGINE_MODEL)",
        "limits.calls": "environment (REACT_ENGINE_LIMITS__CALLS)",
        "limits.steps": "argument",
        "limits.money": "argument",
    }


def test_variables_hold_text_lists_and_tables(tmp_path: Path) -> None:
    environ = {
        "REACT_ENGINE_TOOLS__TOOLBOX": "calculator, clock",
        "REACT_ENGINE_TOOLS__LOAD": '["a.py"]',
        "REACT_ENGINE_TOOLS__REDACT_EMAILS": "true",
        "REACT_ENGINE_LIMITS__TOKENS": "none",
        "REACT_ENGINE_REQUESTS__TIMEOUT": "30",
        "REACT_ENGINE_SAMPLING__TEMPERATURE": "0.5",
        "REACT_ENGINE_MODELS": '{"ollama/*": {"function_calling": true}}',
        "REACT_ENGINE_CACHE_DIR": "/somewhere",
        "UNRELATED": "x",
    }

    settings = read(tmp_path, '[models."ollama/*"]\nfunction_calling = false\nstrict = true\n', environ)

    assert settings.tools == ToolSettings(("calculator", "clock"), ("a.py",), redact_emails=True)
    assert (settings.limits.tokens, settings.requests, settings.sampling) == (
        None,
        RequestSettings(timeout=30.0),
        {"temperature": 0.5},
    )
    assert {(record.source.kind, tuple(record.fields.items())) for record in settings.models} == {
        ("environment", (("function_calling", True),)),
        ("config", (("strict", True),)),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modle = 'x'", r"line 1: there is no setting 'modle'. Did you mean model\?"),
        ("[limits]\nstep = 3", r"line 2, limits: there is no setting 'step'. Did you mean steps\?"),
        ("[limit]\nsteps = 3", r"line 1: there is no setting 'limit'. Did you mean limits\?"),
        ("limits = 3", r"line 1, limits: expected a table, found 3."),
        ("[limits]\nsteps = true", r"line 2, limits.steps: expected a valid integer, found True."),
        ("[limits]\n\n\nsteps = -1", r"line 4, limits.steps: Limit steps must be a positive number or None, got -1."),
        ("[limits]\nsteps = 1.5", r"line 2, limits.steps: expected a valid integer, found 1.5."),
        ("[limits]\nmoney = inf", r"line 2, limits.money: expected a finite number, found inf."),
        ("path = 'both'", r"line 1, path: expected 'auto', 'native' or 'prompt', found 'both'."),
        ("model = 3", r"line 1, model: expected a valid string, found 3."),
        ("model = ' '", r"line 1, model: The model has no name"),
        ("[requests]\ntimeout = -1", r"line 2, requests.timeout: The timeout must be .* above 0, got -1.0."),
        ("[requests]\nretries = -1", r"line 2, requests.retries: The number of retries must be 0 or more, got -1."),
        ("[tools]\ntoolbox = [1]", r"line 2, tools.toolbox: expected a valid string, found 1."),
        (
            "[sampling]\ntemprature = 1",
            r"line 2, sampling: there is no setting 'temprature'. Did you mean temperature\?",
        ),
        ("[sampling]\ntop_p = 2", r"line 2, sampling, top_p: expected less than or equal to 1, found 2."),
        ("[models.x]\ndialekt = 'x'", r"line 2, models.x: there is no setting 'dialekt'. Did you mean dialect\?"),
        ("[models]\nx = 1", r"line 2, models.x: expected a table, found 1."),
        (
            "[models.'a/*']\nclient = 'htp'",
            r'line 2, models."a/\*", client: expected \'litellm\', \'http\' or \'local\'',
        ),
        (
            "[models.x]\nfunction_calling = 'yess'",
            r'line 2, models.x, function_calling: expected true, false or "auto"',
        ),
        ("model = \nx = 1", r"is no valid TOML: .*line 1"),
        ("[models.x]\napi_key = 'abc'", r'line 2, models.x.api_key: keys have no place .* api_key_env = "MY_KEY"'),
        ("[models.x]\napi_base = 'http://a:b@host'", r"line 2, models.x.api_base: the address holds a password"),
    ],
)
def test_an_error_says_where_what_was_expected_and_what_was_found(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "react-engine.toml") in str(caught.value)


KEYS = [
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "AIzaSyA1234567890abcdefghijk-lmnopqrs",
    "hf_abcdefghijklmnopqrstuvwx",
    "ghp_abcdefghijklmnopqrstuvwx12",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "place", ["model = '{}'", "[models.x]\napi_key_env = '{}'", "[tools]\nload = ['{}']", "'{}' = 1"]
)
def test_a_key_in_the_file_is_refused_and_not_shown(tmp_path: Path, key: str, place: str) -> None:
    with pytest.raises(ConfigurationError, match="looks like a key") as caught:
        read(tmp_path, place.format(key))
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "model",
    [
        "skywork/Skywork-OR1-Math-7B-preview",
        "hf-internal-testing/tiny-random",
        "xai-grok-4-fast-non-reasoning-latest",
        "AIza",
    ],
)
def test_names_that_only_begin_like_keys_are_no_keys(tmp_path: Path, model: str) -> None:
    assert read(tmp_path, f"model = '{model}'").model == model


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "", {"REACT_ENGINE_MODEL": " ", "REACT_ENGINE_LIMITS__STEPS": ""}) == Settings()


def test_a_variable_that_is_no_setting_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"REACT_ENGINE_LIMITS_STEPS is no .* Did you mean REACT_ENGINE_LIMITS__STEPS"
    ):
        read(tmp_path, "", {"REACT_ENGINE_LIMITS_STEPS": "3"})
    with pytest.raises(ConfigurationError, match=r"REACT_ENGINE_LIMITS__STEPS, limits.steps: expected a valid integer"):
        read(tmp_path, "", {"REACT_ENGINE_LIMITS__STEPS": "many"})
    with pytest.raises(ConfigurationError, match=r"REACT_ENGINE_MODELS, models: expected a table"):
        read(tmp_path, "", {"REACT_ENGINE_MODELS": "{broken"})


def test_an_argument_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Arguments.* no setting 'langage'. Did you mean language"):
        read(tmp_path, "", langage="en")


def test_the_file_is_found_upwards_as_far_as_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    outer, repository = tmp_path / "outer", tmp_path / "outer" / "repository"
    inner = repository / "a" / "b"
    inner.mkdir(parents=True)
    above = write(outer, "")

    assert find_file(inner) == above
    (repository / ".git").mkdir()
    assert find_file(inner) is None
    own = write(repository, "")
    assert find_file(inner) == own
    nearest = write(inner, "")
    assert find_file(inner) == nearest


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"There is no settings file '.*nowhere.toml'. `react-engine init`"):
        Settings.load(tmp_path / "nowhere.toml", {})
    with pytest.raises(ConfigurationError, match="named by REACT_ENGINE_CONFIG"):
        Settings.load(None, {"REACT_ENGINE_CONFIG": str(tmp_path / "nowhere.toml")})
    named = Settings.load(None, {"REACT_ENGINE_CONFIG": str(write(tmp_path, "language = 'zh'"))})
    assert named.language == "zh"


def test_a_file_with_a_byte_order_mark_or_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "react-engine.toml"
    path.write_bytes(b"\xef\xbb\xbfmodel = 'x'")
    assert Settings.load(path, {}).model == "x"
    path.write_bytes("model = 'é'".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Settings.load(path, {})


def test_the_written_file_is_valid_and_sets_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, template()) == Settings()


def test_the_written_file_names_every_key_with_its_default(tmp_path: Path) -> None:
    shown = re.sub(r"(?m)^#(?=\S)", "", template()).replace("# [models", "[models").replace("# [dialects", "[dialects")
    table = tomllib.loads(shown)
    settings = read(tmp_path, shown)

    sections = ("limits", "requests", "sampling", "templates", "tools", "models")
    assert set(table) == {item.name for item in fields(Settings)} - {"sources", "file"}
    for section in ("limits", "requests", "templates", "tools"):
        assert set(table[section]) == {item.name for item in fields(getattr(Settings(), section))}
    assert set(table["sampling"]) == {*SAMPLING_NAMES, "extra"}
    assert set(table["models"]["ollama/*"]) == set(FIELD_NAMES)
    for item in fields(Settings):
        if item.name not in (*sections, "dialect", "dialects"):
            assert getattr(settings, item.name) == getattr(Settings(), item.name) or item.name in ("sources", "file")
    assert (settings.limits, settings.requests, settings.tools) == (Limits(), RequestSettings(), ToolSettings())


LINES = """\
a = 1
[t]
b = 2   # comment
[t."x/*"]
c.d = 3
'e f' = 4
[[list]]
g = 5
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a",), 1),
        (("t",), 2),
        (("t", "b"), 3),
        (("t", "x/*"), 4),
        (("t", "x/*", "c", "d"), 5),
        (("t", "x/*", "e f"), 6),
        (("t", "x/*", "unseen"), 4),
        (("list", "g"), 8),
        (("nowhere",), None),
    ],
)
def test_the_line_of_a_key(place: tuple[str, ...], line: int | None) -> None:
    assert line_of(LINES, place) == line


TEXTS = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PLACES = st.sampled_from(
    ["model", "limits", "limits.steps", "sampling", "tools", "models", "templates.folder", "requests"]
)


@given(st.dictionaries(PLACES | TEXTS, VALUES, max_size=3))
def test_settings_are_made_or_refused_and_nothing_else(overrides: dict[str, Any]) -> None:
    try:
        settings = Settings.load(None, {}, overrides)
    except ConfigurationError:
        return
    assert isinstance(settings, Settings)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3).map(tuple))
def test_looking_for_a_line_never_fails(text: str, place: tuple[str, ...]) -> None:
    line = line_of(text, place)
    assert line is None or 1 <= line <= len(text.splitlines())


def test_reading_settings_does_not_import_clients() -> None:
    code = (
        "import sys; from react_engine.settings import Settings; Settings.load(None, {}, {'limits.steps': 3}); "
        "assert not {'litellm', 'httpx', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
