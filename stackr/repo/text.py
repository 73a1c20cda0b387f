"""Text that came from a process, made fit to be shown: control characters and secrets removed.

What the text means is decided elsewhere (``failures``).
"""

from __future__ import annotations

from collections.abc import Iterable

from stackr.patterns import pattern

_ESCAPES = pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# The forms of GitHub's tokens: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
_TOKENS = pattern(r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})")
_USERINFO = pattern(r"(?<=://)[^/@\s]+@")


def clean(text: str) -> str:
    """``text`` without terminal escapes and control characters; of what a carriage return overwrote, the last."""
    lines = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in _ESCAPES.sub("", text).split("\n"))
    return "\n".join(_CONTROLS.sub("", line).rstrip() for line in lines)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without the given secrets, without anything of the form of a GitHub token, without URL passwords."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return _USERINFO.sub("***@", _TOKENS.sub("***", text))


def decode(raw: bytes) -> str:
    """Output of git as text that can be shown: undecodable bytes become U+FFFD."""
    return raw.decode("utf-8", errors="replace")


def decode_name(raw: bytes) -> str:
    """A ref or path name that must go back to git unchanged: undecodable bytes become lone surrogates."""
    return raw.decode("utf-8", errors="surrogateescape")


def encode_name(name: str) -> bytes:
    """The inverse of ``decode_name``."""
    return name.encode("utf-8", errors="surrogateescape")
