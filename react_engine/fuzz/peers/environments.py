"""Virtual environments in the user's cache, one for each library, made when it is first needed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from react_engine.folders import cache_folder


class NotInstalled(Exception):
    """A library could not be installed; the message has the installer's last words."""


def python_of(name: str, requirements: Sequence[str], group: str = "fuzz") -> str:
    """The interpreter of an environment that holds the requirements; it is made first if it is not there.

    Raises ``NotInstalled`` where the package index or the disk does not let it.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache_folder() / group / f"{name}-python{version}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = folder / "installed.txt"
    wanted = "\n".join(requirements)
    if not _holds(complete, wanted):
        print(f"Installing {' '.join(requirements)} into {folder} …", file=sys.stderr)
        try:
            venv.create(folder, clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotInstalled(f"{name}: {error}") from error
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
        if done.returncode:
            words = done.stderr.strip().splitlines() or [f"pip ended with exit code {done.returncode}"]
            raise NotInstalled(f"{name}: {words[-1]}")
        complete.write_text(wanted, encoding="utf-8")
    return str(python)


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except OSError:
        return False
