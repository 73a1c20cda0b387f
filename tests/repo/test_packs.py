"""What we pack is what git unpacks, whole or as what differs from another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackr.repo import codec, packs
from stackr.repo.delta import delta
from stackr.repo.replay.trees import Tree, serialise
from tests.support.git import GitRepo, Workspace, git_bytes

WHO = b"A <a@example.com> 1700000000 +0000"
BLOB = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")


def folder(names: int, **changed: int) -> bytes:
    """A tree of so many files, with other ids for some of them."""
    tree: Tree = {b"f%05d" % number: (b"100644", BLOB) for number in range(names)}
    tree |= {name.encode(): (b"100644", bytes([byte]) * 20) for name, byte in changed.items()}
    return serialise(tree)


def patched(base: bytes, made: bytes) -> bytes:
    """What a delta comes to, read as gitformat-pack(5) has it."""

    def size(at: int) -> tuple[int, int]:
        number = shift = 0
        while True:
            number |= (made[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if made[at - 1] < 0x80:
                return number, at

    before, at = size(0)
    after, at = size(at)
    assert before == len(base)
    out = b""
    while at < len(made):
        which, at = made[at], at + 1
        if which < 0x80:
            out, at = out + made[at : at + which], at + which
            continue
        given = [0] * 7
        for place in range(7):
            if which & 1 << place:
                given[place], at = made[at], at + 1
        start, length = int.from_bytes(given[:4], "little"), int.from_bytes(given[4:], "little") or 0x10000
        out += base[start : start + length]
    assert after == len(out)
    return out


@given(st.binary(max_size=400), st.binary(max_size=400), st.binary(max_size=300), st.binary(max_size=300))
def test_a_delta_makes_the_one_of_the_other(start: bytes, end: bytes, old: bytes, new: bytes) -> None:
    base, target = start + old + end, start + new + end
    made = delta(base, target)
    assert patched(base, made) == target
    assert len(made) <= len(new) + len(new) // 127 + 40


@pytest.mark.parametrize("size", [0, 1, 0xFFFF, 0x10000, 0x10001, 0xFFFFFF, 0x1000000])
def test_a_delta_copies_any_length(size: int) -> None:
    base = bytes(size)
    assert patched(base, delta(base, base + b"x")) == base + b"x"


@pytest.mark.parametrize("size", [0, 15, 16, 2047, 2048, 300_000])
def test_packs_of_every_size_are_read_by_git(workspace: Workspace, size: int) -> None:
    clone = workspace.clone
    raw = codec.serialise(clone.tree(), [], WHO, WHO, b"x" * size)
    clone.git("unpack-objects", "-q", stdin=packs.pack([("commit", raw)]))
    assert git_bytes(clone.path, "cat-file", "commit", codec.object_id(raw)) == raw


@pytest.mark.parametrize("command", ["unpack-objects -q", "index-pack --stdin"])
def test_trees_that_are_alike_are_packed_as_what_differs(workspace: Workspace, command: str) -> None:
    clone = workspace.clone
    trees = [folder(900, **{f"f{number:05}": 7}) for number in range(60)]  # far more than may build on one another
    trees += [folder(700, **{f"f{number:05}": 8}) for number in range(3)]
    trees += [folder(2), folder(900, f00000=9, f00899=9), folder(900), folder(899), folder(901)]
    objects = [each for number, raw in enumerate(trees) for each in (("tree", raw), ("commit", commit(raw, number)))]
    made = packs.pack(objects)
    assert len(made) < sum(len(raw) for raw in trees) / 8
    clone.git(*command.split(), stdin=made)
    assert [git_bytes(clone.path, "cat-file", kind, name(kind, raw)) for kind, raw in objects] == [
        raw for _, raw in objects
    ]
    check_depth(clone, made, limit=20)


def test_files_that_are_alike_are_packed_as_what_differs(workspace: Workspace) -> None:
    text = b"".join(b"line %d\n" % number for number in range(5000))
    files = [text.replace(b"line 17\n", b"change %d\n" % number) for number in range(10)] + [text[::-1], b"short"]
    made = packs.pack([("blob", raw) for raw in files])
    assert len(made) < len(packs.pack([("blob", files[0]), ("blob", text[::-1])])) + 1000
    workspace.clone.git("unpack-objects", "-q", stdin=made)
    assert [git_bytes(workspace.clone.path, "cat-file", "blob", name("blob", raw)) for raw in files] == files


def commit(tree: bytes, number: int) -> bytes:
    return codec.serialise(name("tree", tree), [], WHO, WHO, b"%d" % number)


def name(kind: str, raw: bytes) -> str:
    return codec.object_id(raw, kind.encode())


def check_depth(clone: GitRepo, made: bytes, limit: int) -> None:
    """Git counts the objects of a pack by how many others it takes to read them."""
    path = clone.path / "made.pack"
    path.write_bytes(made)
    clone.git("index-pack", str(path))
    lines = clone.git("verify-pack", "-s", str(path)).splitlines()
    depths = [int(line.split()[3].rstrip(":")) for line in lines if line.startswith("chain length = ")]
    assert max(depths) == limit
