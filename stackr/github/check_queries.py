"""The GraphQL texts for checks. As in ``queries``: a text depends only on how many things are asked for.

Contexts of many pull requests in one query time out (cli/cli#7421), so whoever asks keeps to the numbers below.
"""

from __future__ import annotations

QUIET_A_QUERY = 10
"""Commits in one query that are expected to have few checks, or none."""
JOBS_A_QUERY = 20
FURTHEST_BACK = 5
"""First parents that are looked at when there is no CI at a commit."""

_CHECKED = """
fragment Checked on Commit {
  statusCheckRollup { contexts(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      __typename
      ... on CheckRun {
        id databaseId name status conclusion title permalink detailsUrl
        checkSuite { workflowRun { databaseId event workflow { name } } }
      }
      ... on StatusContext { context state description targetUrl }
    }
  } }
  checkSuites(first: 100) { nodes {
    conclusion url workflowRun { workflow { name } } checkRuns(first: 1) { totalCount }
  } }
}"""


def commit_checks_query(commits: int) -> str:
    """Every check on the commits ``c<i>``, a hundred each; ``$after`` goes on, for a single commit."""
    lines = "\n    ".join(f"c{i}: object(oid: $c{i}) {{ ...Checked }}" for i in range(commits))
    variables = "".join(f", $c{i}: GitObjectID!" for i in range(commits))
    return f"""query StackrCommitChecks($owner: String!, $name: String!, $after: String{variables}) {{
  repository(owner: $owner, name: $name) {{
    {lines}
  }}
}}{_CHECKED}"""


def ancestry_query() -> str:
    """Whether there is CI at the commit ``$oid``, and at each of its first parents up to ``FURTHEST_BACK``."""
    fields = "oid statusCheckRollup { state }"
    inner = fields
    for _ in range(FURTHEST_BACK):
        inner = f"{fields} parents(first: 1) {{ nodes {{ {inner} }} }}"
    return f"""query StackrAncestry($owner: String!, $name: String!, $oid: GitObjectID!) {{
  repository(owner: $owner, name: $name) {{ object(oid: $oid) {{ ... on Commit {{ {inner} }} }} }}
}}"""


def evidence_query(jobs: int) -> str:
    """Annotations and steps of the check runs ``j<i>``, and whether a run of the name ``$n<i>`` ever passed beside it.

    A check suite keeps the runs of all attempts; without ``ALL`` only the latest would be counted.
    https://docs.github.com/en/graphql/reference/enums#checkruntype
    """
    lines = "\n  ".join(
        f"j{i}: node(id: $j{i}) {{ ...Evidence ... on CheckRun {{ checkSuite {{ checkRuns(first: 1, "
        f"filterBy: {{checkType: ALL, checkName: $n{i}, conclusions: [SUCCESS]}}) {{ totalCount }} }} }} }}"
        for i in range(jobs)
    )
    variables = ", ".join(f"$j{i}: ID!, $n{i}: String!" for i in range(jobs))
    return f"""query StackrEvidence({variables}) {{
  {lines}
}}
fragment Evidence on CheckRun {{
  annotations(first: 50) {{ nodes {{ annotationLevel title message }} }}
  steps(first: 100) {{ nodes {{ conclusion }} }}
}}"""
