"""What there is to see of a command, or a coup, that was refused."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.padding import Padding
from rich.text import Text

from ledger.seal.keys import VerifierKey
from ops.cli.covering import covering_of
from ops.cli.screen import Exit, out, print_json, progress_bar
from ops.wiring import House
from projections.story.coups import coup_stream_of
from projections.story.refusals import RefusedCommand, refusals_about, refused_command


def refusals_of(house: House, asked: str) -> list[RefusedCommand]:
    """The refused command of this id; or every refused command about a coup that is not in the record."""
    record = house.ledger.record
    if "/" not in asked:
        refused = refused_command(record, asked)
        return [refused] if refused else []
    stream = coup_stream_of(asked)
    if stream is None or record.select_first([stream]):
        return []
    with progress_bar("no such coup; looking for who asked for it") as (bar, task):
        return list(
            refusals_about(record, stream, lambda now, goal: bar.update(task, total=goal, completed=now))
        )


def show_refusals(
    house: House,
    refusals: Sequence[RefusedCommand],
    *,
    as_json: bool,
    trusted: Sequence[VerifierKey] | None = None,
) -> None:
    """Say what was asked, that it was refused, why and when.

    Args:
        trusted: keys to check a checkpoint with; None where nobody asks whether the record holds.

    Raises:
        typer.Exit: with findings, where the record does not hold.
    """
    subject = refusals[0].record.subject
    in_record = bool(house.ledger.record.select_first([subject]))
    coverings = [
        None if trusted is None else covering_of(house, [refused.row], trusted) for refused in refusals
    ]
    told = [*zip(refusals, coverings, strict=True)]
    if as_json:
        checkpoints = [
            {} if trusted is None else {"checkpoint": covering.as_json() if covering else None}
            for covering in coverings
        ]
        print_json(
            {
                "coup": subject if subject.startswith("coup/") else None,
                "in_record": in_record,
                "refusals": [
                    refused.as_json() | more for refused, more in zip(refusals, checkpoints, strict=True)
                ],
            }
        )
    else:
        console = out()
        for refused, covering in told:
            console.print(Text(f"Command {refused.record.cause}: refused", "bold"))
            place = refused.place(covering) if trusted is not None else []
            for sentence in (*refused.told(in_record=in_record), *place):
                console.print(Padding(Text(sentence), (0, 0, 0, 2), expand=False))
    if not all(covering is None or covering.holds for covering in coverings):
        raise typer.Exit(Exit.FINDINGS)
