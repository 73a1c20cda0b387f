"""One object as what differs from another: the delta of a pack (gitformat-pack(5), "Deltified representation").

Only what a change of one place in a long object needs: a common beginning, something new, a common end. The trees of a
stack are of this kind, one after the other.
"""

from __future__ import annotations

_LONGEST_COPY = 0xFFFFFF
_LONGEST_INSERT = 0x7F


def delta(base: bytes, target: bytes) -> bytes:
    """What makes ``target`` of ``base``; longer than ``target`` itself where the two have little in common."""
    start = _common(base, target)
    end = _common_end(base[start:], target[start:])
    parts = [_size(len(base)), _size(len(target)), *_copies(0, start)]
    parts += _inserts(target[start : len(target) - end])
    return b"".join([*parts, *_copies(len(base) - end, end)])


def _common(one: bytes, two: bytes) -> int:
    """How long the common beginning is. As numbers two texts are compared in one go, and without a loop in Python."""
    shorter = min(len(one), len(two))
    return shorter - (_difference(one[:shorter], two[:shorter]).bit_length() + 7) // 8


def _common_end(one: bytes, two: bytes) -> int:
    shorter = min(len(one), len(two))
    differing = _difference(one[len(one) - shorter :], two[len(two) - shorter :])
    return ((differing & -differing).bit_length() - 1) // 8 if differing else shorter


def _difference(one: bytes, two: bytes) -> int:
    return int.from_bytes(one, "big") ^ int.from_bytes(two, "big")


def _size(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def _copies(offset: int, size: int) -> list[bytes]:
    return [_copy(offset + done, min(size - done, _LONGEST_COPY)) for done in range(0, size, _LONGEST_COPY)]


def _copy(offset: int, size: int) -> bytes:
    """Copy from the base: those of four bytes of offset and three of size that are not zero, and which they are."""
    which, given = 0x80, bytearray()
    for place, byte in enumerate([*offset.to_bytes(4, "little"), *size.to_bytes(3, "little")]):
        if byte:
            which |= 1 << place
            given.append(byte)
    return bytes([which]) + bytes(given)


def _inserts(new: bytes) -> list[bytes]:
    pieces = [new[at : at + _LONGEST_INSERT] for at in range(0, len(new), _LONGEST_INSERT)]
    return [bytes([len(piece)]) + piece for piece in pieces]
