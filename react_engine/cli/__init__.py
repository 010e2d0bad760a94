"""The command line: arguments in, answers on stdout, everything else on stderr, exit codes out."""

from __future__ import annotations

import sys

from react_engine.cli.main import cli


def main() -> None:
    """Run the command line and exit."""
    sys.exit(cli.main())


__all__ = ["cli", "main"]
