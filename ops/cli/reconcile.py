"""`reconcile`: what the wagers say each table won against what the cage counted; the close of the day."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from ledger.errors import LedgerError, NoTablesOnDay
from ledger.terms.identifiers import DEFAULT_PREMISES
from ops.cli.checkpoint import STANDARD_OUTPUT
from ops.cli.figures import folded
from ops.cli.options import Json, day_option
from ops.cli.reconciled import print_report
from ops.cli.screen import Exit, err, out, print_json
from ops.cli.sign_off import Signers, SignOff, covered_by, sign_off
from ops.keys import read_signer, read_verifier
from ops.output import write_output
from ops.reconcile.cells import SHEET_BYTES_MAX
from ops.reconcile.day_record import DayRecord, day_record
from ops.reconcile.job import DayNotOver, recorded_counts, report_of, shifts_of
from ops.reconcile.report import Closed
from ops.reconcile.sheet import BadSheet, Counts, read_sheet, template
from ops.settings import Db
from ops.tape.sources import open_source
from ops.wiring import House, open_house
from projections.reconciliation.views import PROJECTIONS, DayBooks, day_books

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}", re.ASCII)
_THRESHOLD = re.compile(r"(?:([A-Z]{3})=)?([0-9]{1,15})", re.ASCII)
_EXPLANATION_MAX = 500


def _threshold(text: str) -> tuple[str, int]:
    found = _THRESHOLD.fullmatch(text)
    if not found:
        raise typer.BadParameter("minor units, as 2500; or of one currency, as GBP=2500")
    return found[1] or "", int(found[2])


def _explanation(text: str) -> tuple[str, str]:
    table, _, why = text.partition("=")
    if not _NAME.fullmatch(table) or not why.strip() or len(why.strip()) > _EXPLANATION_MAX:
        raise typer.BadParameter("TABLE=TEXT, in at most 500 characters")
    return table, why.strip()


def _person(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise typer.BadParameter(f"{text!r}: letters, digits and . _ : - only, such as accounts-1")
    return text


_Counts = Annotated[
    str | None,
    typer.Option("--counts", metavar="FILE", help="The cage's count sheet; - reads standard input."),
]
_Template = Annotated[
    Path | None,
    typer.Option("--template", metavar="FILE", help="Write an empty count sheet of the day, and no more."),
]
_Close = Annotated[bool, typer.Option("--close", help="Sign the day off, and seal it.")]
_SignedBy = Annotated[
    list[str] | None,
    typer.Option("--signed-by", parser=_person, metavar="NAME", help="Who closes: of neither pit nor cage."),
]
_CountedBy = Annotated[
    list[str] | None,
    typer.Option("--counted-by", parser=_person, metavar="NAME", help="Who signed the count sheet."),
]
_Explained = Annotated[
    list[Any] | None,
    typer.Option("--explain", parser=_explanation, metavar="TABLE=TEXT", help="Why a table varies."),
]
_KeyFiles = Annotated[
    list[Path] | None,
    typer.Option("--key-file", metavar="FILE", help="The secret key to sign the checkpoint with."),
]
_Trusted = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="KEY", help="A public key, now retired, of an earlier checkpoint."),
]
_Threshold = Annotated[
    list[Any] | None,
    typer.Option("--threshold", parser=_threshold, metavar="[CUR=]N", help="More is a finding; minor units."),
]
_Page = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write it as pages to print, a table each.")
]


def reconcile(
    db: Db,
    day: Annotated[date, day_option("--day", "The gaming day.")],
    *,
    counts: _Counts = None,
    empty_sheet: _Template = None,
    close: _Close = False,
    signed_by: _SignedBy = None,
    counted_by: _CountedBy = None,
    explained: _Explained = None,
    key_files: _KeyFiles = None,
    trusted: _Trusted = None,
    threshold: _Threshold = None,
    page_file: _Page = None,
    premises: Annotated[str, typer.Option(help="Which premises.")] = DEFAULT_PREMISES,
    as_json: Json = False,
) -> None:
    """Reconcile a gaming day: win by wagers against win by inventory, table by table, with likely causes.

    Exit 0 clean, 1 where a variance is above the threshold or something else is to look at, 2 where the sheet
    or what was asked for is wrong. Without --counts it takes the counts that the record has.
    """
    signers = _signers(signed_by, key_files, trusted) if close else None
    if not close and (signed_by or key_files):
        raise typer.BadParameter(
            "that is for --close", param_hint="--signed-by" if signed_by else "--key-file"
        )
    try:
        with open_house(db) as house:
            books, record = _read(house, premises, day)
            if empty_sheet is not None:
                _write_template(empty_sheet, books, db)
                return
            if explained and (unknown := {name for name, _ in explained} - {t.table for t in books.tables}):
                raise typer.BadParameter(f"no such table on this day: {', '.join(sorted(unknown))}")
            report = report_of(
                premises,
                day,
                books,
                record,
                _counted(counts, day, books, record),
                explained=dict(explained or ()),
                own_thresholds=dict(threshold or ()),
            )
            report = replace(report, closed=_closed(house, record))
            done = SignOff(report)
            if signers is not None:
                done = sign_off(house, report, record, tuple(counted_by or ()), signers)
    except LedgerError as error:
        _say_no(error, as_json=as_json)
        raise typer.Exit(Exit.BAD_INPUT) from None
    _tell(done, page_file, db, as_json=as_json)


def _signers(
    signed_by: Sequence[str] | None, key_files: Sequence[Path] | None, trusted: Sequence[str] | None
) -> Signers:
    """Who closes, and with what keys; before anything is recorded."""
    if not signed_by:
        raise typer.BadParameter("somebody signs the day off", param_hint="--signed-by")
    if not key_files:
        raise typer.BadParameter(
            "a day is sealed under a signed checkpoint: name the key", param_hint="--key-file"
        )
    keys = [read_signer(path) for path in key_files]
    return Signers(
        tuple(signed_by), keys, [*(key.verifier for key in keys), *map(read_verifier, trusted or ())]
    )


def _read(house: House, premises: str, day: date) -> tuple[DayBooks, DayRecord]:
    """The books, and after them what the record says. Raises: NoTablesOnDay."""
    with folded(house, PROJECTIONS) as (tables, _), tables.snapshot() as statements:
        books = day_books(statements, premises, day)
    if not books.tables:
        raise NoTablesOnDay(day.isoformat())
    return books, day_record(house.ledger.record, premises, day)


def _write_template(path: Path, books: DayBooks, db: str) -> None:
    content = template(shifts_of(books))
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    write_output(path, content, db)
    err().print(f"{path}: an empty count sheet; amounts are whole minor units", soft_wrap=True)


def _counted(sheet: str | None, day: date, books: DayBooks, record: DayRecord) -> Counts:
    """What was counted: by the sheet, or where there is none, or the day is closed, by the record.

    Raises: DayNotOver, BadSheet, NoCounts.
    """
    if books.still_open:
        raise DayNotOver(day.isoformat(), books.still_open)
    if sheet is None:
        return recorded_counts(books, record)
    with open_source(sheet) as source:
        content = source.stream.read(SHEET_BYTES_MAX + 1)
    on_sheet = read_sheet(sheet, content, shifts_of(books))
    if not record.closed:
        return on_sheet
    try:
        counted = recorded_counts(books, record)
    except LedgerError:
        return on_sheet
    if counted != on_sheet:
        err().print(f"{sheet}: not what the day was closed with, which is what follows", soft_wrap=True)
    return counted


def _closed(house: House, record: DayRecord) -> Closed | None:
    if not record.closed:
        return None
    return Closed(record.signed_by, already=True, checkpoint=covered_by(house, record))


def _say_no(error: LedgerError, *, as_json: bool) -> None:
    if as_json:
        told: dict[str, Any] = {"code": error.code, "detail": str(error)}
        if isinstance(error, BadSheet):
            told["lines"] = [
                {"line": bad.line, "detail": str(bad), "faults": [fault._asdict() for fault in bad.faults]}
                for bad in error.bad
            ]
        print_json({"error": told})
    for line in str(error).splitlines():
        err().print(f"baccarat-ledger: {line}", soft_wrap=True)


def _tell(done: SignOff, page_file: Path | None, db: str, *, as_json: bool) -> None:
    """The report, to whoever it is for; then whether the day was closed. Raises: typer.Exit."""
    report = done.report
    if page_file is not None:
        from ops.reconcile.page import page  # noqa: PLC0415 - the template engine, for nothing else

        write_output(page_file, page(report).encode(), db)
        err().print(f"{page_file}: the report of {report.gaming_day}, a page a table", soft_wrap=True)
    if as_json:
        print_json(report.as_json() | _refusal(done))
    else:
        print_report(out(), report)
    for sentence in done.refused:
        err().print(f"baccarat-ledger: not closed: {sentence}", soft_wrap=True)
    code = done.exit if done.refused else Exit.GOOD if report.clean else Exit.FINDINGS
    if code:
        raise typer.Exit(code)


def _refusal(done: SignOff) -> dict[str, Any]:
    return {"refused": {"code": done.code, "detail": list(done.refused)} if done.refused else None}
