"""The GraphQL texts, as builders: a text depends only on how many things are asked for, all values are variables.

Every text that stackr can send comes from here, and ``every_query`` shows each builder at work, so that the suite can
hold them against GitHub's schema. Not here: values and answers (``reading``, ``creating``, ``updating``).

Limits that the numbers respect (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api):
500,000 nodes a query; 100 heads x 5 pull requests x 30 reviews are 15,500, what targets them 2,000 more, and the open
ones' review threads for a landing 50,000.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stackr.github.fragments import DETAILS, NEWEST, PULL, ROLLUP, RULES, SEVS, STANDING, WHERE

HEADS_A_QUERY = 100
PULLS_A_HEAD = 5
PULLS_A_BASE = 20

# kind of a step -> the mutation and the type of its input
MUTATIONS = {
    "branch": ("updateRefs", "UpdateRefsInput"),
    "reopen": ("reopenPullRequest", "ReopenPullRequestInput"),
    "close": ("closePullRequest", "ClosePullRequestInput"),
    "update": ("updatePullRequest", "UpdatePullRequestInput"),
    "draft": ("convertPullRequestToDraft", "ConvertPullRequestToDraftInput"),
    "ready": ("markPullRequestReadyForReview", "MarkPullRequestReadyForReviewInput"),
    "reviewers": ("requestReviews", "RequestReviewsInput"),
    "labels": ("addLabelsToLabelable", "AddLabelsToLabelableInput"),
}


def viewer_query() -> str:
    """Whose token it is."""
    return "query StackrViewer { viewer { login } }"


def read_query(
    heads: int,
    numbers: int,
    *,
    trunk: bool,
    details: bool,
    targeting: bool = False,
    landing: bool = False,
    sevs: bool = False,
) -> str:
    """The repository, its trunk, ``h<i>``: pull requests by head, ``b<i>``: branch tips, ``n<i>``: by number.

    With ``targeting`` also ``t<i>``: the open pull requests whose base is that head. With ``landing`` also the settings
    for merging, the rules of trunk and of the lowest and the highest head, trunk's ``queue``, and how each open pull
    request stands: ``s<i>`` by head, ``m<i>`` by number; ``sevs`` adds the open issues with a label, ``sev``.
    """
    fields = "...Pull ...Details" if details else "...Pull"
    pulls = [
        *(_pulls_of_head(i, "", fields, paged=True) for i in range(heads)),
        *(_pulls_on_head(i) for i in range(heads if targeting else 0)),
        *(f"n{i}: pullRequest(number: $n{i}) {{ {fields} }}" for i in range(numbers)),
    ]
    more = [*_landing(heads, numbers, trunk=trunk), SEVS if sevs else ""] if landing else []
    variables = [
        *(["$trunk: String!"] if trunk else []),
        *(["$branch: String!"] if trunk and landing else []),
        *(["$label: String!"] if landing and sevs else []),
        *_each("h", "String!", heads),
        *_each("b", "String!", heads),
        *_each("n", "Int!", numbers),
    ]
    fragments = [
        PULL if pulls else "",
        DETAILS if pulls and details else "",
        RULES if landing else "",
        STANDING if pulls and landing else "",
    ]
    lines = [*_branches(heads, trunk=trunk, landing=landing), *pulls, *more]
    return _in_repository("query StackrRead", variables, lines) + "".join(fragments)


def more_pulls_query(*, details: bool) -> str:
    """A further page of the pull requests of one head branch, ``h0``."""
    fields = "...Pull ...Details" if details else "...Pull"
    lines = [_pulls_of_head(0, ", after: $after", fields, paged=True)]
    text = _in_repository("query StackrMorePulls", ["$h0: String!", "$after: String!"], lines)
    return text + PULL + (DETAILS if details else "")


def checks_query(heads: int, numbers: int) -> str:
    """The rollups of open pull requests: state and counts, since the contexts of many time out (cli/cli#7421)."""
    fields = f"number {WHERE} {ROLLUP}"
    lines = [
        *(_pulls_of_head(i, ", states: OPEN", fields) for i in range(heads)),
        *(f"n{i}: pullRequest(number: $n{i}) {{ {fields} }}" for i in range(numbers)),
    ]
    variables = [*_each("h", "String!", heads), *_each("n", "Int!", numbers)]
    return _in_repository("query StackrChecks", variables, lines)


def own_query() -> str:
    """The open pull requests of the token's owner, a hundred a page, and the repository's default branch."""
    fragments = PULL + DETAILS
    return _search("query StackrOwn", "defaultBranchRef { name }", "...Pull ...Details") + fragments


def own_checks_query() -> str:
    """The rollups of the same."""
    return _search("query StackrOwnChecks", "id", f"... on PullRequest {{ number {ROLLUP} }}")


def lookup_query(heads: int) -> str:
    """Open pull requests by head branch: was the one whose answer got lost created?"""
    lines = [_pulls_of_head(i, ", states: OPEN", "...Pull") for i in range(heads)]
    return _in_repository("query StackrLookUp", _each("h", "String!", heads), lines) + PULL


def texts_query(numbers: int) -> str:
    """Title and description by number."""
    lines = [_text_of_number(i) for i in range(numbers)]
    return _in_repository("query StackrTexts", _each("n", "Int!", numbers), lines)


def create_mutation(pulls: int, numbers: int = 0, heads: int = 0) -> str:
    """Creates ``p<i>`` in order. The last one's answer also reads the texts of ``numbers`` and of ``heads``.

    Top-level mutations run one after the other (https://spec.graphql.org/October2021/#sec-Mutation), so what the last
    one reads is how things stand after all of them.
    """
    texts = [
        *(_text_of_number(i) for i in range(numbers)),
        *(_pulls_of_head(i, ", states: OPEN", f"number {WHERE} title body") for i in range(heads)),
    ]
    also = f" repository {{ {' '.join(texts)} }}" if texts else ""
    creates = [
        f"p{i}: createPullRequest(input: $p{i}) {{ pullRequest {{ ...Pull{also if i == pulls - 1 else ''} }} }}"
        for i in range(pulls)
    ]
    variables = [
        *_each("p", "CreatePullRequestInput!", pulls),
        *_each("n", "Int!", numbers),
        *_each("h", "String!", heads),
    ]
    return _document("mutation StackrCreate", variables, creates) + PULL


def update_mutation(kinds: Sequence[str]) -> str:
    """One step for each of ``kinds`` (keys of MUTATIONS), in order: ``s<i>`` with the input ``$s<i>``."""
    steps = [f"s{i}: {MUTATIONS[kind][0]}(input: $s{i}) {{ clientMutationId }}" for i, kind in enumerate(kinds)]
    variables = [f"$s{i}: {MUTATIONS[kind][1]}!" for i, kind in enumerate(kinds)]
    return _document("mutation StackrUpdate", variables, steps)


def states_query() -> str:
    """Open and draft by node id: which steps of a lost request were done?"""
    return "query StackrStates($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { id state isDraft } } }"


def bases_query() -> str:
    """What pull requests target by node id: the branch may be gone."""
    fields = "id baseRefName baseRefOid baseRef { id } repository { id }"
    return f"query StackrBases($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on PullRequest {{ {fields} }} }} }}"


def enqueue_mutation() -> str:
    """Into the merge queue. https://docs.github.com/en/graphql/reference/mutations#enqueuepullrequest"""
    mutation = "enqueuePullRequest(input: $input) { mergeQueueEntry { state } }"
    return f"mutation StackrEnqueue($input: EnqueuePullRequestInput!) {{ {mutation} }}"


def auto_merge_mutation() -> str:
    """Auto-merge on. https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge"""
    mutation = "enablePullRequestAutoMerge(input: $input) { clientMutationId }"
    return f"mutation StackrAutoMerge($input: EnablePullRequestAutoMergeInput!) {{ {mutation} }}"


def outcome_query() -> str:
    """How ``n0`` stands after a merge that was refused, or whose answer got lost."""
    fields = [
        "state headRefOid mergeable headRef { target { oid } } mergeCommit { oid } mergeQueueEntry { state }",
        "autoMergeRequest { mergeMethod commitHeadline commitBody }",
    ]
    return _in_repository(
        "query StackrOutcome", ["$n0: Int!"], [f"n0: pullRequest(number: $n0) {{ {' '.join(fields)} }}"]
    )


def comments_query() -> str:
    """The newest comments of ``n0``: was the one whose answer got lost written?"""
    line = "n0: pullRequest(number: $n0) { comments(last: 20) { nodes { viewerDidAuthor body } } }"
    return _in_repository("query StackrComments", ["$n0: Int!"], [line])


def people_query(users: int, teams: int, labels: int) -> str:
    """Node ids of ``u<i>`` by login, ``t<i>`` by organization and slug, ``l<i>`` by label name."""
    found = [f"l{i}: label(name: $l{i}) {{ id }}" for i in range(labels)]
    lines = [
        *(f"u{i}: user(login: $u{i}) {{ id }}" for i in range(users)),
        *(f"t{i}: organization(login: $o{i}) {{ team(slug: $t{i}) {{ id }} }}" for i in range(teams)),
        *([f"repository(owner: $owner, name: $name) {{ {' '.join(found)} }}"] if labels else []),
    ]
    variables = [
        *(["$owner: String!", "$name: String!"] if labels else []),
        *_each("u", "String!", users),
        *_each("o", "String!", teams),
        *_each("t", "String!", teams),
        *_each("l", "String!", labels),
    ]
    return _document("query StackrPeople", variables, lines)


def refs_query(refs: int) -> str:
    """Branch tips ``b<i>`` by full ref name."""
    lines = [f"b{i}: ref(qualifiedName: $b{i}) {{ target {{ oid }} }}" for i in range(refs)]
    return _in_repository("query StackrRefs", _each("b", "String!", refs), lines)


def open_query() -> str:
    """The newest hundred open pull requests, anybody's."""
    line = f"open: pullRequests(first: 100, {NEWEST}, states: OPEN) {{ nodes {{ ...Pull }} }}"
    return _in_repository("query StackrOpen", [], [line]) + PULL


def reviews_query() -> str:
    """The newest hundred reviews of one pull request, oldest first, answers in threads included."""
    fields = "state author { login } commit { oid }"
    line = f"n0: pullRequest(number: $n0) {{ reviews(last: 100) {{ nodes {{ {fields} }} }} }}"
    return _in_repository("query StackrReviews", ["$n0: Int!"], [line])


def update_refs_mutation() -> str:
    """Several refs at once, all or none. https://docs.github.com/en/graphql/reference/mutations#updaterefs"""
    return "mutation StackrRefs($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"


def every_query() -> dict[str, str]:
    """One text or more of every builder, by name, for validation against GitHub's schema."""
    flags = [(trunk, details) for trunk in (False, True) for details in (False, True)]
    return {
        "viewer": viewer_query(),
        **{f"read {t} {d}": read_query(2, 2, trunk=t, details=d) for t, d in flags},
        "read targeting": read_query(2, 0, trunk=True, details=True, targeting=True),
        **{f"read nothing {t} {d}": read_query(0, 0, trunk=t, details=d) for t, d in flags},
        **{
            f"read landing {h} {n} {t} {s}": read_query(h, n, trunk=t, details=t, landing=True, sevs=s)
            for h, n in [(0, 0), (1, 0), (3, 2)]
            for t in (False, True)
            for s in (False, True)
        },
        **{f"more {details}": more_pulls_query(details=details) for details in (False, True)},
        **{f"checks {h} {n}": checks_query(h, n) for h, n in [(2, 0), (0, 2), (2, 2)]},
        "own": own_query(),
        "own checks": own_checks_query(),
        "lookup": lookup_query(2),
        "texts": texts_query(2),
        **{f"create {p} {n} {h}": create_mutation(p, n, h) for p, n, h in [(1, 0, 0), (2, 2, 0), (2, 0, 2), (5, 2, 5)]},
        **{f"update {kind}": update_mutation([kind]) for kind in MUTATIONS},
        "update all": update_mutation([*MUTATIONS, *MUTATIONS]),
        "states": states_query(),
        "bases": bases_query(),
        "enqueue": enqueue_mutation(),
        "auto-merge": auto_merge_mutation(),
        "outcome": outcome_query(),
        "comments": comments_query(),
        **{f"people {u} {t} {n}": people_query(u, t, n) for u, t, n in [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 1)]},
        "refs": refs_query(2),
        "open": open_query(),
        "reviews": reviews_query(),
        "update refs": update_refs_mutation(),
    }


