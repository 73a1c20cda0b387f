"""What names in a text lead to, for one reader."""

from __future__ import annotations

from stackr.sandbox.web.links import EngineLinks
from stackr.sandbox.web.markdown import Reference
from tests.support.sandbox import REPO, Box


def links(box: Box, login: str = "bob") -> EngineLinks:
    return EngineLinks(box.server.engine, box.repo, box.server.user(login))


def test_numbers_lead_to_pull_requests_and_issues_with_their_state(box: Box) -> None:
    box.stack("one", "two")
    box.alice.post("issues", {"title": "Slow"})
    box.alice.patch("pulls/2", {"state": "closed"})
    found = [links(box).reference(None, number) for number in (1, 2, 3, 4)]
    assert found == [
        Reference(f"/{REPO}/pull/1", 1, "Change one", "open"),
        Reference(f"/{REPO}/pull/2", 2, "Change two", "closed"),
        Reference(f"/{REPO}/issues/3", 3, "Slow", "open"),
        None,
    ]
    box.bob.put("pulls/1/merge")
    merged = links(box).reference(REPO.upper(), 1)
    assert merged is not None and merged.state == "merged"


def test_another_repository_leads_somewhere_only_for_who_may_see_it(box: Box) -> None:
    box.server.add_repository("acme/secret", private=True, writers=["alice"])
    box.alice.post("/repos/acme/secret/issues", {"title": "Hush"})
    assert links(box, "alice").reference("acme/secret", 1) is not None
    assert links(box, "bob").reference("acme/secret", 1) is None
    assert links(box, "bob").reference("acme/nothing", 1) is None


def test_people_have_pages_whatever_the_case(box: Box) -> None:
    assert links(box).person("ALICE") == "/alice"
    assert links(box).person("mallory") is None


def test_own_addresses_are_known(box: Box) -> None:
    url, known = box.server.url, links(box)
    assert known.own(f"{url}/acme/widgets/pull/12") == ("acme/widgets", 12)
    assert known.own(f"{url}/acme/widgets/issues/3/") == ("acme/widgets", 3)
    for other in (
        f"{url}/acme/widgets",
        f"{url}/acme/widgets/pull/x",
        f"{url}.evil/a/b/pull/1",
        "https://github.com/a/b/pull/1",
    ):
        assert known.own(other) is None
