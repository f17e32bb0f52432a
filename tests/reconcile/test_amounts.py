"""An amount on a count sheet is whole minor units, and is read only where its meaning is certain."""

from __future__ import annotations

import pytest

from ops.reconcile.amounts import BadAmount, amount


@pytest.mark.parametrize(
    ("cell", "minor_units"),
    [
        ("0", 0),
        ("1250", 1250),
        ("000125", 125),
        ("1,000", 1_000),
        ("1,000,000", 1_000_000),
        ("12,345", 12_345),
        ("1 000", 1_000),
        ("1\u00a0000\u00a0000", 1_000_000),
        ("1\u202f000", 1_000),
        ("1'000", 1_000),
        ("1’000", 1_000),
        ("1.000.000", 1_000_000),
        (str(10**15), 10**15),
    ],
)
def test_what_is_certain_is_read(cell: str, minor_units: int) -> None:
    assert amount(cell, "GBP") == minor_units


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("", "empty"),
        ("1,00", "whole minor units"),
        ("1,0000", "whole minor units"),
        ("12.50", "whole minor units"),
        ("1.000", "whole minor units"),
        ("1,000.00", "whole minor units"),
        ("1,000.000", "whole minor units"),
        ("1.000,000", "whole minor units"),
        ("1,00,000", "whole minor units"),
        ("0,000", "whole minor units"),
        ("£12.50", "currency"),
        ("£12", "currency"),
        ("12 GBP", "currency"),
        ("EUR 5", "currency"),
        ("-5", "negative"),
        ("\u22125", "negative"),
        ("(500)", "negative"),
        ("500-", "negative"),
        ("-0", "negative"),
        ("1E+06", "spreadsheet"),
        ("1.25e5", "spreadsheet"),
        ("+5", "whole minor units"),
        ("n/a", "whole minor units"),
        ("12p", "whole minor units"),
        ("١٢٣", "whole minor units"),
        ("\uff11\uff12", "whole minor units"),
        ("1_000", "whole minor units"),
        ("1e", "whole minor units"),
        (str(10**15 + 1), "more than an amount can be"),
        ("9" * 31, "whole minor units"),
    ],
)
def test_what_is_not_certain_is_refused_with_its_reason(cell: str, why: str) -> None:
    with pytest.raises(BadAmount, match=why):
        amount(cell, "GBP")


def test_where_the_minor_unit_is_a_thousandth_one_comma_may_be_the_decimal_one() -> None:
    """A Kuwaiti dinar has 1000 fils: `1,000` may be one of them."""
    with pytest.raises(BadAmount):
        amount("1,000", "KWD")
    assert amount("1,000,000", "KWD") == 1_000_000
    assert amount("1 000", "KWD") == 1_000
