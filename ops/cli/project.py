"""`project`: the read tables made anew, or compared with what they would be if they were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.cli.options import Json
from ops.cli.screen import Exit, out, print_json, progress_bar
from ops.settings import Db
from ops.wiring import open_house
from projections.catalogue import BY_NAME, EVERY
from projections.check import check_read_tables
from projections.projection import Projection
from projections.runner import rebuild

Names = Annotated[
    list[str] | None,
    typer.Argument(help=f"Which ones: {', '.join(BY_NAME)}. All of them, if none is named.", metavar="NAME"),
]


def _named(names: list[str] | None) -> tuple[Projection, ...]:
    for name in names or ():
        if name not in BY_NAME:
            raise typer.BadParameter(f"there is no projection {name!r}; there are {', '.join(BY_NAME)}")
    return tuple(projection for projection in EVERY if not names or projection.name in names)


def project_rebuild(db: Db, names: Names = None, *, as_json: Json = False) -> None:
    """Make read tables anew from the record, beside the live ones, and then take their place.

    Whoever reads goes on reading the old ones until that moment.
    """
    projections = _named(names)
    with open_house(db) as house, progress_bar("rebuilding") as (bar, task):
        reached = rebuild(
            house.ledger.record,
            house.tables,
            projections,
            lambda position, goal: bar.update(task, total=goal, completed=position),
        )
    rebuilt = [projection.name for projection in projections]
    if as_json:
        print_json({"rebuilt": rebuilt, "position": reached})
    else:
        out().print(f"rebuilt up to event {reached:,}: {', '.join(rebuilt)}")


@contextmanager
def _scratch() -> Iterator[SQLiteReadTables]:
    """Read tables in a file that nobody keeps: they can be larger than the memory."""
    with TemporaryDirectory() as folder:
        tables = SQLiteReadTables(str(Path(folder) / "scratch.db"))
        try:
            yield tables
        finally:
            tables.close()


def project_check(db: Db, names: Names = None, *, as_json: Json = False) -> None:
    """Compare read tables with what the record says they should hold, and say where they differ."""
    projections = _named(names)
    with open_house(db) as house, _scratch() as scratch, progress_bar("checking") as (bar, task):
        checked = list(
            check_read_tables(
                house.ledger.record,
                house.tables,
                scratch,
                projections,
                lambda position, goal: bar.update(task, total=goal, completed=position),
            )
        )
    if as_json:
        print_json(
            {
                "clean": not any(found for _, _, found in checked),
                "projections": [
                    {
                        "projection": name,
                        "position": position,
                        "findings": [
                            {"code": finding.code, "detail": str(finding), **finding.facts()}
                            for finding in found
                        ],
                    }
                    for name, position, found in checked
                ],
            }
        )
    else:
        table = Table("projection", "up to event", "", title="Read tables against the record")
        for name, position, found in checked:
            said = "\n".join(map(str, found)) or ("right" if position is not None else "never made")
            table.add_row(name, "–" if position is None else f"{position:,}", said)
        out().print(table)
    if any(found for _, _, found in checked):
        raise typer.Exit(Exit.FINDINGS)
