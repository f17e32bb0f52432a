"""What would have been paid under other rules: the oracle settles the same wagers again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.application import Ledger
from ledger.errors import ProfileNotImplemented, UnknownProfile
from ledger.terms.house import BankerOnDraw, Terms
from ledger.terms.money import Rounding
from projections.audit.audit import Audit
from projections.audit.differences import Summary
from projections.audit.due import Change
from tests.oracle.play import Night as OraclesNight
from tests.oracle.regulation6 import settle
from tests.projections.houses import Line, evening, house_in_memory, take
from tests.projections.nights import nights
from tests.projections.tampered import RULING
from tests.tabletalk import Live, command, hands, open_ledger

Figures = dict[tuple[str, str], dict[str, int]]
"""By premises and table: paid, would have been paid; wagers refused, their stakes."""


def changed(profile: str | None = None, **terms: Any) -> Change:
    """A change as the command line makes it: the terms checked."""
    checked = Terms.model_validate(terms)
    return Change(profile, {name: getattr(checked, name) for name in terms})


def by_the_oracle(tape: Sequence[Line], change: Change) -> Figures:
    """Every coup that stands settled, its accepted wagers settled again; no bank caps them a second time."""
    night = OraclesNight()
    for line in tape:
        night.obey(line)
    figures: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(
        lambda: {"paid": 0, "due": 0, "refused": 0, "stakes": 0}
    )
    for coup in night.coups.values():
        if coup.state != "settled":
            continue
        table = coup.table
        now = settle(
            {
                "format": table.format,
                "profile": change.profile or table.profile,
                "terms": {**table.terms, **change.terms},
                "hands": coup.hands,
                "wagers": [{**item.wager, "stake": item.covered} for item in coup.accepted],
            }
        )
        row = figures[table.premises, table.name]
        for then, line in zip(coup.lines, now["lines"], strict=True):
            if line["outcome"] == "refused":
                row["refused"] += 1
                row["stakes"] += then["covered"]
                continue
            back = 0 if then["outcome"] == "lost" else then["covered"]
            row["paid"] += then["winnings"] + back
            row["due"] += line["winnings"] + line["returned"]
    return dict(figures)


def by_the_audit(ledger: Ledger, change: Change) -> tuple[Figures, Summary]:
    """The same figures as the audit has them; what it tells line by line adds up to them."""
    work = Audit(ledger.record, change=change)
    differences = list(work.differences())
    summary = work.summary
    apart = "not-to-be-accepted"
    told = sum(found.finding.difference for found in differences if found.finding.cause != apart)
    assert told == sum(summary.net().values())
    figures = {
        (premises, table): {
            "paid": sums.paid_on_accepted,
            "due": sums.paid_on_accepted - sums.difference,
            "refused": sums.refused.found - sums.refused.superseded,
            "stakes": sums.refused.stakes,
        }
        for (premises, table, _), sums in summary.tables.items()
        if sums.coups
    }
    return figures, summary


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """The evening: punto banco up to 25p; the other two exact to £5."""
    ledger = open_ledger(tmp_path_factory.mktemp("evening") / "ledger.db")
    ledger.run_many([command(line) for line in evening()])
    yield ledger
    ledger.close()


@pytest.mark.parametrize(
    ("change", "causes"),
    [
        (changed(unit=1), {"rounding"}),
        (changed(unit=50), {"rounding"}),
        (changed(rounding="nearest"), set()),  # stakes in steps of £2.50: to the half, and halves go up
        (changed(rounding="nearest", unit=100), {"rounding"}),
        (changed(rounding="exact-only"), {"not-to-be-accepted"}),
        (changed(rounding="exact-only", unit=1), {"not-to-be-accepted"}),
        (changed(rounding="exact-only", unit=1000), {"not-to-be-accepted"}),
        (changed(rounding="up-to-unit", unit=1000), {"rounding"}),
        (changed(banker_on_draw="lost"), {"outcome"}),
        (changed(banker_on_draw="stand-off"), set()),
        (changed("si-1994-2899"), set()),
        (changed("si-2000-597-7a"), {"paragraph-only"}),
        (
            changed("si-2000-597-7a", rounding="up-to-unit", unit=100, banker_on_draw="lost"),
            {"rounding", "outcome", "paragraph-only"},
        ),
    ],
)
def test_the_evening_under_other_rules_is_the_oracles_to_the_penny(
    played: Ledger, change: Change, causes: set[str]
) -> None:
    """Per table; and each by the cause that such a change has."""
    figures, summary = by_the_audit(played, change)
    assert figures == by_the_oracle(evening(), change)
    assert {cause.value for cause, _ in summary.by_cause()} == causes


def test_a_profile_changes_words_and_no_money(played: Ledger) -> None:
    _, summary = by_the_audit(played, Change("si-2000-597-7a"))
    assert summary.differences > 200
    assert summary.net() == {"GBP": 0}


changes = st.builds(
    Change,
    st.sampled_from([None, "si-1994-2899", "si-2000-597-7a"]),
    st.fixed_dictionaries(
        {},
        optional={
            "rounding": st.sampled_from(Rounding),
            "unit": st.sampled_from([1, 3, 20, 100]),
            "banker_on_draw": st.sampled_from(BankerOnDraw),
        },
    ),
).filter(bool)


@settings(max_examples=25, deadline=None)
@given(nights(), changes)
def test_any_night_under_any_rules_is_the_oracles_to_the_penny(tape: list[Line], change: Change) -> None:
    with house_in_memory() as house:
        take(house, tape)
        figures, _ = by_the_audit(house.ledger, change)
    assert figures == by_the_oracle(tape, change)


@pytest.mark.parametrize(
    ("first", "then", "due"),
    [
        ("P 6 K / B 7 Q", "P 9 K / B 7 Q", 200),
        ("P 9 K / B 7 Q", "P 6 K / B 7 Q", 600),
        ("P 6 K / B 7 Q", None, 0),
        ("P 9 K / B 7 Q", None, 0),
    ],
)
def test_only_what_stands_after_a_ruling_counts(
    tmp_path: Path, first: str, then: str | None, due: int
) -> None:
    """Up to the next pound the banker's 300 wins 300, not 285: 600 in all. The player's 100 makes 200."""
    with closing(open_ledger(tmp_path / "ledger.db")) as ledger:
        live = Live(ledger)
        live.coup(1, first, "player 100, banker 300")
        if then:
            assert live.step("correct-coup", 1, hands=hands(then), **RULING).applied
        else:
            assert live.step("void-coup", 1, **RULING).applied
        _, summary = by_the_audit(ledger, changed(rounding="up-to-unit", unit=100))
    (sums,) = summary.tables.values()
    assert sums.paid - sums.difference == due


@pytest.mark.parametrize("ruling", ["correct-coup", "void-coup"])
def test_refused_wagers_of_a_settlement_taken_back_do_not_count(tmp_path: Path, ruling: str) -> None:
    """285 is no whole pound: exact-only to the pound refuses the banker's 300, once, if the coup stands."""
    with closing(open_ledger(tmp_path / "ledger.db")) as ledger:
        live = Live(ledger)
        live.coup(1, "P 6 K / B 7 Q", "player 100, banker 300")
        facts = {"hands": hands("P 9 K / B 7 Q")} if ruling == "correct-coup" else {}
        assert live.step(ruling, 1, **facts, **RULING).applied
        figures, _ = by_the_audit(ledger, changed(unit=100))
    expected = {"paid": 200, "due": 200, "refused": 1, "stakes": 300}
    assert figures == ({("main", "T1"): expected} if ruling == "correct-coup" else {})


def test_wagers_that_were_refused_stay_refused(tmp_path: Path) -> None:
    """Under up-to-unit the banker's 101 could have been taken; nobody knows that it would have been."""
    with closing(open_ledger(tmp_path / "ledger.db")) as ledger:
        Live(ledger).coup(1, "P 6 K / B 7 Q", "banker 101, banker 200")
        figures, _ = by_the_audit(ledger, changed(rounding="up-to-unit"))
    assert figures["main", "T1"] == {"paid": 390, "due": 390, "refused": 0, "stakes": 0}


def test_a_profile_must_be_one_that_is_known() -> None:
    with pytest.raises(UnknownProfile):
        Change("si-1968")
    with pytest.raises(ProfileNotImplemented):
        Change("si-2000-597-7b")
