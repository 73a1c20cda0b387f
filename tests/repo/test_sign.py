"""Signatures that git itself accepts, by ssh-keygen and gpg, and none where none is asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stackr.core.model import NewCommit
from stackr.errors import ConfigError
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import Workspace, git_bytes

requires_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")


def ssh_key(folder: Path) -> Path:
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key], check=True)
    return key


def sign_with_ssh(workspace: Workspace, tmp_path: Path) -> Path:
    key = ssh_key(tmp_path)
    allowed = tmp_path / "allowed"
    allowed.write_text("alice@example.com " + key.with_suffix(".pub").read_text())
    settings = {
        "commit.gpgSign": "true",
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(allowed),
    }
    for name, value in settings.items():
        workspace.clone.git("config", name, value)
    return key


def write_two(repo: Repository, workspace: Workspace) -> dict[str, str]:
    tree, base = workspace.clone.tree(), workspace.clone.oid()
    return repo.write_commits([NewCommit(":a", tree, (base,), b"a\n"), NewCommit(":b", tree, (":a",), b"b\n")])


def test_commits_are_signed_with_ssh_when_git_is_told_to(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    sign_with_ssh(workspace, tmp_path)
    repo = open_repo(workspace.clone.path)
    oids = write_two(repo, workspace)
    for oid in oids.values():
        workspace.clone.git("verify-commit", oid)
    assert repo.read_commits(oids.values())[oids[":a"]].signed


def test_a_key_written_out_in_the_configuration_is_taken_from_the_agent(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    """A program stands in for the agent: it shows how it was called and signs with the private key."""
    key = sign_with_ssh(workspace, tmp_path)
    program = tmp_path / "signer"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/args\nexec ssh-keygen -Y sign -n git -f {key} "$8"\n')
    program.chmod(0o755)
    workspace.clone.git("config", "gpg.ssh.program", str(program))
    workspace.clone.git("config", "user.signingKey", "key::" + key.with_suffix(".pub").read_text().strip())
    oids = write_two(open_repo(workspace.clone.path), workspace)
    workspace.clone.git("-c", "gpg.ssh.program=ssh-keygen", "verify-commit", oids[":b"])
    args = (tmp_path / "args").read_text().split()
    assert args[:5] == ["-Y", "sign", "-n", "git", "-f"]
    assert args[6] == "-U"


def test_the_default_key_command_is_asked_when_no_key_is_chosen(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    key = sign_with_ssh(workspace, tmp_path)
    program = tmp_path / "signer"
    program.write_text(f'#!/bin/sh\nexec ssh-keygen -Y sign -n git -f {key} "$8"\n')
    program.chmod(0o755)
    workspace.clone.git("config", "--unset", "user.signingKey")
    workspace.clone.git("config", "gpg.ssh.program", str(program))
    workspace.clone.git("config", "gpg.ssh.defaultKeyCommand", f"cat {key}.pub")
    oids = write_two(open_repo(workspace.clone.path), workspace)
    workspace.clone.git("-c", "gpg.ssh.program=ssh-keygen", "verify-commit", oids[":a"])


def test_without_a_key_it_says_how_to_choose_one(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    sign_with_ssh(workspace, tmp_path)
    workspace.clone.git("config", "--unset", "user.signingKey")
    with pytest.raises(ConfigError, match="no key is chosen"):
        write_two(open_repo(workspace.clone.path), workspace)


@requires_gpg
def test_commits_are_signed_with_gpg_for_the_committer(
    workspace: Workspace,
    home: Path,
    open_repo: Opener,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    ring = tmp_path_factory.mktemp("g")
    ring.chmod(0o700)
    monkeypatch.setenv("GNUPGHOME", str(ring))
    make = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "Alice Author <alice@example.com>"]
    subprocess.run([*make, "ed25519", "sign", "never"], check=True, capture_output=True)
    workspace.clone.git("config", "commit.gpgSign", "true")
    try:
        oids = write_two(open_repo(workspace.clone.path), workspace)
        workspace.clone.git("verify-commit", oids[":b"])
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)


def test_a_rewritten_commit_loses_its_signature_when_none_is_asked_for(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    sign_with_ssh(workspace, tmp_path)
    signed = write_two(open_repo(workspace.clone.path), workspace)[":a"]
    workspace.clone.git("config", "commit.gpgSign", "false")
    repo = open_repo(workspace.clone.path)
    old = repo.read_commits([signed])[signed]
    new = repo.write_commits([NewCommit(":x", old.tree, old.parents, old.message, old.author, old.committer)])[":x"]
    assert b"gpgsig" in workspace.clone.raw_commit(signed)
    assert b"gpgsig" not in workspace.clone.raw_commit(new)


def test_the_signature_is_gits_own_for_the_same_commit(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    """ed25519 signatures are deterministic, so git and stackr must write the very same object."""
    sign_with_ssh(workspace, tmp_path)
    tree, base = workspace.clone.tree(), workspace.clone.oid()
    by_git = workspace.clone.git("commit-tree", "-S", "-p", base, tree, stdin=b"a\n")
    by_us = open_repo(workspace.clone.path).write_commits([NewCommit(":a", tree, (base,), b"a\n")])[":a"]
    assert by_us == by_git
    assert git_bytes(workspace.clone.path, "cat-file", "commit", by_us).count(b"gpgsig ") == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gpg.format": "pigeon"}, 'gpg.format is "pigeon"'),
        ({"gpg.program": "no-such-signer"}, '"no-such-signer" is not installed'),
        ({"gpg.program": "false"}, '"false" did not sign'),
        ({"gpg.program": "true"}, '"true" did not sign'),
        ({"gpg.format": "x509", "gpg.x509.program": "false"}, '"false" did not sign'),
    ],
)
def test_a_signer_that_does_not_sign_is_named(
    workspace: Workspace, open_repo: Opener, settings: dict[str, str], message: str
) -> None:
    workspace.clone.git("config", "commit.gpgSign", "true")
    for key, value in settings.items():
        workspace.clone.git("config", key, value)
    with pytest.raises(ConfigError, match=message):
        write_two(open_repo(workspace.clone.path), workspace)
