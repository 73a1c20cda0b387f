"""Markdown as GitHub shows it, and nothing that a hostile writer could get through it."""

from __future__ import annotations

import time

import pytest

from stackr.sandbox.web.markdown import Reference, render


class Known:
    """Links of a repository that has #12, and an account alice."""

    def reference(self, repository: str | None, number: int) -> Reference | None:
        if number != 12 or repository not in (None, "acme/widgets"):
            return None
        return Reference("/acme/widgets/pull/12", 12, "Count <words>", "merged")

    def person(self, login: str) -> str | None:
        return f"/{login}" if login == "alice" else None

    def own(self, url: str) -> tuple[str, int] | None:
        return ("acme/widgets", int(url.rpartition("/")[2])) if url.startswith("http://here/") else None


def html(text: str | None) -> str:
    return str(render(text, Known())).strip()


IN_LIST = (
    '<a class="reference" href="/acme/widgets/pull/12"><span class="dot merged"></span><span class="unseen">merged: '
    '</span><bdi>Count &lt;words&gt;</bdi> <span class="number">{}</span></a>'
)


def test_the_stack_block_shows_its_list_and_hides_its_markers() -> None:
    text = (
        '<!-- stackr:begin v1 id="I1" digest="a-b" -->\nStack from stackr (oldest at bottom):\n* __->__ #12\n* #13\n'
        "<!-- stackr:end -->\n\nThe text."
    )
    assert html(text) == (
        "<p>Stack from stackr (oldest at bottom):</p>\n<ul>\n<li><strong>-&gt;</strong> "
        + IN_LIST.format("#12")
        + "</li>\n<li>#13</li>\n</ul>\n<p>The text.</p>"
    )


def test_a_number_in_prose_is_just_a_link() -> None:
    assert html("See #12.") == (
        '<p>See <a href="/acme/widgets/pull/12" title="Count &lt;words&gt; (merged)">#12</a>.</p>'
    )


@pytest.mark.parametrize("text", ["#13", "x#12", "a/b#12", "&#12;", "`#12`", "##12", "#12a", "@bob", "mail@alice"])
def test_what_names_nothing_here_stays_as_it_is(text: str) -> None:
    assert "<a" not in html(f"see {text}")


def test_other_ways_to_name_a_pull_request() -> None:
    assert IN_LIST.format("acme/widgets#12") in html("* acme/widgets#12")
    assert IN_LIST.format("#12") in html("* http://here/acme/widgets/pull/12")


def test_people_and_addresses_become_links() -> None:
    assert html("@alice: https://example.com/a_(b).") == (
        '<p><a class="mention" href="/alice">@alice</a>: '
        '<a href="https://example.com/a_(b" rel="nofollow noopener noreferrer">https://example.com/a_(b</a>).</p>'
    )


def test_links_keep_their_text_and_code_stays_code() -> None:
    assert html("[#12](/x)") == '<p><a href="/x" rel="nofollow noopener noreferrer">#12</a></p>'
    assert html("```\n#12 <!-- shown -->\n```") == "<pre><code>#12 &lt;!-- shown --&gt;\n</code></pre>"


def test_task_lists_tables_and_line_ends_are_githubs() -> None:
    assert "<li>☑ done</li>\n<li>☐ open</li>" in html("- [x] done\n- [ ] open")
    assert "<td>1</td>" in html("|a|\n|-|\n|1|")
    assert html("one\ntwo ~~three~~") == "<p>one<br />\ntwo <s>three</s></p>"


def test_pictures_are_links_so_that_nothing_is_loaded_from_elsewhere() -> None:
    assert html("![a *b*](https://evil.example/x.png)") == (
        '<p><a class="picture" href="https://evil.example/x.png" rel="nofollow noopener noreferrer">a b</a></p>'
    )
    assert ">picture</a>" in html("![](https://evil.example/x.png)")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<!-- c --><b>x</b>",
        "<svg/onload=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<!-- open\n\n<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&colon;alert(1))",
        "![x](data:text/html;base64,xxx)",
        "<javascript:alert(1)>",
        '[x](/y "a\\" onmouseover=alert(1) b=\\"")',
        '```"><script>alert(1)</script>\nx\n```',
        "@alice<script>x</script>",
        "|<img src=x>|\n|-|\n|<b>|",
    ],
)
def test_no_markup_of_the_writer_comes_through(text: str) -> None:
    out = html(text).lower()
    for bad in ("<script", "<img", "<svg", "<b>", 'href="javascript', 'href="data', "<a href='"):
        assert bad not in out
    assert '" onmouseover' not in out


def test_html_is_shown_as_its_source_and_an_open_comment_hides_the_rest() -> None:
    assert html("<details>\nx\n</details>") == '<pre class="source">&lt;details&gt;\nx\n&lt;/details&gt;</pre>'
    assert html("before\n\n<!-- open\n\nhidden") == "<p>before</p>"
    assert html("a <b>c</b> <!-- hidden -->d") == "<p>a &lt;b&gt;c&lt;/b&gt; d</p>"


def test_characters_that_turn_the_line_are_shown() -> None:
    assert html("a \u202e b") == "<p>a [U+202E] b</p>"


def test_no_text_means_nothing() -> None:
    assert html(None) == html("") == ""


@pytest.mark.parametrize("piece", ["a-", "a/", "http://", "@a", "#1", "[", "<!-", "__", "* "])
def test_a_long_hostile_text_does_not_take_long(piece: str) -> None:
    started = time.process_time()
    html(piece * (20_000 // len(piece)))
    assert time.process_time() - started < 5
