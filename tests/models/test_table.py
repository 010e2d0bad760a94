"""The capability table: which row is found, who decides a field, and that any name is answered."""

from __future__ import annotations

import csv
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError
from react_engine.models.facts import FactStore
from react_engine.models.listing import Listed, list_models
from react_engine.models.profile import ModelProfile, Source
from react_engine.models.record import FIELD_NAMES, Record, checked_fields, matching
from react_engine.models.shipped import shipped
from react_engine.models.table import CapabilityTable, explain, table_for
from react_engine.settings import Settings

NAMES = list(csv.DictReader(Path(__file__).with_name("names.csv").read_text(encoding="utf-8").splitlines()))


def table(user_models: Any = (), **options: Any) -> CapabilityTable:
    return CapabilityTable(user_models, **{"hint": None, "environ": {}, **options})


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["name"])
def test_a_name_finds_its_family(row: dict[str, str]) -> None:
    family = shipped().family(shipped().address(row["name"]))
    profile = table().profile(row["name"])

    assert family is not None
    assert (family.pattern, profile.dialect, profile.function_calling) == (
        row["pattern"],
        row["dialect"],
        row["function_calling"] == "true",
    )


def test_every_pattern_has_an_example() -> None:
    assert {row["pattern"] for row in NAMES} == {family.pattern for family in shipped().families}


def test_every_shipped_field_is_one_that_a_user_could_write() -> None:
    for family in shipped().families:
        assert checked_fields(family.fields, family.pattern) == dict(family.fields)
        assert family.source
    for name, server in shipped().servers.items():
        assert checked_fields(server.fields, name) == dict(server.fields)


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("starling-lm-7b", "react"),  # no "ling-" inside a word
        ("medgemma-4b-it", "gemma_tool_code"),  # four billion parameters are no fourth version
        ("granite-3b-code", "react"),
        ("local/folder-of-qwen3/Llama-3.2-1B.gguf", "llama3_json"),  # a file is known by its own name
        ("local/C:\\qwen3\\Llama-3.2-1B.GGUF", "llama3_json"),
        ("meta-llama/unheard-of", "react"),
        ("OLLAMA/QWEN3:8B", "hermes"),
    ],
)
def test_patterns_are_not_fooled(name: str, dialect: str) -> None:
    assert table().profile(name).dialect == dialect


def test_the_default_model_is_fully_described() -> None:
    profile = table().profile("local/qwen2.5-coder-1.5b")

    assert profile == ModelProfile(
        "local/qwen2.5-coder-1.5b",
        function_calling=False,
        dialect="react",
        context_length=8192,
        continues=True,
        constraints=("gbnf", "json_schema"),
        constraint="on",
        grounded=True,
        gate=(0.000513, 0.0021),
        client="local",
        served_name="qwen2.5-coder-1.5b",
        sampling={"temperature": 0.0, "max_tokens": 1024},
    )
    assert profile.sources["function_calling"].kind == "shipped"
    assert "measured" in profile.sources["function_calling"].detail
    assert profile.sources["context_length"] == Source("shipped", "the catalogue of local models")
    assert profile.sources["strict"] == Source("default")


@pytest.mark.parametrize(
    ("name", "client", "served", "base"),
    [
        ("ollama/llama3", "http", "llama3", "http://127.0.0.1:11434/v1"),
        ("ollama_chat/llama3", "http", "llama3", "http://127.0.0.1:11434/v1"),
        ("hosted_vllm/Qwen/Qwen3-8B", "http", "Qwen/Qwen3-8B", "http://127.0.0.1:8000/v1"),
        ("lm_studio/qwen3", "http", "qwen3", "http://127.0.0.1:1234/v1"),
        ("llamafile/x", "http", "x", "http://127.0.0.1:8080/v1"),
        ("openai/gpt-4o", "litellm", "openai/gpt-4o", None),
        ("gpt-4o", "litellm", "gpt-4o", None),
        ("anthropic/claude-sonnet-5", "litellm", "anthropic/claude-sonnet-5", None),
        ("local/x.gguf", "local", "x.gguf", None),
    ],
)
def test_the_prefix_says_how_a_model_is_reached(name: str, client: str, served: str, base: str | None) -> None:
    profile = table().profile(name)

    assert (profile.client, profile.served_name, profile.api_base) == (client, served, base)


def test_an_openai_shaped_server_of_ones_own_gets_the_lean_client_and_no_foreign_key() -> None:
    profile = table().profile("openai/my-model", {"api_base": "http://box:9000/v1"})

    assert (profile.client, profile.served_name, profile.api_key_env) == ("http", "my-model", None)
    assert table().profile("my-model", {"api_base": "http://box:9000/v1"}).client == "http"
    assert table().profile("openai/my-model").api_key_env == "OPENAI_API_KEY"
    assert table().profile("anthropic/claude-x", {"api_base": "http://proxy"}).client == "litellm"


