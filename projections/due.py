"""What is due on each wager, and why a recorded settlement line differs from it. All amounts in minor units.

The due line comes from the cards, the accepted wager and the conditions pinned when the coup opened (or, for
a counterfactual, from other ones), through acceptance and settlement as the regulation has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from operator import attrgetter
from typing import Any, NamedTuple

from ledger.regulation.acceptance import Layout, accept
from ledger.regulation.profiles import Profile, profile_named
from ledger.regulation.settle import settle
from ledger.terms.formats import format_named
from ledger.terms.hands import Result
from ledger.terms.house import Conditions, Terms
from ledger.terms.value import Word
from ledger.terms.wagers import Kind, Outcome, SettlementLine, Wager


class Cause(Word):
    """Why something recorded is not what it should be. One for each difference: the first that fits."""

    UNREADABLE = "unreadable"
    INCOMPLETE = "record-incomplete"
    CONDITIONS = "other-conditions"
    RESULT = "result-contradicts-cards"
    IRREGULAR = "irregular-yet-settled"
    REGULAR = "regular-yet-held"
    MISSING = "line-missing"
    FOR_NOTHING = "line-for-nothing"
    WAGER = "wager-misstated"
    REFUSED = "not-to-be-accepted"
    OUTCOME = "outcome"
    ODDS = "odds"
    ROUNDING = "rounding"
    WINNINGS = "winnings"
    STAKE = "stake-handed-back"
    REMAINDER = "remainder-only"
    PARAGRAPH = "paragraph-only"
    REVERSAL = "reversal"
    TOTALS = "totals"


MEANING: Mapping[Cause, str] = {
    Cause.UNREADABLE: "an event cannot be read",
    Cause.INCOMPLETE: "the record lacks what settling the coup needs, or what should close it",
    Cause.CONDITIONS: "the settlement states other conditions than those pinned when the coup opened",
    Cause.RESULT: "the recorded result is not that of the cards, or the line follows it and not the cards",
    Cause.IRREGULAR: "settled although the third cards break the tableau; its money is judged by its cards",
    Cause.REGULAR: "held although the third cards follow the tableau",
    Cause.MISSING: "an accepted wager without a line",
    Cause.FOR_NOTHING: "a line without an accepted wager, or a second one",
    Cause.WAGER: "the line states another wager than the one accepted",
    Cause.REFUSED: "should have been refused before the cards",
    Cause.OUTCOME: "won, lost, void or stood off otherwise than the cards and the terms say",
    Cause.ODDS: "paid at other odds",
    Cause.ROUNDING: "the exact odds rounded to a payable unit, otherwise than the terms say",
    Cause.WINNINGS: "paid a sum that no odds and no rounding explain",
    Cause.STAKE: "another part of the stake handed back",
    Cause.REMAINDER: "the money is right, the remainder is not",
    Cause.PARAGRAPH: "the money is right, the paragraph is not",
    Cause.REVERSAL: "a ruling took back other lines than those that stood",
    Cause.TOTALS: "totals do not add up to the lines; no money of its own",
}

BOOKKEEPING = frozenset({Cause.TOTALS})
"""Causes whose amounts are of figures alone: the money is in the lines, and counted there."""


class Ends(NamedTuple):
    """How a wager ended, or should have: a settlement line without the wager it repeats."""

    outcome: Outcome
    odds: str
    winnings: int
    returned: int
    remainder: str
    paragraph: str

    @property
    def paid(self) -> int:
        """What goes to the patron: winnings, and the stake handed back."""
        return self.winnings + self.returned


Tell = Callable[[Any], tuple[Any, ...]]
ends_of: Tell = attrgetter(*Ends._fields)
_REPEATED = ("wager", "kind", "stake", "patron", "seat", "tender")
wager_on_line: Tell = attrgetter(*_REPEATED)
wager_accepted: Tell = attrgetter("id", *_REPEATED[1:])


@dataclass(frozen=True, slots=True)
class Change:
    """Other rules than those pinned, for a counterfactual: a profile, some terms, or both; or none.

    Raises:
        UnknownProfile, ProfileNotImplemented: there is no such profile.
    """

    profile: str | None = None
    terms: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.profile is not None:
            profile_named(self.profile)

    def __bool__(self) -> bool:
        return self.profile is not None or bool(self.terms)

    def applied(self, pinned: Conditions) -> tuple[Profile, Terms]:
        """The profile and the terms to settle under. Raises: as the class, of the profile pinned."""
        return profile_named(self.profile or pinned.profile), pinned.terms.model_copy(update=self.terms)


AS_PINNED = Change()
DUES_KEPT = 1_000
"""Due lines kept for one result under one set of rules; stakes are chips, so few are ever asked for."""
RULES_KEPT = 16


class Dues(dict[tuple[Kind, int], Ends]):
    """What is due by kind and stake, where these rules and these results hold; worked out when asked for.

    A wager that these rules would not take ends as `refused`: its stake goes back.
    """

    def __init__(self, layout: Layout, results: Mapping[str, Result], units: frozenset[int]) -> None:
        super().__init__()
        self.layout = layout
        self.units = units
        """The smallest payable units of these rules and of those pinned, to know a rounding by."""
        self.results = results

    def __missing__(self, key: tuple[Kind, int]) -> Ends:
        kind, stake = key
        layout = self.layout
        accepted, refused = accept((Wager(id="due", kind=kind, stake=stake),), layout)
        if refused:
            odds = str(layout.profile.odds[kind])
            due = Ends(Outcome.REFUSED, odds, 0, stake, "0", refused[0].paragraph)
        else:
            (line,) = settle(accepted, self.results, layout.profile, layout.terms)
            due = Ends(*ends_of(line))
        if len(self) >= DUES_KEPT:
            self.clear()
        self[key] = due
        return due


class Rules:
    """Everything that is due, by the conditions and the results of a coup; the same rules are kept."""

    def __init__(self, change: Change = AS_PINNED) -> None:
        self._change = change
        self._by_rules: dict[tuple[Any, ...], dict[tuple[tuple[str, Result], ...], Dues]] = {}

    def dues(self, pinned: Conditions, results: Mapping[str, Result]) -> Dues:
        """What is due on any wager of a coup with these results. Raises: UnknownFormat, UnknownProfile."""
        terms = pinned.terms
        house = (terms.rounding, terms.unit, terms.banker_on_draw)
        key = (pinned.format, pinned.profile, pinned.banked_by, *house)
        by_results = self._by_rules.get(key)
        if by_results is None:
            if len(self._by_rules) >= RULES_KEPT:
                self._by_rules.clear()
            by_results = self._by_rules[key] = {}
        found = tuple(results.items())
        dues = by_results.get(found)
        if dues is None:
            if len(by_results) >= RULES_KEPT:
                by_results.clear()
            layout = self._layout(pinned, tuple(results))
            units = frozenset({terms.unit, layout.terms.unit})
            dues = by_results[found] = Dues(layout, dict(results), units)
        return dues

    def _layout(self, pinned: Conditions, hands_in_play: tuple[str, ...]) -> Layout:
        """What is asked of acceptance: kinds and exactness. Cover and limits were the table's that night."""
        profile, terms = self._change.applied(pinned)
        return Layout(
            format=format_named(pinned.format),
            profile=profile,
            terms=terms,
            banked_by=pinned.banked_by,
            hands_in_play=hands_in_play,
            bank=None,
            limits={},
        )


