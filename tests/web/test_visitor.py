"""Who one is on the pages, and who may not act through them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import Client

from stackr.sandbox import checks
from stackr.sandbox.web import visitor
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
PULL = f"/{REPO}/pull/1"


def test_without_a_cookie_one_is_the_first_person(client: Client) -> None:
    assert "You are: alice" in Reader(client).open("/").text


def test_one_stays_who_one_chose_to_be_and_comes_back_to_the_page(client: Client) -> None:
    reader = Reader(client).open(PULL)
    back = next(form for form in reader.forms if form.action == "/-/you").fields["back"]
    answer = client.post("/-/you", data={"login": "bob", "back": back})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{PULL}?done=you")
    assert "HttpOnly" in answer.headers["Set-Cookie"] and "SameSite=Lax" in answer.headers["Set-Cookie"]
    assert "You are: bob" in reader.open("/").text


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil.example", "x", "", "/a\\b", "/\n"]
)
def test_becoming_somebody_never_leads_elsewhere(client: Client, back: str) -> None:
    answer = client.post("/-/you", data={"login": "bob", "back": back})
    assert answer.headers["Location"] == "/?done=you"


def test_nobody_can_become_who_does_not_exist_or_an_organization(client: Client) -> None:
    for login in ("mallory", "acme", ""):
        assert client.post("/-/you", data={"login": login}).status_code == 404


def test_an_unknown_cookie_is_the_first_person_again(client: Client) -> None:
    client.set_cookie("stackr_you_localhost", "mallory")
    assert "You are: alice" in Reader(client).open("/").text


def test_somebody_signed_out_sees_public_pages_and_can_do_nothing(box: Box, reader: Readers) -> None:
    box.stack("one")
    nobody = reader("-").open(PULL)
    assert "You are: nobody" in nobody.text
    nobody.press("comment", body="Hello")
    assert nobody.status == 401
    assert "You are signed out: choose at the top who you are." in nobody.text
    nobody.open(PULL).press("merge")
    assert nobody.status == 403
    assert "export STACKR_TOKEN" not in nobody.open("/").text


def test_a_sandbox_without_people_can_be_looked_at(box: Box) -> None:
    for user in box.server.engine.store.users.all():
        if user.type == "User":
            box.server.engine.store.users.delete(user)
    assert "You are: nobody" in Reader(Client(box.server.app)).open("/").text


def test_a_form_without_its_token_does_nothing(client: Client, quiet_box: Box) -> None:
    for token in ({}, {"form_token": "0" * 64}, {"form_token": "ä"}):
        answer = client.post(PULL, data={"do": "close", **token})
        assert answer.status_code == 403
        assert "This form was not made for alice; nothing was changed." in answer.get_data(as_text=True)
    assert quiet_box.state(1) == "open"


def test_a_form_made_for_somebody_else_does_nothing_and_keeps_what_was_typed(client: Client, quiet_box: Box) -> None:
    alice, bob = Reader(client).open(PULL), Reader(client)
    bob.become("bob")
    alice.press("comment", body="I am alice")
    assert alice.status == 403
    assert alice.form("comment").fields["body"] == "I am alice"
    assert quiet_box.alice.get("issues/1/comments") == []


def test_a_form_from_another_place_does_nothing(client: Client, quiet_box: Box) -> None:
    token = Reader(client).open(PULL).form("close").fields["form_token"]
    for origin in ("https://evil.example", "null", "http://localhost:1"):
        data = {"do": "close", "form_token": token}
        assert client.post(PULL, data=data, headers={"Origin": origin}).status_code == 403
    assert quiet_box.state(1) == "open"
    data = {"do": "comment", "form_token": token}
    assert client.post(PULL, data=data, headers={"Origin": "http://localhost"}).status_code == 422  # it is empty


@pytest.mark.parametrize("host", ["127.0.0.1:8420", "localhost", "localhost:1", "[::1]:8420", "[::1]"])
def test_pages_answer_to_names_of_this_machine(client: Client, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8420", "evil.example:127"])
def test_pages_do_not_answer_to_other_names(client: Client, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "127.0.0.1 and localhost only" in answer.get_data(as_text=True)


def test_two_sandboxes_on_one_machine_do_not_share_a_cookie(client: Client) -> None:
    answer = client.post("/-/you", data={"login": "bob"}, headers={"Host": "127.0.0.1:8420"})
    assert answer.headers["Set-Cookie"].startswith("stackr_you_8420=bob;")


def test_forms_outlive_the_server(quiet_box: Box) -> None:
    key = visitor.read_key(quiet_box.server.engine.root)
    assert visitor.read_key(quiet_box.server.engine.root) == key and len(key) == 32
    assert (quiet_box.server.engine.root / "pages.key").stat().st_mode & 0o777 == 0o600


def test_every_page_forbids_foreign_scripts_and_frames(client: Client) -> None:
    for path in ("/", PULL, "/nothing/here", "/-/static/style.css", "/a/b/c/d"):
        answer = client.get(path, buffered=True)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "/nobody",
        "/acme/nothing",
        "/acme/nothing/pull/1",
        "/acme/nothing/settings",
        f"/{REPO}/pull/99",
        f"/{REPO}/pull/99/files",
        f"/{REPO}/pull/99/edit?path=x",
        f"/{REPO}/pull/1/nothing",
        f"/{REPO}/issues/9",
        f"/{REPO}/commit/{'0' * 40}",
        f"/{REPO}/commit/main",
        f"/{REPO}/commits/none",
        "/a/b/c/d",
        "/favicon.ico",
        "/-/nothing",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is nothing here" in answer.get_data(as_text=True)


def test_a_wrong_method_is_a_page_too(client: Client) -> None:
    answer = client.put("/")
    assert answer.status_code == 405
    assert "That cannot be done" in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "path", ["/api/v3", "/api/v3/nothing", "/api/nothing", "/_sandbox/nothing", "/-/static/nothing"]
)
def test_what_is_no_page_keeps_its_own_not_found(client: Client, path: str) -> None:
    answer = client.get(path, headers={"User-Agent": "tests"})
    assert answer.status_code in (200, 404)
    assert "stackr sandbox" not in answer.get_data(as_text=True)


def test_git_and_the_api_are_not_in_the_way_of_pages(quiet_box: Box) -> None:
    url = f"{quiet_box.server.url}{PULL}"
    assert quiet_box.alice.get("pulls/1")["html_url"] == url
    assert quiet_box.alice.session.get(url, timeout=10).status_code == 200


def test_a_private_repository_is_not_there_for_strangers(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.server.settings(REPO, private=True)
    box.server.add_user("eve")
    for page in (f"/{REPO}", PULL, f"/{REPO}/settings", f"/{REPO}/commits/main"):
        assert reader("alice").open(page).status == 200
        assert reader("eve").open(page).status == 404
    eve = reader("eve")
    assert REPO not in eve.open("/").text
    assert "None that you may see." in eve.open("/acme").text
    token = eve.open("/-/sandbox").form("clear").fields["form_token"]
    for page, do in ((PULL, "close"), (f"/{REPO}/settings", "become-admin")):
        assert eve.client.post(page, data={"do": do, "form_token": token}).status_code == 404
    assert box.state(1) == "open"


def test_an_unknown_button_is_refused(client: Client) -> None:
    reader = Reader(client)
    for page, do in ((PULL, "close"), (f"/{REPO}/settings", "switches"), ("/-/sandbox", "clear")):
        token = reader.open(page).form(do).fields["form_token"]
        answer = client.post(page, data={"do": "explode", "form_token": token})
        assert answer.status_code == 422
        assert "There is no such action here." in answer.get_data(as_text=True)


def test_a_notice_is_never_taken_from_the_address(client: Client) -> None:
    assert "Approved by me" not in Reader(client).open(f"{PULL}?done=Approved+by+me").text


def test_pages_do_not_use_up_the_limits_of_the_api(box: Box, reader: Readers) -> None:
    box.stack("one")
    before = box.server.engine.limits.rate(box.server.user("alice")).used
    checks.put_check(box.server.engine, box.repo, oid=box.pull(1).head_oid, name="build", conclusion="success")
    reader("alice").open(PULL).press("comment", body="Hello")
    assert box.server.engine.limits.rate(box.server.user("alice")).used == before
