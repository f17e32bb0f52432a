"""Whether a wager may be accepted, before the cards: the law's reasons and the table's.

A refusal says why, by a stable reason and the paragraph (or the term of the table) that decides.

Wagers are taken in the order offered. A bank that a player holds may be too small for all those that are
offered at once; then they are covered by seats in order, from the banker's right round the table, as the
right to call banco goes (domain §2.2). Where nobody has said where the banker sits the order offered stands,
and wagers without a seat come after those with one. Wagers accepted before, by an earlier command, keep
what they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import msgspec

from ledger.regulation.availability import kind_barred_by
from ledger.regulation.profiles import Profile
from ledger.terms.formats import Format
from ledger.terms.house import BankedBy, Terms
from ledger.terms.money import STAKE_MAX, Rounding, payable
from ledger.terms.plain import changed
from ledger.terms.wagers import HANDS_OF_KIND, Kind, Limit, Wager, places_round

BY_MUTUAL_CONSENT = "2(2)"
"""No wager has to be accepted, and one may be cancelled by mutual consent."""
WITH_THE_BANKER = "6(3)"
"""A wager is made with the banker, so he makes none himself."""
COVER = "6(3)"
"""Odds of 1 to 1 that the bank could not pay would breach 6(3) (domain §3.4 A8)."""
TERM_ROUNDING = "terms.rounding"
TERM_LIMITS = "terms.limits"
TERM_OFFER = "terms.offer"
BANK_EXCEEDED = "bank-exceeded"
WAGERS_CLOSED = "wagers-closed"


class Refused(msgspec.Struct, frozen=True):
    """A wager, or the part of it that is over the bank (`stake`, minor units), that is not taken."""

    wager: Wager
    stake: int
    reason: str
    paragraph: str


class Layout(msgspec.Struct, frozen=True):
    """What the table takes on one coup: the facts that acceptance asks about.

    Attributes:
        hands_in_play: names of the opposing hands of this coup.
        bank: the sum of the bank, minor units; None when the house covers all.
        limits: smallest and largest stake by kind, where the table has them.
        banker: the player who holds the bank, if one does.
        offer: the kinds on offer, where the table has said so; None when it offers all that are allowed.
        bankers_seat: where that player sits; None where nobody has said.
        seats: where players sit, as the table has seated them; of others the wager says it.
    """

    format: Format
    profile: Profile
    terms: Terms
    banked_by: BankedBy
    hands_in_play: tuple[str, ...]
    bank: int | None
    limits: Mapping[Kind, Limit]
    offer: tuple[Kind, ...] | None = None
    banker: str | None = None
    bankers_seat: int | None = None
    seats: Mapping[str, int] = MappingProxyType({})


def _kind_barred(kind: Kind, layout: Layout) -> tuple[str, str] | None:
    """The reason and the paragraph that bar every wager of this kind from this coup."""
    if paragraph := kind_barred_by(kind, layout.format, layout.banked_by, len(layout.hands_in_play)):
        return "kind-not-available", paragraph
    if not all(hand in layout.hands_in_play for hand in HANDS_OF_KIND.get(kind, ())):
        return "hand-not-in-play", BY_MUTUAL_CONSENT
    if layout.offer is not None and kind not in layout.offer:
        return "kind-not-on-offer", TERM_OFFER
    return None


def limits_of(kind: Kind, limits: Mapping[Kind, Limit]) -> tuple[int, int]:
    """The smallest and the largest stake that is taken on a kind, minor units, both included."""
    limit = limits.get(kind)
    return (limit.min, limit.max) if limit else (0, STAKE_MAX)


def outside_limits(stake: int, least: int, most: int) -> str | None:
    """The reason for which a stake is not taken, by these limits (minor units); None where it is."""
    if least <= stake <= most:
        return None
    return "under-minimum" if stake < least else "over-maximum"


class _OfKind(msgspec.Struct, frozen=True):
    """What is asked of every wager of one kind, worked out once a coup."""

    barred: tuple[str, str] | None
    """The reason and the paragraph that bar the kind."""
    odds: int
    """Winnings of a stake of `of`, in the whole units of the table; 0 where anything can be paid."""
    of: int
    least: int
    most: int
    """The limits, minor units, both included."""


def _of_kind(kind: Kind, layout: Layout) -> _OfKind:
    odds, terms = layout.profile.odds[kind], layout.terms
    least, most = limits_of(kind, layout.limits)
    return _OfKind(
        barred=_kind_barred(kind, layout),
        odds=odds.winnings if terms.rounding is Rounding.EXACT_ONLY else 0,
        of=odds.stake * terms.unit,
        least=least,
        most=most,
    )


def _stake_barred(wager: Wager, asked: _OfKind, banker: str | None) -> tuple[str, str] | None:
    """The reason and the paragraph or term that bar a wager by who makes it and of how much."""
    stake = wager.stake
    if banker is not None and wager.patron == banker:
        return "wager-by-the-banker", WITH_THE_BANKER
    if stake * asked.odds % asked.of:
        return "not-payable-exactly", TERM_ROUNDING
    if reason := outside_limits(stake, asked.least, asked.most):
        return reason, TERM_LIMITS
    return None


def _needs(wager: Wager, layout: Layout) -> int | None:
    """What the bank must set aside for this wager, minor units; None when it could not pay it exactly.

    The stake, so that stakes never exceed the bank, or the winnings where they are rounded up beyond it.
    """
    due = layout.profile.odds[wager.kind].on(wager.stake)
    owed = payable(due, layout.terms.rounding, layout.terms.unit)
    return None if owed is None else max(owed, wager.stake)


def _covered(wager: Wager, layout: Layout, left: int) -> tuple[int, int]:
    """What of a stake the bank covers with what is left of it, and what it sets aside. Minor units.

    A bank covers what it could pay, and it pays whole units. Only wagers at 1 to 1 are made with a bank that
    has a limit (6(7)(a)), so of a stake that it cannot cover whole it covers just what it has.
    """
    needs = _needs(wager, layout)
    if needs is not None and needs <= left:
        return wager.stake, needs
    whole_units = left - left % layout.terms.unit
    return whole_units, whole_units


def uncovered(wagers: Iterable[Wager], layout: Layout, bank: int) -> Iterator[tuple[Wager, int]]:
    """Of accepted wagers those that a bank (minor units) does not cover whole, and what it covers of each.

    In order of acceptance: whoever was first is covered first.
    """
    for wager in wagers:
        covered, aside = _covered(wager, layout, bank)
        bank -= aside
        if covered < wager.stake:
            yield wager, covered


def _by_seats(wagers: tuple[Wager, ...], layout: Layout, bankers_seat: int) -> tuple[Wager, ...]:
    """From the banker's right round the table; who has no seat comes last. Otherwise as offered."""

    def place(wager: Wager) -> tuple[bool, int]:
        seat = layout.seats.get(wager.patron or "", wager.seat)
        return (True, 0) if seat is None else (False, places_round(seat, bankers_seat))

    return tuple(sorted(wagers, key=place))