class Finding(NamedTuple):
    """Something recorded that is not what it should be: about a wager, or (`wager` None) about the coup.

    Attributes:
        stake: as it was accepted.
        difference: recorded less due: more than 0 where a patron was paid too much.
        recorded, due: the fields that differ; None where there is no line, or none is due.
    """

    cause: Cause
    wager: str | None = None
    stake: int = 0
    difference: int = 0
    recorded: Mapping[str, Any] | None = None
    due: Mapping[str, Any] | None = None
    detail: str = ""


def compare(
    wagers: Sequence[Wager], lines: Sequence[SettlementLine], dues: Dues, claimed: Dues | None = None
) -> Iterator[Finding]:
    """Each recorded line that is not the due one, each that is missing and each that is too many.

    Args:
        claimed: what would be due by the recorded results, where they are not those of the cards.
    """
    if len(wagers) == len(lines) and all(
        wager_on_line(line) == wager_accepted(wager) and ends_of(line) == dues[wager.kind, wager.stake]
        for wager, line in zip(wagers, lines, strict=True)
    ):
        return
    unsettled = {wager.id: wager for wager in wagers}
    for line in lines:
        wager = unsettled.pop(line.wager, None)
        if wager is None:
            yield for_nothing(line)
        elif found := _line_difference(wager, line, dues, claimed):
            yield found
    for wager in unsettled.values():
        due = dues[wager.kind, wager.stake]
        yield Finding(Cause.MISSING, wager.id, wager.stake, -due.paid, None, due._asdict())


