"""The report of a bug: one Markdown file, ready to paste, without tokens.

Only for exceptions that nobody foresaw; ``stackr.failures`` decides which those are.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from stackr import __version__
from stackr.patterns import pattern

_PACKAGES = ("click", "GitPython", "requests", "tomli", "rich", "flask", "graphql-core")
_HIDDEN = "[removed]"
# GitHub's token formats: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
_TOKEN = pattern(r"\b(?:gh[pousr]_[A-Za-z0-9_]{16,}|github_pat_[A-Za-z0-9_]{16,})")
_AUTHORIZATION = pattern(r"(?i)\b(bearer|basic|token)(\s+|\s*[=:]\s*[\"']?)[A-Za-z0-9+/._~=-]{8,}")
_USERINFO = pattern(r"(?<=://)[^/\s@'\"]+@")
_SECRET_NAME = pattern(r"(?i)token|secret|passw|credential|_key$|_pat$")


def headline(problem: BaseException) -> str:
    """The kind of exception, and its first line."""
    first = str(problem).strip().split("\n", 1)[0]
    return redact(f"{type(problem).__name__}: {first}" if first else type(problem).__name__, os.environ)


def redact(text: str, env: Mapping[str, str]) -> str:
    """``text`` without tokens, passwords in URLs, and the values of environment variables that name a secret."""
    secrets = (value for name, value in env.items() if _SECRET_NAME.search(name) and len(value) >= 8)
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    text = _USERINFO.sub(f"{_HIDDEN}@", _TOKEN.sub(_HIDDEN, text))
    return _AUTHORIZATION.sub(rf"\1\2{_HIDDEN}", text)


def report_text(problem: BaseException, argv: Sequence[str], env: Mapping[str, str]) -> str:
    """The report: what ran, on what, and where it stopped."""
    trace = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    home = env.get("HOME", "")
    locale = env.get("LC_ALL") or env.get("LANG") or "none"
    lines = [
        f"# stackr {__version__}: {type(problem).__name__}",
        "",
        f"- command: `stackr {' '.join(argv)}`",
        f"- Python {platform.python_version()} on {platform.platform()}",
        f"- packages: {', '.join(map(_version, _PACKAGES))}",
        f"- encoding: {getattr(sys.stdout, 'encoding', None)}, locale: {locale}",
        "",
        "```",
        trace.rstrip(),
        "```",
        "",
    ]
    text = redact("\n".join(lines), env)
    return text.replace(home, "~") if len(home) > 1 else text


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} missing"


def write_report(problem: BaseException, argv: Sequence[str], directory: Path) -> Path | None:
    """Write the report into the git directory, else among the temporary files; ``None`` if neither can be written."""
    text = report_text(problem, argv, os.environ)
    for place in (find_git_dir(directory), Path(tempfile.gettempdir())):
        if place is None:
            continue
        try:
            descriptor, name = tempfile.mkstemp(prefix="stackr-report-", suffix=".md", dir=place)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


def find_git_dir(directory: Path) -> Path | None:
    """The git directory of the work tree around ``directory``, found without git (gitrepository-layout(5))."""
    place = directory.absolute()
    for parent in (place, *place.parents):
        candidate = parent / ".git"
        if candidate.is_dir():
            return candidate
        if candidate.is_file():
            pointer = candidate.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
            return parent / pointer if (parent / pointer).is_dir() else None
    return None
