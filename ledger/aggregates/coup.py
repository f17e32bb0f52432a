"""A coup: wagers placed and closed, hands dealt, every wager settled; or held until it is ruled upon.

Each step is one function. The whole coup in one command is these same functions in a row, so it gives the
same events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ledger import errors
from ledger.aggregates.draft import Draft, Fold
from ledger.events import coup as events
from ledger.regulation.acceptance import BY_MUTUAL_CONSENT, Layout, accept
from ledger.regulation.profiles import profile_named
from ledger.regulation.settle import settle, totals_of
from ledger.regulation.tableau import Irregularity, irregularity
from ledger.terms.formats import Format, check_hands, format_named
from ledger.terms.hands import BANKER, PLAYER, Hand, Result, Results, results_of
from ledger.terms.house import BankedBy, Conditions
from ledger.terms.value import Word
from ledger.terms.wagers import HANDS_OF_KIND, Kind, Limit, Outcome, Wager

_Item = TypeVar("_Item")


class Stage(Word):
    """Where a coup stands."""

    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"
    """To wagers."""
    DEALT = "dealt"
    HELD = "held"
    """Irregular: only a ruling ends it."""
    SETTLED = "settled"
    VOID = "void"


UNSETTLED = frozenset({Stage.OPEN, Stage.CLOSED, Stage.DEALT, Stage.HELD})


@dataclass(frozen=True, slots=True)
class Coup:
    """One coup. `wagers` are those accepted and not cancelled, in order of acceptance."""

    stage: Stage = Stage.NEW
    opened: events.CoupOpened | None = None
    wagers: tuple[Wager, ...] = ()
    used_ids: frozenset[str] = field(default_factory=frozenset)
    hands_in_play: tuple[str, ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    ruled: bool = False
    recorded_by: frozenset[str] = field(default_factory=frozenset)
    """Everybody who reported a step of it: none of them may approve a ruling."""

    @property
    def opening(self) -> events.CoupOpened:
        """The opening, with the conditions pinned in it."""
        if self.opened is None:
            msg = "a coup that never opened has no opening"
            raise AssertionError(msg)
        return self.opened

    @property
    def conditions(self) -> Conditions:
        """What the coup is played under."""
        return self.opening.conditions

    @property
    def stakes(self) -> int:
        """All accepted stakes, minor units."""
        return sum(wager.stake for wager in self.wagers)


NEW_COUP = Coup()


def _opened(coup: Coup, event: events.CoupOpened) -> Coup:
    return replace(coup, stage=Stage.OPEN, opened=event)


def _placed(coup: Coup, event: events.WagersPlaced) -> Coup:
    used_ids = coup.used_ids | {wager.id for wager in event.wagers}
    return replace(coup, wagers=coup.wagers + event.wagers, used_ids=used_ids)


def _cancelled(coup: Coup, event: events.WagersCancelled) -> Coup:
    gone = set(event.wagers)
    return replace(coup, wagers=tuple(wager for wager in coup.wagers if wager.id not in gone))


def _closed(coup: Coup, event: events.WagersClosed) -> Coup:
    return replace(coup, stage=Stage.CLOSED, hands_in_play=event.hands_in_play)


def _dealt(coup: Coup, event: events.HandsDealt) -> Coup:
    return replace(coup, stage=Stage.DEALT, results=event.results)


def _corrected(coup: Coup, event: events.HandsCorrected) -> Coup:
    return replace(coup, stage=Stage.DEALT, results=event.results, ruled=True)


_Step = Callable[[Coup, Any], Coup]


def _reported(step: _Step) -> _Step:
    """The fold of a step that somebody at the table reported, who then may not approve a ruling on it."""

    def fold(coup: Coup, event: Any) -> Coup:
        after = step(coup, event)
        if event.actor in after.recorded_by:
            return after
        return replace(after, recorded_by=after.recorded_by | {event.actor})

    return fold


FOLD: Fold = {
    events.CoupOpened: _reported(_opened),
    events.WagersPlaced: _reported(_placed),
    events.WagerRefused: _reported(lambda coup, _: coup),
    events.WagersCancelled: _reported(_cancelled),
    events.WagersClosed: _reported(_closed),
    events.HandsDealt: _reported(_dealt),
    events.IrregularityFound: lambda coup, _: replace(coup, stage=Stage.HELD),
    events.HandsCorrected: _corrected,
    events.WagersSettled: lambda coup, _: coup,
    events.CoupSettled: lambda coup, _: replace(coup, stage=Stage.SETTLED),
    events.CoupVoided: lambda coup, _: replace(coup, stage=Stage.VOID),
}


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


def _portions(items: Sequence[_Item], size: int) -> Iterator[tuple[_Item, ...]]:
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
) -> None:
    """Wagers may be placed, under these conditions and limits. Raises: CoupNumberUsed."""
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
    )


def place_wagers(coup: Draft[Coup], wagers: tuple[Wager, ...]) -> None:
    """Accept what may be accepted, in the order offered, and record every refusal with its reason.

    After the close every wager is refused, and that too is recorded.

    Raises:
        NoSuchCoup: it never opened.
    """
    state = coup.state
    if state.stage is Stage.NEW:
        raise errors.NoSuchCoup(coup.stream)
    if state.stage is not Stage.OPEN:
        for wager in wagers:
            _refuse(coup, wager, wager.stake, "wagers-closed", BY_MUTUAL_CONSENT)
        return
    pinned = state.conditions
    format = format_named(pinned.format)
    accepted, refused = accept(
        wagers,
        Layout(
            format=format,
            profile=profile_named(pinned.profile),
            terms=pinned.terms,
            banked_by=pinned.banked_by,
            hands_in_play=format.hand_names,
            bank=pinned.bank,
            limits=state.opening.limits,
        ),
        before=state.wagers,
        used_ids=state.used_ids,
    )
    for portion in _portions(accepted, events.LINES_AN_EVENT):
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


def deal_hands(coup: Draft[Coup], hands: Mapping[str, Hand], claimed: str | Results | None) -> None:
    """The cards are out. Where nobody has an option they must follow the tableau, or the coup is held.

    Raises:
        NoSuchCoup, CoupNotReady, CoupHeld; NotBaccarat, HandUnknown, HandMissing: not the hands in play;
        ClaimUnreadable.
    """
    check_stage(coup, (Stage.CLOSED,), "deal")
    check_hands_in_play(coup.state, hands)
    results = results_of(hands)
    claim = _claim(claimed, coup.state)
    coup.record(
        events.HandsDealt,
        hands=hands,
        results=results,
        claimed=claim,
        claim_agrees=None if claim is None else claim == results,
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


def settle_coup(coup: Draft[Coup]) -> int:
    """Settle every accepted wager. Returns what the banker won, minor units (less than 0 when he lost).

    Raises:
        NoSuchCoup, CoupNotReady; CoupHeld: it is irregular and waits for a ruling.
    """
    check_stage(coup, (Stage.DEALT,), "settle")
    state = coup.state
    opening, pinned = state.opening, state.conditions
    lines = settle(state.wagers, state.results, profile_named(pinned.profile), pinned.terms)
    for portion in _portions(lines, events.LINES_AN_EVENT):
        coup.record(events.WagersSettled, lines=portion)
    totals = totals_of(lines)
    banker_win = sum(total.stakes if total.outcome is Outcome.LOST else -total.winnings for total in totals)
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
