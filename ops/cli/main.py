"""The command `baccarat-ledger`.

A command's module is imported when it is asked for: `settle` should not wait for what `verify` needs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated

import typer
from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError
from ops.cli.screen import Exit, err, out

ABOUT = "The settlement ledger for baccarat tables: exact to the penny and to the paragraph."

COMMANDS: Mapping[str, str] = {
    "demo": "ops.cli.demo:demo",
    "init": "ops.cli.tapes:init",
    "import": "ops.cli.tapes:import_tapes",
    "pnl": "ops.cli.pnl:pnl",
    "cage": "ops.cli.cage:cage",
    "compliance": "ops.cli.compliance:app",
    "patrons": "ops.cli.patrons:patrons",
    "reconcile": "ops.cli.reconcile:reconcile",
    "audit": "ops.cli.audit:audit",
    "settle": "ops.cli.settle:settle",
    "schema": "ops.cli.schema:schema",
    "tape": "ops.cli.tapes:tape",
    "seal": "ops.cli.seal:seal",
    "checkpoint": "ops.cli.checkpoint:checkpoint",
    "verify": "ops.cli.seal:verify",
    "feed": "ops.cli.feed:feed",
    "relay": "ops.cli.relay:relay",
    "serve": "ops.cli.serve:serve",
    "migrate-store": "ops.cli.db:migrate_store",
}
"""Each command, and where its function is."""

GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "keys": (
        "The keys that sign checkpoints.",
        {"new": "ops.cli.seal:keys_new", "public": "ops.cli.seal:keys_public"},
    ),
    "coup": (
        "Look at one coup.",
        {
            "show": "ops.cli.coups:coup_show",
            "replay": "ops.cli.coups:coup_replay",
            "bundle": "ops.cli.bundle:coup_bundle",
        },
    ),
    "project": (
        "The read tables.",
        {"rebuild": "ops.cli.project:project_rebuild", "check": "ops.cli.project:project_check"},
    ),
    "export": (
        "The figures for other programs.",
        {
            "csv": "ops.cli.export:export_csv",
            "journal": "ops.cli.export:export_journal",
            "parquet": "ops.cli.export:export_parquet",
        },
    ),
    "consumers": (
        "Who reads the feed, and how far.",
        {
            "list": "ops.cli.consumers:consumers_list",
            "reset": "ops.cli.consumers:consumers_reset",
            "remove": "ops.cli.consumers:consumers_remove",
        },
    ),
    "access": ("Who may use the service.", {"keys": "ops.cli.access:app"}),
    "db": ("The store itself.", {"upgrade": "ops.cli.db:db_upgrade"}),
    "bundle": ("Check a coup away from the casino.", {"verify": "ops.cli.bundle:bundle_verify"}),
}
"""Each group of commands: what it is for, and its commands."""


def application(asked_for: str | None = None) -> typer.Typer:
    """The command line: of one command or group, or of all where none of them is asked for."""
    app = typer.Typer(
        name="baccarat-ledger",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    every = asked_for not in COMMANDS and asked_for not in GROUPS
    for name, place in COMMANDS.items():
        if every or name == asked_for:
            _add(app, name, place)
    for name, (about, commands) in GROUPS.items():
        if every or name == asked_for:
            group = typer.Typer(help=about, no_args_is_help=True)
            for command, place in commands.items():
                _add(group, command, place)
            app.add_typer(group, name=name)
    if "structlog" in sys.modules:  # of what was asked for something writes a log; it is slow to import
        import_module("ops.logs").configure()
    return app


def _add(app: typer.Typer, name: str, place: str) -> None:
    module, function = place.split(":")
    found = getattr(import_module(module), function)
    if isinstance(found, typer.Typer):  # a command with commands of its own
        app.add_typer(found, name=name)
    else:
        app.command(name)(found)


def _version(wanted: bool) -> None:  # typer hands a flag's value over by position
    if wanted:
        out().print(f"baccarat-ledger {version('baccarat-ledger')}")
        raise typer.Exit


def options(
    *,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which release this is.")
    ] = False,
) -> None:
    """The settlement ledger for baccarat tables: exact to the penny and to the paragraph."""


def main() -> None:
    """Run, and leave by an exit code: 0 good, 1 findings, 2 bad usage or input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no pound sign shows something else
            stream.reconfigure(errors="replace")
    asked_for = sys.argv[1] if len(sys.argv) > 1 else None
    try:
        application(asked_for)()
    except (LedgerError, PersistenceError, OSError) as error:
        err().print(f"baccarat-ledger: {error}", soft_wrap=True)
        sys.exit(Exit.BAD_INPUT)
