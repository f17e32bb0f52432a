"""Settings: what an installation decides. Read from the command line and the environment, nowhere else."""

from __future__ import annotations

from typing import Annotated

import typer

DB_VARIABLE = "BACCARAT_LEDGER_DB"
LOG_VARIABLE = "BACCARAT_LEDGER_LOG"

Db = Annotated[
    str,
    typer.Option("--db", envvar=DB_VARIABLE, metavar="PATH", help="The ledger: the path of its file."),
]
"""Where the ledger is."""
