"""Named consumers: compare and set, lag, and the commands."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ops.wiring import House
from tests.cli.shell import run
from tests.feed.serving import Served

CAGE, OTHER = "carl cage", "olga cage"


def test_a_consumer_moves_from_where_it_stands_and_its_lag_is_shown(served: Served, house: House) -> None:
    end = house.ledger.record.last_sequence()
    assert served.get("/v1/consumers/books", who=CAGE).status_code == 404
    moved = served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE).json()
    assert (moved["position"], moved["lag"]) == (10, end - 10)
    assert served.put("/v1/consumers/books", {"expected": 10, "position": end}, CAGE).json()["lag"] == 0
    assert served.get("/v1/consumers/books", who=CAGE).json()["position"] == end


def test_who_expects_it_elsewhere_moves_nothing_and_learns_where_it_is(served: Served) -> None:
    served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE)
    answer = served.put("/v1/consumers/books", {"expected": 0, "position": 20}, CAGE)
    assert (answer.status_code, answer.json()["code"], answer.json()["found"]) == (409, "consumer-moved", 10)
    assert served.get("/v1/consumers/books", who=CAGE).json()["position"] == 10


def test_of_many_who_move_it_at_once_one_does(served: Served) -> None:
    bodies = [{"expected": 0, "position": position} for position in range(1, 9)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda body: served.put("/v1/consumers/books", body, CAGE), bodies))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7


def test_a_position_beyond_the_end_is_told(served: Served, house: House) -> None:
    end = house.ledger.record.last_sequence()
    answer = served.put("/v1/consumers/books", {"expected": 0, "position": end + 1}, CAGE)
    assert (answer.status_code, answer.json()["code"]) == (409, "resume-point-beyond-end")


def test_a_consumer_is_its_owners_and_an_auditor_sees_all(served: Served) -> None:
    served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE)
    for answer in (
        served.get("/v1/consumers/books", who=OTHER),
        served.put("/v1/consumers/books", {"expected": 10, "position": 11}, OTHER),
        served.get(who=OTHER, consumer="books"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "consumer-of-another")
    assert served.get("/v1/consumers", who=OTHER).json() == []
    assert [one["name"] for one in served.get("/v1/consumers").json()] == ["books"]


def test_events_are_read_on_from_where_it_stands(served: Served) -> None:
    served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE)
    first = served.get(consumer="books", who=CAGE, limit=1).json()[0]
    assert int(first.get("firstsequence", first["sequence"])) == 11
    assert int(served.get(consumer="books", after=3, limit=1).json()[0]["sequence"]) == 4


def test_the_commands_list_reset_and_remove(served: Served, db: Path, house: House) -> None:
    end = house.ledger.record.last_sequence()
    assert run("consumers", "list", "--db", db, "--json").json() == {"end": end, "consumers": []}
    served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE)
    (listed,) = run("consumers", "list", "--db", db, "--json").json()["consumers"]
    assert (listed["name"], listed["owner"], listed["position"], listed["lag"]) == (
        "books",
        "carl",
        10,
        end - 10,
    )
    assert "books" in run("consumers", "list", "--db", db).out
    assert run("consumers", "reset", "books", "--to", "3", "--db", db).code == 0
    assert served.get("/v1/consumers/books", who=CAGE).json()["position"] == 3
    for wrong in (("reset", "books", "--to", str(end + 1)), ("reset", "books", "--to", "-1"),
                  ("reset", "nobody", "--to", "0"), ("remove", "nobody")):  # fmt: skip
        assert run("consumers", *wrong, "--db", db).code == 2
    assert served.get("/v1/consumers/books", who=CAGE).json()["position"] == 3
    assert run("consumers", "remove", "books", "--db", db).code == 0
    assert run("consumers", "list", "--db", db, "--json").json()["consumers"] == []


def test_verify_knows_their_table(served: Served, db: Path) -> None:
    served.put("/v1/consumers/books", {"expected": 0, "position": 10}, CAGE)
    done = run("verify", "--db", db, "--json")
    assert "feed_consumers" not in done.out + done.err
