"""What is built is what is in the checkout: nothing missing, nothing beside the package."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tracked(*suffixes: str) -> set[str]:
    """The files of the package in the checkout, under the names that they have when installed."""
    found = set()
    for folder, prefix in (("react_engine", ""), ("parsers", "react_engine/"), ("templates", "react_engine/")):
        for file in (ROOT / folder).rglob("*"):
            name = file.relative_to(ROOT)
            linked = (
                name.parts[0] == "react_engine" and len(name.parts) > 1 and name.parts[1] in ("parsers", "templates")
            )
            if file.is_file() and file.suffix in suffixes and not linked:
                found.add(f"{prefix}{name.as_posix()}")
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source distribution and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, capture_output=True, text=True
    )
    return folder


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert all(name.startswith(("react_engine/", "react_engine-")) for name in names)
    packaged = {name for name in names if name.startswith("react_engine/")}
    assert packaged == tracked(".py", ".j2", ".toml", ".csv", ".typed")


@pytest.mark.slow
def test_the_source_distribution_can_be_tested(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "tests/conftest.py",
        "tests/parsers/cases/tools.yaml",
        "benchmarks/reader_speed.py",
        "docs/architecture.md",
    } <= names


def test_parsers_and_templates_are_no_packages_of_their_own() -> None:
    script = "import importlib.util as u; print(u.find_spec('parsers'), u.find_spec('templates'))"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.split() == ["None", "None"]
