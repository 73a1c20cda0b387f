"""Takes the pictures of the README from a real stack in the sandbox: ``python docs/images/capture.py``.

Needs the test dependencies and a Chromium. The pictures are committed; run this again when the look has changed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from stackr.sandbox import playground
from stackr.sandbox.server import SandboxServer

HERE = Path(__file__).parent
REPOSITORY = "acme/words"


def main() -> None:
    """Build the stack, capture it, leave nothing behind but the two pictures."""
    root = Path(tempfile.mkdtemp(prefix="stackr-capture-"))
    try:
        _capture(root)
    finally:
        shutil.rmtree(root)


def _capture(root: Path) -> None:
    env = playground.sealed(root / "home", {})
    history = playground.make_history(root, env)
    playground.publish(history, root / "history.git", env)
    with SandboxServer(root / "github") as server:
        tokens = {login: server.add_user(login) for login in ("alice", "bob")}
        server.add_repository(REPOSITORY, root / "history.git", writers=("alice", "bob"))
        clone = root / "clone"
        playground.check_out(server.clone_url(REPOSITORY), root / "history.git", clone, history, env)
        env = {**env, "STACKR_TOKEN": tokens["alice"], "PYTHONPATH": str(HERE.parents[1])}
        pulls = json.loads(_stackr(clone, env, "submit", "--json"))["changes"]
        _review(server.url, tokens["bob"], pulls)
        _change(clone, env)
        _picture(_stackr(clone, env, "--color=always", "status"))
        _screenshot(f"{server.url}/{REPOSITORY}/pull/3")


def _stackr(clone: Path, env: dict[str, str], *args: str) -> str:
    command = [sys.executable, "-m", "stackr", *args]
    return subprocess.run(command, cwd=clone, env=env, check=True, capture_output=True, text=True).stdout


def _review(url: str, token: str, changes: list[dict[str, dict[str, str]]]) -> None:
    """Bob approves the two lowest, asks for changes on the third; checks pass, fail, run."""
    api = f"{url}/api/v3/repos/{REPOSITORY}"
    for number, event in ((1, "APPROVE"), (2, "APPROVE"), (3, "REQUEST_CHANGES")):
        _post(f"{api}/pulls/{number}/reviews", token, {"event": event, "body": "Please name the argument."})
    for change, state in zip(changes, ("success", "success", "failure", "pending"), strict=False):
        oid = change["pull"]["head_oid"]
        _post(f"{api}/statuses/{oid}", token, {"state": state, "context": "tests"})


def _post(url: str, token: str, body: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60).close()  # noqa: S310


def _change(clone: Path, env: dict[str, str]) -> None:
    """Amend the fourth change, so that status has something to say."""
    rebase = {**env, "GIT_SEQUENCE_EDITOR": "sed -i.before -e '4s/^pick/edit/'"}
    playground.git(clone, rebase, "rebase", "-i", "origin/main")
    (clone / "__main__.py").write_text(
        "import sys\n\nfrom words import count\n\nprint(count(sys.stdin.read()))  # words\n"
    )
    playground.git(clone, env, "commit", "-q", "-a", "--amend", "--no-edit")
    playground.git(clone, env, "rebase", "--continue")


def _picture(ansi: str) -> None:
    lines = ["$ stackr status", *ansi.splitlines()]
    console = Console(record=True, width=104, file=open("/dev/null", "w"), force_terminal=True)  # noqa: PTH123, SIM115
    for each in lines:
        console.print(Text.from_ansi(each), soft_wrap=True)
    svg = console.export_svg(title="stackr", unique_id="stackr")
    # No fonts from elsewhere: the picture is the same without a network.
    head, _, rest = svg.partition("@font-face")
    _, _, tail = rest.rpartition("@font-face")
    fonts_end = tail.index("}") + 1
    (HERE / "status.svg").write_text((head + tail[fonts_end:]).replace("Fira Code", "ui-monospace, Menlo, Consolas"))


def _screenshot(url: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 720})
        page.goto(url)
        page.screenshot(path=str(HERE / "pull-request.png"))
        browser.close()


if __name__ == "__main__":
    main()
