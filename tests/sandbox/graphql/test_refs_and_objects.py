"""Refs, commits, trees, comparisons; and the mutations that move refs."""

from __future__ import annotations

from typing import Any

from tests.support.graphql import data, errors, repository_id
from tests.support.sandbox import Box

ZEROS = "0" * 40
UPDATE = "mutation($i: UpdateRefsInput!) {updateRefs(input: $i) {clientMutationId}}"


def repo(box: Box, selection: str, **variables: Any) -> Any:
    """A part of the repository, as alice sees it."""
    declared = f"({', '.join(f'${name}: String!' for name in variables)})" if variables else ""
    query = f'query{declared} {{repository(owner: "acme", name: "widgets") {{{selection}}}}}'
    return data(box.alice, query, **variables)["repository"]


def test_a_ref_is_found_by_every_form_of_its_name(box: Box) -> None:
    tip = box.tip("main")
    for name in ("main", "heads/main", "refs/heads/main"):
        found = repo(box, "ref(qualifiedName: $n) {name prefix target {oid}}", n=name)["ref"]
        assert found == {"name": "main", "prefix": "refs/heads/", "target": {"oid": tip}}
    assert repo(box, 'ref(qualifiedName: "nothing") {name}') == {"ref": None}


def test_refs_are_listed_below_a_prefix(box: Box) -> None:
    for name in ("feature/a", "feature/b"):
        box.alice.branch(name)
    box.alice.push("feature/a", "feature/b")
    query = 'refs(refPrefix: "refs/heads/", first: 9, %s) {totalCount nodes {name}}'
    found = repo(box, query % "orderBy: {field: ALPHABETICAL, direction: DESC}")["refs"]
    assert [each["name"] for each in found["nodes"]] == ["main", "feature/b", "feature/a"]
    assert repo(box, query % 'query: "FEATURE"')["refs"]["totalCount"] == 2
    by_date = repo(box, query % "orderBy: {field: TAG_COMMIT_DATE, direction: ASC}")["refs"]
    assert by_date["totalCount"] == 3
    assert repo(box, query % "direction: DESC")["refs"]["nodes"][0] == {"name": "main"}


def test_several_refs_move_together_or_not_at_all(box: Box) -> None:
    one, two, main = box.alice.branch("one"), box.alice.branch("two"), box.tip("main")
    box.alice.push("one", "two")
    changes = [
        {"name": "refs/heads/one", "beforeOid": one, "afterOid": ZEROS},
        {"name": "refs/heads/two", "beforeOid": main, "afterOid": ZEROS},
    ]
    fields = {"repositoryId": repository_id(box.alice), "refUpdates": changes}
    assert errors(box.alice, UPDATE, i=fields)[0][:2] == ("UNPROCESSABLE", ["updateRefs"])
    assert (box.tip("one"), box.tip("two")) == (one, two)
    changes[1]["beforeOid"] = two
    changes.append({"name": "refs/heads/three", "beforeOid": ZEROS, "afterOid": main or ""})
    assert errors(box.alice, UPDATE, i=fields) == []
    assert (box.tip("one"), box.tip("two"), box.tip("three")) == (None, None, main)


def test_single_refs_are_made_moved_and_deleted(box: Box) -> None:
    one, main = box.alice.branch("one"), box.tip("main")
    box.alice.push("one")
    fields = {"repositoryId": repository_id(box.alice), "name": "refs/heads/made", "oid": main}
    make = "mutation($i: CreateRefInput!) {createRef(input: $i) {ref {id name target {oid}}}}"
    made = data(box.alice, make, i=fields)["createRef"]["ref"]
    assert (made["name"], made["target"]["oid"]) == ("made", main)
    text = 'A ref named "refs/heads/made" already exists in the repository.'
    assert errors(box.alice, make, i=fields)[0][2] == text
    move = "mutation($i: UpdateRefInput!) {updateRef(input: $i) {ref {target {oid}}}}"
    moved = data(box.alice, move, i={"refId": made["id"], "oid": one})
    assert moved["updateRef"]["ref"]["target"]["oid"] == one
    assert errors(box.alice, move, i={"refId": made["id"], "oid": main})[0][2] == "Update is not a fast forward"
    drop = "mutation($i: DeleteRefInput!) {deleteRef(input: $i) {clientMutationId}}"
    assert errors(box.dave, drop, i={"refId": made["id"]})[0][0] == "FORBIDDEN"
    assert errors(box.alice, drop, i={"refId": made["id"]}) == []
    assert errors(box.alice, drop, i={"refId": made["id"]})[0][0] == "NOT_FOUND"


def test_a_commit_tells_its_history_and_what_it_changed(box: Box) -> None:
    box.alice.clone.git("checkout", "-q", "-B", "topic", "origin/main")
    box.alice.clone.commit("Subject\n\nBody\n\nCo-authored-by: Bob <bob@example.com>\n", {"src/new.py": "a\nb\n"})
    box.alice.push("topic")
    commit = """object(expression: "topic") {... on Commit {
      message messageHeadline messageBody additions deletions changedFilesIfAvailable
      parents(first: 1) {totalCount} authors(first: 9) {nodes {name user {login}}}
      history(first: 2) {totalCount nodes {messageHeadline}}
      byPath: history(first: 9, path: "README.md") {nodes {messageHeadline}}
      byAuthor: history(first: 9, author: {emails: ["nobody@example.com"]}) {totalCount}
      late: history(first: 9, since: "2100-01-01T00:00:00Z") {totalCount}
    }}"""
    found = repo(box, commit)["object"]
    assert (found["messageHeadline"], found["additions"], found["changedFilesIfAvailable"]) == ("Subject", 2, 1)
    assert found["messageBody"].startswith("Body")
    assert found["authors"]["nodes"][-1] == {"name": "Bob", "user": {"login": "bob"}}
    assert found["history"]["totalCount"] == 3
    assert found["history"]["nodes"][0] == {"messageHeadline": "Subject"}
    assert found["byPath"]["nodes"] == [{"messageHeadline": "Begin"}]
    assert (found["byAuthor"]["totalCount"], found["late"]["totalCount"]) == (0, 0)


