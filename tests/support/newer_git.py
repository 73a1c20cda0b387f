"""A git that says it is 2.49 and answers ``merge-tree --stdin`` line by line, made of the git that is here.

So the one-process way of merging is tested on any machine; with ``STACKR_NEWER_GIT`` (the folder of a git that really
is that new) the same tests run on that one.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_PROGRAM = r"""#!{python}
import os, subprocess, sys

GIT = {git!r}
args = sys.argv[1:]
if args[0] == "-C":
    os.chdir(args[1])
    del args[:2]
if args == ["version"]:
    print("git version 2.49.0")
elif args[:2] == ["merge-tree", "--stdin"]:
    with open({log!r}, "a") as log:
        log.write(" ".join(args) + "\n")
    def commit(tree, *parents):
        words = [word for parent in parents for word in ("-p", parent)]
        words = [GIT, "commit-tree", tree, *words]
        return subprocess.run(words, input=b"", capture_output=True, check=True).stdout.decode().strip()
    for line in sys.stdin:
        base, dashes, ours, theirs = line.split()
        assert dashes == "--"
        root = commit(base)
        words = [GIT, "merge-tree", "--write-tree", "-z", *args[2:], commit(ours, root), commit(theirs, root)]
        words = [word for word in words if not word.startswith("-X")]
        done = subprocess.run(words, capture_output=True)
        if done.returncode not in (0, 1):
            sys.stderr.buffer.write(done.stderr)
            sys.exit(done.returncode)
        sys.stdout.buffer.write(b"%d\0%s\0" % (1 - done.returncode, done.stdout))
        sys.stdout.flush()
else:
    os.execv(GIT, ["git", *args])
"""


def make(folder: Path) -> Path:
    """The program; what it is asked to merge is noted in ``merges`` beside it."""
    real = os.environ.get("STACKR_NEWER_GIT")
    if real:
        return Path(real) / "git"
    program = folder / "git"
    git = shutil.which("git")
    assert git is not None
    program.write_text(_PROGRAM.format(python=sys.executable, git=git, log=str(folder / "merges")))
    program.chmod(0o755)
    return program
