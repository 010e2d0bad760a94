"""Other agent libraries, each in a virtual environment of its own in the user's cache, made when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass

from react_engine.fuzz.peers import environments
from react_engine.fuzz.peers.environments import NotInstalled

__all__ = ["PEERS", "NotInstalled", "Peer", "python_of"]


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


def python_of(peer: Peer) -> str:
    """The interpreter of the peer's environment, which is made first if it is not there.

    Raises ``NotInstalled`` where the package index or the disk does not let it.
    """
    return environments.python_of(peer.name, peer.requirements, "benchmarks")
