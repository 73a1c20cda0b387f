"""The two bits of git's wire format the sandbox must read: the commands of a push, and its report.

Source: gitprotocol-pack(5), gitprotocol-common(5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from stackr.sandbox.git import RefMove

FLUSH = b"0000"
_BAND = 65515


def packet(data: bytes) -> bytes:
    """One pkt-line."""
    return b"%04x" % (len(data) + 4) + data


def packets(data: bytes) -> Iterator[bytes | None]:
    """The payloads of a stream of pkt-lines, None for a flush; stops at what is none."""
    at = 0
    while at + 4 <= len(data):
        try:
            size = int(data[at : at + 4], 16)
        except ValueError:
            return
        if size < 4:
            yield None
            at += 4
            continue
        yield data[at + 4 : at + size]
        at += size


def push_commands(body: BinaryIO) -> list[RefMove]:
    """The commands at the start of a receive-pack request; leaves the file where the pack begins."""
    moves: list[RefMove] = []
    while True:
        head = body.read(4)
        if len(head) < 4 or head == FLUSH:
            return moves
        line = body.read(int(head, 16) - 4).split(b"\0")[0].decode("utf-8", "replace").rstrip("\n")
        words = line.split(" ", 2)
        if len(words) == 3 and len(words[0]) == 40 and len(words[1]) == 40:
            moves.append(RefMove(words[2], words[0], words[1]))


def reword_report(data: bytes, reasons: Mapping[str, str]) -> bytes:
    """Replace git's reason for a refused ref by GitHub's words, in an answer with side bands.

    Also drops git's own "hook declined to update" lines, which GitHub does not print.
    """
    if not reasons:
        return data
    report = b""
    others: list[bytes] = []
    for payload in packets(data):
        if payload is None:
            continue
        if payload[:1] == b"\1":
            report += payload[1:]
        elif b"hook declined to update" not in payload:
            others.append(payload)
    lines = [_reword(line, reasons) for line in packets(report) if line is not None]
    inner = b"".join(packet(line) for line in lines) + FLUSH
    bands = [b"\1" + inner[at : at + _BAND] for at in range(0, len(inner), _BAND)]
    return b"".join(packet(payload) for payload in [*others, *bands]) + FLUSH


def _reword(line: bytes, reasons: Mapping[str, str]) -> bytes:
    words = line.decode("utf-8", "replace").rstrip("\n").split(" ", 2)
    if len(words) == 3 and words[0] == "ng" and words[1] in reasons and words[2] == "hook declined":
        return f"ng {words[1]} {reasons[words[1]]}\n".encode()
    return line
