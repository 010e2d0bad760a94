"""The package index that pip or uv is set up for, and one wheel in it."""

from __future__ import annotations

import configparser
import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from react_engine.models.download import SourceError

_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_NAMED = re.compile(r"^[\w.-]+=")  # uv lets an index have a name before its address
_TIMEOUT = (5.0, 20.0)


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel as the index states it. ``headers`` are needed to fetch it."""

    filename: str
    url: str
    sha256: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def index_address(environ: Mapping[str, str]) -> str:
    """The address of the simple API: a variable of uv or pip, pip's configuration, or else the public index."""
    for variable in _VARIABLES:
        value = environ.get(variable, "").strip()
        if value:
            return _NAMED.sub("", value)
    for path in _pip_files(environ):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError, OSError):
            continue
        for section in ("download", "global"):
            value = parser.get(section, "index-url", fallback="").strip()
            if value:
                return value
    return _default()


def _default() -> str:
    try:
        from pypi_simple import PYPI_SIMPLE_ENDPOINT
    except ImportError as error:
        raise SourceError("pypi-simple is not installed (pip install 'react-engine[local]')") from error
    return PYPI_SIMPLE_ENDPOINT


def _pip_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """Pip's configuration files, the one that counts most first (pip's user guide, "Configuration")."""
    given = environ.get("PIP_CONFIG_FILE")
    if given == os.devnull:
        return
    if given:
        yield Path(given)
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    yield Path(sys.prefix) / name
    home = Path(environ.get("HOME") or Path.home())
    if os.name == "nt":
        yield Path(environ.get("APPDATA", home)) / "pip" / name
    else:
        yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / name
    yield home / ".pip" / name
    for folder in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":"):
        yield Path(folder) / "pip" / name
    yield Path("/etc") / name


def find_wheel(address: str, project: str, version: str) -> Wheel:
    """The wheel of one version of a project. Raises ``SourceError``."""
    try:
        import requests
        from pypi_simple import NoSuchProjectError, PyPISimple, UnsupportedContentTypeError
    except ImportError as error:
        raise SourceError("pypi-simple is not installed (pip install 'react-engine[local]')") from error
    bare, auth = _without_credentials(address)
    host = urlsplit(bare).hostname or bare
    try:
        with PyPISimple(bare, auth=auth) as client:
            if os.environ.get("PIP_CERT") and not os.environ.get("REQUESTS_CA_BUNDLE"):
                client.s.verify = os.environ["PIP_CERT"]
            page = client.get_project_page(project, timeout=_TIMEOUT)
    except NoSuchProjectError as error:
        raise SourceError(f"{host} has no project {project}") from error
    except requests.ConnectionError as error:
        raise SourceError(f"no connection to {host}") from error
    except (requests.RequestException, UnsupportedContentTypeError, ValueError) as error:
        raise SourceError(f"{host} did not answer as a package index: {error}") from error
    for package in page.packages:
        if package.package_type == "wheel" and package.version == version:
            sha256 = (package.digests or {}).get("sha256")
            if not sha256:
                raise SourceError(f"{host} states no SHA-256 for {package.filename}")
            if not _plain(package.filename):
                raise SourceError(f"{host} states an impossible file name for {project}")
            same = urlsplit(package.url).netloc == urlsplit(bare).netloc
            return Wheel(package.filename, package.url, sha256, _authorization(auth) if same else {})
    raise SourceError(f"{host} has no wheel of {project} {version}")


def _plain(filename: str) -> bool:
    return filename.endswith(".whl") and Path(filename).name == filename and "\\" not in filename


def _without_credentials(address: str) -> tuple[str, tuple[str, str] | None]:
    url = urlsplit(address)
    if url.username is None:
        return address, None
    bare = url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()
    return bare, (unquote(url.username), unquote(url.password or ""))


def _authorization(auth: tuple[str, str] | None) -> dict[str, str]:
    if auth is None:
        return {}
    return {"Authorization": "Basic " + b64encode(":".join(auth).encode()).decode("ascii")}
