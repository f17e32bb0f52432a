"""Rulings on settled coups: whatever was settled first, it comes to what it should have come to."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import given, settings

from ledger.application import Ledger
from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, WagersReversed, WagersSettled
from tests.oracle.night import pnl as oracle
from tests.oracle.play import Night
from tests.projections.houses import house_in_memory, in_contract, read, take
from tests.properties.against import oracle_lines, recorded_lines
from tests.properties.rulings import corrected_nights, correction, ruled_nights, void
from tests.properties.strategies import CoupNight
from tests.tabletalk import events_of, step_by_step

Line = dict[str, Any]
COUP = "coup/main/T1/S1/1"
many = settings(max_examples=25, deadline=None)
Net = dict[str, tuple[int, int]]
"""Winnings and stakes handed back by settlement, of each wager."""


def net_of(ledger: Ledger) -> Net:
    """What the coup's settlements less their reversals come to."""
    net: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for event in events_of(ledger, COUP):
        if isinstance(event, WagersSettled | WagersReversed):
            sign = 1 if isinstance(event, WagersSettled) else -1
            for line in event.lines:
                net[line.wager][0] += sign * line.winnings
                net[line.wager][1] += sign * line.returned
    return {wager: (winnings, returned) for wager, (winnings, returned) in net.items()}


def told(lines: list[Line]) -> tuple[Net, list[Line], list[Any]]:
    """What a tape comes to: each wager's net, the P&L rows, and the lines that stand at the end."""
    with house_in_memory() as house:
        take(house, lines)
        house.pnl_runner().catch_up()
        standing = recorded_lines(house.ledger, COUP)
        net = net_of(house.ledger)
        return net, in_contract(read(house)), standing[len(standing) - len(net) :]


@many
@given(drawn=corrected_nights())
def test_a_correction_comes_to_a_correct_first_settlement(drawn: tuple[CoupNight, list[Line]]) -> None:
    """Of every wager, in winnings and returned stake, and in the table's P&L to the last field."""
    night, (right,) = drawn
    at_last = told([*night.lines, correction(night, "fix", right)])
    at_once = told([*night.opening, {**night.coup, "hands": right}])
    assert at_last == at_once
    assert at_last[1] == oracle([*night.opening, {**night.coup, "hands": right}])


@settings(max_examples=15, deadline=None)
@given(drawn=corrected_nights(times=2))
def test_a_correction_of_a_correction_comes_to_it_too(drawn: tuple[CoupNight, list[Line]]) -> None:
    """Also where the second one says what was said at first."""
    night, (wrong, right) = drawn
    first = correction(night, "fix", wrong)
    assert told([*night.lines, first, correction(night, "fix-2", right)]) == told(
        [*night.opening, {**night.coup, "hands": right}]
    )
    back = correction(night, "fix-2", night.coup["hands"])
    assert told([*night.lines, first, back]) == told(night.lines)


@many
@given(drawn=corrected_nights())
def test_a_coup_void_after_it_settled_comes_to_one_void_before(drawn: tuple[CoupNight, list[Line]]) -> None:
    """Corrected in between or not: nothing won, nothing lost, and every stake given back."""
    night, (other,) = drawn
    *before_it_settled, _ = step_by_step(night.coup)
    _, rows, _ = told([*night.opening, *before_it_settled, void(night)])
    for rulings in ([void(night)], [correction(night, "fix", other), void(night)]):
        net, after, _ = told([*night.lines, *rulings])
        assert set(net.values()) <= {(0, 0)}
        assert after == rows


@many
@given(drawn=corrected_nights(times=2))
def test_every_line_that_is_reversed_had_been_settled(drawn: tuple[CoupNight, list[Line]]) -> None:
    """In the same words and the same order, and the totals with it; and each ruling names the one before."""
    night, others = drawn
    rulings = [correction(night, f"fix-{index}", other) for index, other in enumerate(others)]
    with house_in_memory() as house:
        take(house, [*night.lines, *rulings, void(night)])
        told_so_far = events_of(house.ledger, COUP)
        ends = [event for event in told_so_far if isinstance(event, CoupSettled | CoupCorrected | CoupVoided)]
        settled = [event.lines for event in told_so_far if isinstance(event, WagersSettled)]
        reversed_ = [event.lines for event in told_so_far if isinstance(event, WagersReversed)]
    assert reversed_ == settled
    for earlier, later in pairwise(ends):
        assert not isinstance(earlier, CoupVoided)
        assert not isinstance(later, CoupSettled)
        assert later.supersedes == earlier.version
        assert later.reversed_totals == earlier.totals
    assert isinstance(ends[-1], CoupVoided)


@settings(max_examples=60, deadline=None)
@given(lines=ruled_nights())
def test_a_night_with_rulings_is_the_oracles(lines: list[Line]) -> None:
    """Its P&L to the last field, and where each coup stands: whoever approves, whatever is named."""
    night = Night()
    for line in lines:
        night.obey(line)
    with house_in_memory() as house:
        take(house, lines)
        house.pnl_runner().catch_up()
        assert in_contract(read(house)) == oracle(lines)
        for (_, table, shoe, number), coup in night.coups.items():
            if coup.state == "settled":
                standing = oracle_lines(lines, number)
                recorded = recorded_lines(house.ledger, f"coup/main/{table}/{shoe}/{number}")
                assert recorded[len(recorded) - len(standing) :] == standing
