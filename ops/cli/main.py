"""The command `baccarat-ledger`."""

from __future__ import annotations

import os
import sys

import typer
from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError
from ops import logs
from ops.cli.demo import demo
from ops.cli.reports import coup_show, pnl
from ops.cli.schema import schema
from ops.cli.screen import Exit, err
from ops.cli.settle import settle
from ops.cli.tapes import import_tapes, init, tape

app = typer.Typer(
    name="baccarat-ledger",
    help="The settlement ledger for baccarat tables: exact to the penny and to the paragraph.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(init)
app.command("import")(import_tapes)
app.command()(pnl)
app.command()(settle)
app.command()(schema)
app.command()(tape)
coups = typer.Typer(help="Look at one coup.", no_args_is_help=True)
coups.command("show")(coup_show)
app.add_typer(coups, name="coup")


def main() -> None:
    """Run, and leave by an exit code: 0 good, 1 findings, 2 bad usage or input."""
    logs.configure()
    try:
        app()
    except (LedgerError, PersistenceError) as error:
        err().print(f"baccarat-ledger: {error}", markup=False, soft_wrap=True)
        sys.exit(Exit.BAD_INPUT)
    except BrokenPipeError:
        # Whoever read us has read enough. Python would complain again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.BAD_INPUT)
