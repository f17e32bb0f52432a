"""The command `baccarat-ledger`."""

from __future__ import annotations

import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated

import typer
from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError
from ops import logs
from ops.cli.audit import audit
from ops.cli.bundle import bundle_verify, coup_bundle
from ops.cli.coups import coup_replay, coup_show
from ops.cli.demo import demo
from ops.cli.pnl import pnl
from ops.cli.schema import schema
from ops.cli.screen import Exit, err, out
from ops.cli.seal import checkpoint, keys, seal, verify
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
app.command()(audit)
app.command()(settle)
app.command()(schema)
app.command()(tape)
app.command()(seal)
app.command()(checkpoint)
app.command()(verify)
app.add_typer(keys, name="keys")
coups = typer.Typer(help="Look at one coup.", no_args_is_help=True)
coups.command("show")(coup_show)
coups.command("replay")(coup_replay)
coups.command("bundle")(coup_bundle)
app.add_typer(coups, name="coup")
bundles = typer.Typer(help="Check a coup away from the casino.", no_args_is_help=True)
bundles.command("verify")(bundle_verify)
app.add_typer(bundles, name="bundle")


def main() -> None:
    """Run, and leave by an exit code: 0 good, 1 findings, 2 bad usage or input."""
    logs.configure()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no pound sign shows something else
            stream.reconfigure(errors="replace")
    try:
        app()
    except (LedgerError, PersistenceError, OSError) as error:
        err().print(f"baccarat-ledger: {error}", soft_wrap=True)
        sys.exit(Exit.BAD_INPUT)


def _version(wanted: bool) -> None:  # typer hands a flag's value over by position
    if wanted:
        out().print(f"baccarat-ledger {version('baccarat-ledger')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which release this is.")
    ] = False,
) -> None:
    """The settlement ledger for baccarat tables: exact to the penny and to the paragraph."""