def _each(letter: str, type_: str, count: int) -> list[str]:
    return [f"${letter}{i}: {type_}" for i in range(count)]


def _branches(heads: int, *, trunk: bool, landing: bool) -> Iterator[str]:
    """Trunk and the tips of the heads; for a landing with the rules of trunk and of the lowest and the highest head.

    All heads of a stack have names of one pattern, so the same rules hold for them; one of the two may be gone already.
    """
    rules = " ...Rules" if landing else ""
    yield f"id viewerPermission defaultBranchRef {{ name target {{ oid }}{'' if trunk else rules} }}"
    if trunk:
        yield f"trunk: ref(qualifiedName: $trunk) {{ name target {{ oid }}{rules} }}"
    for i in range(heads):
        yield f"b{i}: ref(qualifiedName: $b{i}) {{ target {{ oid }}{rules if i in (0, heads - 1) else ''} }}"


def _landing(heads: int, numbers: int, *, trunk: bool) -> Iterator[str]:
    yield "mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed autoMergeAllowed deleteBranchOnMerge"
    yield f"queue: mergeQueue{'(branch: $branch)' if trunk else ''} {{ configuration {{ mergeMethod }} }}"
    for i in range(heads):
        yield _pulls_of_head(i, ", states: OPEN", "...Standing", letter="s")
    for i in range(numbers):
        yield f"m{i}: pullRequest(number: $n{i}) {{ ...Standing }}"


