"""A temporary object directory in front of the repository's own: what git writes there while merging can vanish.

The environment is that of git's own quarantine (git-receive-pack(1)); the name is one that ``git gc`` clears away when
a killed process has left it behind (builtin/prune.c). Objects are loose, and deflated in a hurry.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from stackr.repo import packs

_LEVEL = 1


class Scratch:
    """A place for loose objects. ``env`` makes a git process read from it and the repository, and write only to it."""

    def __init__(self, objects: Path, env: Mapping[str, str]) -> None:
        """``objects`` is the repository's object directory, ``env`` what a git process here gets anyway."""
        self.path = Path(tempfile.mkdtemp(prefix="tmp_objdir-stackr-", dir=objects))
        behind = [_quoted(str(objects)), env.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")]
        self.env = {
            "GIT_OBJECT_DIRECTORY": str(self.path),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(name for name in behind if name),
        }

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def put(self, oid: str, kind: str, raw: bytes) -> None:
        """Write an object, unless it is there. Nobody reads it before this returns, so no temporary name is needed."""
        path = self._path(oid)
        if path.exists():
            return
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(raw)) + raw, _LEVEL))

    def put_pack(self, objects: Sequence[tuple[str, bytes]]) -> None:
        """Write many objects, all different, as two files. ``read`` does not find them."""
        folder = self.path / "pack"
        folder.mkdir(exist_ok=True)
        pack, index = packs.pack_with_index(objects)
        name = f"pack-{pack[-20:].hex()}"
        (folder / f"{name}.pack").write_bytes(pack)
        (folder / f"{name}.idx").write_bytes(index)  # last: it is what makes git see the pack

    def read(self, oid: str) -> tuple[str, bytes] | None:
        """Kind and bytes of an object written here, by us or by git; ``None`` if it is not here."""
        try:
            head, _, raw = zlib.decompress(self._path(oid).read_bytes()).partition(b"\0")
        except FileNotFoundError:
            return None
        return head.split(b" ")[0].decode("ascii"), raw

    def _path(self, oid: str) -> Path:
        return self.path / oid[:2] / oid[2:]


def _quoted(path: str) -> str:
    """A path as it may stand in GIT_ALTERNATE_OBJECT_DIRECTORIES (git(1))."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
