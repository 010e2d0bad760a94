"""Where the engine keeps files of its own: weights, what it learned of models, the user's settings.

The folders are the platform's usual ones. ``REACT_ENGINE_CACHE_DIR`` and ``REACT_ENGINE_STATE_DIR`` move the
first two. Nothing is created here: whoever writes makes the folder.
"""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "REACT_ENGINE_CACHE_DIR"
STATE_VARIABLE = "REACT_ENGINE_STATE_DIR"
_APP = "react-engine"


def cache_folder() -> Path:
    """What can be fetched again: model weights."""
    from platformdirs import user_cache_path

    return _given(CACHE_VARIABLE) or user_cache_path(_APP, appauthor=False)


def weights_folder() -> Path:
    """Model weights, inside the cache."""
    return cache_folder() / "models"


def state_folder() -> Path:
    """What runs have learned, and logs."""
    from platformdirs import user_state_path

    return _given(STATE_VARIABLE) or user_state_path(_APP, appauthor=False)


def config_folder() -> Path:
    """The user's own settings, for every project."""
    from platformdirs import user_config_path

    return user_config_path(_APP, appauthor=False)


def _given(variable: str) -> Path | None:
    value = os.environ.get(variable, "").strip()
    return Path(value).expanduser().absolute() if value else None
