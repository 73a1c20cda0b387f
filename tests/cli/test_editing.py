"""``amend``, ``absorb``, ``insert``, ``reword``, ``fold``, ``split``, ``reorder``, ``drop`` as whole commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stackr.app import App
from stackr.options import Invocation
from tests.cli.test_hook import write_hook
from tests.cli.test_undo import everything, local
from tests.support.laws import check_laws
from tests.support.world import Clone, World


def lines(title: str, *changed: int, by: str = "amended") -> str:
    """The file that ``Clone.grow`` makes for a title, some of its lines changed."""
    return "".join(f"{title} {by if n in changed else n}\n" for n in range(9))


def times(clone: Clone) -> dict[str, int]:
    """When each file of the work tree was last written."""
    return {path.name: path.stat().st_mtime_ns for path in clone.path.iterdir() if path.is_file()}


def shown(clone: Clone, name: str) -> list[str]:
    """A file in each commit of the stack, bottom first: the numbers of its changed lines."""
    found = []
    for oid in clone.git("rev-list", "--reverse", "origin/main..feature").splitlines():
        text = clone.git("show", f"{oid}:{name}", check=False)
        found.append("".join(str(n) for n, line in enumerate(text.splitlines()) if "amended" in line) if text else "-")
    return found


def staged(clone: Clone, **files: str) -> None:
    """Stage other texts."""
    for name, text in files.items():
        clone.write(f"{name}.txt", text)
        clone.git("add", f"{name}.txt")


def test_a_lower_change_is_amended_and_no_file_is_touched(world: World) -> None:
    clone = world.stacked("A", "B", "C", "D")
    clone.git("branch", "low", "HEAD~2")
    clone.git("branch", "elsewhere", "HEAD~1")
    clone.git("worktree", "add", "-q", str(world.root / "linked"), "elsewhere")
    staged(clone, A=lines("A", 3))
    clone.write("A.txt", lines("A", 3, 8))
    clone.write("B.txt", "dirty\n")
    clone.write("new.txt", "untracked\n")
    before, since, ids = local(clone), times(clone), clone.ids()
    dry = clone.stackr("amend", "#1", "--dry-run")
    assert (local(clone), dry.err) == (
        before,
        f'amending "A"\n"elsewhere" is checked out in another worktree and stays at {clone.oid("elsewhere")[:7]}\n',
    )
    told = clone.stackr("amend", "#1", "--json")
    assert [action["ref"] for action in told.json["actions"]] == ["refs/heads/feature", "refs/heads/low"]
    assert [change["state"] for change in told.json["changes"]] == ["modified"] * 4
    assert shown(clone, "A.txt") == ["3", "3", "3", "3"]
    assert (clone.oid("low"), clone.oid("elsewhere")) == (
        clone.oid("HEAD~2"),
        before["branches"]["refs/heads/elsewhere"],
    )
    assert clone.git("status", "--porcelain") == " M A.txt\n M B.txt\n?? new.txt"
    assert (times(clone), clone.ids()) == (since, ids)
    clone.stackr("undo")
    assert (local(clone), times(clone)) == (before, since)
    clone.stackr("undo")
    clone.stackr("submit")
    clone.git("branch", "-q", "-D", "low")
    check_laws(world, clone)


def test_everything_modified_is_taken_with_hooks_and_undone_as_it_was_staged(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    hooks = clone.path / ".git" / "hooks"
    write_hook(hooks, "pre-commit", "grep -q forbidden B.txt && exit 1; echo formatted >> C.txt; git add C.txt")
    write_hook(hooks, "commit-msg", 'echo "Checked: yes" >> "$1"')
    staged(clone, B=lines("B", 1))
    clone.write("B.txt", lines("B", 1, 5))
    clone.write("A.txt", lines("A", 2))
    before = local(clone)
    clone.stackr("amend", "--all", "-m", "All of it")
    assert clone.git("log", "-1", "--format=%B").strip() == "All of it\nChecked: yes"
    assert [shown(clone, f"{name}.txt")[-1] for name in "AB"] == ["2", "15"]
    assert clone.git("show", "HEAD:C.txt").endswith("formatted")
    assert clone.git("status", "--porcelain") == ""
    clone.stackr("undo")
    after = local(clone)
    assert {**after, "files": {**after["files"], "C.txt": lines("C")}} == {**before, "status": after["status"]}
    assert after["status"] == " M A.txt\nMM B.txt\n M C.txt"
    clone.write("B.txt", "forbidden\n")
    kept = everything(world, clone)
    refused = clone.stackr("amend", "HEAD~1", "--all", code=6)
    assert refused.err.splitlines()[0] == "error: the pre-commit hook declined"
    clone.write("C.txt", kept["files"]["C.txt"])
    assert everything(world, clone) == kept


def test_a_conflict_names_change_and_files_and_moves_nothing(world: World) -> None:
    clone = world.clone()
    clone.grow("A")
    clone.commit("B", {"A.txt": lines("A", 4, by="two")})
    clone.commit("C", {"C.txt": "c\n"})
    staged(clone, A=lines("A", 4))
    clone.write("new.txt", "untracked\n")
    before = everything(world, clone)
    safe = f"safe:  nothing was moved; your branch is still at {clone.oid()[:7]}\n"
    words = 'error: what is staged does not apply to "A" (conflict in A.txt)\n' + safe
    for options in ((), ("--dry-run",)):
        assert clone.stackr("amend", "HEAD~2", *options, code=4).err.startswith(words)
    clone.git("reset", "-q", "--hard")
    before["files"]["A.txt"], before["status"] = lines("A", 4, by="two"), "?? new.txt"
    for args, what in ((["drop", "HEAD~2"], 'dropping "A"'), (["reorder", "HEAD~1", "HEAD~2", "HEAD"], "reordering")):
        told = clone.stackr(*args, code=4).err
        assert told.startswith(f'error: "B" no longer applies after {what} (conflict in A.txt)\n' + safe)
    assert everything(world, clone) == before


def of_branch(clone: Clone) -> str:
    """The subjects of the stack, wherever in it HEAD is: ``A B C``."""
    return clone.git("log", "--reverse", "--format=%s", "origin/main..feature").replace("\n", " ")


def test_every_command_is_one_operation_and_is_taken_back_exactly(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.commit("E", {"E.txt": "e\n", "F.txt": "f\n"})
    clone.write("README.md", "dirty\n")
    clone.write("new.txt", "untracked\n")
    staged(clone, A=lines("A", 1), B=lines("B", 7))
    for place, runs in {
        "top": {
            "absorb": "A B C E",
            "amend -m Amended": "A B C Amended",
            "insert #2 -m Inserted": "A B Inserted C E",
            "insert HEAD -m Inserted": "A B C E Inserted",
            "reword #1 -m Reworded": "Reworded B C E",
            "fold #3": "A B E",
            "fold #2 -m Folded": "Folded C E",
            "drop #3": "A B E",
            "drop HEAD": "A B C",
            "split HEAD E.txt -m Rest": "A B C E Rest",
            "reorder HEAD #1 #3 #2": "E A C B",
        },
        "down": {
            "absorb": "A B C E",
            "amend": "A B C E",
            "insert HEAD -m Inserted": "A B C Inserted E",
            "drop feature": "A B C",
            "drop HEAD": "A B E",
            "reorder #2 #1 #3 feature": "B A C E",
            "fold feature": "A B C",
        },
    }.items():
        clone.stackr(place)
        before, count = local(clone), len(clone.stackr("log").out.splitlines())
        for command, subjects in runs.items():
            clone.stackr(*command.split())
            assert of_branch(clone) == subjects, command
            clone.stackr("undo")
            assert local(clone) == before, command
        assert len(clone.stackr("log").out.splitlines()) == count + 2 * len(runs)


def test_several_operations_with_and_without_staged_work_go_back_at_once(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    staged(clone, A=lines("A", 1))
    clone.write("README.md", "dirty\n")
    before = local(clone)
    clone.stackr("drop", "HEAD")
    clone.stackr("amend", "HEAD~1")
    clone.stackr("down")
    clone.stackr("top")
    clone.stackr("reword", "HEAD", "-m", "Words")
    after = local(clone)
    clone.stackr("undo", "5")
    assert local(clone) == before
    clone.stackr("undo")
    assert local(clone) == after
    clone.write("C.txt", "in the way of what was dropped\n")
    before = local(clone)
    refused = clone.stackr("undo", "7", code=3)
    assert refused.err.splitlines()[:2] == [
        'error: files you have changed would be overwritten: "C.txt"',
        "safe:  a part of it is done; stackr undo takes that back",
    ]
    assert clone.git("status", "--porcelain") == "M  A.txt\n M README.md\n?? C.txt"
    clone.stackr("undo")
    assert local(clone) == before


def test_what_cannot_be_done_is_refused_by_name(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    clone.stackr("down")
    staged(clone, A=lines("A", 1))
    before = everything(world, clone)
    top = clone.oid("feature")[:7]
    for args, code, words in (
        (["amend", "feature"], 3, '"C" is above HEAD, and what is staged was made without it'),
        (["insert", "feature", "-m", "x"], 3, '"C" is above HEAD, and what is staged was made without it'),
        (["fold", "HEAD~1"], 3, '"A" is the lowest change, and there is none below to fold it into'),
        (
            ["split", top, "C.txt", "-m", "x"],
            3,
            'all of "C" would go into the first part, so there is nothing to split',
        ),
        (["split", top, "A.txt", "-m", "x"], 2, 'the change has nothing in "A.txt"'),
        (["split", top], 2, "there is no terminal to choose hunks in"),
        (["split", top, "--dry-run"], 2, "a dry run asks nothing"),
        (["reorder"], 2, "there is no terminal to edit the list in"),
        (["reorder", "--dry-run"], 2, "a dry run opens no editor"),
        (["reorder", "HEAD", "HEAD~1"], 2, "the stack has 3 changes, and each has to be named once"),
        (["reword", "HEAD"], 2, "there is no terminal to edit the message in"),
        (["reword", "HEAD", "-m", " "], 2, "the message is empty"),
        (["amend", "99"], 2, '"99" is no pull request of this stack'),
    ):
        assert clone.stackr(*args, code=code).err.startswith(f"error: {words}\n"), args
    assert everything(world, clone) == before
    clone.git("reset", "-q", "--hard")
    for args, words in (
        (["amend"], "nothing is staged"),
        (["amend", "--all"], "there is nothing to commit"),
        (["absorb"], "nothing is staged"),
        (["insert", "HEAD", "-m", "x"], "nothing is staged"),
    ):
        assert clone.stackr(*args, code=3).err.startswith(f"error: {words}\n"), args
    assert clone.stackr("reorder", "HEAD~1", "HEAD", "feature").err == "nothing to do: the stack is like that already\n"
    assert clone.stackr("reword", "HEAD", "--dry-run").out.startswith("move     feature  ")


def test_hunks_go_where_their_lines_come_from(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.commit("D", {"A.txt": lines("A", 6, by="of D"), "bin": b"\0one"})
    text = lines("A", 6, by="of D").replace("A 1\n", "A one\n").replace("A of D\n", "A of D, better\n")
    staged(clone, A=text + "more\n", B=lines("B", 0) + "at the end\n")
    clone.write("README.md", "README.md line 1, changed\n" + (clone.path / "README.md").read_text().split("\n", 1)[1])
    clone.write("bin", b"\0two")
    clone.write("new.txt", "new\n")
    clone.git("add", ".")
    clone.git("mv", "C.txt", "E.txt")
    since, ids = times(clone), clone.ids()
    told = clone.stackr("absorb", "--json")
    assert told.err == (
        'A.txt:2      goes into #1 "A"\n'
        'A.txt:7      goes into "D"\n'
        'A.txt:10     goes into #1 "A"\n'
        'B.txt:1      goes into #2 "B"\n'
        'B.txt:10     goes into #2 "B"\n'
        "E.txt        stays staged: the file is renamed\n"
        "README.md:1  stays staged: its lines are older than the stack\n"
        "bin          stays staged: the file is binary\n"
        "new.txt      stays staged: the file is new\n"
        "absorbed 5 hunks into 3 changes\n"
    )
    assert clone.git("show", "HEAD~3:A.txt") == (lines("A").replace("A 1\n", "A one\n") + "more")
    assert clone.git("show", "HEAD:A.txt") == text + "more"
    assert clone.git("show", "HEAD~2:B.txt") == lines("B", 0) + "at the end"
    assert (times(clone), clone.ids()) == (since, ids)
    assert clone.git("status", "--porcelain") == "R  C.txt -> E.txt\nM  README.md\nM  bin\nA  new.txt"
    told = clone.stackr("absorb")
    assert told.err == "nothing to do: the stack is like that already\n"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits there."""
    monkeypatch.setattr(Invocation, "interactive", property(lambda _: True))