def test_the_variable_of_a_server_gives_its_address_unless_the_user_said_another() -> None:
    environ = {"OLLAMA_API_BASE": "http://gpu:11434"}

    from_variable = table(environ=environ).profile("ollama/x")
    from_user = table({"ollama/*": {"api_base": "http://other:1"}}, environ=environ).profile("ollama/x")
    own_openai = table(environ={"OPENAI_BASE_URL": "http://box:1/v1"}).profile("openai/x")

    assert (from_variable.api_base, str(from_variable.sources["api_base"])) == (
        "http://gpu:11434",
        "environment (OLLAMA_API_BASE)",
    )
    assert from_user.api_base == "http://other:1"
    assert (own_openai.client, own_openai.api_base, own_openai.api_key_env) == (
        "http",
        "http://box:1/v1",
        "OPENAI_API_KEY",
    )


def test_each_field_is_decided_by_the_first_that_speaks(tmp_path: Path) -> None:
    learned = FactStore(tmp_path / "facts.json", today=lambda: date(2030, 1, 1))
    learned.remember("gpt-4o", "function_calling", False, "refused")
    learned.remember("gpt-4o", "stop_words", False, "refused")
    learned.remember("gpt-4o", "merge_roles", True, "measured", source="probe")
    records = [
        Record("gpt-4o", {"stop_words": True, "dialect": "hermes"}, Source("config", "file")),
        Record("*", {"dialect": "qwen_fncall", "context_length": 4096}, Source("config", "file")),
        Record("gpt-*", {"context_length": 9000}, Source("environment", "REACT_ENGINE_MODELS")),
    ]

    profile = table(records, learned=learned).profile("gpt-4o", {"dialect": "react"})

    assert {field: (value, source.kind) for field, value, source in explain(profile) if source.kind != "default"} == {
        "function_calling": (False, "learned"),
        "dialect": ("react", "argument"),
        "strict": (True, "shipped"),
        "merge_roles": (True, "probe"),
        "stop_words": (True, "config"),
        "context_length": (9000, "environment"),
    }


def test_a_measured_constraint_belongs_to_the_dialect_it_was_measured_in(tmp_path: Path) -> None:
    name = "local/qwen2.5-coder-1.5b"
    learned = FactStore(tmp_path / "facts.json")

    def constraint(**overrides: Any) -> str:
        return table(learned=learned).profile(name, overrides).constraint

    assert [constraint(), constraint(dialect="react"), constraint(dialect="hermes")] == ["on", "on", "off"]
    assert constraint(dialect="hermes", constraint="on") == "on"
    learned.remember(name, "dialect", "hermes", "measured", source="probe")
    learned.remember(name, "constraint", "gbnf", "measured", source="probe")
    assert [constraint(), constraint(dialect="hermes"), constraint(dialect="react")] == ["gbnf", "gbnf", "off"]


def test_auto_leaves_the_field_to_the_next_one() -> None:
    profile = table({"gpt-4o": {"function_calling": "auto"}}).profile("gpt-4o", {"function_calling": "auto"})

    assert profile.function_calling is True
    assert profile.sources["function_calling"].kind == "shipped"


def test_an_unknown_model_takes_the_prompt_path() -> None:
    profile = table().profile("azure/my-deployment")

    assert profile.function_calling is False
    assert profile.sources["function_calling"].kind == "default"


def test_litellm_is_asked_about_remote_models_that_nothing_else_knows() -> None:
    asked: list[str] = []

    def hint(name: str) -> bool | None:
        asked.append(name)
        return True

    known = table(hint=hint)

    assert known.profile("azure/my-deployment").function_calling is True
    assert known.profile("azure/my-deployment").sources["function_calling"].kind == "litellm"
    for name in ("ollama/unknown", "local/unknown.gguf", "gpt-4o", "sglang/unknown"):
        known.profile(name)
    assert set(asked) == {"azure/my-deployment"}