def accept(
    wagers: tuple[Wager, ...],
    layout: Layout,
    before: tuple[Wager, ...] = (),
    used_ids: frozenset[str] = frozenset(),
) -> tuple[list[Wager], list[Refused]]:
    """Part wagers that are offered at once into those accepted and those refused, each in order of cover.

    That is the order offered, unless a bank cannot cover them all: see the module. A wager that the bank
    covers in part is accepted for that part and refused for the excess, which goes back before the first
    card: it then stands in both lists.

    Args:
        before: the wagers accepted before these, which the bank covers already.
        used_ids: the ids of all wagers ever accepted in this coup.
    """
    left = layout.bank
    if left is not None:
        left -= sum(_needs(wager, layout) or wager.stake for wager in before)
    accepted, refused = _taken(wagers, layout, left, used_ids)
    if layout.bankers_seat is not None and any(refusal.reason == BANK_EXCEEDED for refusal in refused):
        return _taken(_by_seats(wagers, layout, layout.bankers_seat), layout, left, used_ids)
    return accepted, refused


def _taken(
    wagers: tuple[Wager, ...], layout: Layout, left: int | None, used_ids: frozenset[str]
) -> tuple[list[Wager], list[Refused]]:
    """Take them one after the other, with so much `left` of the bank."""
    accepted: list[Wager] = []
    refused: list[Refused] = []
    taken = set(used_ids)
    kinds: dict[Kind, _OfKind] = {}  # a coup has few kinds and many wagers
    for wager in wagers:
        if wager.id in taken:
            refused.append(Refused(wager, wager.stake, "wager-id-used", BY_MUTUAL_CONSENT))
            continue
        asked = kinds.get(wager.kind)
        if asked is None:
            asked = kinds[wager.kind] = _of_kind(wager.kind, layout)
        if barred := asked.barred or _stake_barred(wager, asked, layout.banker):
            refused.append(Refused(wager, wager.stake, *barred))
            continue
        covered, aside = (wager.stake, 0) if left is None else _covered(wager, layout, left)
        if covered < wager.stake:
            refused.append(Refused(wager, wager.stake - covered, BANK_EXCEEDED, COVER))
        if covered:
            accepted.append(wager if covered == wager.stake else changed(wager, stake=covered))
            taken.add(wager.id)
            if left is not None:
                left -= aside
    return accepted, refused
