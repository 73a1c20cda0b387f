"""Which remote, and at which address: pure reading of a configuration snapshot, no process.

The order of choice is docs/internals/protocol.md 1.4; addresses are rewritten as git does it (git-config(1),
``url.<base>.insteadOf`` and ``pushInsteadOf``). What a host means is decided by the GitHub room.
"""

from __future__ import annotations

from stackr.errors import Refused
from stackr.repo.config import GitConfig


def names(config: GitConfig) -> tuple[str, ...]:
    """The remotes that have an address, in the order of the configuration."""
    return tuple(dict.fromkeys([*config.subsections("remote", "url"), *config.subsections("remote", "pushurl")]))


def choose(config: GitConfig, branch: str | None, setting: str | None = None) -> str:
    """The remote of the stack on ``branch`` (a short name, ``None`` when detached).

    ``setting`` if there is one, ``branch.<name>.pushRemote``, ``remote.pushDefault``, the upstream's remote, the only
    remote, ``origin``. Raises ``Refused`` when there is none, or when the one that is configured does not exist.
    """
    short = branch.removeprefix("refs/heads/") if branch else None
    keys = [f"branch.{short}.pushremote", "remote.pushdefault", f"branch.{short}.remote"]
    wanted = [config.get(key) for key in (keys if short else keys[1:2])]
    known = names(config)
    if setting:
        return _existing(setting, 'the setting "remote"', known, "stackr config shows where that stands")
    for key, name in zip(keys if short else keys[1:2], wanted, strict=True):
        if name and name != ".":  # "." is this repository: a branch that follows a local branch
            return _existing(name, key, known, f"git config {key} NAME")
    if len(known) == 1:
        return known[0]
    if "origin" in known:
        return "origin"
    if known:
        listed = ", ".join(f'"{name}"' for name in known)
        raise Refused(
            f"there are several remotes ({listed}) and none is chosen",
            next_step=f"git config remote.pushDefault {known[0]}",
        )
    raise Refused("this repository has no remote", next_step="git remote add origin https://github.com/OWNER/REPO")


def url(config: GitConfig, remote: str, *, push: bool = False) -> str:
    """The address git would use, after ``pushurl``, ``insteadOf`` and ``pushInsteadOf``.

    May hold a user name or password: redact before showing. ``remote`` may itself be an address.
    """
    plain = (config.get_all(f"remote.{remote}.url") or (remote,))[0]
    if not push:
        return _rewritten(plain, config.subsections("url", "insteadof"))
    if pushurls := config.get_all(f"remote.{remote}.pushurl"):
        return _rewritten(pushurls[0], config.subsections("url", "insteadof"))
    for push_only in (config.subsections("url", "pushinsteadof"), config.subsections("url", "insteadof")):
        if (changed := _rewritten(plain, push_only)) != plain:
            return changed
    return plain


def _existing(name: str, source: str, known: tuple[str, ...], remedy: str) -> str:
    """``name`` if it is a remote or an address, which git takes in the same place."""
    if name in known or "/" in name or ":" in name:
        return name
    raise Refused(f'there is no remote "{name}" (from {source})', next_step=f"{remedy}, or git remote add {name} URL")


def _rewritten(address: str, rules: dict[str, tuple[str, ...]]) -> str:
    """The address with the longest matching prefix replaced by its base."""
    matches = [
        (len(prefix), base) for base, prefixes in rules.items() for prefix in prefixes if address.startswith(prefix)
    ]
    if not matches:
        return address
    length, base = max(matches, key=lambda match: match[0])
    return base + address[length:]
