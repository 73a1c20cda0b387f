"""The settings of a repository: who may do what, ways of merging, protection of the default branch, native stacks.

They take an administrator, as on GitHub. In a sandbox everybody can become one, by a button that says so.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request

from stackr.sandbox import accounts, protection, repositories
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Json, Repository, Ruleset, User
from stackr.sandbox.web import forms, links
from stackr.sandbox.web.forms import Values
from stackr.sandbox.web.room import Room

RULESET = "protection set on the settings page"
SWITCHES = (
    ("delete_branch_on_merge", "Delete head branches when they are merged"),
    ("allow_merge_commit", "Allow merge commits"),
    ("allow_squash_merge", "Allow squash merging"),
    ("allow_rebase_merge", "Allow rebase merging"),
    ("allow_auto_merge", "Allow auto-merge"),
    ("stacks_enabled", "Native stacks (GitHub's public preview)"),
)
CI_PASSES = ("ci", "Required checks are reported as passed by themselves (this sandbox only)")
REVIEW_FLAGS = (
    ("dismiss_stale_reviews_on_push", "New commits dismiss approvals"),
    ("require_last_push_approval", "The last push must be approved by somebody else"),
)
MOST_APPROVALS = 6  # https://docs.github.com/rest/branches/branch-protection


def register(room: Room) -> None:
    """Add the routes."""
    address = "/<owner:owner>/<name>/settings"

    @room.page(address)
    def settings(owner: str, name: str) -> str:
        return _show(room, room.repository(owner, name))

    @room.page(address, "POST")
    def change_settings(owner: str, name: str) -> Response:
        repo = room.repository(owner, name)

        def perform() -> str:
            return forms.chosen(ACTIONS, request)(room.engine, room.visitor.user, repo, request.form)

        target = links.repository_path(room.engine, repo) + "/settings"
        return forms.act(room.visitor, request, perform, lambda error: _show(room, repo, error), target)


def _show(room: Room, repo: Repository, error: ApiError | None = None) -> str:
    engine = room.engine
    rules = engine.store.rulesets.by(repo_id=repo.id)
    own = next((ruleset for ruleset in rules if ruleset.name == RULESET), None)
    people = [user for user in engine.store.users.all() if user.type != "Organization"]
    return room.show(
        "settings.html",
        error,
        repo,
        path=links.repository_path(engine, repo),
        is_admin=accounts.may(engine, room.visitor.user, repo, "admin"),
        switches=[*((name, label, getattr(repo, name)) for name, label in SWITCHES), (*CI_PASSES, repo.ci == "pass")],
        review_flags=REVIEW_FLAGS,
        most_approvals=MOST_APPROVALS,
        protected=_protected(own),
        rulesets=[ruleset for ruleset in rules if ruleset is not own],
        levels=[(user, accounts.permission(engine, user, repo)) for user in people],
        choices=accounts.LEVELS,
        secondary=engine.limits.secondary,
        sandbox_settings=engine.settings,
    )


def _protected(ruleset: Ruleset | None) -> Json:
    """The rules as the form has them."""
    rules = {rule["type"]: rule.get("parameters", {}) for rule in (ruleset.rules if ruleset else [])}
    review, checks = rules.get("pull_request", {}), rules.get("required_status_checks", {})
    return {
        "approvals": review.get("required_approving_review_count", 0),
        **{name: review.get(name, False) for name, _ in REVIEW_FLAGS},
        "checks": "\n".join(check["context"] for check in checks.get("required_status_checks", [])),
        "strict": checks.get("strict_required_status_checks_policy", False),
        "linear": "required_linear_history" in rules,
        "queue": "merge_queue" in rules,
        "pull_request": "pull_request" in rules,
    }


# -- what the buttons do -------------------------------------------------------------------------------


def save_switches(engine: Engine, user: User | None, repo: Repository, form: Values) -> str:
    """Set the switches of SWITCHES, and CI_PASSES, each on if its box is ticked."""
    accounts.require(engine, user, repo, "admin")
    ci = "pass" if form.get("ci") == "on" else "manual"
    repositories.change(engine, repo, ci=ci, **{name: form.get(name) == "on" for name, _ in SWITCHES})
    return "saved"


def save_protection(engine: Engine, user: User | None, repo: Repository, form: Values) -> str:
    """Replace the rules that this page keeps for the default branch; without any, the branch is free."""
    accounts.require(engine, user, repo, "admin")
    rules = list(_rules(form))
    with engine.transaction():
        for ruleset in engine.store.rulesets.by(repo_id=repo.id):
            if ruleset.name == RULESET:
                engine.store.rulesets.delete(ruleset)
        if rules:
            protection.add_ruleset(engine, repo, ["~DEFAULT_BRANCH"], rules, name=RULESET)
    return "saved"


def _rules(form: Values) -> list[Json]:
    """GitHub's rule objects for what the form says."""
    approvals = forms.number(form, "approvals", 0, MOST_APPROVALS)
    flags = {name: form.get(name) == "on" for name, _ in REVIEW_FLAGS}
    names = list(dict.fromkeys(line.strip() for line in form.get("checks", "").splitlines() if line.strip()))
    rules: list[Json] = []
    if approvals or form.get("pull_request") == "on" or any(flags.values()):
        rules.append({"type": "pull_request", "parameters": {"required_approving_review_count": approvals, **flags}})
    if names:
        parameters = {
            "required_status_checks": [{"context": name} for name in names],
            "strict_required_status_checks_policy": form.get("strict") == "on",
        }
        rules.append({"type": "required_status_checks", "parameters": parameters})
    if form.get("linear") == "on":
        rules.append({"type": "required_linear_history"})
    if form.get("queue") == "on":
        rules.append({"type": "merge_queue", "parameters": {"merge_method": "SQUASH"}})
    return rules


def remove_ruleset(engine: Engine, user: User | None, repo: Repository, form: Values) -> str:
    """Remove rules that were made elsewhere (by tests, or over REST)."""
    accounts.require(engine, user, repo, "admin")
    wanted = form.get("ruleset", "")
    row = next((r for r in engine.store.rulesets.by(repo_id=repo.id) if str(r.id) == wanted), None)
    if row is None:
        raise ApiError(422, "These rules are gone already.")
    with engine.transaction():
        engine.store.rulesets.delete(row)
    return "removed"


def save_level(engine: Engine, user: User | None, repo: Repository, form: Values) -> str:
    """Give somebody another level."""
    accounts.require(engine, user, repo, "admin")
    level = form.get("level", "")
    if level not in accounts.LEVELS:
        raise ApiError(422, "There is no such level of access.")
    accounts.grant(engine, repo, form.get("login", ""), level)
    return "saved"


def become_admin(engine: Engine, user: User | None, repo: Repository, form: Values) -> str:
    """Make the visitor an administrator: this is a sandbox, and the machine is the visitor's own."""
    if user is None:
        raise ApiError(401, "Requires authentication")
    accounts.grant(engine, repo, user.login, "admin")
    return "admin"


ACTIONS: dict[str, Callable[[Engine, User | None, Repository, Values], str]] = {
    "switches": save_switches,
    "protection": save_protection,
    "remove-ruleset": remove_ruleset,
    "level": save_level,
    "become-admin": become_admin,
}