def for_nothing(line: SettlementLine) -> Finding:
    """A line that no accepted wager answers for: all that it pays is too much."""
    recorded = line.model_dump(mode="json", exclude_none=True)
    return Finding(Cause.FOR_NOTHING, line.wager, line.stake, paid_by((line,)), recorded)


def paid_by(lines: Iterable[SettlementLine]) -> int:
    """What goes to patrons by these lines: winnings, and stakes handed back."""
    return sum(line.winnings + line.returned for line in lines)


def _line_difference(wager: Wager, line: SettlementLine, dues: Dues, claimed: Dues | None) -> Finding | None:
    due, recorded = dues[wager.kind, wager.stake], Ends(*ends_of(line))
    stated, accepted = wager_on_line(line), wager_accepted(wager)
    if due == recorded and stated == accepted:
        return None
    if stated != accepted:
        cause = Cause.WAGER
    elif due.outcome is Outcome.REFUSED:
        cause = Cause.REFUSED
    elif claimed is not None and recorded == claimed[wager.kind, wager.stake]:
        cause = Cause.RESULT
    else:
        cause = _cause(wager, recorded, due, dues)
    names = (*_REPEATED, *Ends._fields)
    both = dict(zip(names, zip((*stated, *recorded), (*accepted, *due), strict=True), strict=True))
    differing = {name: pair for name, pair in both.items() if pair[0] != pair[1]}
    return Finding(
        cause,
        wager.id,
        wager.stake,
        recorded.paid - due.paid,
        {name: pair[0] for name, pair in differing.items()},
        {name: pair[1] for name, pair in differing.items()},
    )


def _cause(wager: Wager, recorded: Ends, due: Ends, dues: Dues) -> Cause:
    if recorded.outcome != due.outcome:
        return Cause.OUTCOME
    if recorded.odds != due.odds:
        return Cause.ODDS
    if recorded.winnings != due.winnings:
        return _cause_of_sum(wager, recorded.winnings, dues) if due.winnings else Cause.WINNINGS
    for name, cause in (("returned", Cause.STAKE), ("remainder", Cause.REMAINDER)):
        if getattr(recorded, name) != getattr(due, name):
            return cause
    return Cause.PARAGRAPH


def _cause_of_sum(wager: Wager, paid: int, dues: Dues) -> Cause:
    """Why a winner was paid another sum at the odds that the line states."""
    odds = dues.layout.profile.odds
    exact = odds[wager.kind].on(wager.stake)
    if any(paid in {floor(exact / unit) * unit, ceil(exact / unit) * unit} for unit in dues.units):
        return Cause.ROUNDING  # down, up or to the nearest: to one of the two units around
    return Cause.ODDS if paid in {other.on(wager.stake) for other in odds.values()} else Cause.WINNINGS
