"""What compliance takes down of the events of a coup."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.events import coup
from ledger.regulation.availability import kinds_allowed
from ledger.terms.formats import format_named
from projections.compliance import tables
from projections.compliance.page import Handler, Page, day_of
from projections.nights import booked


def _opened(page: Page, sequence: int, event: coup.CoupOpened) -> None:
    page.at_hand.opened(sequence, event)
    pinned = event.conditions
    whole = event.offer is None or set(event.offer) >= set(
        kinds_allowed(format_named(pinned.format), pinned.banked_by)
    )
    on_offer = "all" if whole else "some"
    page.exercised(sequence, event, "offer", "", on_offer, gaming_day=pinned.gaming_day.isoformat())


def _settled(page: Page, sequence: int, event: coup.CoupSettled) -> None:
    page.at_hand.ended(event)
    page.settled(sequence, event, event.conditions.gaming_day.isoformat())


def _corrected(page: Page, sequence: int, event: coup.CoupCorrected) -> None:
    page.settled(sequence, event, booked(event)[0])
    _ruled(page, sequence, event, "coup-corrected")


def _voided(page: Page, sequence: int, event: coup.CoupVoided) -> None:
    page.at_hand.ended(event)
    _ruled(page, sequence, event, "coup-voided", stakes=event.stakes)


def _ruled(
    page: Page, sequence: int, event: coup.CoupCorrected | coup.CoupVoided, code: str, **more: int
) -> None:
    where = (event.premises, event.table, *booked(event), event.conditions.currency)
    facts = {
        "approvers": event.approvers,
        "why": event.reason,
        "later": None if event.booked_on is None else event.booked_on.isoformat(),
    }
    page.found(sequence, event, code, facts | more, where, persons={"approver": event.approvers})


def _hands_corrected(page: Page, sequence: int, event: coup.HandsCorrected) -> None:
    facts = {"approvers": event.approvers, "why": event.reason}
    page.found_on_coup(sequence, event, "hands-corrected", facts, persons={"approver": event.approvers})


def _irregular(page: Page, sequence: int, event: coup.IrregularityFound) -> None:
    pinned = event.conditions
    where = (event.premises, event.table, pinned.gaming_day.isoformat(), pinned.shift, pinned.currency)
    page.found(sequence, event, "irregular-coup", {"rule": event.rule, "detail": event.detail}, where)


def _dealt(page: Page, sequence: int, event: coup.HandsDealt) -> None:
    if event.claim_agrees is False and event.claimed is not None:
        facts = {"claimed": event.claimed, "results": event.results}
        page.found_on_coup(sequence, event, "claim-contradicts-cards", facts)


def _wager_refused(page: Page, sequence: int, event: coup.WagerRefused) -> None:
    facts = {
        "stake": event.stake,
        "offered": event.wager.stake,
        "kind": event.wager.kind,
        "reason": event.reason,
    }
    page.found_on_coup(
        sequence, event, "wager-refused", facts, paragraph=event.paragraph, reason=event.reason
    )


def _dispute_raised(page: Page, sequence: int, event: coup.DisputeRaised) -> None:
    _, premises, table_name, shoe, _ = event.stream.split("/")
    page.person(sequence, "actor", event.actor)
    page.later(
        tables.DISPUTE_RAISED,
        event.stream,
        event.dispute,
        premises,
        table_name,
        *day_of(sequence, event, premises, table_name, shoe),
        sequence,
        event.received_at.isoformat(),
        event.unresolved_at.isoformat(),
    )


def _dispute_resolved(page: Page, sequence: int, event: coup.DisputeResolved) -> None:
    _, premises, *_ = event.stream.split("/")
    at = event.occurred_at.isoformat()
    page.later(tables.RESOLVED, sequence, at, premises, event.stream, event.dispute)


FOLD: Mapping[str, Handler] = {
    coup.CoupOpened.TOPIC: _opened,
    coup.CoupSettled.TOPIC: _settled,
    coup.CoupCorrected.TOPIC: _corrected,
    coup.CoupVoided.TOPIC: _voided,
    coup.HandsCorrected.TOPIC: _hands_corrected,
    coup.IrregularityFound.TOPIC: _irregular,
    coup.HandsDealt.TOPIC: _dealt,
    coup.WagerRefused.TOPIC: _wager_refused,
    coup.DisputeRaised.TOPIC: _dispute_raised,
    coup.DisputeResolved.TOPIC: _dispute_resolved,
}
