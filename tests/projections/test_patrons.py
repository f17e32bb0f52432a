"""Patrons: the oracle's sums by token, and the dated thresholds that they are held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from ops.wiring import House
from projections.patrons.patrons import Patrons
from projections.patrons.thresholds import THRESHOLDS, Purpose, in_force
from projections.patrons.views import Link, PatronFilter, PatronRow, judge, patron_rows
from tests.oracle.play import Night as OracleNight
from tests.projections.houses import Line, evening, house_in_memory, take
from tests.projections.nights import nights
from tests.tabletalk import GAMING_DAY, Live, command, hands

POUNDS_FOR_EUROS = {("EUR", "GBP"): Fraction(85, 100)}
RULING = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}
FLOAT = {"chips": {"2500": 400}, "signed_by": ["dealer-1", "inspector-1"]}
WINS, LOSES = "P 9 K / B 7 Q", "P 7 K / B 9 Q"


@pytest.fixture
def house() -> Iterator[House]:
    with house_in_memory() as opened:
        yield opened


def rows_of(house: House, wanted: PatronFilter | None = None, link: Link = Link.DAY) -> list[PatronRow]:
    house.runner((Patrons(),)).catch_up()
    with house.tables.snapshot() as statements:
        return patron_rows(statements, wanted or PatronFilter(), link)


def row_of(house: House, patron: str) -> PatronRow:
    (row,) = rows_of(house, PatronFilter(patron=patron))
    return row


Sums = dict[tuple[str, str, str], dict[str, int]]


def by_oracle(tape: Sequence[Line]) -> Sums:
    """What each patron's settled wagers come to by day and premises, from the tape alone."""
    night = OracleNight()
    for line in tape:
        night.obey(line)
    sums: Sums = defaultdict(lambda: defaultdict(int))
    for coup in night.coups.values():
        if coup.state != "settled":
            continue
        for item, line in zip(coup.accepted, coup.lines, strict=True):
            key = (coup.table.gaming_day, coup.table.premises, item.wager.get("patron", ""))
            patron, excess = sums[key], item.wager["stake"] - item.covered
            patron["wagers"] += 1
            patron["largest_winnings"] = max(patron["largest_winnings"], line["winnings"])
            if item.wager.get("tender") == "promotional":
                patron["promotional_stakes"] += item.covered
                patron["promotional_winnings"] += line["winnings"]
                continue
            patron["stakes"] += item.covered
            patron["winnings"] += line["winnings"]
            patron["returned"] += line["returned"] - excess
            patron["largest_stake"] = max(patron["largest_stake"], item.covered)
    return sums


FIGURES = (
    "wagers",
    "stakes",
    "winnings",
    "returned",
    "promotional_stakes",
    "promotional_winnings",
    "largest_stake",
    "largest_winnings",
)


def in_figures(rows: Sequence[PatronRow]) -> Sums:
    """Rows of patrons who staked, as the oracle has them."""
    return {
        (row.gaming_day, row.premises, row.patron): {name: getattr(row, name) for name in FIGURES}
        for row in rows
        if row.wagers
    }


def whole(sums: Sums) -> Sums:
    return {key: {name: figures.get(name, 0) for name in FIGURES} for key, figures in sums.items()}


# --- Sums --------------------------------------------------------------------------------------------------


def test_the_evening_comes_to_the_oracles_sums(house: House) -> None:
    take(house, evening())
    assert in_figures(rows_of(house)) == whole(by_oracle(evening()))


@settings(max_examples=15, deadline=None)
@given(tape=nights())
def test_any_nights_come_to_the_oracles_sums(tape: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, tape)
        assert in_figures(rows_of(house)) == whole(by_oracle(tape))


def test_a_session_is_one_table_and_the_days_row_links_them(house: House) -> None:
    take(house, evening())
    day = {row.patron: row for row in rows_of(house)}
    sessions: dict[str, list[PatronRow]] = defaultdict(list)
    for row in rows_of(house, link=Link.TABLE):
        assert len(row.tables) == 1
        sessions[row.patron].append(row)
    assert max(map(len, sessions.values())) == 2  # one of them leaves PB1 for BB1
    for patron, of_patron in sessions.items():
        assert day[patron].tables == tuple(sorted(row.tables[0] for row in of_patron))
        for figure in ("stakes", "winnings", "promotional_stakes", "bank_put_up"):
            assert getattr(day[patron], figure) == sum(getattr(row, figure) for row in of_patron)


def test_a_ruling_takes_back_what_it_takes_back(house: House) -> None:
    """Corrected, the same stake loses; void, it was never settled. But the largest stake was staked."""
    table = Live(house.ledger)
    table.coup(1, WINS, "player 500 p-1")
    table.step("correct-coup", 1, hands=hands(LOSES), **RULING)
    row = row_of(house, "p-1")
    assert (row.wagers, row.stakes, row.winnings, row.returned) == (1, 500, 0, 0)
    table.step("void-coup", 1, **RULING)
    row = row_of(house, "p-1")
    assert (row.wagers, row.stakes, row.winnings, row.returned, row.largest_stake) == (0, 0, 0, 0, 500)


