"""``stackr diff``: what an author changed between two pushes, and nothing that came from elsewhere."""

from __future__ import annotations

import time

from stackr.sandbox import refs, reviews
from tests.support.git import WHEN
from tests.support.world import World, person_line


def shown(text: str) -> list[str]:
    """The lines that a diff takes away and adds."""
    return [line for line in text.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]


def trunk_grows(world: World, count: int) -> None:
    """So many commits on trunk, pushed by bob at once."""
    who, scratch = person_line("bob"), "refs/scratch/trunk"
    stream = f"reset {scratch}\nfrom refs/heads/main^0\n\n"
    for number in range(count):
        stream += f"commit {scratch}\nauthor {who}\ncommitter {who}\ndata 5\ntrunk"
        stream += f"\nM 100644 inline trunk{number % 7}.txt\ndata {len(str(number))}\n{number}\n"
    world.bare.git("fast-import", "--quiet", stdin=stream.encode())
    repo, tip = world.server.repository(world.name), world.bare.oid(scratch)
    world.bare.git("update-ref", "-d", scratch)
    world.server.engine.git(repo).reload()
    refs.update_refs(world.server.engine, world.server.user("bob"), repo, [refs.RefChange("refs/heads/main", tip)])


def test_since_review_shows_the_amendment_alone_though_the_change_was_rebased_over_fifty_commits(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.approve(2)
    trunk_grows(world, 50)
    clone.amend("A", "below\n")
    clone.amend("B", "amended\n")
    clone.stackr("sync")
    clone.amend("B", "once more\n")
    clone.stackr("submit")
    world.forget()
    objects = clone.git("count-objects", "-v")
    told = clone.stackr("diff", "2", "--since-review")
    assert shown(told.out) == ["+amended", "+once more"]
    assert told.err == '#2 "B": v1..v3, since the review of bob\n'
    assert world.api_count() <= 3
    assert clone.git("count-objects", "-v") == objects
    assert shown(clone.stackr("diff", "HEAD~1", "v0..").out) == [
        *(f"+B {n}" for n in range(9)),
        "+amended",
        "+once more",
    ]
    stat = clone.stackr("diff", world.server.clone_url(world.name).removesuffix(".git") + "/pull/2", "--stat")
    assert stat.out == " B.txt | 1 +\n 1 file changed, 1 insertion(+)\n"
    at = time.strftime("%Y-%m-%d %H:%M", time.localtime(int(WHEN.split()[0])))
    lines = clone.stackr("diff", "2", "--versions").out.splitlines()
    assert [line.split(maxsplit=2)[::2] for line in lines] == [
        ["v3", f"{at}  Alice Author  Update: B"],
        ["v2", f"{at}  Alice Author  Update: B"],
        ["v1", f"{at}  Alice Author  B"],
    ]
    # A reader without the stack, and a change below that has landed.
    reader = world.clone("carol")
    world.merge(1, method="squash", delete=True)
    document = reader.stackr("diff", "#2", "v1..v2", "--json").json
    assert (document["from"]["version"], document["to"]["version"], document["conflicts"]) == (1, 2, [])
    assert document["files"] == [{"path": "B.txt", "status": "modified", "added": 1, "removed": 0, "old_path": None}]
    world.merge(2, method="squash", delete=True)
    assert shown(reader.stackr("diff", "2").out) == ["+once more"]


def test_what_cannot_be_carried_over_is_shown_as_a_difference_of_diffs(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "HEAD~1")
    clone.write("README.md", "ours\n")
    clone.git("commit", "-q", "-a", "--amend", "--no-edit")
    clone.git("checkout", "-q", "-B", "feature")
    clone.commit("D", {"README.md": "ours and more\n"})
    clone.stackr("submit")
    clone.git("checkout", "-q", "HEAD~1")
    clone.write("README.md", "theirs\n")
    clone.git("commit", "-q", "-a", "--amend", "--no-edit")
    clone.git("cherry-pick", "-X", "theirs", "feature")
    clone.git("checkout", "-q", "-B", "feature")
    clone.write("README.md", "theirs and more\n")
    clone.git("commit", "-q", "-a", "--amend", "--no-edit")
    clone.stackr("submit")
    number = world.titled("D").number
    told = clone.stackr("diff", str(number))
    assert told.err.splitlines()[1] == (
        'the older of v1..v2 does not apply to what the newer stands on (conflict in "README.md"); '
        "so this is the difference of their two diffs"
    ), told
    patch = ["    --ours", "    -+ours and more", "    +-theirs", "    ++theirs and more"]
    assert told.out.splitlines()[-4:] == patch
    document = clone.stackr("diff", str(number), "--json").json
    assert document["conflicts"] == ["README.md"]
    assert [each["path"] for each in document["files"]] == ["README.md"]


def test_what_is_not_there_is_named(world: World) -> None:
    clone = world.stacked("A")
    refused = {
        ("7",): (2, "error: #7 is no pull request of this repository"),
        ("1", "--since-review"): (3, "error: nobody has reviewed it yet"),
        ("1", "v1..v4"): (2, "error: there is no version v4: the change has v1 to v1"),
        ("1", "v1..", "--versions"): (2, "error: FROM..TO, --since-review and --versions exclude each other"),
        ("https://github.com/acme/other/pull/1",): (
            2,
            'error: "https://github.com/acme/other/pull/1" is a pull request of another repository: "origin" is '
            + world.server.clone_url(world.name).removesuffix(".git"),
        ),
    }
    for args, (code, words) in refused.items():
        assert clone.stackr("diff", *args, code=code).err.splitlines()[0] == words
    pull = world.pull(1)
    reviews.add_review(world.server.engine, world.server.user("bob"), pull, event="APPROVE", oid=world.bare.oid("main"))
    told = clone.stackr("diff", "1", "--since-review", "bob", code=3).err.splitlines()[0]
    assert told.startswith("error: what bob reviewed (") and told.endswith("force-pushed since")
    world.approve(1)
    told = clone.stackr("diff", "1", "--since-review=@Bob")
    assert (told.out, told.err.splitlines()[1]) == ("", "nothing differs, but for what came from below or from trunk")
