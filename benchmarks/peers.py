"""Other agent libraries, each in a virtual environment of its own in the user's cache, made when it is first needed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from react_engine.folders import cache_folder


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: what is installed, and the packages among it whose versions are told."""

    name: str
    requirements: tuple[str, ...]
    told: tuple[str, ...]


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "langchain",
            ("langchain", "langchain-classic", "langchain-openai"),
            ("langchain", "langchain-classic", "langchain-core", "langgraph", "openai"),
        ),
        Peer(
            "llama-index",
            ("llama-index-core", "llama-index-llms-openai-like"),
            ("llama-index-core", "llama-index-workflows", "openai"),
        ),
        # The last three are imported by qwen-agent, which does not ask for them.
        Peer("qwen-agent", ("qwen-agent", "soundfile", "tqdm", "python-dateutil"), ("qwen-agent", "openai")),
    )
}


class NotInstalled(Exception):
    """A peer could not be installed; the message has the installer's last words."""


def python_of(peer: Peer) -> str:
    """The interpreter of the peer's environment, which is made first if it is not there.

    Raises ``NotInstalled`` where the package index or the disk does not let it.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache_folder() / "benchmarks" / f"{peer.name}-python{version}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = folder / "installed.txt"
    wanted = "\n".join(peer.requirements)
    if not _holds(complete, wanted):
        print(f"Installing {' '.join(peer.requirements)} into {folder} …", file=sys.stderr)
        try:
            venv.create(folder, clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotInstalled(f"{peer.name}: {error}") from error
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.requirements]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            words = done.stderr.strip().splitlines() or [f"pip ended with exit code {done.returncode}"]
            raise NotInstalled(f"{peer.name}: {words[-1]}")
        complete.write_text(wanted, encoding="utf-8")
    return str(python)


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except OSError:
        return False
