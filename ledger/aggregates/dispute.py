"""Disputes: a patron says that a coup ended otherwise. The clock is in the record, visible to everybody."""

from __future__ import annotations

from datetime import timedelta

from ledger import errors
from ledger.aggregates.coup import Coup, Stage
from ledger.aggregates.draft import Draft
from ledger.aggregates.steps import check_stage
from ledger.commands import RaiseDispute, ResolveDispute
from ledger.events import coup as events

UNRESOLVED_AFTER = timedelta(weeks=8)
"""From then on the patron is offered alternative dispute resolution (SR code 6.1.1; domain §5)."""
_ANY = tuple(stage for stage in Stage if stage is not Stage.NEW)


def raise_dispute(coup: Draft[Coup], command: RaiseDispute) -> None:
    """A dispute stands from here on.

    Raises:
        NoSuchCoup, DisputeIdUsed, WagerUnknown; NotYetReceived: at a moment after it was reported.
    """
    check_stage(coup, _ANY, "dispute it")
    if command.dispute in coup.state.disputes_ever:
        raise errors.DisputeIdUsed(command.dispute)
    if command.wager is not None and command.wager not in coup.state.used_ids | coup.state.refused_ids:
        raise errors.WagerUnknown(command.wager)
    received_at = command.received_at or command.occurred_at
    if received_at > command.occurred_at:
        raise errors.NotYetReceived(received_at.isoformat(), command.occurred_at.isoformat())
    coup.record(
        events.DisputeRaised,
        dispute=command.dispute,
        patron=command.patron,
        wager=command.wager,
        statement=command.statement,
        received_at=received_at,
        unresolved_at=received_at + UNRESOLVED_AFTER,
    )


def resolve_dispute(coup: Draft[Coup], command: ResolveDispute) -> None:
    """The dispute has ended. Raises: NoSuchCoup, NoSuchDispute."""
    check_stage(coup, _ANY, "resolve a dispute")
    if command.dispute not in coup.state.disputes:
        raise errors.NoSuchDispute(command.dispute)
    coup.record(
        events.DisputeResolved,
        dispute=command.dispute,
        decision=command.decision,
        evidence=command.evidence,
    )
