"""Git's words, and those of GitHub's servers, become the exception with the exit code of docs/reference/cli.md."""

from __future__ import annotations

import pytest

from stackr.errors import ConfigError, ConnectionLost, GitError, GitHubError, Refused, StackrError
from stackr.repo import failures, porcelain

# Standard error as git and GitHub write it, for pushes and fetches that end before any ref is answered for.
REMOTE = {
    "no access over https": (
        "remote: Permission to o/r.git denied to alice.\n"
        "fatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 403\n",
        ConfigError,
        'no access to push to "origin": Permission to o/r.git denied to alice.',
    ),
    "a fine-grained token without contents": (
        "remote: Write access to repository not granted.\n"
        "fatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 403\n",
        ConfigError,
        'no access to push to "origin": Write access to repository not granted.',
    ),
    "single sign-on": (
        "remote: The 'acme' organization has enabled or enforced SAML SSO.\n"
        "remote: To access this repository, visit https://github.com/enterprises/acme/sso?authorization_request=A\n"
        "fatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 403\n",
        ConfigError,
        "no access to push to \"origin\": The 'acme' organization has enabled or enforced SAML SSO.; "
        "To access this repository, visit https://github.com/enterprises/acme/sso?authorization_request=A",
    ),
    "no password": (
        "fatal: could not read Username for 'https://github.com': terminal prompts disabled\n",
        ConfigError,
        "no access to push to \"origin\": could not read Username for 'https://github.com': terminal prompts disabled",
    ),
    "a wrong password": (
        "remote: Invalid username or token. Password authentication is not supported for Git operations.\n"
        "fatal: Authentication failed for 'https://github.com/o/r/'\n",
        ConfigError,
        'no access to push to "origin": Invalid username or token. Password authentication is not supported for Git '
        "operations.",
    ),
    "no ssh key": (
        "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\n"
        "Please make sure you have the correct access rights\nand the repository exists.\n",
        ConfigError,
        'no access to push to "origin": git@github.com: Permission denied (publickey).',
    ),
    "an unknown ssh host": (
        "Host key verification failed.\nfatal: Could not read from remote repository.\n",
        ConfigError,
        'no access to push to "origin": Host key verification failed.',
    ),
    "no such repository over https": (
        "remote: Repository not found.\nfatal: repository 'https://github.com/o/r/' not found\n",
        GitHubError,
        '"origin" was not found: Repository not found.',
    ),
    "no such repository over ssh": (
        "ERROR: Repository not found.\nfatal: Could not read from remote repository.\n",
        GitHubError,
        '"origin" was not found: Repository not found.',
    ),
    "no such host": (
        "fatal: unable to access 'https://github.com/o/r/': Could not resolve host: github.com\n",
        ConnectionLost,
        "cannot push to \"origin\": unable to access 'https://github.com/o/r/': Could not resolve host: github.com",
    ),
    "no route by ssh": (
        "ssh: connect to host github.com port 22: Connection timed out\n"
        "fatal: Could not read from remote repository.\n",
        ConnectionLost,
        'cannot push to "origin": ssh: connect to host github.com port 22: Connection timed out',
    ),
    "a server's own error": (
        "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\n"
        "send-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\n",
        ConnectionLost,
        'cannot push to "origin": RPC failed; HTTP 502 curl 22 The requested URL returned error: 502',
    ),
    "an unknown scheme": (
        "fatal: unable to find remote helper for 'foo'\n",
        ConfigError,
        "git cannot use \"foo\" addresses here: unable to find remote helper for 'foo'",
    ),
    "a scheme that is switched off": (
        "fatal: transport 'ext' not allowed\n",
        ConfigError,
        "git cannot use \"ext\" addresses here: transport 'ext' not allowed",
    ),
    "another git in the way": (
        "error: cannot lock ref 'refs/remotes/origin/x': Unable to create '/r/.git/x.lock': File exists.\n",
        Refused,
        'another git process holds "/r/.git/x.lock"',
    ),
    "something new": ("fatal: the moon is full\n", GitError, '"git push" failed (128): the moon is full'),
    "nothing at all": ("", GitError, '"git push" failed (128): it gave no reason'),
}


@pytest.mark.parametrize(("err", "kind", "message"), REMOTE.values(), ids=REMOTE.keys())
def test_what_a_remote_command_says_has_one_meaning(err: str, kind: type[StackrError], message: str) -> None:
    error = failures.remote_failure("push", "origin", 128, err)
    assert (error.message, isinstance(error, kind)) == (message, True)


def test_a_push_that_failed_on_this_side_may_have_arrived() -> None:
    error = failures.remote_failure("push", "origin", 128, "fatal: write error: No space left on device\n")
    assert error.safe == "the push may or may not have arrived; running again finds out"
    assert failures.remote_failure("fetch", "origin", 128, "fatal: odd\n").safe == "nothing was changed"


