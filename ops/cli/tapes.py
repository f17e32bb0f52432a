"""`init`, `import` and `tape`: the record and what is played into it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import structlog
import typer
from rich.console import Console

from ops.cli.screen import Exit, err, out, print_json, progress_bar
from ops.engines import exists
from ops.memory import few_collections, short_turns
from ops.rehearsal.deal import EVENING_SEED, evening, load, write
from ops.settings import Db
from ops.tape.importer import Importer, Report, Summary
from ops.tape.lines import lines
from ops.tape.sources import Source, open_source
from ops.wiring import House, open_house

log = structlog.get_logger()


def init(db: Db) -> None:
    """Make an empty ledger. One that is there already stays as it is."""
    known = exists(db)
    with open_house(db, create=True) as house:
        events = house.ledger.record.last_sequence()
    out().print(f"{db}: {'a ledger already' if known else 'a new ledger'}, {events} events")


def import_tapes(
    tapes: Annotated[
        list[str], typer.Argument(metavar="TAPE…", help="NDJSON tapes, in order; - reads standard input.")
    ],
    db: Db,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Report as NDJSON, for programs.")] = False,
) -> None:
    """Play tapes into the ledger.

    Every bad line is reported and the rest applied; a second run changes nothing. Lines are played in order,
    and a command that was refused (its table was not open yet, say) stays refused under its id.
    """
    clean = True
    for tape in tapes:
        with open_source(tape):  # a mistyped name is found before anything is played
            pass
    if not exists(db):
        err().print(f"{db} is new: making a ledger there")
    with open_house(db, create=True) as house:
        for tape in tapes:
            with open_source(tape) as source:
                summary = play(house, source, tape, _reporter(tape, as_json=as_json))
            clean = clean and summary.clean
            log.info("tape imported", tape=tape, applied=summary.applied, repeated=summary.repeated)
            if as_json:
                print_json({"tape": tape, **_figures(summary)})
            else:
                print_summary(out(), tape, summary)
    if not clean:
        raise typer.Exit(Exit.FINDINGS)


def play(house: House, source: Source, name: str, report: Callable[[Report], None]) -> Summary:
    """Import one tape with a progress bar."""
    with progress_bar(f"importing {name}") as (bar, task), few_collections(), short_turns():
        bar.update(task, total=source.size_bytes)

        def progress(summary: Summary) -> None:
            bar.update(task, completed=summary.bytes_read, note=f"{summary.last_line:,} lines")

        return Importer(house.ledger, report, progress).run(lines(source.stream))


def _reporter(tape: str, *, as_json: bool) -> Callable[[Report], None]:
    if as_json:
        return lambda report: print_json({"tape": tape, **report._asdict()})
    console = err()
    return lambda report: print_report(console, tape, report)


def print_report(console: Console, tape: str, report: Report) -> None:
    """A line that was not applied, for people."""
    why = f" (paragraph {report.paragraph})" if report.paragraph else ""
    console.print(
        f"{tape}:{report.line}: {report.outcome}: {report.code}: {report.detail}{why}",
        soft_wrap=True,
    )


def _figures(summary: Summary) -> dict[str, int]:
    return {
        "lines": summary.lines,
        "applied": summary.applied,
        "repeated": summary.repeated,
        "held": summary.held,
        "refused": summary.refused,
        "rejected": summary.rejected,
        "unreadable": summary.unreadable,
    }


def print_summary(console: Console, tape: str, summary: Summary) -> None:
    """What became of a tape, for people."""
    console.print(
        f"{tape}: {summary.lines:,} lines: {summary.applied:,} applied, {summary.repeated:,} applied before, "
        f"{summary.refused:,} refused, {summary.rejected:,} rejected, {summary.unreadable:,} unreadable; "
        f"coups found irregular: {summary.held:,}",
        soft_wrap=True,
    )


def tape(
    *,
    coups: Annotated[
        int | None,
        typer.Option(min=1, help="A load of so many coups; without it, the evening."),
    ] = None,
    wagers: Annotated[int, typer.Option(min=0, help="Wagers a coup, in a load.")] = 10,
    tables: Annotated[int, typer.Option(min=1, help="Tables, in a load.")] = 4,
    seed: Annotated[int | None, typer.Option(help="The shuffle; the same seed gives the same tape.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Else standard output.")] = None,
) -> None:
    """Deal a made-up tape from a seed: the demo's evening, or a load of any size."""
    if coups is None:
        dealt = evening(EVENING_SEED if seed is None else seed)
    else:
        dealt = load(coups, wagers, 1 if seed is None else seed, tables)
    if output is None:
        write(dealt, sys.stdout.buffer)
    else:
        with output.open("wb") as stream:
            count = write(dealt, stream)
        err().print(f"{output}: {count:,} lines")
