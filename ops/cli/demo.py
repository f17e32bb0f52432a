"""`demo`: an evening at three tables, and what it came to."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from ledger.errors import NotALedger
from ops.cli.figures import catch_up
from ops.cli.pnl import print_pnl
from ops.cli.screen import err, out
from ops.cli.serve_demo import serve_demo
from ops.cli.tapes import play, print_report, print_summary
from ops.engines import exists
from ops.location import Location
from ops.settings import DB_VARIABLE
from ops.tape.sources import open_source
from ops.wiring import open_house, utc_now
from projections.pnl.views import PnlFilter, Span
from projections.pnl.views import pnl as pnl_rows

EVENING = "evening.ndjson"
EVENING_ENDS = datetime(2026, 11, 28, 6, tzinfo=UTC)


def demo(
    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="PATH|URL",
            parser=Location,
            help="A new ledger to play into; a temporary folder otherwise.",
        ),
    ] = None,
    serve: Annotated[
        bool,
        typer.Option(
            "--serve", help="Show it in a browser instead, with the day after it, still being played."
        ),
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to serve it, on this machine.")] = 8080,
) -> None:
    """Play an evening at three tables, one of each game, into a fresh ledger, and show what it came to."""
    path = db or str(Path(tempfile.mkdtemp(prefix="baccarat-ledger-")) / "demo.db")
    if exists(path):
        raise NotALedger(
            str(path), "the demo plays into a new file, never into a ledger that is there already"
        )
    if serve:
        serve_demo(path, port)
        return
    console = out()
    tape = resources.files("ops.rehearsal") / EVENING
    with resources.as_file(tape) as file, open_house(path, create=True, clock=_clock) as house:
        console.print(f"Playing the evening tape into {path}", soft_wrap=True)
        with open_source(str(file)) as source:
            summary = play(house, source, EVENING, lambda report: print_report(err(), EVENING, report))
        print_summary(console, EVENING, summary)
        catch_up(house.pnl_runner())
        with house.tables.snapshot() as statements:
            rows = pnl_rows(statements, PnlFilter(), Span.SHIFT)
    print_pnl(console, rows)
    held = sum(row.held for row in rows)
    console.print(
        f"{summary.refused} commands were refused and {held} coup is still held: part of the evening.\n"
        "Try next (in a checkout, `sh ops/dev baccarat-ledger` for `baccarat-ledger`):\n"
        f"  export {DB_VARIABLE}={path}\n"
        "  baccarat-ledger coup show PB1/2026-11-27-1/4      a coup, to the paragraph\n"
        "  baccarat-ledger coup show PB1/2026-11-27-1/33     one that a ruling put right\n"
        "  baccarat-ledger pnl --by day                      the day\n"
        "  baccarat-ledger pnl --json                        the same for a program",
        soft_wrap=True,
    )


def _clock() -> datetime:
    """The ledger's clock, which has reached the end of the demo's evening, whatever the machine's says."""
    return max(utc_now(), EVENING_ENDS)
