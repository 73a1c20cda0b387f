"""A CI that passes by itself, for demonstrations: a repository whose ``ci`` setting is "pass" instead of "manual".

Every check that a rule requires and nobody has reported is reported as passed before the next request is answered.
"""

from __future__ import annotations

from stackr.sandbox import checks, protection, pulls, queuegroups
from stackr.sandbox.engine import Engine
from stackr.sandbox.model import Repository


def report(engine: Engine) -> None:
    """Report what is missing on the heads of open pull requests and on the commits of queues."""
    for repo in engine.store.repositories.all():
        if repo.ci == "pass":
            for oid, name in _missing(engine, repo):
                checks.put_check(engine, repo, oid=oid, name=name, conclusion="success")


def _missing(engine: Engine, repo: Repository) -> list[tuple[str, str]]:
    opened = [pull for pull in engine.store.pulls.by(repo_id=repo.id) if pull.state == "open"]
    wanted = [(pull.head_oid, pulls.target_branch(engine, pull)) for pull in opened]
    queued = [e for e in engine.store.queue_entries.all() if e.repo_id == repo.id]
    wanted += [(entry.oid, entry.base_ref) for entry in queued if entry.oid is not None]
    found = {
        (oid, name): None
        for oid, branch in wanted
        for name in queuegroups.required(engine, repo, branch)
        if protection.check_state(engine, repo, oid, name) is None
    }
    return list(found)
