"""Packs of objects (gitformat-pack(5)): a stream for git to take in, or a pack with its index for git to read.

Bytes in, bytes out. A tree or file that is much like one shortly before it goes in as what differs: that is a hundredth
of a large folder, and of the work of writing it.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections import Counter, deque
from collections.abc import Sequence
from itertools import accumulate

from stackr.repo.codec import object_id
from stackr.repo.delta import delta

_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_DELTA = 6
# So many back a like one is looked for: among the folders of one commit, and of its parent.
_WINDOW = 8
# Reading an object takes reading all it is made from; git's own limit is 50 (pack.depth).
_DEPTH = 20
# Shorter ones take longer to compare than to write, and longer ones much memory.
_SHORTEST, _LONGEST = 256, 4_000_000


def pack(objects: Sequence[tuple[str, bytes]]) -> bytes:
    """A pack stream of different (kind, bytes) objects, for ``git unpack-objects`` or ``git index-pack``."""
    packed, at = [_head(len(objects))], len(_head(0))
    recent = {"tree": _Recent("tree"), "blob": _Recent("blob")}
    for kind, raw in objects:
        like = recent.get(kind) if _SHORTEST <= len(raw) <= _LONGEST else None
        packed.append(like.entry(raw, at) if like else _whole(kind, raw))
        at += len(packed[-1])
    return _sealed(b"".join(packed))


def pack_with_index(objects: Sequence[tuple[str, bytes]]) -> tuple[bytes, bytes]:
    """A pack of different objects and its index, version 2, as files for git to read."""
    head = _head(len(objects))
    packed = [_whole(kind, raw) for kind, raw in objects]
    offsets = accumulate((len(each) for each in packed), initial=len(head))
    oids = [bytes.fromhex(object_id(raw, kind.encode())) for kind, raw in objects]
    rows = sorted(zip(oids, map(zlib.crc32, packed), offsets, strict=False))
    whole = _sealed(head + b"".join(packed))
    counts = Counter(oid[0] for oid, _, _ in rows)
    index = b"\377tOc" + struct.pack(">I", 2)
    index += b"".join(struct.pack(">I", total) for total in accumulate(counts[byte] for byte in range(256)))
    index += b"".join(oid for oid, _, _ in rows)
    index += b"".join(struct.pack(">I", crc) for _, crc, _ in rows)
    index += b"".join(struct.pack(">I", offset) for _, _, offset in rows)
    return whole, _sealed(index + whole[-20:])


class _Recent:
    """The last of a kind that went in: their bytes, where they begin, and how many others it takes to read them."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._recent: deque[tuple[bytes, int, int]] = deque(maxlen=_WINDOW)

    def entry(self, raw: bytes, at: int) -> bytes:
        """What will begin at ``at``: as what makes it from a like one of the last, or whole."""
        for base, start, depth in reversed(self._recent):
            if depth < _DEPTH and _are_alike(base, raw):
                made = delta(base, raw)
                if 2 * len(made) < len(raw):
                    self._recent.append((raw, at, depth + 1))
                    return _start(_DELTA, len(made)) + _back(at - start) + zlib.compress(made, 1)
        self._recent.append((raw, at, 0))
        return _whole(self._kind, raw)


def _are_alike(one: bytes, two: bytes) -> bool:
    """Whether it is worth a closer look: nearly as long, and with the same beginning or the same end."""
    return 9 * len(two) < 10 * len(one) < 11 * len(two) and (one[:30] == two[:30] or one[-30:] == two[-30:])


def _whole(kind: str, raw: bytes) -> bytes:
    return _start(_KINDS[kind], len(raw)) + zlib.compress(raw, 1)


def _start(number: int, size: int) -> bytes:
    """The beginning of an entry: what it is, and its size in groups of seven bits but for the first four."""
    byte, size = (number << 4) | (size & 0x0F), size >> 4
    head = bytearray()
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    head.append(byte)
    return bytes(head)


def _back(distance: int) -> bytes:
    """How far before this entry the one it is made from begins: groups of seven bits, the highest first, less one."""
    groups = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        groups.append(distance & 0x7F | 0x80)
    return bytes(reversed(groups))


def _head(count: int) -> bytes:
    return b"PACK" + struct.pack(">II", 2, count)


def _sealed(body: bytes) -> bytes:
    return body + hashlib.sha1(body, usedforsecurity=False).digest()
