"""The steps of a coup, one function each: wagers placed and closed, hands dealt, every wager settled.

The whole coup in one command is these functions in a row, so it gives the same events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from ledger import errors
from ledger.aggregates.coup import UNSETTLED, Coup, Stage
from ledger.aggregates.draft import NOTHING, Draft
from ledger.events import coup as events
from ledger.regulation.acceptance import BY_MUTUAL_CONSENT, WAGERS_CLOSED, Layout, accept
from ledger.regulation.profiles import profile_named
from ledger.regulation.settle import settle, totals_of
from ledger.regulation.tableau import Irregularity, irregularity
from ledger.terms.formats import Format, check_hands, format_named
from ledger.terms.hands import BANKER, PLAYER, DrawingDecision, Hand, Result, Results, results_of
from ledger.terms.house import BankedBy, Conditions
from ledger.terms.plain import made_plain
from ledger.terms.wagers import HANDS_OF_KIND, Kind, Limit, Outcome, Total, Wager

_Item = TypeVar("_Item")
_Seats = Mapping[str, int]


def check_stage(coup: Draft[Coup], allowed: Collection[Stage], step: str) -> None:
    """That the coup stands where this step may follow. Raises: NoSuchCoup, CoupHeld, CoupNotReady."""
    stage = coup.state.stage
    if stage in allowed:
        return
    if stage is Stage.NEW:
        raise errors.NoSuchCoup(coup.stream)
    if stage is Stage.HELD:
        raise errors.CoupHeld(coup.stream)
    raise errors.CoupNotReady(coup.stream, stage.value, step)


def portions(items: Sequence[_Item], size: int) -> Iterator[tuple[_Item, ...]]:
    """The items, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])


def open_coup(
    coup: Draft[Coup],
    *,
    premises: str,
    table: str,
    shoe: str,
    number: int,
    conditions: Conditions,
    limits: Mapping[Kind, Limit],
    offer: tuple[Kind, ...] | None,
    may_approve: tuple[str, ...] | None,
) -> None:
    """Wagers may be placed, under these conditions, limits and kinds on offer. Raises: CoupNumberUsed."""
    if coup.state.stage is not Stage.NEW:
        raise errors.CoupNumberUsed(coup.stream)
    coup.record(
        events.CoupOpened,
        premises=premises,
        table=table,
        shoe=shoe,
        number=number,
        conditions=conditions,
        limits=limits,
        offer=offer,
        may_approve=may_approve,
    )


def place_wagers(
    coup: Draft[Coup], wagers: tuple[Wager, ...], bankers_seat: int | None = None, seats: _Seats = NOTHING
) -> None:
    """Accept what may be accepted, and record every refusal with its reason.

    In the order offered; by seats where a player's bank is short (see `acceptance`, also for the seats).
    After the close every wager is refused, and that too is recorded, until the coup has ended.

    Raises:
        NoSuchCoup, CoupNotReady: it never opened, or has ended.
    """
    state = coup.state
    if state.stage not in UNSETTLED:
        check_stage(coup, (), "take wagers")
    if state.stage is not Stage.OPEN:
        for wager in wagers:
            _refuse(coup, wager, wager.stake, WAGERS_CLOSED, BY_MUTUAL_CONSENT)
        return
    pinned = state.conditions
    format = format_named(pinned.format)
    accepted, refused = accept(
        tuple([made_plain(wager) for wager in wagers]),
        Layout(
            format=format,
            profile=profile_named(pinned.profile),
            terms=pinned.terms,
            banked_by=pinned.banked_by,
            hands_in_play=format.hand_names,
            bank=pinned.bank,
            limits=state.opening.limits,
            offer=state.opening.offer,
            banker=pinned.banker,
            bankers_seat=bankers_seat,
            seats=seats,
        ),
        before=state.wagers,
        used_ids=state.used_ids,
    )
    for portion in portions(accepted, events.LINES_AN_EVENT):
        coup.record(events.WagersPlaced, wagers=portion)
    for refusal in refused:
        _refuse(coup, refusal.wager, refusal.stake, refusal.reason, refusal.paragraph)


def _refuse(coup: Draft[Coup], wager: Wager, stake: int, reason: str, paragraph: str) -> None:
    coup.record(events.WagerRefused, wager=wager, stake=stake, reason=reason, paragraph=paragraph)


def cancel_wagers(coup: Draft[Coup], ids: Sequence[str], reason: str = "mutual-consent") -> None:
    """Give accepted wagers back before the first card (reg 2(2)).

    Raises:
        NoSuchCoup, CoupNotReady, CoupHeld: the first card is out, or there is no such coup.
        WagerUnknown: one of them was not accepted, or is cancelled already. Then none is cancelled.
    """
    check_stage(coup, (Stage.OPEN, Stage.CLOSED), "cancel wagers")
    stakes = {wager.id: wager.stake for wager in coup.state.wagers}
    for wager_id in ids:
        if wager_id not in stakes:
            raise errors.WagerUnknown(wager_id)
    distinct = tuple(dict.fromkeys(ids))
    coup.record(
        events.WagersCancelled,
        wagers=distinct,
        stakes=sum(stakes[wager_id] for wager_id in distinct),
        reason=reason,
        paragraph=BY_MUTUAL_CONSENT,
    )


