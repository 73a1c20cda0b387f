"""The tools: how each is installed, set up for the sandbox, and called. One virtual environment each.

Versions of the other tools stand in pyproject.toml (dependency group ``bench``). All are in the state in which a daily
user has them: the user's name and token in their configuration, so that nothing is asked or looked up, and the token
for git's pushes from a credential helper (git before 2.46 then is refused once before it asks the helper; all alike).
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tomli

from bench.host import LOGIN
from stackr import __version__

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"
SHIM = Path(__file__).resolve().parent / "shim"
STACKR, GHSTACK, REVUP = "stackr", "ghstack", "revup"
NAMES = (STACKR, GHSTACK, REVUP)
_INSTALL_S = 900
_DROPPED = ("GIT_", "GH_", "GITHUB_", "STACKR_", "XDG_", "LC_", "PYTHON", "PIP_REQUIRE", "VIRTUAL_ENV", "OAUTH_")


@dataclass(frozen=True, slots=True)
class Tool:
    """An installed tool: its name and version, its environment's ``bin``, and the command that submits a stack."""

    name: str
    version: str
    bin: Path
    submit: tuple[str, ...]

    @property
    def program(self) -> str:
        """The whole path of its command."""
        return str(self.bin / self.name)


class NotInstalled(Exception):
    """A tool that cannot be had here; the message says why."""


def install(name: str) -> Tool:
    """The tool in its own environment below ``.cache/bench``, made when it is not there; raises ``NotInstalled``."""
    place = CACHE / name
    requirement = requirements()[name]
    stamp = place / "installed"
    wanted = f"{requirement}\n{sys.version}\n"
    if not stamp.exists() or stamp.read_text() != wanted:
        _run([sys.executable, "-m", "venv", "--clear", str(place)], name)
        options = ["--editable", str(ROOT)] if name == STACKR else [requirement]
        _run([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", *_PIP, *options], name)
        stamp.write_text(wanted)
    submit = {
        STACKR: ("submit",),
        GHSTACK: ("submit",),
        # A chain is a stack as the other two understand it; without it, revup targets trunk with every topic.
        REVUP: ("upload", "--skip-confirm", "--relative-chain"),
    }[name]
    version = __version__ if name == STACKR else requirement.rpartition("==")[2]
    return Tool(name, version, place / "bin", submit)


_PIP = ("--disable-pip-version-check", "--no-input")


def requirements() -> dict[str, str]:
    """What pip is asked for, by tool: ourselves, and the group ``bench`` of pyproject.toml."""
    project = tomli.loads((ROOT / "pyproject.toml").read_text())
    pinned = {line.partition("==")[0]: line for line in project["dependency-groups"]["bench"]}
    return {STACKR: " ".join(project["project"]["dependencies"]), **pinned}


def _run(argv: list[str], name: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise NotInstalled(f"{name} cannot be installed on Python {sys.version.split()[0]}: {' '.join(last)}")


def environment(tool: Tool | None, home: Path, netloc: str, token: str) -> dict[str, str]:
    """The environment for a tool, or for git alone: nothing of the user's, a home of its own and settings in it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(_DROPPED) and not k.lower().endswith("_proxy")}
    env |= {"HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    env |= {"GIT_EDITOR": "true", "NO_COLOR": "1", "COLUMNS": "120"}
    settings = f"[user]\n\tname = Alice Author\n\temail = {LOGIN}@example.com\n[init]\n\tdefaultBranch = main\n"
    home.mkdir(parents=True, exist_ok=True)
    if tool is not None:
        env["PATH"] = f"{tool.bin}{os.pathsep}{env['PATH']}"
        _configure(tool.name, home, netloc, token)
        if tool.name == STACKR:
            env["STACKR_TOKEN"] = token
        else:
            env |= {"PYTHONPATH": str(SHIM), "BENCH_GITHUB": netloc}
            # The cheapest helper there is; stackr brings its own for its token.
            settings += "[credential]\n\thelper = store\n"
            (home / ".git-credentials").write_text(f"http://x-access-token:{token}@{netloc}\n")
    (home / ".gitconfig").write_text(settings)
    return env


def _configure(name: str, home: Path, netloc: str, token: str) -> None:
    """The tool's own file, with the user's name and the token.

    https://github.com/ezyang/ghstack#readme, revup-config(1), docs/reference/configuration.md
    """
    if name == STACKR:
        folder = home / ".config" / "stackr"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(f'user = "{LOGIN}"\n')
        return
    account = f"github_url = {netloc}\ngithub_oauth = {token}\ngithub_username = {LOGIN}\n"
    if name == GHSTACK:
        (home / ".ghstackrc").write_text(f"[ghstack]\n{account}remote_name = origin\n")
        return
    # revup asks for git 2.43 by default; nothing that it does here needs more than 2.38.
    file = home / ".revupconfig"
    file.write_text(f"[revup]\n{account}main_branch = main\ngit_version = 2.38.0\n")
    file.chmod(0o600)
