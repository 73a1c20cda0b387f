"""The sandbox as a process of its own: ``python -m bench.host ROOT SEED``.

Prints one JSON line (``url``, ``token``) when it serves. Every line on standard input is the name of a repository to
make as a copy of SEED, answered with one line; it ends when standard input does. Settings, limits and the request log
are reached over HTTP (``/_sandbox``), as from any other process.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from stackr.sandbox.server import SandboxServer

OWNER = "bench"
LOGIN = "alice"


def serve(root: Path, seed: Path) -> None:
    """Serve until standard input ends."""
    with SandboxServer(root) as server:
        token = server.add_user(LOGIN)
        _say({"url": server.url, "token": token})
        for line in sys.stdin:
            name = line.strip()
            server.add_repository(f"{OWNER}/{name}", seed, writers=[LOGIN])
            _say({"directory": str(server.engine.directory(server.repository(f"{OWNER}/{name}")))})


def _say(document: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]))
