"""GitHub's own stacks over REST: reading, registering, adding on top, dissolving.

Not here: merging one (``background``), what should be registered (``stackr.core.linking``).
https://docs.github.com/en/rest/pulls/stacks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from stackr.core.native import NativeStack
from stackr.errors import GitHubError, StackrError
from stackr.github.failures import Limited, Lost, Rejected
from stackr.github.http import Http, Reply
from stackr.github.together import persist, value


def find_stack(http: Http, number: int) -> tuple[NativeStack, ...] | None:
    """The stack that a pull request is in, or nothing; ``None`` where stacks are not enabled. One attempt.

    Raises Lost (worth another try), GitHubError and ConfigError.
    """
    try:
        found = http.send("GET", _url(http), params={"pull_request": number}).data
    except Rejected as no:
        if no.status == 404:
            return None
        raise
    except Limited as limit:
        # Nobody should wait for minutes for something that can be done without.
        raise GitHubError(limit.message, next_step=limit.next_step) from limit
    return tuple(_stack(each) for each in found if isinstance(each, Mapping)) if isinstance(found, list) else ()


def read_stacks(http: Http, numbers: Sequence[int]) -> tuple[NativeStack, ...] | None:
    """The stacks that these pull requests are in, each once; a request each, side by side. ``None``: not enabled."""
    outcomes = [value(each) for each in persist([partial(find_stack, http, n) for n in numbers], http.patience())]
    if any(found is None for found in outcomes):
        return None
    return tuple(dict.fromkeys(stack for found in outcomes for stack in found or ()))


def link_stack(http: Http, numbers: Sequence[int], onto: int | None) -> bool:
    """Register pull requests, bottom first, as a stack, or on top of stack ``onto``; ``False`` where not enabled.

    A refusal or a lost answer is looked into before it is raised: it may be there already.
    """
    path = "" if onto is None else f"/{onto}/add"

    def attempt() -> bool:
        try:
            _post(http, path, {"pull_requests": list(numbers)})
        except (Rejected, Lost) as error:
            if isinstance(error, Rejected) and error.status == 404:
                return False
            if _is_there(http, numbers):
                return True
            raise
        return True

    return value(persist([attempt], http.patience())[0])


def dissolve_stack(http: Http, number: int) -> tuple[int, ...]:
    """Take out all that is not merged; the numbers that GitHub keeps in it, because they are queued for a merge.

    May run twice: what is gone is gone.
    """

    def attempt() -> tuple[int, ...]:
        try:
            left = _post(http, f"/{number}/unstack").data
        except Rejected as no:
            if no.status == 404:
                return ()
            raise
        return _stack(left).members if isinstance(left, Mapping) else ()

    return value(persist([attempt], http.patience())[0])


def _post(http: Http, path: str, body: Mapping[str, Any] | None = None) -> Reply:
    try:
        return http.send("POST", _url(http) + path, json=body)
    except Rejected as no:
        if no.status == 409:
            raise Lost(f"the stack is being changed by somebody else ({no.words})", sent=False) from no
        raise


def _is_there(http: Http, numbers: Sequence[int]) -> bool:
    """Whether these are the top of one stack."""
    try:
        found = find_stack(http, numbers[-1]) or ()
    except StackrError:
        return False
    return any(stack.members[-len(numbers) :] == (*numbers,) for stack in found)


def _url(http: Http) -> str:
    return f"{http.host.rest}/repos/{http.host.owner}/{http.host.name}/stacks"


def _stack(entry: Mapping[str, Any]) -> NativeStack:
    pulls = [(pull["number"], pull["merged_at"] is not None) for pull in entry["pull_requests"]]
    members, merged = ([n for n, is_merged in pulls if is_merged is wanted] for wanted in (False, True))
    return NativeStack(entry["number"], tuple(members), tuple(merged))
