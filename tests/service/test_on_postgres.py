"""The service on PostgreSQL: the same answers, and a server that goes away and comes back."""

from __future__ import annotations

from time import monotonic, sleep

from ledger.terms.access import Role
from tests import postgres
from tests.oracle.night import pnl as oracle
from tests.service.at_work import PATIENCE_SECONDS, at_work, code_of
from tests.service.test_commands import opening
from tests.service.test_consents import consents, held, ruled
from tests.service.test_tapes import evening, posted, tape_of


def test_a_night_a_tape_a_ruling_and_the_figures(postgres_url: str) -> None:
    with at_work(postgres_url) as working:
        night = evening("P1")
        working.plays(night)
        again = posted(working, b"".join(tape_of(night)))
        assert again[-1] == {"end": "whole", "lines": {"repeated": 5}}
        line = ruled(held(working, "P2"), "pit-1", "law-1")
        digest = working.sends(line, Role.PIT, person="dealer-1").json()["digest"]
        assert consents(working, line["id"], digest, "pit-1", Role.PIT).status_code == 202
        assert consents(working, line["id"], digest, "law-1", Role.COMPLIANCE).json()["stage"] == "void"
        (row,) = working.gets("pnl", Role.AUDITOR, table="P1").json()["rows"]
        (expected,) = oracle(night.lines)
        assert {name: row[name] for name in expected} == expected
        working.shared.keys.revoke("main", working.key("auditor", Role.AUDITOR).split("_")[2], "x", "a")
        assert working.gets("pnl", Role.AUDITOR).status_code == 401


def test_connections_that_are_cut_off_are_told_or_made_anew(postgres_url: str) -> None:
    """No fault, no event half-written, and after a while all is as before."""
    with at_work(postgres_url) as working:
        assert working.sends(opening("P3")).status_code == 200
        for number in range(3):
            postgres.change(
                postgres_url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' "
                "AND query NOT LIKE 'CREATE SCHEMA%'",
            )
            line = opening(f"P4-{number}")
            until = monotonic() + PATIENCE_SECONDS
            while (answer := working.sends(line)).status_code != 200:
                assert (answer.status_code, code_of(answer)) == (503, "store-unavailable")
                assert monotonic() < until
                sleep(0.05)
        rows = working.house.ledger.record.select_rows(0, 10_000)
        assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
