"""The hooks a push runs into where a repository has rules: plain sh, told by environment variables.

Only pushes that need them get a hooks directory at all, so ordinary ones cost no extra process. What the rules
are is ``protection``; here is how they reach git's quarantine, where alone the pushed commits can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stackr.sandbox import pushrules
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import RefMove
from stackr.sandbox.model import ZERO_OID, Repository, User

_UPDATE = r"""#!/bin/sh
# Called as: update REF OLD NEW. Rules come as SANDBOX_REF_n, SANDBOX_KIND_n, SANDBOX_TEXT_n.
ref=$1 old=$2 new=$3 zero=0000000000000000000000000000000000000000
if [ "$old" = "$zero" ]; then since='--not --branches'; else since="^$old"; fi
n=0
while [ "$n" -lt "${SANDBOX_RULES:-0}" ]; do
    eval "rule_ref=\$SANDBOX_REF_$n kind=\$SANDBOX_KIND_$n text=\$SANDBOX_TEXT_$n"
    n=$((n + 1))
    [ "$rule_ref" = "$ref" ] || continue
    case $kind in
    deny) broken=yes ;;
    non_fast_forward)
        broken=
        [ "$old" = "$zero" ] || git merge-base --is-ancestor "$old" "$new" || broken=yes ;;
    required_linear_history) broken=$(git rev-list --merges -1 "$new" $since) ;;
    required_signatures)
        broken=
        for oid in $(git rev-list "$new" $since); do
            git cat-file commit "$oid" | sed '/^$/q' | grep -q '^gpgsig ' || broken=yes
        done ;;
    esac
    if [ -n "$broken" ]; then
        printf '%s\n' "$text" >&2
        exit 1
    fi
done
exit 0
"""
_PRE_RECEIVE = r"""#!/bin/sh
# A repository whose administrator's pre-receive hook declines every push.
printf '%s\n' "$SANDBOX_DECLINED" >&2
exit 1
"""


def hook_environment(
    engine: Engine, repo: Repository, viewer: User | None, moves: Sequence[RefMove]
) -> tuple[dict[str, str], dict[str, str]]:
    """For a push: the environment that switches the hooks on, and by ref what a refusal is called.

    Both are empty for a push that no rule looks at.
    """
    if repo.declined_message:
        path = _hooks_path(engine, "declining", "pre-receive", _PRE_RECEIVE)
        return {"SANDBOX_HOOKS": str(path), "SANDBOX_DECLINED": repo.declined_message}, {}
    rules: list[tuple[str, str, pushrules.Violation]] = []
    for move in moves:
        rules.extend(_rules_for(engine, repo, viewer, move))
    if not rules:
        return {}, {}
    page = f"{engine.url}/{engine.directory(repo).parent.name}/{repo.name}"
    found = {
        "SANDBOX_HOOKS": str(_hooks_path(engine, "rules", "update", _UPDATE)),
        "SANDBOX_RULES": str(len(rules)),
    }
    for number, (ref, kind, violation) in enumerate(rules):
        found[f"SANDBOX_REF_{number}"] = ref
        found[f"SANDBOX_KIND_{number}"] = kind
        found[f"SANDBOX_TEXT_{number}"] = violation.remote_text(page)
    return found, {ref: violation.status_line() for ref, _, violation in rules}


def _rules_for(
    engine: Engine, repo: Repository, viewer: User | None, move: RefMove
) -> list[tuple[str, str, pushrules.Violation]]:
    if move.branch is None:
        return []
    old = None if move.old == ZERO_OID else move.old
    new = None if move.new == ZERO_OID else move.new
    denied = pushrules.push_violation(engine, repo, viewer, move.branch, old, new)
    if denied:
        return [(move.name, "deny", denied)]
    if new is None:
        return []
    return [
        (move.name, kind, violation) for kind, violation in pushrules.commit_rules(engine, repo, viewer, move.branch)
    ]


def _hooks_path(engine: Engine, directory: str, name: str, script: str) -> Path:
    path = engine.root / "hooks" / directory / name
    if not path.exists() or path.read_text() != script:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    return path.parent
