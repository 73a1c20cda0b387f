"""Signing commits the way ``git commit -S`` does: openpgp, x509 and ssh, by the programs git is configured for.

One signer process a commit cannot be avoided; nothing starts unless ``commit.gpgSign`` is set. After git's
``gpg-interface.c``; keys are git-config(1) ``user.signingKey`` and ``gpg.*``. Verifying is not done here.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

from stackr.errors import ConfigError
from stackr.repo import failures
from stackr.repo.config import GitConfig
from stackr.repo.run import Done, Runner

SIGN_TIMEOUT_S = 120.0  # a passphrase or a touch of a hardware key may be asked for
_PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}

Signer = Callable[[bytes, bytes], bytes]


def signer(runner: Runner, config: GitConfig) -> Signer | None:
    """What turns the bytes of a commit and its committer into a signature; ``None`` unless ``commit.gpgSign``.

    Raises ``ConfigError`` for a format git does not know; the signer raises it when the program is missing or fails.
    """
    if not config.get_bool("commit.gpgsign"):
        return None
    kind = config.get("gpg.format", "openpgp") or "openpgp"
    if kind not in _PROGRAMS:
        raise ConfigError(f'gpg.format is "{kind}", which git does not know', next_step="git config gpg.format ssh")
    program = _program(config, kind)
    if kind == "ssh":
        return lambda raw, committer: _sign_ssh(runner, config, program, raw)
    return lambda raw, committer: _sign_gpg(runner, program, config.get("user.signingkey") or _who(committer), raw)


def _program(config: GitConfig, kind: str) -> str:
    named = config.get(f"gpg.{kind}.program") or (config.get("gpg.program") if kind == "openpgp" else None)
    return os.path.expanduser(named) if named else _PROGRAMS[kind]  # noqa: PTH111 - a bare name must stay one


def _who(committer: bytes) -> str:
    """Name and address without the date: what git gives gpg when no key is chosen."""
    return os.fsdecode(committer[: committer.rindex(b">") + 1])


def _sign_gpg(runner: Runner, program: str, key: str, raw: bytes) -> bytes:
    argv = [program, "--status-fd=2", "-bsau", key]
    done = runner.try_program(argv, stdin=raw, timeout_s=SIGN_TIMEOUT_S, terminal=True)
    done = _checked(done, program)
    if "[GNUPG:] SIG_CREATED " not in done.err:
        raise _failed(program, done)
    return done.out.replace(b"\r\n", b"\n")


def _sign_ssh(runner: Runner, config: GitConfig, program: str, raw: bytes) -> bytes:
    """Call the program exactly as git does: password managers offer look-alikes that know only this form."""
    with tempfile.TemporaryDirectory(prefix="stackr-sign-") as folder:
        payload = Path(folder) / "commit"
        payload.write_bytes(raw)
        key = _ssh_key(runner, config)
        literal = key.removeprefix("key::") if key.startswith(("key::", "ssh-")) else None
        if literal is not None:
            key = str(Path(folder) / "key")
            Path(key).write_text(literal + "\n")
        argv = [program, "-Y", "sign", "-n", "git", "-f", os.path.expanduser(key)]  # noqa: PTH111 - as git expands it
        argv += [*(["-U"] if literal is not None else []), str(payload)]
        _checked(runner.try_program(argv, timeout_s=SIGN_TIMEOUT_S, terminal=True), program)
        return payload.with_suffix(".sig").read_bytes().replace(b"\r\n", b"\n")


def _ssh_key(runner: Runner, config: GitConfig) -> str:
    if key := config.get("user.signingkey"):
        return key
    command = config.get("gpg.ssh.defaultkeycommand")
    done = runner.try_program(shlex.split(command), timeout_s=SIGN_TIMEOUT_S) if command else None
    first = (done.out.decode("utf-8", "replace").splitlines() or [""])[0] if done and done.code == 0 else ""
    if first.startswith(("ssh-", "key::")):
        return first
    raise ConfigError(
        "commits are to be signed with ssh, but no key is chosen",
        next_step="git config user.signingKey ~/.ssh/id_ed25519.pub, or git config commit.gpgSign false",
    )


def _checked(done: Done | None, program: str) -> Done:
    if done is None:
        raise ConfigError(f'cannot sign: "{program}" is not installed', next_step="git config commit.gpgSign false")
    if done.code or done.late:
        raise _failed(program, done)
    return done


def _failed(program: str, done: Done) -> ConfigError:
    said = [line for line in done.err.splitlines() if not line.startswith("[GNUPG:]")]
    return ConfigError(
        f'"{Path(program).name}" did not sign: {failures.last_words(chr(10).join(said))}',
        next_step="git commit --allow-empty -S shows the same problem; git config commit.gpgSign false switches it off",
    )
