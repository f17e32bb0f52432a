"""Rulings: how a coup ends that cannot settle by itself. Two persons answer for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger import errors
from ledger.aggregates.coup import (
    UNSETTLED,
    Coup,
    Stage,
    check_hands_in_play,
    check_stage,
    irregularity_of,
)
from ledger.aggregates.draft import Draft
from ledger.events import coup as events
from ledger.terms.hands import Hand, results_of


def _check_approvers(coup: Draft[Coup], approvers: Sequence[str]) -> None:
    recorded_by = coup.state.recorded_by
    if len(set(approvers)) != len(approvers) or len(approvers) < 2 or recorded_by & set(approvers):
        raise errors.ApproversNotIndependent(", ".join(approvers), ", ".join(sorted(recorded_by)))


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
    check_hands_in_play(coup.state, hands)
    if broken := irregularity_of(coup.state, hands):
        raise errors.StillIrregular(coup.stream, broken.rule, broken.detail)
    coup.record(
        events.HandsCorrected,
        hands=hands,
        results=results_of(hands),
        reason=reason,
        approvers=tuple(approvers),
        evidence=evidence,
    )


def void_coup(coup: Draft[Coup], reason: str, approvers: Sequence[str], evidence: str | None) -> None:
    """A ruling on a coup not yet settled: it does not count, and every stake goes back.

    Raises:
        NoSuchCoup, CoupNotReady: it is settled or void already; ApproversNotIndependent.
    """
    state = coup.state
    if state.stage not in UNSETTLED:
        check_stage(coup, (), "void it")
    _check_approvers(coup, approvers)
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
    )
