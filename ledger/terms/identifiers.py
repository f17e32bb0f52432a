"""Identifiers: what tables, shoes, coups, commands and their streams are called.

A stream's name is readable and stays so: `coup/main/PB1/S-20/7`. Every stream is bounded (a night, a shoe,
a coup), so that reading one never grows with the years.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}$")]
"""A name that can be part of a stream's name: letters, digits, `. _ : -`, at most 64."""

CommandId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:\-]{0,127}$")]
"""A command's own id, chosen by whoever sends it; used once, for ever."""

PatronToken = Name
"""A pseudonymous token. Who that is lives outside the ledger, because events are for ever."""

CoupNumber = Annotated[int, Field(strict=True, ge=1, le=9999)]

DEFAULT_PREMISES = "main"


def table_prefix(premises: str, table: str) -> str:
    """What the streams of every night of a table begin with."""
    return f"table/{premises}/{table}/"


def table_stream(premises: str, table: str, gaming_day: date) -> str:
    """One table's one gaming day."""
    return f"{table_prefix(premises, table)}{gaming_day.isoformat()}"


def shoe_stream(premises: str, table: str, shoe: str) -> str:
    """The cards seen from one shoe."""
    return f"shoe/{premises}/{table}/{shoe}"


def day_prefix(premises: str) -> str:
    """What the streams of every gaming day of the premises begin with."""
    return f"day/{premises}/"


def day_stream(premises: str, gaming_day: date) -> str:
    """The premises' one gaming day, all tables together."""
    return f"{day_prefix(premises)}{gaming_day.isoformat()}"


def coups_prefix(premises: str, table: str) -> str:
    """What the streams of every coup at a table begin with."""
    return f"coup/{premises}/{table}/"


def coup_stream(premises: str, table: str, shoe: str, number: int) -> str:
    """One coup."""
    return f"{coups_prefix(premises, table)}{shoe}/{number}"


def access_stream(premises: str, key: str) -> str:
    """One key: that it was issued, and that it was revoked."""
    return f"access/{premises}/{key}"


def command_stream(command_id: str) -> str:
    """The one record that a command was run."""
    return f"command/{command_id}"
