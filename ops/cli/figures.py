"""The read tables as commands read them: with everything folded in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from eventsourcing.persistence import OperationalError

from ledger.store.port import ReadTables
from ops.cli.screen import progress_bar
from ops.wiring import House, tables_in_memory
from projections.pnl.table_pnl import TablePnl
from projections.projection import Projection
from projections.runner import Runner


@contextmanager
def folded(
    house: House, projections: Sequence[Projection] = (TablePnl(),)
) -> Iterator[tuple[ReadTables, int]]:
    """The read tables with everything folded in, of these projections, and the position reached.

    An auditor's copy may be one that nobody can write to: then they are made in memory, from the record.
    """
    with ExitStack() as stack:
        try:
            tables, position = house.tables, catch_up(house.runner(projections))
        except OperationalError as error:
            if "readonly" not in str(error):
                raise
            tables = stack.enter_context(tables_in_memory())
            position = catch_up(house.runner(projections, tables))
        yield tables, position


def catch_up(runner: Runner) -> int:
    """Fold what is new; returns the position reached."""
    with progress_bar("adding up") as (bar, task):
        return runner.catch_up(lambda position, goal: bar.update(task, total=goal, completed=position))
