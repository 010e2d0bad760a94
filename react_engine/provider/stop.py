"""Stop words of a client, found in what it is shown: the model's own text has labels around that."""

from __future__ import annotations

from collections.abc import Sequence

from react_engine.paths.turn import begun_mark


class StopWords:
    """Cuts a text, whole or in pieces, at the first of some words."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = tuple(words)
        self._held = ""
        self.met = False

    def feed(self, piece: str) -> str:
        """What is safe to show with this piece: nothing behind a stop word, nor what may be the start of one."""
        if self.met or not self._words:
            return "" if self.met else piece
        text = self._held + piece
        places = [place for word in self._words if (place := text.find(word)) != -1]
        if places:
            self.met, self._held = True, ""
            return text[: min(places)]
        size = begun_mark(text, self._words)
        self._held = text[len(text) - size :]
        return text[: len(text) - size]

    def close(self) -> str:
        """What was held back when nothing more comes."""
        held, self._held = self._held, ""
        return held

    def cut(self, text: str) -> str:
        """A whole text up to the first stop word."""
        return self.feed(text) + self.close()