LOCAL = {
    "dubious ownership": (
        "fatal: detected dubious ownership in repository at '/r'\nTo add an exception ...\n",
        Refused,
        'git does not trust the repository at "/r": it belongs to another user',
    ),
    "no repository": (
        "fatal: not a git repository (or any of the parent directories): .git\n",
        Refused,
        "this is not in a git repository",
    ),
    "a broken file": (
        "fatal: bad config line 3 in file .git/config\n",
        ConfigError,
        "git cannot read its configuration: bad config line 3 in file .git/config",
    ),
    "a locked configuration": (
        "error: could not lock config file .git/config: File exists\n",
        Refused,
        'another git process holds ".git/config"',
    ),
    "a disk that takes no writes": (
        "fatal: Unable to create '/r/.git/refs/heads/x.lock': Read-only file system\n",
        GitError,
        'git cannot write "/r/.git/refs/heads/x.lock": read-only file system',
    ),
    "a configuration in a folder of somebody else": (
        "error: could not lock config file .git/config: Permission denied\n",
        GitError,
        'git cannot write ".git/config": permission denied',
    ),
    "hints are no reasons": (
        "hint: try harder\nwarning: odd\nthe reason\nhint: so there\n",
        GitError,
        '"git gc" failed (1): the reason',
    ),
}


@pytest.mark.parametrize(("err", "kind", "message"), LOCAL.values(), ids=LOCAL.keys())
def test_what_a_local_command_says_has_one_meaning(err: str, kind: type[StackrError], message: str) -> None:
    error = failures.local_failure("gc", 1, err)
    assert (error.message, type(error)) == (message, kind)


def test_a_fetch_that_breaks_off_changed_nothing() -> None:
    error = failures.remote_failure("fetch", "origin", 128, "fatal: early EOF\n")
    assert isinstance(error, failures.NetworkFailed)
    assert (error.message, error.safe, error.lost) == (
        'cannot fetch from "origin": early EOF',
        "nothing was changed",
        False,
    )


def test_progress_and_advertising_are_not_quoted() -> None:
    err = (
        "remote: Resolving deltas: 100% (1/1), done.        \n"
        "remote: error: GH013: Repository rule violations found for refs/heads/x.        \n"
        "remote: \nremote: - Commits must have verified signatures.\n"
        "remote: Create a pull request for 'x' on GitHub by visiting:\nremote:      https://github.com/o/r/pull/new/x\n"
        "To https://github.com/o/r\n"
    )
    assert failures.remote_words(err) == (
        "GH013: Repository rule violations found for refs/heads/x.; - Commits must have verified signatures."
    )


GITHUB_DECLINES = (
    "To https://github.com/o/r\n"
    "!\tabc:refs/heads/x\t[remote rejected] (push declined due to repository rule violations)\n"
    "!\tabc:refs/heads/y\t[remote rejected] (atomic push failure)\nDone\n"
)


def test_lines_about_other_refs_and_chatter_of_hooks_do_not_count() -> None:
    out = "!\tchatter:refs/heads/other\t[rejected] (stale info)\n!\tno colon\n" + GITHUB_DECLINES
    answers = porcelain.parse(out, ["refs/heads/x", "refs/heads/y"])
    assert [(answer.ref, answer.kind, answer.reason) for answer in answers] == [
        ("refs/heads/x", "remote rejected", "push declined due to repository rule violations"),
        ("refs/heads/y", "remote rejected", "atomic push failure"),
    ]
    error = porcelain.judge(answers, "origin", "remote: - Changes must be made through a pull request.\n")
    assert isinstance(error, GitError)
    assert error.message == (
        '"origin" declined "x": push declined due to repository rule violations: '
        "- Changes must be made through a pull request."
    )


def test_a_rejection_in_another_form_is_quoted_as_it_is() -> None:
    answers = porcelain.parse("!\tabc:refs/heads/x\tsomething odd\n", ["refs/heads/x"])
    linear = porcelain.judge(answers, "origin", "remote: - This branch must not contain merge commits.\n")
    assert linear is not None
    assert linear.next_step.startswith("stackr submit --style rewrite pushes none")
    error = porcelain.judge(answers, "origin", "")
    assert error is not None
    assert error.message == '"origin" declined "x": something odd'


def test_answers_without_a_rejection_call_for_nothing() -> None:
    answers = porcelain.parse(
        "=\tabc:refs/heads/x\t[up to date]\n-\t(delete):refs/heads/y\t[deleted]\n", ["refs/heads/x"]
    )
    assert porcelain.judge(answers, "origin", "") is None
