"""Figures and proofs over HTTP: those of the record at the moment of asking, whole, page by page."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from ledger.seal.bundle import verify_bundle
from ledger.seal.note import parse_note
from ledger.terms.access import Role
from projections.cage.views import cage
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.views import findings
from projections.pnl.views import PnlFilter, Span
from tests.bundle.sealed import PINNED, seal
from tests.oracle.night import pnl as oracle
from tests.projections.houses import CONTRACT, KEY, evening, take
from tests.service.at_work import AtWork, at_work, code_of
from tests.tabletalk import Night

AUDITOR = Role.AUDITOR


@pytest.fixture(scope="module")
def after_the_evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    """A service on a ledger with the evening in it."""
    with at_work(tmp_path_factory.mktemp("evening") / "ledger.db") as service:
        take(service.house, evening())
        yield service


def pages(working: AtWork, path: str, limit: int, **query: Any) -> list[dict[str, Any]]:
    """All pages of a query."""
    found = [working.gets(path, AUDITOR, limit=limit, **query)]
    while (cursor := found[-1].json()["next"]) is not None:
        assert len(found) < 500
        found.append(working.gets(path, AUDITOR, limit=limit, cursor=cursor, **query))
    return [page.json() for page in found]


def rows(working: AtWork, path: str, limit: int, **query: Any) -> list[dict[str, Any]]:
    return [row for page in pages(working, path, limit, **query) for row in page["rows"]]


@pytest.mark.parametrize("limit", [1, 1000])
def test_profit_and_loss_is_the_oracles_however_it_is_paged(after_the_evening: AtWork, limit: int) -> None:
    found = [{name: row[name] for name in CONTRACT} for row in rows(after_the_evening, "pnl", limit)]
    assert sorted(found, key=lambda row: [row[name] or "" for name in KEY]) == oracle(evening())


def test_a_small_page_is_a_part(after_the_evening: AtWork) -> None:
    assert len(pages(after_the_evening, "pnl", 1)) > 1
    assert len(pages(after_the_evening, "cage", 1, by="day")) > 1


@pytest.mark.parametrize("by", ["shift", "day"])
@pytest.mark.parametrize("limit", [1, 1000])
def test_the_cages_rows_are_those_of_the_view(after_the_evening: AtWork, by: str, limit: int) -> None:
    found = rows(after_the_evening, "cage", limit, by=by)
    with after_the_evening.house.tables.snapshot() as statements:
        view = [row.as_json() for row in cage(statements, PnlFilter(premises="main"), Span(by))]
    assert found == [row | {name: list(row[name]) for name in row if "slips" in name} for row in view]


@pytest.mark.parametrize("limit", [2, 1000])
def test_findings_come_whole_and_in_order(after_the_evening: AtWork, limit: int) -> None:
    found = rows(after_the_evening, "compliance", limit)
    with after_the_evening.house.tables.snapshot() as statements:
        view = list(findings(statements, FindingFilter(premises="main"), after_the_evening.clock()))
    assert view
    assert [(row["sequence"], row["code"], row["stream"]) for row in found] == [
        (one.sequence, one.code, one.stream) for one in view
    ]


def test_what_was_answered_is_in_the_figures(after_the_evening: AtWork) -> None:
    """Whoever has the answer to a command finds it in every figure read after it."""
    night = Night(table="F1", prefix="f1-").opens()
    after_the_evening.plays(night)
    for number in range(1, 6):
        coup = night.coup(number, "P 9 K / B 7 Q", "banker 100")
        assert after_the_evening.sends(coup).status_code == 200
        page = after_the_evening.gets("pnl", AUDITOR, table="F1").json()
        assert page["position"] == after_the_evening.house.ledger.record.last_sequence()
        assert [(row["coups"], row["win"]) for row in page["rows"]] == [(number, 100 * number)]


def forged(cursor: str) -> list[str]:
    """What somebody might make of a cursor."""
    content = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    other = content[:16] + content[16:].replace(b"2026", b"2027")
    return [
        "x",
        "é",
        "=" * 10,
        "",
        cursor[:-2],
        cursor + "AA",
        cursor + "!",
        cursor + "\n",
        cursor.swapcase(),
        base64.urlsafe_b64encode(other).decode(),
        base64.urlsafe_b64encode(b'["2026-11-27","PB1"]').decode(),
        base64.urlsafe_b64encode(b"\x00" * 16 + b'["2026-11-27","PB1"]').decode(),
    ]


def test_a_cursor_that_was_made_up_is_told(after_the_evening: AtWork) -> None:
    cursor = after_the_evening.gets("pnl", AUDITOR, limit=1).json()["next"]
    for each in forged(cursor):
        answer = after_the_evening.gets("pnl", AUDITOR, limit=1, cursor=each)
        assert (answer.status_code, code_of(answer)) == (400, "cursor-unknown"), each


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("pnl", "tabel"),
        ("pnl", "from_"),
        ("cage", "Table"),
        ("compliance", "patron"),
        ("proposals", "table"),
        ("tables/PB1/shoes/S1/coups/1", "x"),
    ],
)
def test_a_parameter_that_is_mistyped_is_told_and_not_passed_over(
    after_the_evening: AtWork, path: str, parameter: str
) -> None:
    """Else whoever asks for one table has the figures of all."""
    answer = after_the_evening.gets(path, AUDITOR, **{parameter: "PB1"})
    assert (answer.status_code, code_of(answer)) == (422, "parameter-unknown")
    assert parameter in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "query"), [("cage", {}), ("pnl", {"by": "day"}), ("pnl", {"table": "PB1"}), ("compliance", {})]
)
def test_a_cursor_of_another_query_is_told(after_the_evening: AtWork, path: str, query: Any) -> None:
    cursor = after_the_evening.gets("pnl", AUDITOR, limit=1).json()["next"]
    answer = after_the_evening.gets(path, AUDITOR, cursor=cursor, **query)
    assert (answer.status_code, code_of(answer)) == (400, "cursor-unknown")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("pnl", {"limit": 0}),
        ("pnl", {"limit": 100_000}),
        ("pnl", {"limit": "many"}),
        ("pnl", {"from": "27.11.2026"}),
        ("pnl", {"from": "1764201600"}),
        ("pnl", {"by": "year"}),
        ("pnl", {"table": "PB 1"}),
        ("cage", {"by": "month"}),
        ("compliance", {"severity": "grave"}),
        ("compliance", {"person": "a\x00b"}),
        ("compliance", {"paragraph": "6'--"}),
        ("compliance/coverage/2026-13", {}),
    ],
)
def test_a_bad_query_is_told(after_the_evening: AtWork, path: str, query: Any) -> None:
    answer = after_the_evening.gets(path, AUDITOR, **query)
    assert (answer.status_code, code_of(answer)) == (422, "parameter-unreadable")


def test_filters_filter(after_the_evening: AtWork) -> None:
    assert {row["table"] for row in rows(after_the_evening, "pnl", 1000, table="PB1")} == {"PB1"}
    assert rows(after_the_evening, "pnl", 1000, **{"from": "2026-12-01"}) == []
    breaches = rows(after_the_evening, "compliance", 1000, severity="breach")
    assert {row["severity"] for row in breaches} <= {"breach"}


def test_coverage_has_every_branch(after_the_evening: AtWork) -> None:
    page = after_the_evening.gets("compliance/coverage/2026-11", AUDITOR).json()
    assert any(row["times"] for row in page["rows"])


COUP = "tables/T9/shoes/S1/coups/1"


def test_a_coup_is_shown_told_and_proved(after_the_evening: AtWork) -> None:
    """The bundle verifies with the public key alone."""
    night = Night(table="T9", prefix="t9-").opens()
    night.coup(1, "P 3 3 / B 2 2 3", "banker 2500")
    after_the_evening.plays(night)
    early = after_the_evening.gets(f"{COUP}/bundle", AUDITOR)
    assert (early.status_code, code_of(early)) == (409, "coup-not-covered")
    none = after_the_evening.asks("GET", "/v1/checkpoint", AUDITOR)
    assert (none.status_code, code_of(none)) == (404, "no-checkpoint")

    seal(after_the_evening.house)
    checkpoint = after_the_evening.asks("GET", "/v1/checkpoint", AUDITOR)
    assert parse_note(checkpoint.text).verified_by([PINNED]) == (PINNED,)
    verified = verify_bundle(after_the_evening.gets(f"{COUP}/bundle", AUDITOR).content, [PINNED], None)
    assert verified.coup == "coup/main/T9/S1/1"
    story = after_the_evening.gets(f"{COUP}/replay", AUDITOR).json()
    assert story["checkpoint"] is not None
    assert story["lines"][0]["winnings"] == 2375
    lag = after_the_evening.asks("GET", "/readyz").json()["lag"]
    assert lag["seal"] == 0


@pytest.mark.parametrize(("role", "sees"), [(Role.AUDITOR, True), (Role.PIT, True), (Role.ACCOUNTING, False)])
def test_a_coup_names_patrons_to_those_alone_to_whom_the_feed_does(
    after_the_evening: AtWork, role: Role, sees: bool
) -> None:
    shown = after_the_evening.gets("tables/PB1/shoes/2026-11-27-1/coups/1", role)
    assert shown.status_code == 200
    assert ('"p-' in shown.text) is sees
    assert all(wager["stake"] > 0 for wager in shown.json()["wagers"])


@pytest.mark.parametrize("what", ["", "/replay", "/bundle"])
def test_a_coup_that_is_not_there_is_told(after_the_evening: AtWork, what: str) -> None:
    answer = after_the_evening.gets(f"tables/T9/shoes/S1/coups/77{what}", AUDITOR)
    assert (answer.status_code, code_of(answer)) == (404, "not-found")
