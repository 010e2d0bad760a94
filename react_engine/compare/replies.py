"""Replies kept on disk, so that a comparison that is scored anew asks no model again."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from react_engine.models.base import Chunk, Model, ModelRequest, RawCall, Reply
from react_engine.types import Usage


class CachedModel:
    """A model whose replies are kept in a folder, one file for each request. Failures are not kept."""

    def __init__(self, model: Model, folder: Path) -> None:
        self._model, self._folder = model, folder
        self.name = model.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The reply to a request: the kept one, or the model's."""
        file = self._folder / f"{_key(self.name, request)}.json"
        known = _read(file)
        if known is not None:
            return known
        reply = await self._model.complete(request)
        _write(file, reply)
        return reply

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Streams are not kept."""
        return self._model.stream(request)

    async def aclose(self) -> None:
        """Release the model."""
        await self._model.aclose()


def _key(name: str, request: ModelRequest) -> str:
    text = json.dumps([name, asdict(request)], ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _read(file: Path) -> Reply | None:
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return Reply(
            told["text"],
            tuple(RawCall(**call) for call in told["calls"]),
            told["reasoning"],
            told["finish_reason"],
            Usage(**told["usage"]),
            told["elapsed"],
            tuple((token, chance) for token, chance in told["alternatives"]),
        )
    except (OSError, ValueError, TypeError, KeyError):  # not there, or not ours
        return None


def _write(file: Path, reply: Reply) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=file.parent, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(asdict(reply), out, ensure_ascii=False)
        os.replace(fresh, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh)
        raise
