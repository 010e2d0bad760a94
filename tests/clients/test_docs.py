"""Every block of ``docs/clients.md``, run as it stands there, against a served model."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.served import KEY, LOCAL, NATIVE, SCRIPTED, Served

PAGE = Path(__file__).parent.parent.parent / "docs" / "clients.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHARED = re.search(r"<!-- shared -->\n```python\n(.*?)```", TEXT, re.DOTALL)
BLOCKS = re.findall(r"## ([^\n]+)\n(?:(?!## ).)*?<!-- client: (\w+) -->\n```python\n(.*?)```", TEXT, re.DOTALL)
EXPECTED = {"instructor": r"Ada.* is 36"}
SMALL = {**EXPECTED, "smolagents": r"44\.6|7 degrees"}  # its own prompt is long for a small model, which may stop early
RUN = "import json, runpy, sys; print(json.dumps([runpy.run_path(f)['answer'] for f in sys.argv[1:]]))"
CLIENTS = pytest.mark.parametrize(
    ("module", "code"), [block[1:] for block in BLOCKS], ids=[block[0] for block in BLOCKS]
)


def test_the_page_has_every_client() -> None:
    assert {module for _, module, _ in BLOCKS} == {
        "openai", "anthropic", "langchain_openai", "pydantic_ai", "agents", "smolagents", "llama_index", "instructor",
    }  # fmt: skip


def answers(served: Served, module: str, code: str, folder: Path, models: list[str]) -> list[str]:
    """What the block's ``answer`` is with each model. In a process of its own: some clients leave sockets open."""
    if find_spec(module) is None:
        pytest.skip("react-engine[clients] is not installed")
    assert SHARED is not None
    files = []
    for number, model in enumerate(models):
        given = f"URL, KEY, MODEL = {served.url!r}, {KEY!r}, {model!r}"
        shared = re.sub(r"^URL, KEY, MODEL = .*$", given, SHARED[1], flags=re.MULTILINE)
        file = folder / f"page{number}.py"
        file.write_text(f"{shared}\n{code}", encoding="utf-8")
        files.append(str(file))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN, *files], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@CLIENTS
def test_a_client_does_a_task_with_two_tools(served: Served, module: str, code: str, tmp_path: Path) -> None:
    models = [SCRIPTED] if module in EXPECTED else [SCRIPTED, NATIVE]
    for answer in answers(served, module, code, tmp_path, models):
        assert re.search(EXPECTED.get(module, r"44\.6"), answer), answer


@pytest.mark.local_model
@pytest.mark.long
@CLIENTS
def test_a_client_does_the_task_with_a_model_on_this_machine(
    served: Served, module: str, code: str, tmp_path: Path
) -> None:
    (answer,) = answers(served, module, code, tmp_path, [LOCAL[0]])
    assert re.search(SMALL.get(module, r"44\.6"), answer), answer
