"""Runs the proxy until it is told to stop: one process, or several that share the port."""

from __future__ import annotations

import socket
from inspect import signature
from typing import Any

from react_engine.errors import ConfigurationError


def listen(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 is a free one. Raises ConfigurationError where that cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(2048)  # who comes while the proxy starts is answered when it has
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{host}:{port} cannot be listened at: {error.strerror}. Try another --port or --host."
        ) from error
    listening.set_inheritable(True)
    return listening


def run(listening: socket.socket, workers: int) -> None:
    """Serve on the socket. Ends with SIGINT or SIGTERM, after requests under way were given a few seconds."""
    import uvicorn

    app = "react_engine.server.app:make_app"
    options: dict[str, Any] = {
        "factory": True,
        "workers": workers,
        "log_level": "warning",
        "access_log": False,
        "timeout_keep_alive": 75,
        "timeout_graceful_shutdown": 5,
        "backlog": 2048,
    }
    if workers == 1:
        uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[listening])
        return
    if "timeout_worker_healthcheck" in signature(uvicorn.Config).parameters:
        options["timeout_worker_healthcheck"] = 60  # the proxy's imports alone outlast the usual five seconds
    host, port = listening.getsockname()[:2]
    listening.close()  # its supervisor opens one of its own
    uvicorn.run(app, host=host, port=port, **options)
