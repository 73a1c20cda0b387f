"""``delete_refs``: head branches removed on GitHub, all or none, and none that moved meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackr.core.model import ZERO_OID
from stackr.errors import LeaseLost, StackrError
from stackr.github import queries
from stackr.github.failures import Limited, Lost
from stackr.github.graphql import GraphQL, Query
from stackr.github.limits import limited
from stackr.github.reading import Reader


def delete_refs(graph: GraphQL, reader: Reader, repository_id: str, refs: Sequence[tuple[str, str]]) -> None:
    """Delete each (full ref name, expected commit) by one ``updateRefs``; one that is gone already is fine.

    Raises LeaseLost naming a branch that is elsewhere; then nothing is deleted.
    https://docs.github.com/en/graphql/reference/mutations#updaterefs
    """
    patience = graph.http.patience()
    todo = dict(refs)
    while todo:
        failure = _delete(graph, repository_id, todo)
        if failure is None:
            return
        left = _still_there(reader, todo)
        # Refused because one was gone: the rest has a chance without it.
        again = len(left) < len(todo) or (isinstance(failure, (Lost, Limited)) and patience.pause([failure]))
        if not again:
            failure.safe = "all of the branches are still there"
            raise failure
        todo = left


def _delete(graph: GraphQL, repository_id: str, refs: Mapping[str, str]) -> StackrError | None:
    updates = [{"name": ref, "beforeOid": oid, "afterOid": ZERO_OID} for ref, oid in refs.items()]
    query = Query(queries.update_refs_mutation(), {"input": {"repositoryId": repository_id, "refUpdates": updates}})
    try:
        answer = graph.once(query)
    except (Lost, Limited) as failure:
        return failure
    problems = answer.problems
    if not problems:
        return None
    if any(problem.is_limit for problem in problems):
        return limited(answer.headers, problems[0].message, graph.http.now())
    if any(problem.is_transient for problem in problems):
        return Lost(f"github could not delete branches ({problems[0].message})")
    return graph.error(problems, answer.headers, "github refused to delete branches")


def _still_there(reader: Reader, refs: Mapping[str, str]) -> dict[str, str]:
    """Those that exist; raises LeaseLost when one of them is not where it was expected."""
    tips = reader.tips(list(refs))
    moved = [ref.removeprefix("refs/heads/") for ref, oid in refs.items() if tips[ref] not in (None, oid)]
    if moved:
        names = ", ".join(f'"{name}"' for name in moved)
        raise LeaseLost(f"somebody pushed to {names} meanwhile", safe="no branch was deleted", next_step="stackr sync")
    return {ref: oid for ref, oid in refs.items() if tips[ref] is not None}