def close_wagers(coup: Draft[Coup], hands_in_play: Sequence[str] | None = None) -> None:
    """No more wagers. Fixes the opposing hands; a wager on one that is not to be dealt is cancelled.

    Domain §3.4 A5: a wager on both hands needs both, and 2(2) lets the house give it back.

    Raises:
        NoSuchCoup, CoupNotReady, CoupHeld; HandUnknown: the format has no such hand.
    """
    check_stage(coup, (Stage.OPEN,), "close wagers")
    format = format_named(coup.state.conditions.format)
    in_play = _in_play(format, hands_in_play)
    if in_play != format.hand_names:
        _cancel_stranded(coup, in_play)
    coup.record(
        events.WagersClosed,
        hands_in_play=in_play,
        wagers=len(coup.state.wagers),
        stakes=coup.state.stakes,
    )


def _cancel_stranded(coup: Draft[Coup], in_play: Sequence[str]) -> None:
    stranded = [
        wager.id
        for wager in coup.state.wagers
        if not all(hand in in_play for hand in HANDS_OF_KIND.get(wager.kind, ()))
    ]
    if stranded:
        cancel_wagers(coup, stranded, "hand-not-in-play")


def _in_play(format: Format, hands: Sequence[str] | None) -> tuple[str, ...]:
    if hands is None:
        return format.hand_names
    for hand in hands:
        if hand not in format.hand_names:
            raise errors.HandUnknown(hand, format.name)
    return tuple(hand for hand in format.hand_names if hand in hands)


def deal_hands(
    coup: Draft[Coup],
    hands: Mapping[str, Hand],
    claimed: str | Results | None,
    decisions: tuple[DrawingDecision, ...] = (),
) -> None:
    """The cards are out. Where nobody has an option they must follow the tableau, or the coup is held.

    Raises:
        NoSuchCoup, CoupNotReady, CoupHeld; NotBaccarat, HandUnknown, HandMissing: not the hands in play;
        ClaimUnreadable; NoOption: a decision where the rules leave nobody one; DecisionContradictsCards.
    """
    check_stage(coup, (Stage.CLOSED,), "deal")
    check_hands_in_play(coup.state, hands)
    _check_decisions(coup.state, hands, decisions)
    results = results_of(hands)
    claim = _claim(claimed, coup.state)
    coup.record(
        events.HandsDealt,
        hands=hands,
        results=results,
        claimed=claim,
        claim_agrees=None if claim is None else claim == results,
        decisions=decisions or None,
    )
    if broken := irregularity_of(coup.state, hands):
        opening = coup.state.opening
        coup.record(
            events.IrregularityFound,
            rule=broken.rule,
            detail=broken.detail,
            premises=opening.premises,
            table=opening.table,
            conditions=opening.conditions,
        )


def _check_decisions(coup: Coup, hands: Mapping[str, Hand], decisions: tuple[DrawingDecision, ...]) -> None:
    for decision in decisions:
        if not format_named(coup.conditions.format).drawing_option:
            raise errors.NoOption(decision.hand)
        hand = hands.get(decision.hand)
        if hand is None or (hand.third is not None) != decision.drew:
            raise errors.DecisionContradictsCards(decision.hand)


def check_hands_in_play(coup: Coup, hands: Mapping[str, Hand]) -> None:
    """That these are the hands of this coup. Raises: NotBaccarat, HandUnknown, HandMissing."""
    format = format_named(coup.conditions.format)
    check_hands(format, hands)
    for name in coup.hands_in_play:
        if name not in hands:
            raise errors.HandMissing(name, format.name)
    for name in hands:
        if name != BANKER and name not in coup.hands_in_play:
            raise errors.HandUnknown(name, f"this coup of {format.name}")


def irregularity_of(coup: Coup, hands: Mapping[str, Hand]) -> Irregularity | None:
    """How these hands break the tableau; None when they do not, or when somebody has an option."""
    if format_named(coup.conditions.format).drawing_option:
        return None
    return irregularity(hands[PLAYER], hands[BANKER])


_CLAIMS = {"player": Result.WINS, "banker": Result.LOSES, "tie": Result.DRAW}


def _claim(claimed: str | Results | None, coup: Coup) -> Results | None:
    """A feed's claim as results: of each hand in play, or the winner's name where there is one hand."""
    if claimed is None:
        return None
    if isinstance(claimed, str):
        if len(coup.hands_in_play) != 1:
            raise errors.ClaimUnreadable(claimed)
        return {coup.hands_in_play[0]: _CLAIMS[claimed]}
    if set(claimed) != set(coup.hands_in_play):
        raise errors.ClaimUnreadable(str(sorted(claimed)))
    return claimed


def won_of(totals: Sequence[Total]) -> int:
    """What the bank won of these wagers, minor units; less than 0 when it lost."""
    return sum(total.stakes if total.outcome is Outcome.LOST else -total.winnings for total in totals)


def settle_coup(coup: Draft[Coup]) -> int:
    """Settle every accepted wager. Returns what the banker won, minor units (less than 0 when he lost).

    Raises:
        NoSuchCoup, CoupNotReady; CoupHeld: it is irregular and waits for a ruling.
    """
    check_stage(coup, (Stage.DEALT,), "settle")
    state = coup.state
    opening, pinned = state.opening, state.conditions
    lines = settle(state.wagers, state.results, profile_named(pinned.profile), pinned.terms)
    for portion in portions(lines, events.LINES_AN_EVENT):
        coup.record(events.WagersSettled, lines=portion)
    totals = totals_of(lines)
    banker_win = won_of(totals)
    coup.record(
        events.CoupSettled,
        premises=opening.premises,
        table=opening.table,
        shoe=opening.shoe,
        number=opening.number,
        conditions=pinned,
        results=state.results,
        totals=totals,
        banker_win=banker_win if pinned.banked_by is BankedBy.PLAYER else None,
        ruled=state.ruled,
    )
    return banker_win
