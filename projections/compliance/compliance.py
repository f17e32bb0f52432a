"""Compliance: one finding a breach or a doubt, with its paragraph, its evidence and whom it concerns.

What an event says by itself is written as it is folded (`compliance_coups`, `compliance_nights`). What takes
a clock, such as a dispute that is overdue or a drop that was never counted, is kept as plain facts and found
when somebody reads (`compliance_views`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.events.command import CommandRecorded
from ledger.events.coup import HandsDealt
from projections.compliance import coups as compliance_coups
from projections.compliance import nights as compliance_nights
from projections.compliance.page import Handler, Page
from projections.compliance.tables import TABLES
from projections.read_table import Writes

_FOLD: Mapping[str, Handler] = {**compliance_coups.FOLD, **compliance_nights.FOLD}


class _Batch:
    """What was found, a page at a time.

    A page ends where an event asks which coups are at hand: the table must say so as of that event.
    """

    def __init__(self) -> None:
        self._pages = [Page()]

    def take(self, sequence: int, event: Any) -> None:
        topic = event.TOPIC
        if topic in compliance_nights.ASK_WHAT_IS_AT_HAND:
            self._pages.append(Page())
        _FOLD[topic](self._pages[-1], sequence, event)

    def write(self, into: Writes) -> None:
        for page in self._pages:
            page.write(into)


class Compliance:
    """The projection; see `projections.projection.Projection`."""

    name = "compliance"
    version = 2
    topics = tuple(_FOLD)
    tables = TABLES
    only_with: Mapping[str, bytes] = {
        CommandRecorded.TOPIC: b'"outcome":"refused"',
        HandsDealt.TOPIC: b'"claim_agrees":false',
    }

    def batch(self) -> _Batch:
        """Pages of what was found."""
        return _Batch()
