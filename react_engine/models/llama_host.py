"""One llama.cpp server, held by a process that does nothing else; started by ``local_server`` as a script.

The first line of standard input says what to serve, as JSON; one line of JSON on standard output says where it is
served, or what went wrong. When standard input ends, because whoever started the process closed it or is gone, the
process ends. What llama.cpp logs goes to standard error. The file imports nothing of the package.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Serve until standard input ends."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing but the answer may stand on standard output
    order: dict[str, Any] = json.loads(sys.stdin.readline())

    def say(**told: str) -> None:
        print(json.dumps(told), file=answer, flush=True)

    try:
        xllamacpp: Any = import_module("xllamacpp")
    except ImportError as error:
        say(error="missing", detail=str(error))
        return
    try:
        server = xllamacpp.Server(_params(xllamacpp.CommonParams(), order))
    except RuntimeError as error:
        say(error="start", detail=str(error))
        return
    say(url=server.listening_address)
    sys.stdin.read()
    os._exit(0)  # the server's own end waits for requests that are under way


def _params(params: Any, order: dict[str, Any]) -> Any:
    params.model.path = order["path"]
    params.model_alias = {order["name"]}
    params.api_keys = [order["key"]]
    params.port = 0
    params.n_ctx = order["context"]
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.use_jinja = True
    params.warmup = False  # the first request warms up what it needs
    params.fit_params = False  # it would load the model twice
    params.cache_ram_mib = order["cache"]
    params.ui = False
    params.verbosity = 2
    return params


if __name__ == "__main__":
    main()
