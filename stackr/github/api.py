"""``GitHub``: the ``Forge`` of ``core.ports``, put together from the short modules of this room.

Importing this imports requests (100 ms), so the app does so only when a command talks to GitHub.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from stackr.core.model import PullRequest, ReviewVote
from stackr.core.native import NativeStack
from stackr.core.ports import Created, ForgeFacts, Merge, NewPull, OwnPulls, PullEdit, PullText, ReadRequest, Sleep
from stackr.core.rules import Method
from stackr.core.watching import Budget
from stackr.github.account import Account, describe_auth
from stackr.github.auth import Token
from stackr.github.background import merge_in_background
from stackr.github.branches import delete_refs
from stackr.github.comments import add_comment
from stackr.github.creating import Creation
from stackr.github.graphql import GraphQL
from stackr.github.hosts import Host
from stackr.github.http import Http
from stackr.github.limits import Clock
from stackr.github.merging import Merging
from stackr.github.mine import list_own_pulls
from stackr.github.pace import Pace
from stackr.github.people import Directory, People
from stackr.github.reading import Reader
from stackr.github.restoring import with_bases
from stackr.github.stacks import dissolve_stack, link_stack, read_stacks
from stackr.github.updating import Update, steps_of


class GitHub:
    """One repository on one GitHub, with one token.

    ``sleep(seconds, reason)`` waits with a countdown; ``clock`` is monotonic and ``now`` the wall clock, in seconds.
    ``fork_owner``: the pull requests are those of this person's fork (``stackr.github.forked``).
    """

    def __init__(
        self,
        host: Host,
        token: Token,
        *,
        sleep: Sleep,
        clock: Clock = time.monotonic,
        now: Clock = time.time,
        fork_owner: str = "",
    ) -> None:
        self.host = host
        self.http = Http(host, token, sleep=sleep, clock=clock, now=now)
        self._graph = GraphQL(self.http)
        self._reader = Reader(self._graph, fork_owner)
        self._pace = Pace()
        self._directory = Directory(self._graph)

    def __repr__(self) -> str:
        return f"GitHub({self.host.repository_url!r})"

    def viewer(self) -> str:
        """The login of the token's owner; one request."""
        return self._reader.viewer()

    def read(self, request: ReadRequest) -> ForgeFacts:
        """All facts in one request (two, side by side, with ``checks``; more above a hundred heads).

        Raises GitHubError (no repository, or no access: the two look the same), ConfigError (token).
        """
        return self._reader.read(request)

    def read_stacks(self, numbers: Sequence[int]) -> tuple[NativeStack, ...] | None:
        """GitHub's own stacks that these pull requests are in; a request each, side by side. ``None``: not enabled."""
        return read_stacks(self.http, numbers)

    def link_stack(self, numbers: Sequence[int], onto: int | None = None) -> bool:
        """Register pull requests, bottom first, as a stack, or on top of one; ``False`` where that is not enabled."""
        return link_stack(self.http, numbers, onto)

    def dissolve_stack(self, number: int) -> tuple[int, ...]:
        """Take everything out of a stack that is not merged; the numbers that GitHub keeps in it all the same."""
        return dissolve_stack(self.http, number)

    def list_own_pulls(self) -> OwnPulls:
        """All open pull requests of the token's owner in this repository; two requests side by side, more above 100."""
        return list_own_pulls(self._graph, self._reader)

    @property
    def budget(self) -> Budget | None:
        """What GitHub still answers, as its last answer told; ``None`` before one did."""
        return self.http.budget

    def create_pulls(self, repository_id: str, pulls: Sequence[NewPull], reread: Sequence[int] = ()) -> Created:
        """Create in order, bottom first: five in the first request, then as many as the last answer's time allows.

        What was lost is looked up by head branch before it is repeated; what exists already is adopted. The answer also
        has the present texts of everything created here and of ``reread``. Raises GitHubError or ConfigError, whose
        ``safe`` line names what was created and what was not; the next run adopts the former.
        """
        return Creation(self._graph, self._reader, self._pace, repository_id, pulls, reread).run()

    def read_texts(self, numbers: Sequence[int]) -> dict[int, PullText]:
        """Title and description by number; one request (none for no numbers)."""
        return self._reader.texts(numbers)

    def list_open_pulls(self) -> tuple[PullRequest, ...]:
        """The newest hundred open pull requests, anybody's, newest first; those from forks left out; one request."""
        return self._reader.open_pulls()

    def read_reviews(self, number: int) -> tuple[ReviewVote, ...]:
        """What people said of a pull request, oldest first, the newest hundred; one request."""
        return self._reader.reviews(number)

    def update_pulls(self, edits: Sequence[PullEdit]) -> None:
        """Apply edits, ten and more a request, up to four requests at once; only what is set is sent.

        All are tried; the first that GitHub refused is raised with its words (GitHubError, ConfigError without access).
        Reviewers and labels that were not resolved before are resolved first: an unknown one raises Refused, and
        nothing is written.
        """
        people = self.resolve_people(
            [name for edit in edits for name in edit.reviewers], [name for edit in edits for name in edit.labels]
        )
        steps = [step for edit in edits for step in steps_of(edit, people)]
        Update(self._graph, self._reader, self._pace, with_bases(self._reader, steps)).run()

    def resolve_people(self, reviewers: Iterable[str], labels: Iterable[str]) -> People:
        """Node ids of logins, ``org/team`` slugs and labels; one request, none when all are known already.

        Raises Refused naming those that do not exist.
        """
        return self._directory.resolve(reviewers, labels)

    def merge_pull(self, merge: Merge) -> str | None:
        """Merge now (squash, rebase, merge), or have GitHub do it (queue, auto, native); one request if all goes well.

        The commit that trunk got, ``None`` when GitHub will merge later. Where auto-merge has nothing to wait for, it
        is merged at once. Raises Refused when the head has moved, or with GitHub's words; GitHubError when it is lost.
        """
        if merge.method is Method.NATIVE:
            return merge_in_background(self.http, merge)
        return Merging(self._graph, self._reader, merge).run()

    def add_comment(self, number: int, text: str) -> None:
        """One comment on a pull request, unless our newest ones say it already; two requests."""
        add_comment(self._graph, self._reader, number, text)

    def delete_refs(self, repository_id: str, refs: Sequence[tuple[str, str]]) -> None:
        """Delete (full ref name, expected commit) pairs in one request, all or none; LeaseLost when one has moved."""
        delete_refs(self._graph, self._reader, repository_id, refs)

    def describe_auth(self) -> Account:
        """Whose token it is, its scopes and limits; one request."""
        return describe_auth(self.http)

    def close(self) -> None:
        """Close the connections."""
        self.http.close()