def test_trees_and_files_can_be_walked(box: Box) -> None:
    query = """object(expression: "main:") {... on Tree {entries {
      name path type mode size extension object {... on Blob {text isBinary byteSize} ... on Tree {
        entries {path}}}}}}"""
    readme, folder = repo(box, query)["object"]["entries"]
    assert readme["object"] == {"text": "# Widgets\n", "isBinary": False, "byteSize": 10}
    assert (readme["type"], readme["mode"], readme["size"], readme["extension"]) == ("blob", 0o100644, 10, ".md")
    assert (folder["type"], folder["object"]) == ("tree", {"entries": [{"path": "src/code.py"}]})
    assert repo(box, 'object(expression: "main:nothing") {id}') == {"object": None}


def test_a_submodule_has_no_object_here(box: Box) -> None:
    box.alice.clone.git("checkout", "-q", "-B", "topic", "origin/main")
    box.alice.clone.git("update-index", "--add", "--cacheinfo", f"160000,{box.tip('main')},sub")
    box.alice.clone.git("commit", "-q", "-m", "Add a submodule")
    box.alice.push("topic")
    found = repo(box, 'object(expression: "topic:") {... on Tree {entries {path type size object {oid}}}}')
    (entry,) = [each for each in found["object"]["entries"] if each["path"] == "sub"]
    assert entry == {"path": "sub", "type": "commit", "size": 0, "object": None}


def test_an_annotated_tag_points_at_its_commit(box: Box) -> None:
    box.alice.clone.git("tag", "-a", "v1", "-m", "The first", "origin/main")
    box.alice.push("v1")
    query = 'ref(qualifiedName: "refs/tags/v1") {target {... on Tag {name message tagger {name} target {oid}}}}'
    found = repo(box, query)["ref"]["target"]
    assert (found["name"], found["message"], found["target"]["oid"]) == ("v1", "The first\n", box.tip("main"))


def test_branches_are_compared(box: Box) -> None:
    box.alice.branch("topic")
    box.alice.push("topic")
    query = 'ref(qualifiedName: "%s") {compare(headRef: "%s") {status aheadBy behindBy commits(first: 9) {totalCount}}}'

    def status(base: str, head: str) -> tuple[str, int, int]:
        found = repo(box, query % (base, head))["ref"]["compare"]
        assert found["commits"]["totalCount"] == found["aheadBy"]
        return found["status"], found["aheadBy"], found["behindBy"]

    assert status("main", "topic") == ("AHEAD", 1, 0)
    assert status("topic", "main") == ("BEHIND", 0, 1)
    assert status("main", "main") == ("IDENTICAL", 0, 0)
    box.alice.clone.git("checkout", "-q", "-B", "main", "origin/main")
    box.alice.clone.commit("On main", {"other.txt": "x\n"})
    box.alice.push("main")
    assert status("main", "topic") == ("DIVERGED", 1, 1)
    missing = f'{{repository(owner: "acme", name: "widgets") {{{query % ("main", "nothing")}}}}}'
    assert errors(box.alice, missing)[0][0] == "NOT_FOUND"


def test_pull_requests_are_found_by_commit_and_by_branch(box: Box) -> None:
    box.stack("one", "two")
    head = box.tip("two")
    found = repo(
        box, "object(expression: $c) {... on Commit {associatedPullRequests(first: 9) {nodes {number}}}}", c=head
    )
    assert found["object"]["associatedPullRequests"]["nodes"] == [{"number": 2}]
    query = 'ref(qualifiedName: "one") {associatedPullRequests(first: 9, states: [OPEN]) {nodes {number}}}'
    assert repo(box, query)["ref"]["associatedPullRequests"]["nodes"] == [{"number": 1}]
    fork = 'ref(qualifiedName: "refs/pull/1/head") {associatedPullRequests(first: 1) {totalCount}}'
    assert repo(box, fork)["ref"]["associatedPullRequests"]["totalCount"] == 0


def test_a_repository_without_commits_has_no_default_branch_ref(box: Box) -> None:
    box.server.add_repository("acme/empty", writers=["alice"])
    query = '{repository(owner: "acme", name: "empty") {isEmpty defaultBranchRef {name} pullRequestTemplates {body}}}'
    assert data(box.alice, query)["repository"] == {
        "isEmpty": True,
        "defaultBranchRef": None,
        "pullRequestTemplates": [],
    }


def test_templates_come_from_every_place(box: Box) -> None:
    files = {
        "docs/pull_request_template.md": "From docs\n",
        ".github/PULL_REQUEST_TEMPLATE/big.md": "From the folder\n",
        ".github/pull_request_template.txt": "\n",
    }
    box.alice.branch("main", "origin/main", files)
    box.alice.push("main")
    assert repo(box, "pullRequestTemplates {filename body}")["pullRequestTemplates"] == [
        {"filename": "big.md", "body": "From the folder\n"},
        {"filename": "pull_request_template.md", "body": "From docs\n"},
    ]
