"""Charts: figures for Plotly as data in the page, which a script of ours draws. See the macro `chart`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from ledger.terms.money import minor_digits


def major(amount: int, currency: str) -> str:
    """An amount in minor units as a figure has it: a decimal text, which Plotly reads as the number it is."""
    digits = minor_digits(currency)
    whole, part = divmod(abs(amount), 10**digits)
    return f"{'-' if amount < 0 else ''}{whole}" + (f".{part:0{digits}}" if digits else "")


_UNSAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def as_data(value: Any) -> Markup:
    """JSON that may stand in a page: nothing in it can end its element."""
    return Markup(json.dumps(value, separators=(",", ":")).translate(_UNSAFE))  # noqa: S704 – escaped here


FILTERS: Mapping[str, Callable[..., Any]] = {"as_data": as_data}
