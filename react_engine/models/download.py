"""One file over HTTP: resumed where it was left, tried again when the line breaks, checked by its hash."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from react_engine.checking import shown

if TYPE_CHECKING:
    import httpx

_TRIES = 6
_CONNECT_SECONDS = 5.0
_SILENCE_SECONDS = 30.0


class SourceError(Exception):
    """A source of weights could not give them; the message says why, for a list of all sources."""


class _BrokenError(Exception):
    """The transfer stopped before its end and may go on from there."""


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_client() -> httpx.Client:
    """A client that gives up soon on a host that cannot be reached, and follows the usual variables
    for proxies and certificates (``PIP_CERT`` among them, since it is set where packages can be had).
    """
    import ssl

    import httpx

    given = os.environ.get("SSL_CERT_FILE") or os.environ.get("PIP_CERT")
    context = ssl.create_default_context(cafile=given) if given and Path(given).is_file() else None
    timeout = httpx.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS)
    return httpx.Client(follow_redirects=True, timeout=timeout, verify=True if context is None else context)


def download(
    client: httpx.Client,
    url: str,
    target: Path,
    sha256: str,
    *,
    headers: Mapping[str, str] | None = None,
    at: Callable[[int], None] = lambda done: None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Fetch ``url`` into ``target``, going on from what ``target`` holds already.

    ``at`` is told how many bytes are there. What the hash does not confirm is deleted; when it had been
    resumed, it is fetched once more from its beginning. Raises ``SourceError``.
    """
    resumed = target.exists()
    _transfer_all(client, url, target, headers or {}, at, sleep)
    if sha256_of(target) == sha256:
        return
    target.unlink()
    if resumed:
        _transfer_all(client, url, target, headers or {}, at, sleep)
        if sha256_of(target) == sha256:
            return
        target.unlink()
    raise SourceError("the file that came does not have the expected SHA-256, so it was deleted")


def _transfer_all(
    client: httpx.Client,
    url: str,
    target: Path,
    headers: Mapping[str, str],
    at: Callable[[int], None],
    sleep: Callable[[float], None],
) -> None:
    import httpx
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

    retrying = Retrying(
        retry=retry_if_exception_type((httpx.TransportError, _BrokenError)),
        stop=stop_after_attempt(_TRIES),
        wait=wait_random_exponential(multiplier=0.5, max=10),
        sleep=sleep,
        reraise=True,
    )
    try:
        retrying(_transfer, client, url, target, headers, at)
    except httpx.ConnectError as error:
        raise SourceError(f"no connection: {error}") from error
    except httpx.TimeoutException as error:
        raise SourceError(f"no answer in time ({type(error).__name__})") from error
    except (httpx.HTTPError, httpx.InvalidURL, _BrokenError) as error:
        raise SourceError(f"the transfer failed: {error or type(error).__name__}") from error


def _transfer(
    client: httpx.Client, url: str, target: Path, headers: Mapping[str, str], at: Callable[[int], None]
) -> None:
    start = target.stat().st_size if target.exists() else 0
    asked = {**headers, "Accept-Encoding": "identity"}
    if start:
        asked["Range"] = f"bytes={start}-"
    with client.stream("GET", url, headers=asked) as response:
        if response.status_code == 416:  # all of it is here already, or the file is another one now: the hash tells
            total = response.headers.get("Content-Range", "").rpartition("/")[2]
            if total != str(start):
                target.unlink()
                raise _BrokenError("the server has fewer bytes than were fetched before")
            return
        if response.status_code in (408, 425, 429) or response.status_code >= 500:
            raise _BrokenError(f"HTTP status {response.status_code}")
        if response.status_code not in (200, 206):
            raise SourceError(f"HTTP status {response.status_code} for {shown(url)}")
        resumes = response.status_code == 206 and response.headers.get("Content-Range", "").startswith(
            f"bytes {start}-"
        )
        if response.status_code == 206 and not resumes:
            raise SourceError("the server sent another range than was asked for")
        _write(response, target, start if resumes else 0, at)


def _write(response: httpx.Response, target: Path, start: int, at: Callable[[int], None]) -> None:
    length = response.headers.get("Content-Length")
    done = start
    with target.open("ab" if start else "wb") as file:
        at(done)
        for block in response.iter_raw():  # a block size would hold back, and lose, what came before a break
            file.write(block)
            done += len(block)
            at(done)
    if length is not None and done - start < int(length):
        raise _BrokenError(f"the connection closed after {done} of {start + int(length)} bytes")
