"""Names in paths and queries, as the ledger has them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from ledger.terms.identifiers import Name

_CoupNumber = Annotated[int, Path(ge=1, le=9999)]

Premises = Annotated[Name, Path(examples=["main"])]
TableName = Annotated[Name, Path(examples=["PB1"])]
ShoeName = Annotated[Name, Path(examples=["S1"])]
CoupNumberInPath = _CoupNumber
Month = Annotated[str, Path(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", examples=["2026-11"])]
