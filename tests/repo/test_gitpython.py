"""What importing GitPython costs, and leaves behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

_IMPORT = """
import os, subprocess
before, started = dict(os.environ), []
init = subprocess.Popen.__init__
def noted(self, args, *more, **named):
    init(self, args, *more, **named)
    started.append(args)
subprocess.Popen.__init__ = noted
from stackr.repo import gitpython
print(started, os.environ == before, gitpython.git.Git.GIT_PYTHON_GIT_EXECUTABLE)
"""


@pytest.mark.parametrize("told", [{}, {"GIT_PYTHON_REFRESH": "raise", "GIT_PYTHON_GIT_EXECUTABLE": "/no/git"}])
def test_importing_gitpython_starts_no_process_and_leaves_the_environment_as_it_was(
    told: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[] True git\n", "")