def test_a_correction_makes_no_stake(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, LOSES, "player 500 p-1")
    table.step("correct-coup", 1, hands=hands(WINS), **RULING)
    row = row_of(house, "p-1")
    assert (row.stakes, row.winnings, row.largest_stake, row.largest_winnings) == (500, 500, 500, 500)


def test_a_correction_of_a_sealed_day_is_booked_on_the_open_one_and_makes_no_stake_there(
    house: House,
) -> None:
    """What that day's patron collects more is told there; the sealed day's figures stay."""
    table = Live(house.ledger)
    table.coup(1, LOSES, "player 500 p-1")
    table.say("close-table", closer=FLOAT)
    counted = {"shift": "1", "opener": 1_000_000, "closer": 1_000_000, "drop": 0}
    table.say("record-count", gaming_day=GAMING_DAY, counted=counted)
    nought = {"table": "T1", "win_by_wagers": 500, "win_by_inventory": 0, "variance": 500}
    assert house.ledger.run(command(table.night.closes_day(tables=[nought]))).applied
    opening = {"gaming_day": "2026-11-28", "format": "punto-banco", "opener": FLOAT}
    assert table.say("open-table", **opening, occurred_at="2026-11-28T11:00:00Z").applied
    assert table.step("correct-coup", 1, hands=hands(WINS), **RULING).applied
    told = [
        (row.gaming_day, row.stakes, row.winnings, row.largest_stake, row.largest_winnings)
        for row in rows_of(house, PatronFilter(patron="p-1"))
    ]
    assert told == [(GAMING_DAY, 500, 0, 500, 0), ("2026-11-28", 0, 500, 0, 500)]


def test_a_bank_that_a_player_puts_up_is_a_stake_and_what_it_wins_is_apart(house: House) -> None:
    table = Live(house.ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-9", sum=1000)
    table.coup(1, LOSES, "player 400 p-1")
    table.coup(2, "P 9 K / B 9 Q", "player 300 p-1")
    table.coup(3, WINS, "player 1400 p-1")
    table.say("pass-bank", holder="p-8", sum=700)
    banker = row_of(house, "p-9")
    assert (banker.banks, banker.bank_put_up, banker.largest_bank) == (1, 1000, 1000)
    assert (banker.bank_won, banker.wagers, banker.tables) == (400 - 1400, 0, ("T1",))
    assert row_of(house, "p-8").bank_put_up == 700
    assert row_of(house, "p-1").stakes == 400 + 300 + 1400
    table.step("correct-coup", 3, hands=hands(LOSES), **RULING)
    assert row_of(house, "p-9").bank_won == 400 + 1400
    table.step("void-coup", 3, **RULING)
    assert row_of(house, "p-9").bank_won == 400


def test_what_has_no_token_is_told_apart(house: House) -> None:
    Live(house.ledger).coup(1, WINS, "player 500 p-1, player 300")
    rows = rows_of(house)
    judge(rows, POUNDS_FOR_EUROS)
    assert [(row.patron, row.stakes, row.as_json()["patron"]) for row in rows] == [
        ("", 300, None),
        ("p-1", 500, "p-1"),
    ]
    assert rows[0].judgement is not None
    assert rows[0].judgement.doubts[0].startswith("these wagers have no token")


def test_filters_select_by_day_table_premises_and_token(house: House) -> None:
    Live(house.ledger).coup(1, WINS, "player 500 p-1, player 300 p-2")
    day = date.fromisoformat(GAMING_DAY)

    def count(**wanted: Any) -> int:
        return len(rows_of(house, PatronFilter(**wanted)))

    assert (count(), count(patron="p-1"), count(patron="p-3")) == (2, 1, 0)
    assert (count(table="T1"), count(table="T2"), count(premises="main"), count(premises="x")) == (2, 0, 2, 0)
    assert (count(first_day=day), count(last_day=day)) == (2, 2)
    assert (count(first_day=day + timedelta(days=1)), count(last_day=day - timedelta(days=1))) == (0, 0)


# --- Thresholds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gaming_day", "threshold", "currency", "amount", "confirmed"),
    [
        ("2007-12-14", None, None, None, None),
        ("2017-06-25", "mlr-2007-reg-10", "EUR", 200_000, True),
        ("2017-06-26", "mlr-2017-reg-27", "EUR", 200_000, True),
        ("2026-06-29", "mlr-2017-reg-27", "EUR", 200_000, True),
        ("2026-06-30", "mlr-2026-casino", "EUR", 200_000, False),
        ("2030-01-01", "mlr-2026-casino", "EUR", 200_000, False),
    ],
)
def test_the_threshold_of_due_diligence_by_date(
    gaming_day: str,
    threshold: str | None,
    currency: str | None,
    amount: int | None,
    confirmed: bool | None,
) -> None:
    """Domain §5; the casinos' figure in sterling was not confirmed, and the data say so."""
    found = in_force(Purpose.DUE_DILIGENCE, date.fromisoformat(gaming_day))
    assert (None if found is None else found.id) == threshold
    if found is not None:
        assert (found.currency, found.amount, found.confirmed) == (currency, amount, confirmed)
        assert confirmed or found.doubt


