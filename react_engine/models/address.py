"""Where a server is: the ``api_base`` of a profile, as people write it, made into the address of its API."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from react_engine.errors import ConfigurationError
from react_engine.models.profile import ModelProfile

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_VERSION = re.compile(r"/v\d+[a-z0-9]*(?=/|$)")
_ENDPOINT = re.compile(r"(?:/chat)?/completions$")


def base_address(profile: ModelProfile) -> SplitResult:
    """The address below which ``/chat/completions`` and ``/models`` are found, without a slash at its end.

    Takes ``host:8000``, ``http://host``, ``…/v1``, ``…/v1/`` and ``…/v1/chat/completions``: ``/v1`` is added
    where no part of the path is a version. Raises ``ConfigurationError`` for what is no http address.
    """
    given = (profile.api_base or "").strip()
    if not given:
        raise ConfigurationError(
            f"The model {profile.name!r} has no api_base: its client needs the address of the server, "
            'such as "http://127.0.0.1:8000/v1".'
        )
    try:
        url = urlsplit(given if _SCHEME.match(given) else f"http://{given}")
        port = url.port  # raises ValueError for what is no port
    except ValueError as error:
        raise ConfigurationError(f"The api_base of {profile.name!r} is no address: {error}.") from error
    if url.scheme not in ("http", "https") or not url.hostname or port == 0:
        shown = shown_address(url)
        raise ConfigurationError(
            f"The api_base of {profile.name!r} is no http address: {shown!r}. Expected one such as "
            '"http://127.0.0.1:8000/v1".'
        )
    path = _ENDPOINT.sub("", url.path.rstrip("/")).rstrip("/")
    return url._replace(path=path if _VERSION.search(path) else path + "/v1", fragment="")


def shown_address(url: SplitResult) -> str:
    """An address as messages show it: without user, password and query, which may hold keys."""
    return url._replace(netloc=url.netloc.rpartition("@")[2], query="", fragment="").geturl()


def shown_base(given: str) -> str:
    """An ``api_base`` as it was written, without user, password and query."""
    has_scheme = _SCHEME.match(given)
    try:
        shown = shown_address(urlsplit(given if has_scheme else f"http://{given}"))
    except ValueError:
        return "(no address)"
    return shown if has_scheme else shown.removeprefix("http://")
