"""Which merges need no git: entries that one side alone changed, or both alike, and nothing that could be a rename."""

from __future__ import annotations

import pytest

from stackr.errors import GitError
from stackr.repo.replay import trees as module
from stackr.repo.replay.splice import splice
from stackr.repo.replay.trees import Entry, Trees, parse, serialise

Files = dict[str, str]
MODES = {"!": b"100755", "@": b"120000", "&": b"160000", "?": b"100664"}


@pytest.fixture
def trees() -> Trees:
    return Trees(lambda oid: None)


def entry(text: str) -> Entry:
    """A file; the first character may tell its mode."""
    return MODES.get(text[:1], b"100644"), module.object_id("blob", text.encode())


def root(trees: Trees, files: Files) -> bytes:
    empty = trees.make({})
    return trees.with_entries(empty, {path.encode(): entry(text) for path, text in files.items()})


def merged(trees: Trees, base: Files, ours: Files, theirs: Files) -> Files | None:
    """The merged files (by the texts that went in), ``None`` where git has to merge."""
    texts = {entry(text): text for files in (base, ours, theirs) for text in files.values()}
    result = splice(trees, root(trees, base), root(trees, ours), root(trees, theirs))
    if result is None:
        return None
    everything = trees.differences({}, trees.get(result))
    return {path.decode(): texts[now] for path, _, now in everything if now is not None}


BASE = {"a": "1", "d/x": "x", "d/y": "y", "d/e/z": "z"}

CLEAN: dict[str, tuple[Files, Files, Files]] = {
    "different files": (
        BASE | {"a": "ours"},
        BASE | {"d/x": "theirs"},
        BASE | {"a": "ours", "d/x": "theirs"},
    ),
    "different files of one folder": (
        BASE | {"d/x": "ours"},
        BASE | {"d/e/z": "!theirs"},
        BASE | {"d/x": "ours", "d/e/z": "!theirs"},
    ),
    "the same change": (BASE | {"a": "both"}, BASE | {"a": "both", "n": "new"}, BASE | {"a": "both", "n": "new"}),
    "the same change of a folder": (
        BASE | {"d/x": "both", "d/n": "both"},
        BASE | {"d/x": "both", "d/n": "both", "n": "new"},
        BASE | {"d/x": "both", "d/n": "both", "n": "new"},
    ),
    "the same new file": (BASE | {"n": "both", "o": "o"}, BASE | {"n": "both"}, BASE | {"n": "both", "o": "o"}),
    "new folders that share a name": (BASE | {"n/o": "o"}, BASE | {"n/t": "t"}, BASE | {"n/o": "o", "n/t": "t"}),
    "one side deletes": (BASE | {"a": "ours"}, {"a": "1", "d/y": "y"}, {"a": "ours", "d/y": "y"}),
    "both empty a folder": (
        {"a": "1", "d/x": "x", "d/e/z": "z"},
        {"a": "1", "d/y": "y", "d/e/z": "z"},
        {"a": "1", "d/e/z": "z"},
    ),
    "a folder becomes a file": (BASE | {"a": "ours"}, {"a": "1", "d": "file"}, {"a": "ours", "d": "file"}),
    "a file becomes a folder": (
        BASE | {"n": "ours"},
        {"a/b": "deep"} | {name: BASE[name] for name in ("d/x", "d/y", "d/e/z")},
        {"a/b": "deep", "n": "ours"} | {name: BASE[name] for name in ("d/x", "d/y", "d/e/z")},
    ),
    "a link and a module": (BASE | {"a": "@link"}, BASE | {"m": "&1"}, BASE | {"a": "@link", "m": "&1"}),
}


@pytest.mark.parametrize(("ours", "theirs", "result"), CLEAN.values(), ids=CLEAN.keys())
def test_what_does_not_meet_is_spliced(trees: Trees, ours: Files, theirs: Files, result: Files) -> None:
    assert merged(trees, BASE, ours, theirs) == result
    assert merged(trees, BASE, theirs, ours) == result


def without(*names: str) -> Files:
    return {path: text for path, text in BASE.items() if path not in names}


MEETING: dict[str, tuple[Files, Files]] = {
    "one file": (BASE | {"a": "ours"}, BASE | {"a": "theirs"}),
    "mode and content": (BASE | {"a": "!1"}, BASE | {"a": "theirs"}),
    "changed and deleted": (BASE | {"a": "ours"}, without("a")),
    "deleted by both": (without("a") | {"n": "1"}, without("a")),
    "deleted by both in a folder changed alike": (without("d/x"), without("d/x") | {"n": "x"}),
    "deleted by both deep in a folder changed alike": (
        without("d/e/z") | {"d/e/w": "w", "o": "o"},
        without("d/e/z") | {"d/e/w": "w"},
    ),
    "a folder that both make a file": (
        {"a": "1", "d": "both", "o": "o"},
        {"a": "1", "d": "both"},
    ),
    "a file that both make a folder": (
        without("a") | {"a/b": "both", "o": "o"},
        without("a") | {"a/b": "both"},
    ),
    "a new file in a folder that is gone": ({"a": "1", "moved/x": "x", "moved/y": "y"}, BASE | {"d/new": "new"}),
    "two new files of one name": (BASE | {"n": "ours"}, BASE | {"n": "theirs"}),
    "a file and a folder of one name": (BASE | {"n": "ours"}, BASE | {"n/t": "theirs"}),
    "a module moved by both": (BASE | {"a": "&1"}, BASE | {"a": "&2"}),
    "a mode of git's first years": (BASE | {"a": "?old"}, BASE | {"n": "new"}),
}


@pytest.mark.parametrize(("ours", "theirs"), MEETING.values(), ids=MEETING.keys())
def test_what_meets_is_left_to_git(trees: Trees, ours: Files, theirs: Files) -> None:
    assert merged(trees, BASE, ours, theirs) is None
    assert merged(trees, BASE, theirs, ours) is None


def test_nothing_is_remembered_of_a_merge_that_fails_half_way(trees: Trees) -> None:
    ours = root(trees, BASE | {"d/x": "ours", "z": "ours"})
    theirs = root(trees, BASE | {"d/y": "theirs", "z": "theirs"})
    base = root(trees, BASE)
    before = set(trees.new)
    assert splice(trees, base, ours, theirs) is None
    assert set(trees.new) == before


def test_folders_are_sorted_as_git_sorts_them() -> None:
    oid = bytes(20)
    tree = {b"a": (b"40000", oid), b"a.b": (b"100644", oid), b"a0": (b"100644", oid)}
    names = [name for name, _ in parse(serialise(tree)).items()]
    assert names == [b"a.b", b"a", b"a0"]


def test_taking_away_what_is_not_there_changes_nothing(trees: Trees) -> None:
    base = root(trees, BASE)
    assert trees.with_entries(base, {b"no/such/file": None, b"nothing": None}) == base


@pytest.mark.parametrize(
    "raw", [b"100644 a\0short", b"nonsense", b"100644 a\0" + bytes(20) + b"100644 a\0" + bytes(20)]
)
def test_a_malformed_tree_is_said(raw: bytes) -> None:
    with pytest.raises(GitError, match="malformed"):
        parse(raw)


def test_a_file_that_is_not_here_is_said(trees: Trees) -> None:
    with pytest.raises(GitError, match='file "0000000000" is missing'):
        trees.blob(bytes(20))