@contextmanager
def typing(text: str) -> Iterator[None]:
    """What is typed at the terminal of programs that stackr starts."""
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    kept = os.dup(0)
    os.dup2(read, 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(read)
        os.close(kept)


@pytest.mark.usefixtures("terminal")
def test_at_a_terminal_the_users_editor_has_its_say(world: World, tmp_path: Path) -> None:
    clone = world.stacked("A", "B", "C")
    saved = tmp_path / "saved"
    ids = clone.ids()
    editor = {"GIT_EDITOR": f"sed -i -e 's/^B$/Better B/' -e 'w {saved}'"}
    assert (
        "#2  Better B  modified  differs: text  next: stackr submit\n" in clone.stackr("reword", "#2", env=editor).out
    )
    assert clone.subjects() == ["A", "Better B", "C"]
    assert saved.read_text().startswith(f"Better B\n\nChange-Id: {ids['B']}\n\n#\n# The message of the change.")
    assert clone.ids()["Better B"] == ids["B"]
    kept = everything(world, clone)
    assert clone.stackr("reword", "#2", env={"GIT_EDITOR": "truncate -s 0"}, code=3).err.startswith(
        "error: the message is empty\n"
    )
    failed = clone.stackr("reword", "#2", env={"GIT_EDITOR": "false"}, code=6)
    assert failed.err.startswith('error: the editor "false" failed\n')
    sequence = {"GIT_SEQUENCE_EDITOR": f"cp {saved}"}
    saved.write_text("pick nonsense\n")
    refused = clone.stackr("reorder", env=sequence, code=3)
    assert refused.err.startswith('error: this line is not understood: "pick nonsense"\n')
    clone.stackr("reorder", env={"GIT_SEQUENCE_EDITOR": "truncate -s 0"})
    assert everything(world, clone) == kept
    clone.git("config", "sequence.editor", "sed -i -e '/#2/{h;d}' -e '/#3/G'")
    clone.stackr("reorder", env={"GIT_SEQUENCE_EDITOR": ""})
    assert clone.subjects() == ["A", "C", "Better B"]


@pytest.mark.usefixtures("terminal")
def test_a_change_is_split_hunk_by_hunk_in_gits_own_dialogue(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.commit("B", {"A.txt": lines("A", 0, 8), "B.txt": "b\n"})
    clone.commit("C", {"C.txt": "c\n"})
    clone.write("A.txt", "dirty\n")
    files = local(clone)["files"]
    with typing("y\nn\nn\n"):
        clone.stackr("split", "HEAD~1", "-m", "Rest of B")
    assert clone.subjects() == ["A", "B", "Rest of B", "C"]
    assert shown(clone, "A.txt") == ["", "0", "08", "08"]
    assert clone.git("diff", "--name-only", "HEAD~2", "HEAD~1") == "A.txt\nB.txt"
    assert local(clone)["files"] == files
    clone.stackr("undo")
    with typing("q\n"):
        assert clone.stackr("split", "HEAD~1", code=3).err.startswith('error: nothing of "B" would go into the first')
    assert local(clone)["files"] == files


def test_paths_are_those_of_the_folder_one_is_in(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.commit("B", {"src/new/one.py": "1\n", "src/new/two.py": "2\n", "one.py": "0\n"})
    inside = Clone(clone.path / "src" / "new", clone.login, clone.token)
    refused = inside.stackr("split", "HEAD", "three.py", "-m", "Rest", code=2)
    assert refused.err.splitlines()[0] == 'error: the change has nothing in "src/new/three.py"'
    inside.stackr("split", "HEAD", "one.py", "../../one.py", "-m", "Rest")
    assert clone.git("diff", "--name-only", "HEAD~2", "HEAD~1") == "one.py\nsrc/new/one.py"
    inside.stackr("split", "HEAD~1", str(clone.path / "src"), "-m", "Outside")
    assert clone.subjects() == ["A", "B", "Outside", "Rest"]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes each run of stackr started, counted when it ends."""
    counts: list[int] = []
    close = App.close

    def counted(app: App) -> None:
        counts.append(app.repo.process_count)
        close(app)

    monkeypatch.setattr(App, "close", counted)
    return counts


def test_git_processes_do_not_grow_with_the_stack(world: World, processes: list[int]) -> None:
    counts: dict[int, list[int]] = {}
    for size in (3, 23):
        clone = world.stacked(*(f"T{n}" for n in range(size)), submit=False)
        bottom = clone.stack()[0]
        processes.clear()
        staged(clone, T0=lines("T0", 2))
        clone.stackr("amend", bottom)
        staged(clone, T0=lines("T0", 2, 5), T1=lines("T1", 4))
        clone.stackr("absorb")
        clone.stackr("drop", clone.stack()[1])
        counts[size] = list(processes)
    assert counts[3] == counts[23]
    assert max(counts[23]) <= 25
