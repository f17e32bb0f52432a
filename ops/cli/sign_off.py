"""The close of a day at the command line: what stands in its way, the close itself, and its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import structlog

from ledger.errors import RecordMoved, SealMoved
from ledger.seal.checkpoint import open_checkpoint, parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.keys import SigningKey, VerifierKey
from ledger.terms.money import in_words
from ledger.verify.sealed import exists, origin
from ops.cli.covering import note_covering
from ops.cli.screen import Exit
from ops.cli.seal import seal_and_sign
from ops.reconcile.closing import CloseRefused, close, unexplained
from ops.reconcile.day_record import DayRecord
from ops.reconcile.report import Closed, DayReport
from ops.wiring import House

log = structlog.get_logger()

_ATTEMPTS = 5
"""How often to seal anew where another sealer was first."""


class Signers(NamedTuple):
    """Who signs the day off, the keys that sign its checkpoint, and all that may have signed earlier ones."""

    names: tuple[str, ...]
    keys: Sequence[SigningKey]
    pinned: Sequence[VerifierKey]


@dataclass(frozen=True, slots=True)
class SignOff:
    """What came of it: the report as it stands now, and why the day was not closed, if it was not."""

    report: DayReport
    refused: tuple[str, ...] = ()
    code: str | None = None
    exit: Exit = Exit.GOOD


def sign_off(
    house: House, report: DayReport, record: DayRecord, counted_by: Sequence[str], signers: Signers
) -> SignOff:
    """Close the day, seal the record and sign a checkpoint. What was done before is not done again.

    Raises:
        LedgerError: the key is not this ledger's, or the record cannot be sealed.
    """
    _check_keys(house, signers)
    already = record.closed
    if not already:
        if stopped := _in_the_way(report):
            return stopped
        try:
            record = close(house.ledger, report, record, counted_by, signers.names)
        except CloseRefused as refusal:
            return SignOff(report, (str(refusal),), refusal.answer.code, Exit.BAD_INPUT)
        except RecordMoved as moved:
            return SignOff(report, (str(moved),), moved.code, Exit.FINDINGS)
        log.info("day closed", gaming_day=report.gaming_day.isoformat(), premises=report.premises)
    if covered_by(house, record) is None:
        _seal(house, signers)
    closed = Closed(record.signed_by, already, covered_by(house, record))
    return SignOff(replace(report, closed=closed))


def _check_keys(house: House, signers: Signers) -> None:
    """That the ledger's checkpoints can go on with these keys: nothing is closed that cannot be sealed."""
    if exists(house.tables, "seal_checkpoints"):
        last = Checkpoints(house.tables, "", ()).last()
        if last is not None:
            open_checkpoint(last, origin(house.tables), signers.pinned)


def _in_the_way(report: DayReport) -> SignOff | None:
    unfinished = [
        f"{coup} has not ended; {in_words(stakes, table.at.books.currency)} staked"
        for table in report.tables
        for coup, stakes in table.at.books.unfinished
    ]
    if unfinished:
        return SignOff(report, tuple(unfinished), "coups-unfinished", Exit.FINDINGS)
    explained = {table.at.books.table: table.explanation for table in report.tables if table.explanation}
    open_questions = [
        f"table {at.books.table} varies by {in_words(at.variance, at.books.currency)}: "
        f"--explain {at.books.table}=TEXT"
        for at in unexplained([table.at for table in report.tables], explained)
    ]
    if open_questions:
        return SignOff(report, tuple(open_questions), "variance-unexplained", Exit.FINDINGS)
    return None


def covered_by(house: House, record: DayRecord) -> int | None:
    """The size of the smallest checkpoint that has the close of the day in it; None where none has."""
    note = note_covering(house, record.sealed_at)
    return parse_checkpoint(note.text).size if note is not None else None


def _seal(house: House, signers: Signers) -> None:
    for attempt in range(_ATTEMPTS):
        try:
            seal_and_sign(house, signers.keys, signers.pinned)
        except SealMoved:
            if attempt + 1 == _ATTEMPTS:
                raise
        else:
            return
