"""The JSON of accounts and repositories, complete as GitHub's description has them."""

from __future__ import annotations

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Issue, Json, Repository, User


def api(engine: Engine, path: str) -> str:
    """An address of this API."""
    return f"{engine.url}/api/v3{path}"


def repo_api(engine: Engine, repo: Repository, path: str = "") -> str:
    """An address below a repository."""
    return api(engine, f"/repos/{accounts.full_name(engine, repo)}{path}")


def repo_page(engine: Engine, repo: Repository, path: str = "") -> str:
    """A page for people below a repository."""
    return f"{engine.url}/{accounts.full_name(engine, repo)}{path}"


def simple_user(engine: Engine, user: User) -> Json:
    """https://docs.github.com/rest: schema simple-user."""
    base = api(engine, f"/users/{user.login}")
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id(user.type, user.id),
        "avatar_url": f"{engine.url}/_sandbox/avatars/{user.login}",
        "gravatar_id": "",
        "url": base,
        "html_url": f"{engine.url}/{user.login}",
        "followers_url": f"{base}/followers",
        "following_url": f"{base}/following{{/other_user}}",
        "gists_url": f"{base}/gists{{/gist_id}}",
        "starred_url": f"{base}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{base}/subscriptions",
        "organizations_url": f"{base}/orgs",
        "repos_url": f"{base}/repos",
        "events_url": f"{base}/events{{/privacy}}",
        "received_events_url": f"{base}/received_events",
        "type": user.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def full_user(engine: Engine, user: User) -> Json:
    """Schema public-user."""
    own = [repo for repo in engine.store.repositories.all() if repo.owner_id == user.id and not repo.private]
    return {
        **simple_user(engine, user),
        "name": user.name,
        "company": None,
        "blog": "",
        "location": None,
        "email": user.email,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": len(own),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": user.created_at,
        "updated_at": user.created_at,
    }


def private_user(engine: Engine, user: User) -> Json:
    """Schema private-user: what one is told of oneself."""
    own = [repo for repo in engine.store.repositories.all() if repo.owner_id == user.id and repo.private]
    return {
        **full_user(engine, user),
        "user_view_type": "private",
        "private_gists": 0,
        "total_private_repos": len(own),
        "owned_private_repos": len(own),
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": True,
        "plan": {"name": "free", "space": 976562499, "collaborators": 0, "private_repos": 10000},
    }


def association(engine: Engine, repo: Repository, user_id: int) -> str:
    """The author's relation to the repository: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR or NONE."""
    if user_id == repo.owner_id:
        return "OWNER"
    levels = [r.level for r in engine.store.permissions.by(repo_id=repo.id) if r.user_id == user_id]
    if levels and levels[0] != "none":
        return "MEMBER" if accounts.owner(engine, repo).type == "Organization" else "COLLABORATOR"
    merged = any(p.merged and p.author_id == user_id for p in engine.store.pulls.by(repo_id=repo.id))
    return "CONTRIBUTOR" if merged else "NONE"


_LINKS = (
    "archive_url:/{archive_format}{/ref}",
    "assignees_url:/assignees{/user}",
    "blobs_url:/git/blobs{/sha}",
    "branches_url:/branches{/branch}",
    "collaborators_url:/collaborators{/collaborator}",
    "comments_url:/comments{/number}",
    "commits_url:/commits{/sha}",
    "compare_url:/compare/{base}...{head}",
    "contents_url:/contents/{+path}",
    "contributors_url:/contributors",
    "deployments_url:/deployments",
    "downloads_url:/downloads",
    "events_url:/events",
    "forks_url:/forks",
    "git_commits_url:/git/commits{/sha}",
    "git_refs_url:/git/refs{/sha}",
    "git_tags_url:/git/tags{/sha}",
    "hooks_url:/hooks",
    "issue_comment_url:/issues/comments{/number}",
    "issue_events_url:/issues/events{/number}",
    "issues_url:/issues{/number}",
    "keys_url:/keys{/key_id}",
    "labels_url:/labels{/name}",
    "languages_url:/languages",
    "merges_url:/merges",
    "milestones_url:/milestones{/number}",
    "notifications_url:/notifications{?since,all,participating}",
    "pulls_url:/pulls{/number}",
    "releases_url:/releases{/id}",
    "stargazers_url:/stargazers",
    "statuses_url:/statuses/{sha}",
    "subscribers_url:/subscribers",
    "subscription_url:/subscription",
    "tags_url:/tags",
    "teams_url:/teams",
    "trees_url:/git/trees{/sha}",
)


