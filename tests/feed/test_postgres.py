"""The feed of a ledger in PostgreSQL: woken by the server's notices, and by the timer where they are lost."""

from __future__ import annotations

import pytest

from ops.feed import notices, tail
from tests import postgres
from tests.cli.shell import run
from tests.feed.serving import events, serving, told, wait_until
from tests.feed.test_http import coup
from tests.projections.houses import house_at


@pytest.fixture
def slow_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """So slow that only a notice can have woken anybody."""
    monkeypatch.setattr(tail.Tail.__init__, "__defaults__", (3_600.0,))


@pytest.mark.usefixtures("slow_timer")
def test_a_save_of_another_process_wakes_a_stream_by_notice(postgres_url: str) -> None:
    with house_at(postgres_url) as house, house_at(postgres_url) as elsewhere:
        end = coup(house, "first-")
        with serving(house, postgres_url) as served, served.stream(after=end) as lines:
            wait_until(lambda: served.feed.tail.waiting)
            reading = told(lines)
            for number in range(3):
                end = coup(elsewhere, f"more{number}-")
                while next(reading).id < end:
                    pass


def test_without_notices_the_timer_does_it(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "CHANNEL", "nobody_says_anything_here")
    with (
        house_at(postgres_url) as house,
        house_at(postgres_url) as elsewhere,
        serving(house, postgres_url) as served,
        served.stream() as lines,
    ):
        wait_until(lambda: served.feed.tail.waiting)
        end = coup(elsewhere, "later-")
        assert next(told(lines)).id == 1 <= end


def test_a_server_that_drops_its_connections_is_listened_to_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "AGAIN_SECONDS", 0.05)
    with house_at(postgres_url) as house:
        end = coup(house, "first-")
        with serving(house, postgres_url) as served:
            for number in range(3):
                postgres.change(
                    postgres_url,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'baccarat-ledger' AND query LIKE 'LISTEN%'",
                )
                end = coup(house, f"more{number}-")
                assert events(served.lines()) == list(range(1, end + 1))
            with served.stream(after=end) as lines:
                wait_until(lambda: served.feed.tail.waiting)
                new = coup(house, "last-")
                assert next(told(lines)).id == end + 1 <= new


def test_consumers_and_their_commands(postgres_url: str) -> None:
    with house_at(postgres_url) as house, serving(house, postgres_url) as served:
        end = coup(house, "first-")
        assert served.put("/v1/consumers/books", {"expected": 0, "position": end}).status_code == 200
        assert served.put("/v1/consumers/books", {"expected": 0, "position": 1}).status_code == 409
    assert run("consumers", "reset", "books", "--to", "1", "--db", postgres_url).code == 0
    (listed,) = run("consumers", "list", "--db", postgres_url, "--json").json()["consumers"]
    assert (listed["position"], listed["lag"]) == (1, end - 1)
