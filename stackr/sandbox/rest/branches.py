"""Branches and old-style protection as it is read."""

from __future__ import annotations

from stackr.sandbox import accounts, protection
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.git import HEADS
from stackr.sandbox.model import Json
from stackr.sandbox.rest import git_shapes, rule_shapes
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page


def register(api: Api) -> None:
    """https://docs.github.com/rest/branches/branches, .../branches/branch-protection."""
    engine = api.engine

    @api.get(f"{REPO}/branches", "protected", *PAGING)
    def branches(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        found = [
            (ref.removeprefix(HEADS), oid)
            for ref, oid in sorted(engine.git(repo).refs.items())
            if ref.startswith(HEADS)
        ]
        if "protected" in params:
            wanted = params["protected"] == "true"
            found = [pair for pair in found if protection.is_protected(engine, repo, pair[0]) == wanted]
        return Page(found, lambda pair: git_shapes.short_branch(engine, repo, *pair))

    # The more special path comes first in matching, whatever the order here: werkzeug weighs them.
    @api.get(f"{REPO}/branches/<path:branch>/protection")
    def read_protection(owner: str, name: str, branch: str) -> Json:
        repo = api.repo(owner, name)
        accounts.require(engine, api.viewer, repo, "admin")
        rules = [rule for rule in protection.rules_for(engine, repo, branch) if rule.ruleset.classic]
        if not rules:
            raise ApiError(404, "Branch not protected", graphql_type="NOT_FOUND")
        return rule_shapes.branch_protection(engine, repo, branch, rules)

    @api.get(f"{REPO}/branches/<path:branch>")
    def one(owner: str, name: str, branch: str) -> Json:
        repo = api.repo(owner, name)
        git = engine.git(repo)
        oid = git.branch(branch)
        if oid is None:
            raise not_found("Branch not found")
        return git_shapes.branch(engine, repo, branch, git.need(oid))