def minimal_repository(engine: Engine, repo: Repository) -> Json:
    """Schema minimal-repository."""
    page = repo_page(engine, repo)
    links = {link.partition(":")[0]: repo_api(engine, repo, link.partition(":")[2]) for link in _LINKS}
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": accounts.full_name(engine, repo),
        "private": repo.private,
        "owner": simple_user(engine, accounts.owner(engine, repo)),
        "html_url": page,
        "description": repo.description,
        "fork": repo.parent_id is not None,
        "url": repo_api(engine, repo),
        **links,
    }


def repository(engine: Engine, repo: Repository, viewer: User | None) -> Json:
    """Schema repository."""
    page = repo_page(engine, repo)
    host = engine.url.partition("://")[2].partition(":")[0]
    name = accounts.full_name(engine, repo)
    rows: list[Issue] = [*engine.store.issues.by(repo_id=repo.id), *engine.store.pulls.by(repo_id=repo.id)]
    issues = sum(row.state == "open" for row in rows)
    forks = sum(other.parent_id == repo.id for other in engine.store.repositories.all())
    return {
        **minimal_repository(engine, repo),
        "created_at": repo.created_at,
        "updated_at": repo.updated_at,
        "pushed_at": repo.pushed_at,
        "git_url": f"git://{host}/{name}.git",
        "ssh_url": f"git@{host}:{name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_downloads": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": forks,
        "archived": repo.archived,
        "disabled": False,
        "open_issues_count": issues,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "forks": forks,
        "open_issues": issues,
        "watchers": 0,
        "default_branch": repo.default_branch,
        **({"permissions": permissions(engine, repo, viewer)} if viewer else {}),
    }


def permissions(engine: Engine, repo: Repository, viewer: User | None) -> Json:
    """The viewer's rights, as booleans."""
    names = {"admin": "admin", "maintain": "maintain", "push": "write", "triage": "triage", "pull": "read"}
    return {name: accounts.may(engine, viewer, repo, level) for name, level in names.items()}


def full_repository(engine: Engine, repo: Repository, viewer: User | None) -> Json:
    """Schema full-repository; merge settings are shown to who may push, as on GitHub."""
    found = {
        **repository(engine, repo, viewer),
        "temp_clone_token": None,
        "subscribers_count": 0,
        "network_count": 0,
    }
    owner = accounts.owner(engine, repo)
    if owner.type == "Organization":
        found["organization"] = simple_user(engine, owner)
    parent = engine.store.repositories.get(repo.parent_id)
    if parent is not None:
        found["parent"] = found["source"] = repository(engine, parent, viewer)
    if accounts.may(engine, viewer, repo, "write"):
        found.update(
            allow_squash_merge=repo.allow_squash_merge,
            allow_merge_commit=repo.allow_merge_commit,
            allow_rebase_merge=repo.allow_rebase_merge,
            allow_auto_merge=repo.allow_auto_merge,
            allow_update_branch=repo.allow_update_branch,
            delete_branch_on_merge=repo.delete_branch_on_merge,
            use_squash_pr_title_as_default=repo.squash_merge_commit_title == "PR_TITLE",
            squash_merge_commit_title=repo.squash_merge_commit_title,
            squash_merge_commit_message=repo.squash_merge_commit_message,
            merge_commit_title=repo.merge_commit_title,
            merge_commit_message=repo.merge_commit_message,
        )
    return found
