"""Rulesets: which rules hold for a branch."""

from __future__ import annotations

from stackr.sandbox import accounts, protection
from stackr.sandbox.rest import rule_shapes
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page


def register(api: Api) -> None:
    """https://docs.github.com/rest/repos/rules."""
    engine = api.engine

    @api.get(f"{REPO}/rules/branches/<path:branch>", *PAGING)
    def for_branch(owner: str, name: str, branch: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        full_name = accounts.full_name(engine, repo)
        # Old-style protection is not listed here.
        rules = [rule for rule in protection.rules_for(engine, repo, branch) if not rule.ruleset.classic]
        return Page(rules, lambda rule: rule.as_json(full_name))

    @api.get(f"{REPO}/rulesets", *PAGING)
    def rulesets(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        full_name = accounts.full_name(engine, repo)
        rows = [row for row in engine.store.rulesets.by(repo_id=repo.id) if not row.classic]
        return Page(rows, lambda row: rule_shapes.ruleset(full_name, row))
