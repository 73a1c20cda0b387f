"""Sends ghstack and revup to the sandbox without touching their code; on PYTHONPATH for these two alone.

Both are told, by their own settings, that GitHub is ``127.0.0.1:PORT``. They insist on https, and revup on a host
``api.``, so the address is mended where aiohttp sends a request. Everything else is the tool as it was published.
Costs well under a millisecond: the patch is applied only when aiohttp is imported.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
from types import ModuleType
from typing import Any

_NETLOC = os.environ.get("BENCH_GITHUB", "")
_MENDED = {
    f"https://api.{_NETLOC}/graphql": f"http://{_NETLOC}/api/graphql",
    f"https://api.{_NETLOC}/": f"http://{_NETLOC}/api/v3/",
    f"https://{_NETLOC}/": f"http://{_NETLOC}/",
}


def mend(url: str) -> str:
    """The sandbox's address for the one that was meant for GitHub."""
    for prefix, real in _MENDED.items():
        if url.startswith(prefix):
            return real + url[len(prefix) :]
    return url


class _Patched(importlib.abc.Loader):
    """Loads ``aiohttp.client`` as it is, then puts ``mend`` in front of its one way to send a request."""

    def __init__(self, loader: importlib.abc.Loader) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        session: Any = vars(module)["ClientSession"]
        send = session._request

        async def mended(self: Any, method: str, url: Any, **options: Any) -> Any:
            return await send(self, method, mend(str(url)), **options)

        session._request = mended


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for ``aiohttp.client``, once."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "aiohttp.client":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patched(spec.loader)
        return spec


if _NETLOC:
    sys.meta_path.insert(0, _Finder())
