"""The house stays as docs/architecture.md draws it: no import cycle, one direction, nothing heavy at the door."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import react_engine
from react_engine.parsers.dialects import DIALECTS
from react_engine.parsers.dialects.record import FRAMES

ROOT = Path(__file__).parent.parent
HOMES = {
    "react_engine": ROOT / "react_engine",
    "react_engine.parsers": ROOT / "parsers",
    "react_engine.templates": ROOT / "templates",
}


def modules() -> dict[str, Path]:
    """Every module of the package with its file; the linked folders are read where they really stand."""
    found = {}
    for prefix, folder in HOMES.items():
        for file in folder.rglob("*.py"):
            if prefix == "react_engine" and file.relative_to(folder).parts[0] in ("parsers", "templates"):
                continue
            parts = [prefix, *file.relative_to(folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = file
    return found


MODULES = modules()


def imports(name: str, *, at_start: bool) -> Iterator[str]:
    """The modules that a module imports: when it is imported itself, or at any time. Imports for types do not count."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    for node in _nodes(tree, at_start):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def _nodes(tree: ast.AST, at_start: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if at_start and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        yield node
        yield from _nodes(node, at_start)


def test_there_is_no_import_cycle() -> None:
    graph = {name: [target for target in imports(name, at_start=True) if target in MODULES] for name in MODULES}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join((*above[above.index(name) :], name))
        if name not in done:
            for target in graph[name]:
                visit(target, (*above, name))
            done.add(name)

    for name in graph:
        visit(name, ())


LAYERS = (
    ("react_engine.types", "react_engine.errors", "react_engine.runs"),
    ("react_engine.shapes", "react_engine.labels"),
    (
        "react_engine.parsers",
        "react_engine.templates",
        "react_engine.tools",
        "react_engine.toolbox",
        "react_engine.limits",
        "react_engine.constraints",
    ),
    ("react_engine.models",),
    ("react_engine.paths", "react_engine.repeats", "react_engine.events", "react_engine.suites"),
    ("react_engine.protocol", "react_engine.gating"),
    ("react_engine.loop",),
    ("react_engine.pump", "react_engine.extraction", "react_engine.learning"),
    ("react_engine.engine", "react_engine.turn"),
    ("react_engine.compare", "react_engine.probe", "react_engine.provider"),
    ("react_engine.server",),
    ("react_engine.cli",),
)


def layer(name: str) -> int | None:
    """The number of the layer that a module stands in; None for what all may use."""
    for number, prefixes in enumerate(LAYERS):
        if any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes):
            return number
    return None


def test_imports_point_one_way() -> None:
    wrong = []
    for name in MODULES:
        here = layer(name)
        for target in imports(name, at_start=True):
            there = layer(target)
            if here is not None and there is not None and there > here:
                wrong.append(f"{name} -> {target}")
    assert wrong == []


def test_parsers_know_only_types_errors_shapes_and_labels() -> None:
    allowed = (
        "react_engine.types",
        "react_engine.errors",
        "react_engine.shapes",
        "react_engine.labels",
        "react_engine.parsers",
    )
    wrong = [
        f"{name} -> {target}"
        for name in MODULES
        if name.startswith("react_engine.parsers")
        for target in imports(name, at_start=False)
        if target.startswith("react_engine") and not target.startswith(allowed)
    ]
    assert wrong == []


def test_the_reader_knows_no_dialect_by_name() -> None:
    # Frames are called like some; the others are the language of a fence and a key of calls in JSON, too.
    names = set(DIALECTS) - {*FRAMES, "react", "function_name"}
    found = []
    for name, file in MODULES.items():
        if name.startswith("react_engine.parsers.") and not name.startswith("react_engine.parsers.dialects"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            found += [f"{name}: {word}" for word in names & {value for value in said if isinstance(value, str)}]
    assert found == []


def test_nothing_imports_the_command_line() -> None:
    outside = [name for name in MODULES if not name.startswith(("react_engine.cli", "react_engine.__main__"))]
    assert [
        name for name in outside for target in imports(name, at_start=False) if target.startswith("react_engine.cli")
    ] == []


def test_litellm_is_imported_only_by_its_client() -> None:
    importing = [
        name for name in MODULES if "litellm" in {target.split(".")[0] for target in imports(name, at_start=False)}
    ]
    assert all(name.startswith("react_engine.models.litellm") for name in importing)
    assert [name for name in MODULES if "litellm" in {t.split(".")[0] for t in imports(name, at_start=True)}] == []


@pytest.mark.parametrize(
    "code",
    [
        "import react_engine",
        "import react_engine; react_engine.read; react_engine.Reader; react_engine.explain",
        "from react_engine.cli import cli; cli.main(['--help'])",
        "from react_engine.cli import cli; cli.main(['parse', 'Final Answer: 3'])",
        "from react_engine.cli import cli; cli.main(['fuzz', '--n', '3', '--jobs', '1', '--dialect', 'hermes'])",
        "from react_engine import Engine, Registry, tool",
    ],
)
def test_what_needs_no_model_imports_no_litellm(code: str) -> None:
    script = f"{code}\nimport sys\nassert 'litellm' not in sys.modules\nassert 'httpx' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_the_package_itself_imports_nothing_heavy() -> None:
    script = "import sys, react_engine\nprint(sorted(m for m in sys.modules if m.split('.')[0] in ('pydantic', 'jinja2', 'regex', 'rich')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_exported_names_are_listed_sorted_and_there() -> None:
    assert react_engine.__all__ == sorted(react_engine.__all__)
    assert set(react_engine.__all__) == {*react_engine._HOME_OF, "__version__"}
    for name in react_engine.__all__:
        assert getattr(react_engine, name) is not None
    with pytest.raises(AttributeError):
        react_engine.no_such_name  # noqa: B018


def test_files_stay_files_of_one_concept() -> None:
    long = {
        name: lines
        for name, file in MODULES.items()
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > 420
    }
    assert long == {}
