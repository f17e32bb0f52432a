"""`settle`: what coups would pay, storing nothing."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import TypeAdapter

from ledger.errors import MalformedInput
from ledger.regulation.dry_run import DryCoup, dry_run
from ops.cli.screen import Exit, print_json
from ops.tape.lines import Line, lines
from ops.tape.reader import read
from ops.tape.sources import open_source

_DRY_COUP = TypeAdapter(DryCoup)


def settle(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="NDJSON, a coup a line; - reads standard input.")
    ],
) -> None:
    """Say what each coup of FILE would pay. Stores nothing; one answer a line, in the same order."""
    findings = False
    with open_source(file) as source:
        for line in lines(source.stream):
            try:
                print_json(dry_run(_read(line)))
            except MalformedInput as error:
                findings = True
                print_json({"error": {"code": error.code, "detail": str(error)}})
    if findings:
        raise typer.Exit(Exit.FINDINGS)


def _read(line: Line) -> DryCoup:
    if line.error is not None:
        raise line.error
    return read(line.content, _DRY_COUP)
