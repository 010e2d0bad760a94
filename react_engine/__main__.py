"""``python -m react_engine``."""

from react_engine.cli import main

main()
