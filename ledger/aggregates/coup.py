"""A coup: what it is at each moment, and how each event changes it. Its steps are in `steps.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ledger.aggregates.draft import NOTHING, Fold, StreamState
from ledger.events import coup as events
from ledger.terms.hands import Hand, Result
from ledger.terms.house import Conditions
from ledger.terms.value import Word
from ledger.terms.wagers import Wager


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


class Coup(StreamState, frozen=True):
    """One coup. `wagers` are those accepted and not cancelled, in order of acceptance."""

    stage: Stage = Stage.NEW
    opened: events.CoupOpened | None = None
    wagers: tuple[Wager, ...] = ()
    used_ids: frozenset[str] = frozenset()
    refused_ids: frozenset[str] = frozenset()
    hands_in_play: tuple[str, ...] = ()
    results: Mapping[str, Result] = NOTHING
    hands: Mapping[str, Hand] = NOTHING
    """The hands settled on: as dealt, or as a ruling corrected them."""
    banco: events.BancoCalled | None = None
    ruled: bool = False
    settled_version: int = 0
    """Which event of the stream settled it, or last corrected it."""
    disputes: frozenset[str] = frozenset()
    """Disputes raised and not resolved."""
    disputes_ever: frozenset[str] = frozenset()
    recorded_by: frozenset[str] = frozenset()
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
    return coup.but(stage=Stage.OPEN, opened=event)


def _placed(coup: Coup, event: events.WagersPlaced) -> Coup:
    used_ids = coup.used_ids | {wager.id for wager in event.wagers}
    return coup.but(wagers=coup.wagers + event.wagers, used_ids=used_ids)


def _cancelled(coup: Coup, event: events.WagersCancelled) -> Coup:
    gone = set(event.wagers)
    banco = None if coup.banco and coup.banco.wager in gone else coup.banco
    return coup.but(wagers=tuple(wager for wager in coup.wagers if wager.id not in gone), banco=banco)


def _closed(coup: Coup, event: events.WagersClosed) -> Coup:
    return coup.but(stage=Stage.CLOSED, hands_in_play=event.hands_in_play)


def _dealt(coup: Coup, event: events.HandsDealt) -> Coup:
    return coup.but(stage=Stage.DEALT, hands=event.hands, results=event.results)


def _hands_corrected(coup: Coup, event: events.HandsCorrected) -> Coup:
    return coup.but(stage=Stage.DEALT, hands=event.hands, results=event.results, ruled=True)


def _settled(coup: Coup, event: events.CoupSettled) -> Coup:
    return coup.but(stage=Stage.SETTLED, settled_version=event.version)


def _coup_corrected(coup: Coup, event: events.CoupCorrected) -> Coup:
    return coup.but(hands=event.hands, results=event.results, settled_version=event.version)


def _disputed(coup: Coup, event: events.DisputeRaised) -> Coup:
    named = {event.dispute}
    return coup.but(disputes=coup.disputes | named, disputes_ever=coup.disputes_ever | named)


_Step = Callable[[Coup, Any], Coup]


def _reported(step: _Step) -> _Step:
    """The fold of a step that somebody at the table reported, who then may not approve a ruling on it."""

    def fold(coup: Coup, event: Any) -> Coup:
        after = step(coup, event)
        if event.actor in after.recorded_by:
            return after
        return after.but(recorded_by=after.recorded_by | {event.actor})

    return fold


FOLD: Fold = {
    events.CoupOpened: _reported(_opened),
    events.WagersPlaced: _reported(_placed),
    events.WagerRefused: _reported(
        lambda coup, event: coup.but(refused_ids=coup.refused_ids | {event.wager.id})
    ),
    events.WagersCancelled: _reported(_cancelled),
    events.WagersClosed: _reported(_closed),
    events.HandsDealt: _reported(_dealt),
    events.IrregularityFound: lambda coup, _: coup.but(stage=Stage.HELD),
    events.BancoCalled: _reported(lambda coup, event: coup.but(banco=event)),
    events.HandsCorrected: _hands_corrected,
    events.WagersReversed: lambda coup, _: coup,
    events.CoupCorrected: _coup_corrected,
    events.DisputeRaised: _disputed,
    events.DisputeResolved: lambda coup, event: coup.but(disputes=coup.disputes - {event.dispute}),
    events.WagersSettled: lambda coup, _: coup,
    events.CoupSettled: lambda coup, event: (_settled if event.ruled else _reported(_settled))(coup, event),
    events.CoupVoided: lambda coup, _: coup.but(stage=Stage.VOID),
}
