"""Settings: what an installation decides. Read from the command line and the environment, nowhere else."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.location import Location

DB_VARIABLE = "BACCARAT_LEDGER_DB"
LOG_VARIABLE = "BACCARAT_LEDGER_LOG"

DB_HELP = "The ledger: the path of its file, or postgresql://USER@HOST/DATABASE."

Db = Annotated[
    str,
    typer.Option("--db", envvar=DB_VARIABLE, metavar="PATH|URL", help=DB_HELP, parser=Location),
]
"""Where the ledger is."""
