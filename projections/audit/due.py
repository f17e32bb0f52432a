"""What is due on each wager. All amounts in minor units.

The due line comes from the cards, the accepted wager and what was pinned when the coup opened (for a
counterfactual: from other conditions), through acceptance and settlement as the regulation has them. What a
bank covers is added up for each coup, in `settlements`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec.structs import replace

from ledger.events.coup import CoupOpened
from ledger.regulation.acceptance import (
    BY_MUTUAL_CONSENT,
    TERM_LIMITS,
    WAGERS_CLOSED,
    Layout,
    Refused,
    accept,
    limits_of,
    outside_limits,
)
from ledger.regulation.profiles import Profile, profile_named
from ledger.regulation.settle import settle
from ledger.terms.formats import format_named
from ledger.terms.hands import Result
from ledger.terms.house import Conditions, Terms
from ledger.terms.plain import changed
from ledger.terms.wagers import Kind, Outcome, Wager


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


ends_of: Callable[[Any], tuple[Any, ...]] = attrgetter(*Ends._fields)


class Judged(NamedTuple):
    """What is due on a wager; with the refusal, where it should not have been accepted."""

    ends: Ends
    refused: Refused | None = None


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
        return profile_named(self.profile or pinned.profile), changed(pinned.terms, **self.terms)


AS_PINNED = Change()
DUES_KEPT = 1_000
"""Due lines kept for one result under one set of rules; stakes are chips, so few are ever asked for."""
RESULTS_KEPT = 16
RULES_KEPT = 64
"""Limits and kinds on offer are rules too: a house has some of them for each of its tables."""


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
        due = self._judged(Wager(id="due", kind=kind, stake=stake), self.layout).ends
        if len(self) >= DUES_KEPT:
            self.clear()
        self[key] = due
        return due

    def judge(self, wager: Wager) -> Judged:
        """What is due on a wager that nothing sets apart from others of its kind and stake."""
        ends = self[wager.kind, wager.stake]
        return self._judged(wager, self.layout) if ends.outcome is Outcome.REFUSED else Judged(ends)

    def judge_part(self, wager: Wager, offered: int) -> Judged:
        """What is due on the part of a wager that the bank covered; the limits are for what was offered."""
        if reason := outside_limits(offered, *limits_of(wager.kind, self.layout.limits)):
            return self._as_refused(Refused(wager, wager.stake, reason, TERM_LIMITS))
        return self._judged(wager, replace(self.layout, limits={}))

    def judge_bankers_own(self, wager: Wager) -> Judged:
        """What is due on a wager by whoever holds the bank: nothing."""
        return self._judged(wager, replace(self.layout, banker=wager.patron))

    def judge_late(self, wager: Wager) -> Judged:
        """What is due on a wager that was placed when the cards were out: nothing."""
        return self._as_refused(Refused(wager, wager.stake, WAGERS_CLOSED, BY_MUTUAL_CONSENT))

    def settled(self, wager: Wager) -> Ends:
        """What is due on a wager, whether it may be accepted or not."""
        (line,) = settle((wager,), self.results, self.layout.profile, self.layout.terms)
        return Ends(*ends_of(line))

    def _judged(self, wager: Wager, layout: Layout) -> Judged:
        _, refused = accept((wager,), layout)
        return self._as_refused(refused[0]) if refused else Judged(self.settled(wager))

    def _as_refused(self, refused: Refused) -> Judged:
        wager = refused.wager
        odds = str(self.layout.profile.odds[wager.kind])
        return Judged(Ends(Outcome.REFUSED, odds, 0, wager.stake, "0", refused.paragraph), refused)


class Rules:
    """Everything that is due, by what a coup was opened under and its results; the same rules are kept."""

    def __init__(self, change: Change = AS_PINNED) -> None:
        self.as_pinned = not change
        self._change = change
        self._by_rules: dict[tuple[Any, ...], dict[tuple[tuple[str, Result], ...], Dues]] = {}

    def dues(self, opened: CoupOpened, results: Mapping[str, Result]) -> Dues:
        """What is due on any wager of a coup with these results. Raises: UnknownFormat, UnknownProfile."""
        pinned = opened.conditions
        terms = pinned.terms
        house = (terms.rounding, terms.unit, terms.banker_on_draw)
        limits = tuple((kind, limit.min, limit.max) for kind, limit in opened.limits.items())
        key = (pinned.format, pinned.profile, pinned.banked_by, *house, opened.offer, limits)
        by_results = self._by_rules.get(key)
        if by_results is None:
            if len(self._by_rules) >= RULES_KEPT:
                self._by_rules.clear()
            by_results = self._by_rules[key] = {}
        found = tuple(results.items())
        dues = by_results.get(found)
        if dues is None:
            if len(by_results) >= RESULTS_KEPT:
                by_results.clear()
            layout = self._layout(opened, tuple(results))
            units = frozenset({terms.unit, layout.terms.unit})
            dues = by_results[found] = Dues(layout, dict(results), units)
        return dues

    def _layout(self, opened: CoupOpened, hands_in_play: tuple[str, ...]) -> Layout:
        """What is asked of acceptance for any wager; whose it is and the cover are asked for each coup."""
        pinned = opened.conditions
        profile, terms = self._change.applied(pinned)
        return Layout(
            format=format_named(pinned.format),
            profile=profile,
            terms=terms,
            banked_by=pinned.banked_by,
            hands_in_play=hands_in_play,
            bank=None,
            limits=opened.limits,
            offer=opened.offer,
        )