@pytest.mark.parametrize(("gaming_day", "amount"), [("2025-07-30", 100_000), ("2025-07-31", 300_000)])
def test_the_exit_payment_by_date(gaming_day: str, amount: int) -> None:
    """Domain §5: £1,000, and £3,000 from 31 July 2025."""
    found = in_force(Purpose.EXIT_PAYMENT, date.fromisoformat(gaming_day))
    assert found is not None
    assert (found.currency, found.amount) == ("GBP", amount)


def test_figures_of_one_purpose_follow_without_a_gap_or_an_overlap() -> None:
    for purpose in Purpose:
        figures = [one for one in THRESHOLDS if one.purpose is purpose]
        for earlier, later in pairwise(figures):
            assert earlier.last is not None
            assert later.first == earlier.last + timedelta(days=1)
        assert figures[-1].last is None


def judged(house: House, patron: str, rates: dict[tuple[str, str], Fraction]) -> dict[str, Any]:
    rows = rows_of(house, PatronFilter(patron=patron))
    judge(rows, rates)
    return rows[0].as_json()


@pytest.mark.parametrize(
    ("staked", "reached"),
    [
        ("player 84999 p-1, player 85000 p-1", {}),
        ("player 85000 p-1, player 85000 p-1", {"stakes-linked": 170_000}),
        ("player 170000 p-1", {"stakes-linked": 170_000, "stake-single": 170_000}),
        ("player 169999 p-1, player 170000 p-2", {}),
    ],
)
def test_sums_at_the_threshold_reach_it_and_a_penny_less_does_not(
    house: House, staked: str, reached: dict[str, int]
) -> None:
    """€2,000 at 0.85 is £1,700 exactly; stakes that lose win nothing."""
    Live(house.ledger).coup(1, LOSES, staked)
    told = judged(house, "p-1", POUNDS_FOR_EUROS)
    assert (told["reached"], told["over"]) == (reached, bool(reached))
    assert (told["limit"], told["rate"], told["threshold"]["id"]) == ("170000", "17/20", "mlr-2026-casino")


def test_a_bank_at_the_threshold_reaches_it(house: House) -> None:
    """Whoever puts up a bank stakes it; what it wins are winnings, what it loses are none."""
    table = Live(house.ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-9", sum=170_000)
    stakes = {"stakes-linked": 170_000, "stake-single": 170_000}
    assert judged(house, "p-9", POUNDS_FOR_EUROS)["reached"] == stakes
    table.coup(1, LOSES, "player 170000 p-1")
    assert judged(house, "p-9", POUNDS_FOR_EUROS)["reached"] == {**stakes, "winnings-linked": 170_000}


def test_winnings_are_collected_whatever_was_staked_for_them(house: House) -> None:
    """Promotional stakes are not the patron's money, but what they win is paid in value."""
    table = Live(house.ledger)
    promotional = {"id": "w1", "kind": "player", "stake": 180_000, "patron": "p-1", "tender": "promotional"}
    table.coup(1, WINS, wagers=[promotional])
    assert judged(house, "p-1", POUNDS_FOR_EUROS)["reached"] == {
        "winnings-linked": 180_000,
        "winnings-single": 180_000,
    }


def test_without_a_rate_a_euro_threshold_is_never_taken_for_pounds(house: House) -> None:
    Live(house.ledger).coup(1, LOSES, "player 900000 p-1")
    told = judged(house, "p-1", {})
    assert (told["over"], told["limit"], told["rate"], told["reached"]) == (None, None, None, {})
    assert told["doubts"][0] == "the threshold is in EUR and no rate EUR/GBP was given"
    assert judged(house, "p-1", {("EUR", "CHF"): Fraction(1)})["over"] is None


@pytest.mark.parametrize(
    ("currency", "rate", "limit"),
    [("EUR", None, "200000"), ("JPY", Fraction(3221, 20), "322100"), ("KWD", Fraction(1, 3), "2000000/3")],
)
def test_currencies_of_their_own_minor_units(
    house: House, currency: str, rate: Fraction | None, limit: str
) -> None:
    """€2,000 is 322,100 yen at 161.05, which has no minor unit; a dinar has a thousand."""
    Live(house.ledger, currency=currency).coup(1, LOSES, "player 100 p-1")
    rates = {("EUR", currency): rate} if rate else {}
    assert judged(house, "p-1", rates)["limit"] == limit


def test_what_is_not_confirmed_is_told_with_every_judgement(house: House) -> None:
    Live(house.ledger).coup(1, LOSES, "player 100 p-1")
    told = judged(house, "p-1", POUNDS_FOR_EUROS)
    assert told["threshold"]["confirmed"] is False
    assert any("was not confirmed" in doubt for doubt in told["doubts"])
    assert any("reg 27(7)" in doubt for doubt in told["doubts"])
