"""Settlement: what becomes of each accepted wager, with the paragraph that decides it.

The truth table of domain §3 as data: one opposing hand's result decides `player`, `hand-1`, `hand-2`,
`banker` and `tie`; the results of both decide `both-hands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.regulation.profiles import Profile
from ledger.terms.hands import Result
from ledger.terms.house import BankerOnDraw, Terms
from ledger.terms.money import payable
from ledger.terms.odds import Odds
from ledger.terms.plain import plain
from ledger.terms.wagers import HANDS_OF_KIND, Kind, Outcome, SettlementLine, Tender, Total, Wager

_W, _L, _D = Result.WINS, Result.LOSES, Result.DRAW
_WON, _LOST, _VOID = Outcome.WON, Outcome.LOST, Outcome.VOID

ONE_HAND: Mapping[Result, tuple[Outcome, str]] = {
    _W: (_WON, "6(3),(4)"),
    _L: (_LOST, "6(4)"),
    _D: (_VOID, "6(4)(a)"),
}
"""A wager that one opposing hand will win."""

BOTH_HANDS: Mapping[tuple[Result, Result], tuple[Outcome, str]] = {
    (_W, _W): (_WON, "6(3),(4)"),
    (_W, _L): (_VOID, "6(4)(b)"),
    (_W, _D): (_VOID, "6(4)(b)"),
    (_L, _W): (_VOID, "6(4)(b)"),
    (_L, _L): (_LOST, "6(4)"),
    (_L, _D): (_VOID, "6(4)(b)"),
    (_D, _W): (_VOID, "6(4)(b)"),
    (_D, _L): (_VOID, "6(4)(b)"),
    (_D, _D): (_VOID, "6(4)(b)"),
}
"""A wager that both opposing hands will win: hand-1's result, then hand-2's."""

BANKERS_HAND: Mapping[Result, Outcome] = {_W: _LOST, _L: _WON}
"""A wager that the banker's hand will win, by the opposing hand's result; a draw is the table's term."""

EQUAL_HANDS: Mapping[Result, Outcome] = {_W: _LOST, _L: _LOST, _D: _WON}
"""A wager that the hands shall be equal at the end."""

STAND_OFF_PARAGRAPH = "house rule (reg 2(2))"
"""A banker wager on equal hands is handed back by house rule, not by 6(4) (domain §3.4 A1)."""


_Line, _Total = plain(SettlementLine), plain(Total)
_NOTHING = (0, "0")
"""What is paid, and what it is beyond the odds, where nothing is won."""


def outcome_of(
    kind: Kind, results: Mapping[str, Result], profile: Profile, terms: Terms
) -> tuple[Outcome, str]:
    """How a wager of this kind ends, and the paragraph that says so."""
    if kind is Kind.BOTH_HANDS:
        first, second = HANDS_OF_KIND[kind]
        return BOTH_HANDS[results[first], results[second]]
    if hands := HANDS_OF_KIND.get(kind):
        return ONE_HAND[results[hands[0]]]
    (result,) = results.values()
    if kind is Kind.TIE:
        return EQUAL_HANDS[result], profile.tie
    if result is not Result.DRAW:
        return BANKERS_HAND[result], profile.banker
    if terms.banker_on_draw is BankerOnDraw.STAND_OFF:
        return Outcome.STAND_OFF, STAND_OFF_PARAGRAPH
    return Outcome.LOST, profile.banker


def settle(
    wagers: Iterable[Wager], results: Mapping[str, Result], profile: Profile, terms: Terms
) -> tuple[SettlementLine, ...]:
    """One line for each accepted wager, in order. Stakes and winnings in minor units.

    A won wager is paid its odds (rounded as the terms say, never silently: the remainder is on the line)
    and handed back its stake; a lost one is taken; a void or stood-off one is handed back.
    """
    ends = {}  # a coup has few kinds and many wagers: each kind is decided once
    lines = []
    for wager in wagers:
        kind, stake = wager.kind, wager.stake
        if kind not in ends:
            odds = profile.odds[kind]
            ends[kind] = (*outcome_of(kind, results, profile, terms), odds, str(odds))
        outcome, paragraph, odds, in_words = ends[kind]
        winnings, remainder = _paid(odds, stake, terms) if outcome is Outcome.WON else _NOTHING
        lines.append(
            _Line(
                wager=wager.id,
                kind=kind,
                stake=stake,
                outcome=outcome,
                odds=in_words,
                winnings=winnings,
                returned=0 if outcome is Outcome.LOST else stake,
                remainder=remainder,
                paragraph=paragraph,
                patron=wager.patron,
                seat=wager.seat,
                tender=wager.tender,
            )
        )
    return tuple(lines)


def _paid(odds: Odds, stake: int, terms: Terms) -> tuple[int, str]:
    """The winnings paid (minor units) and what they are beyond the odds (an exact fraction as text)."""
    exact = odds.exactly_on(stake, terms.unit)
    if exact is not None:
        return exact, "0"
    due = odds.on(stake)
    paid = payable(due, terms.rounding, terms.unit)
    if paid is None:  # acceptance refuses such a stake before the cards
        msg = f"an accepted stake of {stake} cannot be paid exactly at {odds}"
        raise AssertionError(msg)
    return paid, str(paid - due)


def totals_of(lines: Iterable[SettlementLine]) -> tuple[Total, ...]:
    """The lines added up by kind, tender and outcome, in a fixed order."""
    sums: dict[tuple[Kind, Tender, Outcome], list[int]] = {}
    for line in lines:
        entry = sums.setdefault((line.kind, line.tender, line.outcome), [0, 0, 0])
        entry[0] += 1
        entry[1] += line.stake
        entry[2] += line.winnings
    return tuple(
        _Total(kind=kind, tender=tender, outcome=outcome, wagers=count, stakes=stakes, winnings=winnings)
        for (kind, tender, outcome), (count, stakes, winnings) in sorted(sums.items())
    )
