"""Bad input among good: each a clear error or a recorded refusal, nothing lost, nothing applied by halves."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.command import CommandRecorded
from ledger.events.coup import WagerRefused
from ops.tape.importer import Importer, Report
from ops.tape.lines import lines
from tests.tabletalk import Night, events_of, hands, open_ledger, wagers
from tests.tape.commands import changed, written

Json = dict[str, Any]
NINE_TO_SEVEN = "P 9 K / B 7 Q"


@dataclass(frozen=True)
class Case:
    """A bad line, the good lines before it, and what is said of it."""

    bad: bytes
    outcome: str
    code: str
    told: str
    before: list[Json] = field(default_factory=list)
    paragraph: str | None = None


def _punto() -> Night:
    return Night().opens(decks=6)


def _unreadable(code: str, told: str, *path: str | int, **change: Any) -> Case:
    """A coup that is bad at one place: it cannot be read, and that is told with the place."""
    line = changed(Night(prefix="bad").coup(7, NINE_TO_SEVEN, "player 100, banker 200"), path, change["to"])
    return Case(written(line), "unreadable", code, told)


def _refused(night: Night, code: str, told: str) -> Case:
    """The last line of the night is refused, and that is recorded."""
    return Case(written(night.lines[-1]), "refused", code, told, night.lines[2:-1])


def _rejected(bad: Json, code: str, told: str, paragraph: str | None = None) -> Case:
    """It can be read, but not against the record."""
    return Case(written({**bad, "id": "bad"}), "rejected", code, told, paragraph=paragraph)


def _seventh_ace_of_spades() -> Case:
    night = _punto()
    for number in range(1, 8):
        night.coup(number, "P As 7 / B 9 J", "player 10")
    return _refused(night, "card-not-in-shoe", "a shoe of 6 decks has no further As")


def _number_used_twice() -> Case:
    night = _punto()
    night.coup(1, NINE_TO_SEVEN, "player 10")
    night.coup(1, "P 2 4 / B 7 Q", "player 99")
    return _refused(night, "coup-number-used", "coup/main/T1/S1/1")


def _same_id_other_content() -> Case:
    before = Night().coup(1, NINE_TO_SEVEN, "player 10", id="twice")
    bad = written({**before, "number": 2})
    return Case(bad, "rejected", "command-id-used", "'twice'", [before])


def _cases() -> Iterator[tuple[str, Case]]:
    stake = ("wagers", 1, "stake")
    yield "a float", _unreadable("not-an-integer", "wagers.1.stake", *stake, to=200.5)
    yield "a float without a fraction", _unreadable("not-an-integer", "wagers.1.stake", *stake, to=200.0)
    yield "a negative stake", _unreadable("too-small", "wagers.1.stake", *stake, to=-200)
    yield "a stake of zero", _unreadable("too-small", "wagers.1.stake", *stake, to=0)
    yield "a stake over the cap", _unreadable("too-large", "wagers.1.stake", *stake, to=10**12 + 1)
    yield "an unknown kind", _unreadable("unknown-kind", "wagers.1.kind", "wagers", 1, "kind", to="field")
    yield "a fourth card", _unreadable("too-many-cards", "hands.player", "hands", "player", to="2 2 2 2")
    yield "a seventh ace of spades in six decks", _seventh_ace_of_spades()
    yield "a coup number used twice", _number_used_twice()
    coup = Night().coup(7, NINE_TO_SEVEN, "player 100")
    late = {**coup, "occurred_at": "2026-11-28T12:00:06Z"}
    yield "an event from the future", _rejected(late, "from-the-future", "2026-11-28T12:00:06")
    yield "truncated JSON", Case(written(coup)[:-30], "unreadable", "not-json", "")
    yield "a line of ten megabytes", Case(10 * 1024 * 1024 * b"x", "unreadable", "line-too-long", "8388608")
    twice = written(coup).replace(b'"number": 7', b'"number": 7, "number": 8')
    yield "a key twice", Case(twice, "unreadable", "not-json", "number")
    yield "a command id with other content", _same_id_other_content()
    three = hands(NINE_TO_SEVEN) | {"hand-1": "2 4", "hand-2": "2 5"}
    yield "three opposing hands", _rejected({**coup, "hands": three}, "not-baccarat", "3", "6(1)")
    one = {"banker": "7 Q"}
    yield "no opposing hand", _rejected({**coup, "hands": one}, "hand-missing", "'player'")
    table = Night(table="T2").opens().lines[0]
    yield "an unknown game", _rejected({**table, "format": "whist"}, "unknown-format", "'whist'")
    yield "an unknown profile", _rejected({**table, "profile": "si-1970-1"}, "unknown-profile", "'si-1970-1'")


CASES = dict(_cases())


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def imported(ledger: Ledger, tape: list[bytes]) -> list[Report]:
    """Play a tape; returns what was reported of it."""
    reports: list[Report] = []
    Importer(ledger, reports.append).run(lines(io.BytesIO(b"\n".join(tape))))
    return reports


@pytest.mark.parametrize("name", CASES)
def test_a_bad_line_is_reported_and_the_lines_around_it_are_applied(ledger: Ledger, name: str) -> None:
    """Its number, outcome, code and place; of it itself nothing is on the record but its refusal."""
    case = CASES[name]
    before = [*_punto().lines, *case.before]
    after = Night(prefix="after-").coup(99, NINE_TO_SEVEN, "player 100")
    (report,) = imported(ledger, [*map(written, before), case.bad, written(after)])
    assert (report.line, report.outcome, report.code) == (len(before) + 1, case.outcome, case.code)
    assert case.told in report.detail
    assert report.paragraph == case.paragraph

    assert ledger.record.select_stream("coup/main/T1/S1/99")
    recorded = [
        row.stream for row in ledger.record.select_rows(0, 100_000) if row.topic == CommandRecorded.TOPIC
    ]
    expected = [f"command/{line['id']}" for line in [*before, after]]
    if case.outcome == "refused":
        refused_id = json.loads(case.bad)["id"]
        expected.insert(-1, f"command/{refused_id}")
        (told,) = events_of(ledger, f"command/{refused_id}")
        assert isinstance(told, CommandRecorded)
        assert (told.outcome.value, told.code, told.detail) == ("refused", case.code, report.detail)
    assert recorded == expected
    coups = {row.stream for row in ledger.record.select_rows(0, 100_000) if row.stream.startswith("coup/")}
    good = [line for line in [*before, after] if line["command"] == "record-coup"]
    assert coups == {f"coup/main/T1/S1/{line['number']}" for line in good}


def test_what_was_refused_of_a_used_number_changes_nothing_of_the_first_coup(ledger: Ledger) -> None:
    case = CASES["a coup number used twice"]
    imported(ledger, [*map(written, _punto().lines), *map(written, case.before)])
    first = events_of(ledger, "coup/main/T1/S1/1")
    imported(ledger, [case.bad])
    assert events_of(ledger, "coup/main/T1/S1/1") == first


# --- Wagers that are refused, while the coup goes on --------------------------------------------------


def _after_the_close() -> Night:
    night = _punto()
    night.step("open-coup", 1)
    night.step("place-wagers", 1, wagers=[{"id": "w0", "kind": "player", "stake": 40}])
    night.step("close-wagers", 1)
    night.step("place-wagers", 1, wagers=wagers("player 100"))
    night.step("deal-hands", 1, hands=hands(NINE_TO_SEVEN))
    night.step("settle-coup", 1)
    return night


def _at_chemin_de_fer(staked: str) -> Night:
    night = Night("chemin-de-fer").opens()
    night.say("take-bank", holder="p-9", sum=1000)
    night.coup(1, NINE_TO_SEVEN, staked)
    return night


def _at_punto_banco(staked: str) -> Night:
    night = Night().opens(limits={"player": {"min": 50, "max": 500}})
    night.coup(1, NINE_TO_SEVEN, staked)
    return night


WAGERS: dict[str, tuple[Night, tuple[str, int, str, str]]] = {
    "after the close": (_after_the_close(), ("w1", 100, "wagers-closed", "2(2)")),
    "a tie wager at chemin de fer": (
        _at_chemin_de_fer("player 10, tie 5"),
        ("w2", 5, "kind-not-available", "6(7)(a)"),
    ),
    "over the bank": (
        _at_chemin_de_fer("player 700, player 400"),
        ("w2", 100, "bank-exceeded", "6(3)"),
    ),
    "over the limit": (
        _at_punto_banco("player 500, player 501"),
        ("w2", 501, "over-maximum", "terms.limits"),
    ),
    "under the limit": (
        _at_punto_banco("player 500, player 49"),
        ("w2", 49, "under-minimum", "terms.limits"),
    ),
    "not payable exactly at 19 to 20": (
        _at_punto_banco("player 500, banker 21"),
        ("w2", 21, "not-payable-exactly", "terms.rounding"),
    ),
}


@pytest.mark.parametrize("name", WAGERS)
def test_a_wager_that_may_not_be_taken_is_a_recorded_refusal_and_the_coup_settles(
    ledger: Ledger, name: str
) -> None:
    """Design §5: a refusal is a fact; the wager beside it is settled."""
    night, expected = WAGERS[name]
    assert imported(ledger, [written(line) for line in night.lines]) == []
    coup = events_of(ledger, "coup/main/T1/S1/1")
    (refused,) = [event for event in coup if isinstance(event, WagerRefused)]
    assert (refused.wager.id, refused.stake, refused.reason, refused.paragraph) == expected
    assert coup[-1].TOPIC == "coup-settled.v1"
