"""How far a long transfer is: a bar on a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


class Progress(Protocol):
    """Told of a transfer. All sizes are in bytes. What ``at`` raises ends the transfer, which can be resumed."""

    def begin(self, title: str, total: int) -> None:
        """A transfer begins."""

    def at(self, done: int) -> None:
        """So much is there."""

    def note(self, text: str) -> None:
        """Something worth knowing: which source is asked, which one failed."""

    def end(self) -> None:
        """The transfer has ended, well or not."""


class Silent:
    """Says nothing."""

    def begin(self, title: str, total: int) -> None:
        """Nothing."""

    def at(self, done: int) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


class Lines:
    """A line for every tenth, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._title, self._total, self._tenth = "", 1, 0

    def begin(self, title: str, total: int) -> None:
        """Say what is fetched."""
        self._title, self._total, self._tenth = title, max(total, 1), 0
        self.note(f"Fetching {title}, {_megabytes(total)} MB")

    def at(self, done: int) -> None:
        """Say each tenth once."""
        tenth = min(10, done * 10 // self._total)
        if tenth > self._tenth:
            self._tenth = tenth
            self.note(f"{self._title}: {tenth * 10} % ({_megabytes(done)} of {_megabytes(self._total)} MB)")

    def note(self, text: str) -> None:
        """One line."""
        print(text, file=self._stream, flush=True)

    def end(self) -> None:
        """Nothing: the last tenth was said."""


class Bar:
    """A bar with speed and remaining time, by rich; it goes away when the transfer ends."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def begin(self, title: str, total: int) -> None:
        """Show the bar."""
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as Speed

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), Speed(), TimeRemainingColumn())
        bars = Progress(*columns, console=Console(file=self._stream), transient=True)
        self._task = bars.add_task(title, total=total)
        bars.start()
        self._bars = bars

    def at(self, done: int) -> None:
        """Move the bar."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done)

    def note(self, text: str) -> None:
        """A line above the bar."""
        if self._bars is not None:
            self._bars.console.print(text, style="dim", markup=False, highlight=False)
        else:
            print(text, file=self._stream, flush=True)

    def end(self) -> None:
        """Take the bar away."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def on_stderr() -> Progress:
    """What suits standard error: a bar on a terminal, lines elsewhere, nothing where there is none."""
    stream = sys.stderr
    if stream is None or stream.closed:
        return Silent()
    return Bar(stream) if stream.isatty() else Lines(stream)


def _megabytes(size: int) -> int:
    return round(size / 1e6)
