"""`db` and `migrate-store`: the store itself, made, brought up to date, and copied to another engine."""

from __future__ import annotations

from typing import Annotated

import structlog
import typer

from ops import engines
from ops.cli.options import Json
from ops.cli.screen import err, out, print_json, progress_bar
from ops.location import Location
from ops.migration import migrate
from ops.settings import Db

log = structlog.get_logger()


def db_upgrade(db: Db, *, as_json: Json = False) -> None:
    """Make the store, or bring it up to this release. Safe to repeat, and to run twice at once.

    On PostgreSQL also the roles ledger_writer, ledger_keeper and ledger_reader, and what they may do.
    """
    done = engines.upgrade(db)
    log.info("store upgraded", before=done.before, after=done.after)
    if as_json:
        print_json({"before": done.before, "version": done.after, "roles_missing": done.roles_missing})
        return
    what = (
        f"is at version {done.after} already"
        if done.before == done.after
        else f"brought from version {done.before} to version {done.after}"
        if done.before
        else f"made, at version {done.after}"
    )
    out().print(f"{db}: {what}", soft_wrap=True)
    if done.roles_missing:
        err().print(
            f"Without their rights: {' and '.join(done.roles_missing)}. This user may not give them; "
            "let one who may make roles upgrade again.",
            soft_wrap=True,
        )


def migrate_store(
    source: Annotated[str, typer.Argument(metavar="FROM", parser=Location, help="A ledger: PATH or URL.")],
    target: Annotated[str, typer.Argument(metavar="TO", parser=Location, help="Where there is none yet.")],
    *,
    as_json: Json = False,
) -> None:
    """Copy a ledger to another engine, or another place: the same sequence, bytes, seal and root.

    All of it or nothing. What is written is read again and its root compared. Nothing may be recorded in
    FROM meanwhile: it would not be copied. Read tables are made anew when they are next asked for.
    """
    with progress_bar("copying") as (bar, task):
        copied = migrate(
            source,
            target,
            lambda done, goal: bar.update(
                task, total=goal, completed=done, note="reading it again" if done > goal // 2 else ""
            ),
        )
    log.info("store migrated", events=copied.events)
    if as_json:
        print_json({"events": copied.events, "sealed": copied.sealed, "root": copied.root.hex()})
    else:
        out().print(
            f"{target}: {copied.events:,} events, {copied.sealed:,} of them sealed; "
            f"root {copied.root.hex()}, as in {source}",
            soft_wrap=True,
        )
