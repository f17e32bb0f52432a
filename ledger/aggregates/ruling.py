"""Rulings: how a coup ends that cannot settle by itself, or settled wrongly. Two persons answer for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from ledger import errors
from ledger.aggregates.coup import UNSETTLED, Coup, Stage
from ledger.aggregates.draft import Draft
from ledger.aggregates.steps import (
    check_hands_in_play,
    check_stage,
    irregularity_of,
    portions,
    won_of,
)
from ledger.events import coup as events
from ledger.regulation.profiles import profile_named
from ledger.regulation.settle import settle, totals_of
from ledger.terms.hands import Hand, Result, results_of
from ledger.terms.house import BankedBy
from ledger.terms.wagers import SettlementLine, Total


def _check_approvers(coup: Draft[Coup], approvers: Sequence[str]) -> None:
    """Two persons at least, distinct, none of whom reported the coup, all with the right to approve."""
    recorded_by = coup.state.recorded_by
    persons = {approver.casefold() for approver in approvers}
    reporters = {reporter.casefold() for reporter in recorded_by}
    if len(persons) != len(approvers) or len(persons) < 2 or persons & reporters:
        raise errors.ApproversNotIndependent(", ".join(approvers), ", ".join(sorted(recorded_by)))
    may_approve = coup.state.opening.may_approve
    for approver in approvers:
        if may_approve and approver not in may_approve:
            raise errors.ApproverWithoutRight(approver, ", ".join(may_approve))


def _check_corrected(coup: Draft[Coup], hands: Mapping[str, Hand]) -> None:
    """That these could be the coup's hands, and regular ones."""
    check_hands_in_play(coup.state, hands)
    if broken := irregularity_of(coup.state, hands):
        raise errors.StillIrregular(coup.stream, broken.rule, broken.detail)


def correct_hands(
    coup: Draft[Coup],
    hands: Mapping[str, Hand],
    reason: str,
    approvers: Sequence[str],
    evidence: str | None,
) -> None:
    """A ruling on a held coup: these are its hands; they must follow the tableau.

    Raises:
        NoSuchCoup, CoupNotReady: it is not held; ApproversNotIndependent; StillIrregular; HandMissing...
    """
    if coup.state.stage is not Stage.HELD:
        check_stage(coup, (), "correct its hands")
    _check_approvers(coup, approvers)
    _check_corrected(coup, hands)
    coup.record(
        events.HandsCorrected,
        hands=hands,
        results=results_of(hands),
        reason=reason,
        approvers=tuple(approvers),
        evidence=evidence,
    )


def _lines_of(coup: Coup, results: Mapping[str, Result]) -> tuple[SettlementLine, ...]:
    """How the coup's wagers settle by these results: the same lines whenever they are asked for."""
    pinned = coup.conditions
    return settle(coup.wagers, results, profile_named(pinned.profile), pinned.terms)


def _take_back(coup: Draft[Coup]) -> tuple[Total, ...]:
    """Reverse every line of the settlement that stands; returns what it came to."""
    lines = _lines_of(coup.state, coup.state.results)
    for portion in portions(lines, events.LINES_AN_EVENT):
        coup.record(events.WagersReversed, lines=portion)
    return totals_of(lines)


def correct_coup(
    coup: Draft[Coup],
    hands: Mapping[str, Hand],
    reason: str,
    approvers: Sequence[str],
    evidence: str,
    *,
    booked_on: date | None,
) -> None:
    """A ruling on a settled coup: what was settled is taken back, and it settles anew by these hands.

    Nothing else moves: the bank that stood for it, and the coups after it, stay as they were.

    Args:
        booked_on: the open gaming day to book it on, where the coup's own is sealed.

    Raises:
        NoSuchCoup, CoupHeld, CoupNotReady: it has not settled, or is void; ApproversNotIndependent,
        ApproverWithoutRight, StillIrregular, NothingToCorrect, HandMissing...
    """
    check_stage(coup, (Stage.SETTLED,), "correct it")
    _check_approvers(coup, approvers)
    _check_corrected(coup, hands)
    if dict(hands) == dict(coup.state.hands):
        raise errors.NothingToCorrect(coup.stream)
    opening, pinned = coup.state.opening, coup.state.conditions
    supersedes = coup.state.settled_version
    reversed_totals = _take_back(coup)
    results = results_of(hands)
    lines = _lines_of(coup.state, results)
    for portion in portions(lines, events.LINES_AN_EVENT):
        coup.record(events.WagersSettled, lines=portion)
    totals = totals_of(lines)
    coup.record(
        events.CoupCorrected,
        premises=opening.premises,
        table=opening.table,
        shoe=opening.shoe,
        number=opening.number,
        conditions=pinned,
        supersedes=supersedes,
        hands=hands,
        results=results,
        reason=reason,
        approvers=tuple(approvers),
        evidence=evidence,
        reversed_totals=reversed_totals,
        totals=totals,
        banker_win=won_of(totals) if pinned.banked_by is BankedBy.PLAYER else None,
        booked_on=booked_on,
    )


def void_coup(
    coup: Draft[Coup],
    reason: str,
    approvers: Sequence[str],
    evidence: str | None,
    *,
    booked_on: date | None,
) -> None:
    """A ruling: the coup does not count and every stake goes back; a settlement of it is taken back.

    Args:
        booked_on: as in `correct_coup`.

    Raises:
        NoSuchCoup, CoupNotReady: it is void already; ApproversNotIndependent, ApproverWithoutRight.
    """
    state = coup.state
    if state.stage not in UNSETTLED:
        check_stage(coup, (Stage.SETTLED,), "void it")
    _check_approvers(coup, approvers)
    settled = state.stage is Stage.SETTLED
    reversed_totals = _take_back(coup) if settled else None
    coup.record(
        events.CoupVoided,
        premises=state.opening.premises,
        table=state.opening.table,
        conditions=state.conditions,
        reason=reason,
        approvers=tuple(approvers),
        evidence=evidence,
        wagers=len(state.wagers),
        stakes=state.stakes,
        was_held=state.stage is Stage.HELD,
        supersedes=state.settled_version if settled else None,
        reversed_totals=reversed_totals,
        booked_on=booked_on,
    )
