"""Pauses between requests, on a clock that only sleeping and the site move on."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from misbehaving import Answer, Site, Time, answer, polite, then_reset, timed

from nonocensus.scrapers.http import Request, RequestFailed


@pytest.mark.parametrize(
    ("host", "rate", "most", "slept"),
    [
        ("puzzles.test", 1.5, 6.0, [1.5, 1.5, 1.5, 3, 4.5, 4.5]),
        ("127.0.0.1", 0.0, 0.1, [0.0075, 0.015, 0.03, 0.06, 0.075]),
    ],
)
def test_backoff_doubles_with_jitter(
    site: Site, times: Time, monkeypatch: pytest.MonkeyPatch, host: str, rate: float, most: float, slept: list[float]
) -> None:
    """It is short for this machine."""
    monkeypatch.setattr("random.uniform", lambda low, high: (low + high) / 2)
    site.answers["/a"] = [then_reset(b"")]
    with timed(times, rate=rate, attempts=6, max_wait=most) as session, pytest.raises(RequestFailed):
        session.fetch(Request(f"http://{host}:{site.port}/a"))
    assert times.slept == pytest.approx(slept)


@pytest.mark.parametrize("reply", [answer(503), answer(500), answer(429, Retry_After="0"), then_reset(b"")])
def test_backoff_is_random_and_positive(site: Site, times: Time, reply: Answer) -> None:
    site.answers["/a"] = [reply]
    with timed(times) as session, pytest.raises(RequestFailed):
        session.fetch(Request(f"{site.url}/a"))
    assert len(times.slept) == 4
    for slept, most in zip(times.slept, [0.01, 0.02, 0.04, 0.08], strict=True):
        assert most / 2 <= slept <= most


def test_backoff_applies_to_next_request(site: Site, times: Time) -> None:
    site.answers["/a"] = [then_reset(b"")]
    with timed(times, attempts=3) as session:
        with pytest.raises(RequestFailed):
            session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/b"))
    assert len(times.slept) == 3
    assert 0.02 <= times.slept[-1] <= 0.04


def test_rate_is_kept_through_retries_and_redirects(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(500), answer(302, Location="/b"), answer(200)]
    with timed(times, rate=1.5) as session:
        for _ in range(9):
            session.fetch(Request(f"http://puzzles.test:{site.port}/a"))
    assert len(times.slept) == len(site.asked) - 1
    assert min(times.slept) >= 1.5


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [answer(status, Retry_After="30"), answer(status, Retry_After=" 2 "), answer(200)]
    told: list[str] = []
    with timed(times, report=told.append) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert times.slept == [30, 2]
    assert told == [f"127.0.0.1:{site.port} asks to wait 30 s"]


def test_retry_after_as_a_date(site: Site, times: Time) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = "Sun, 06 Nov 1994 08:49:37 GMT"
    site.answers["/a"] = [answer(429, Retry_After=then), answer(429, Retry_After=past), answer(200)]
    with timed(times) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert times.slept == [pytest.approx(29, abs=1.5), pytest.approx(0.015, abs=0.005)]


@pytest.mark.parametrize("senseless", ["soon", "-5", "1.5", "9" * 5000, "Sun, 99 Nov 99999 08:49:37 GMT"])
def test_invalid_retry_after_is_ignored(site: Site, times: Time, senseless: str) -> None:
    site.answers["/a"] = [answer(429, Retry_After=senseless), answer(200)]
    with timed(times) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert 0 < sum(times.slept) <= 1


def test_retry_after_applies_to_next_request(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(429, Retry_After="30")]
    with timed(times, attempts=1) as session:
        with pytest.raises(RequestFailed, match=r"/a: 429 Too Many Requests, asks to wait 30 s$"):
            session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/b"))
    assert times.slept == [30]


@pytest.mark.parametrize(("seconds", "said"), [("90000", "90,000 s"), ("9" * 4000, "more than a year")])
def test_retry_after_beyond_max_wait_fails(site: Site, times: Time, seconds: str, said: str) -> None:
    site.answers["/a"] = [answer(503, Retry_After=seconds)]
    with timed(times) as session:
        with pytest.raises(RequestFailed, match=rf"/a: 503 Service Unavailable, asks to wait {said}$") as failed:
            session.fetch(Request(f"{site.url}/a"))
        assert (failed.value.attempts, failed.value.status) == (1, 503)
    assert times.slept == []


def test_long_waits_are_reported(site: Site, times: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda _, high: high)
    host = f"puzzles.test:{site.port}"
    site.answers["/a"] = [*[then_reset(b"")] * 4, answer(200)]
    told: list[str] = []
    with timed(times, rate=1.5, report=told.append) as session:
        session.fetch(Request(f"http://{host}/a"))
    assert told == [f"{host}: connection reset, trying again in 8 s"]
    with timed(times, rate=7.0, report=told.append) as session:
        session.fetch(Request(f"http://{host}/b"))
    assert told[1:] == [f"{host}: 7 s between requests"]


def test_interrupt_during_wait_is_raised(site: Site) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    site.answers["/a"] = [answer(503), answer(200)]
    with polite(sleep=interrupted) as session, pytest.raises(KeyboardInterrupt):
        session.fetch(Request(f"{site.url}/a"))


def test_delay_starts_at_end_of_exchange(site: Site, times: Time) -> None:
    site.answers |= {"/a": [times.late(1.0, answer(200))]}
    with timed(times, rate=2.0) as session:
        session.fetch(Request(f"{site.url}/a"))
        times.now += 0.5
        session.fetch(Request(f"{site.url}/a"))
        times.now += 5.0
        session.fetch(Request(f"{site.url}/a"))
    assert times.slept == [2.0, 1.5]


def test_delay_follows_latency(site: Site, times: Time) -> None:
    site.answers["/a"] = [times.late(seconds, answer(200)) for seconds in (6.0, 0.0, 0.0, 500.0, 500.0)]
    with timed(times, rate=2.0) as session:
        assert session.delay == 2.0
        delays = []
        for _ in range(5):
            assert session.fetch(Request(f"{site.url}/a")).seconds in (0.0, 6.0, 500.0)
            delays.append(session.delay)
    assert delays == [4.0, 2.0, 2.0, 60.0, 60.0]


@pytest.mark.parametrize(
    ("status", "delay"), [(200, 2.5), (204, 2.5), (304, 2.5), (404, 2.5), (400, 5.0), (403, 5.0), (410, 5.0)]
)
def test_only_good_replies_lower_delay(site: Site, times: Time, status: int, delay: float) -> None:
    site.answers["/a"] = [times.late(9.0, answer(status)), answer(status)]
    with timed(times, rate=1.0) as session:
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 5.0
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == delay


@pytest.mark.parametrize("status", [429, 500, 503])
def test_refusals_double_delay(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [answer(status)]
    with timed(times, rate=2.0, max_delay=20.0) as session:
        with pytest.raises(RequestFailed):
            session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 20.0
    assert times.slept == [2.0, 4.0, 8.0, 16.0, 20.0]


def test_rate_0_waits_only_after_failures(site: Site, times: Time) -> None:
    site.answers["/a"] = [times.late(9.0, answer(200)), answer(503), answer(403), answer(200)]
    with timed(times) as session:
        for _ in range(50):
            session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 0.0
    assert times.slept == [pytest.approx(0.0075, abs=0.0025)]