def test_asking_the_table_never_imports_litellm() -> None:
    code = (
        "import sys; from react_engine.models.table import default_table as t; "
        "t().profile('azure/x'); t().profile('gpt-4o'); assert not {'litellm', 'httpx', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_more_specific_pattern_wins_and_an_exact_name_wins_over_all() -> None:
    source = Source("config")
    records = [
        Record("*", {"dialect": "a"}, source),
        Record("ollama/q*", {"dialect": "b"}, source),
        Record("ollama/*", {"dialect": "c"}, source),
        Record("OLLAMA/Q???", {"dialect": "d"}, source),
        Record("ollama/qwen", {"dialect": "e"}, source),
        Record("ollama/[q]wen", {"dialect": "f"}, source),
    ]

    assert [record.fields["dialect"] for record in matching(records, "ollama/qwen")] == ["e", "d", "b", "c", "a"]
    assert [record.fields["dialect"] for record in matching(records, "ollama/[q]wen")] == ["f", "c", "a"]


def test_sampling_parameters_are_merged_one_by_one() -> None:
    records = {"x": {"sampling": {"temperature": 0.5}}, "*": {"sampling": {"temperature": 0.9, "top_p": 0.8}}}
    known = table(records, sampling=({"seed": 1, "top_p": 0.1}, Source("config", "[sampling]")))

    profile = known.profile("x", {"sampling": {"max_tokens": 5}})

    assert profile.sampling == {"max_tokens": 5, "temperature": 0.5, "top_p": 0.8, "seed": 1}
    assert [(field, str(source)) for field, _, source in explain(profile) if field.startswith("sampling.")] == [
        ("sampling.max_tokens", "argument"),
        ("sampling.temperature", "config (models.x)"),
        ("sampling.top_p", "config (models.*)"),
        ("sampling.seed", "config ([sampling])"),
    ]


def test_what_was_learned_holds_at_its_server_only(tmp_path: Path) -> None:
    known = table(learned=FactStore(tmp_path / "facts.json"))
    known.remember("ollama/llama3.1", "function_calling", False, "refused", server="http://user:pw@gpu:11434/v1/")

    here = known.profile("ollama/llama3.1", {"api_base": "http://gpu:11434"})
    elsewhere = known.profile("ollama/llama3.1")

    assert (here.function_calling, elsewhere.function_calling) == (False, True)
    assert "pw" not in (tmp_path / "facts.json").read_text(encoding="utf-8")
    assert known.forget("ollama/llama3.1") == 1
    assert known.profile("ollama/llama3.1", {"api_base": "http://gpu:11434"}).function_calling is True


def test_overrides_that_no_profile_takes_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigurationError, match=r"no setting 'functon_calling'. Did you mean function_calling"):
        table().profile("x", {"functon_calling": True})
    with pytest.raises(ConfigurationError, match=r'expected true, false or "auto", found \'perhaps\''):
        table().profile("x", {"function_calling": "perhaps"})


def test_settings_become_a_table() -> None:
    settings = Settings.load(
        environ={}, overrides={"dialect": "hermes", "sampling.temperature": 0.3, "models": {"gpt*": {"strict": False}}}
    )

    profile = table_for(settings).profile("gpt-4o")

    assert (profile.dialect, profile.strict, dict(profile.sampling)) == ("hermes", False, {"temperature": 0.3})


def test_everything_there_is_can_be_listed() -> None:
    entries = list_models(table({"mine*": {"function_calling": True, "dialect": "hermes"}}))

    assert entries[0] == Listed("mine*", "config", True, "hermes", note="config (models.mine*)")
    local = [entry for entry in entries if entry.kind == "local"]
    assert [entry.name for entry in local] == [
        "local/qwen2.5-coder-1.5b",
        "local/qwen2.5-coder-0.5b",
        "local/smollm2-135m",
    ]
    assert [entry.function_calling for entry in local] == [False, False, False]
    assert sum(entry.kind == "family" for entry in entries) == len(shipped().families)
    assert "ollama/" in {entry.name for entry in entries if entry.kind == "server"}


NAME_PIECES = st.sampled_from(
    [
        "local/",
        "ollama/",
        "openai/",
        "qwen",
        "llama",
        "-",
        "/",
        ".",
        ":",
        "gguf",
        "cogito",
        "functionary",
        "mistral-",
        "3",
    ]
)


@given(st.text() | st.lists(NAME_PIECES | st.text(max_size=3)).map("".join))
def test_any_name_has_a_profile(name: str) -> None:
    profile = table().profile(name)

    assert profile.name == name
    assert isinstance(profile.function_calling, bool)
    assert set(FIELD_NAMES) <= set(profile.sources)
    explained = {field for field, _, _ in explain(profile)}
    assert explained == {*FIELD_NAMES, *(f"sampling.{key}" for key in profile.sampling)} - {"sampling"}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://ada:s3cret@127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        ("https://ada:s3c@ret@host/v1?key=s3cret", "https://host/v1"),
        ("ada:s3cret@host:8000", "host:8000"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[s3cret", "(no address)"),
    ],
)
def test_an_address_is_explained_without_its_password(address: str, shown: str) -> None:
    profile = CapabilityTable().profile("openai/m", {"api_base": address})
    assert profile.api_base == address
    assert {field: value for field, value, _ in explain(profile)}["api_base"] == shown


@pytest.mark.parametrize(
    "piece", ["cogito", "functionary-", "mistral-x-", "granite4", "a", "\N{KELVIN SIGN}", "ernie-4.5"]
)
def test_patterns_never_see_more_than_a_name_can_have(piece: str) -> None:
    address = shipped().address("ollama/" + piece * 200_000)

    assert all(len(text) <= 256 for text in address.candidates)
    shipped().family(address)
