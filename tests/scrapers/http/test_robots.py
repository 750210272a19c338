"""robots.txt: read first, kept to, and a no if it can't be read."""

import pytest
from misbehaving import Answer, Site, Time, answer, fetch, polite, robots, then_reset, timed

from nonocensus.scrapers.http import HostUnreachable, Request, RequestFailed, RobotsDisallowed


def test_robots_txt_is_read_once_and_first(site: Site) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /private")]
    with polite() as session:
        for path in ("/a", "/b"):
            session.fetch(Request(site.url + path))
        for _ in range(2):
            with pytest.raises(RobotsDisallowed, match=r"/private/1: disallowed by http://.*/robots\.txt$"):
                session.fetch(Request(f"{site.url}/private/1"))
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/b"]


def test_robots_txt_is_reread_after_a_day(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *"), robots("User-agent: *", "Disallow: /")]
    with timed(times) as session:
        for hours in (0, 1, 22):
            times.now += 3600 * hours
            session.fetch(Request(f"{site.url}/a"))
        times.now += 3600 * 2
        with pytest.raises(RobotsDisallowed):
            session.fetch(Request(f"{site.url}/a"))
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/a", "/a", "/robots.txt"]


@pytest.mark.parametrize("path", ["/a/../private/1", "/a/%2e%2e/private/1", "/%70rivate/1", "/private/1#there"])
def test_encoded_paths_do_not_bypass_robots_txt(site: Site, path: str) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /private")]
    with pytest.raises(RobotsDisallowed):
        fetch(site, path)
    site.answers["/a"] = [answer(302, Location=site.url + path)]
    with pytest.raises(RequestFailed, match=r"/a: after a redirect: http://.*/private/1.*: disallowed by http://"):
        fetch(site)
    assert site.paths() == ["/a"]


def test_rules_for_our_user_agent_apply(site: Site) -> None:
    site.answers["/robots.txt"] = [
        robots("\ufeffUser-agent: nonocensus", "Allow: /a", "Disallow: /", "", "User-agent: *", "Disallow: /a")
    ]
    assert fetch(site).status == 404
    with pytest.raises(RobotsDisallowed):
        fetch(site, "/b")


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_missing_robots_txt_allows_everything(site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": [answer(status, b"User-agent: *\nDisallow: /")], "/a": [answer(200, b"x")]}
    assert fetch(site).body == b"x"


def test_redirected_robots_txt_is_followed(site: Site) -> None:
    site.answers |= {
        "/robots.txt": [answer(301, Location="/private/robots")],
        "/private/robots": [robots("User-agent: *", "Disallow: /private")],
    }
    with pytest.raises(RobotsDisallowed, match="/private/1: "):
        fetch(site, "/private/1")


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (answer(503), "503 Service Unavailable, 5 times"),
        (answer(429), "429 Too Many Requests, 5 times"),
        (then_reset(b""), "connection reset, 5 times"),
        (answer(302, Location="http://other.test/"), r"redirected to http://other.test/ \(a login page\?\)"),
        (answer(304), "304 Not Modified"),
    ],
    ids=["503", "429", "reset", "redirect", "304"],
)
def test_unreadable_robots_txt_disallows_everything(site: Site, reply: Answer, line: str) -> None:
    site.answers["/robots.txt"] = [reply]
    with polite() as session:
        for _ in range(2):
            with pytest.raises(
                HostUnreachable,
                match=rf"^{site.url}/robots\.txt: {line}; nothing may be fetched there until it can be read",
            ):
                session.fetch(Request(f"{site.url}/a"))
    assert site.paths() == []
    assert len(site.asked) in (1, 5)


def test_robots_txt_is_retried(site: Site) -> None:
    site.answers["/robots.txt"] = [answer(503), then_reset(b""), robots("User-agent: *", "Disallow: /b")]
    assert fetch(site).status == 404


def test_crawl_delay_raises_delay(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Crawl-delay: 4")]
    site.answers["/a"] = [answer(200), times.late(20.0, answer(200)), answer(200)]
    with timed(times, rate=1.0) as session:
        assert session.delay == 1.0
        for _ in range(5):
            session.fetch(Request(f"{site.url}/a"))
    assert times.slept == [4, 4, 12, 6, 4]


def test_crawl_delay_holds_with_rate_0_and_beyond_max_delay(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Crawl-delay: 70.5")]
    with timed(times) as session:
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 70.5
    assert times.slept == [70.5]


@pytest.mark.parametrize(
    ("delay", "said"), [("86400", "86,400 s"), ("99999999999", "more than a year"), ("1e308", "more than a year")]
)
def test_crawl_delay_beyond_max_wait_disallows(site: Site, delay: str, said: str) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", f"Crawl-delay: {delay}")]
    with pytest.raises(
        HostUnreachable, match=f"Crawl-delay of {said} exceeds the limit of 900 s; treated as disallowed"
    ):
        fetch(site)