def _pulls_of_head(i: int, arguments: str, fields: str, *, paged: bool = False, letter: str = "h") -> str:
    page = " pageInfo { hasNextPage endCursor }" if paged else ""
    chosen = f"headRefName: $h{i}, first: {PULLS_A_HEAD}, {NEWEST}{arguments}"
    return f"{letter}{i}: pullRequests({chosen}) {{ nodes {{ {fields} }}{page} }}"


def _pulls_on_head(i: int) -> str:
    chosen = f"baseRefName: $h{i}, first: {PULLS_A_BASE}, {NEWEST}, states: OPEN"
    return f"t{i}: pullRequests({chosen}) {{ nodes {{ ...Pull }} }}"


def _text_of_number(i: int) -> str:
    return f"n{i}: pullRequest(number: $n{i}) {{ number title body }}"


def _search(operation: str, fields: str, of_pull: str) -> str:
    variables = ["$owner: String!", "$name: String!", "$search: String!", "$after: String"]
    lines = [
        f"repository(owner: $owner, name: $name) {{ {fields} }}",
        f"search(query: $search, type: ISSUE, first: 100, after: $after) {{\n"
        f"    pageInfo {{ hasNextPage endCursor }}\n    nodes {{ {of_pull} }}\n  }}",
    ]
    return _document(operation, variables, lines)


def _in_repository(operation: str, variables: Iterable[str], lines: Iterable[str]) -> str:
    body = "\n    ".join(line for line in lines if line)
    inner = f"repository(owner: $owner, name: $name) {{\n    {body}\n  }}"
    return _document(operation, ["$owner: String!", "$name: String!", *variables], [inner])


def _document(operation: str, variables: Sequence[str], lines: Iterable[str]) -> str:
    declared = f"({', '.join(variables)})" if variables else ""
    return f"{operation}{declared} {{\n  " + "\n  ".join(lines) + "\n}"
