"""Money, moments, cards and citations as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest

from ops.console.cards import cards
from ops.console.charts import as_data, major
from ops.console.citations import anchor
from ops.console.money import money, number, share, win
from ops.console.settings import ConsoleSettings, zones_of
from ops.console.templates import environment


def text(markup: Any) -> str:
    return str(markup).split(">", 1)[1].rsplit("<", 1)[0]


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        (123450, "GBP", "£1,234.50"),
        (-5, "GBP", "\N{MINUS SIGN}£0.05"),
        (1000, "JPY", "JPY 1,000"),
        (1234567, "KWD", "KWD 1,234.567"),
        (Fraction(525, 2), "GBP", "£2.62"),  # halves to even
    ],
)
def test_money_has_thousands_and_the_decimals_of_its_currency(amount: Any, currency: str, shown: str) -> None:
    assert text(money(amount, currency)) == shown


def test_a_win_has_a_sign_and_not_only_a_colour() -> None:
    assert [text(win(amount, "GBP")) for amount in (2500, -2500, 0)] == [
        "+£25.00",
        "\N{MINUS SIGN}£25.00",
        "£0.00",
    ]
    assert 'class="money lost"' in win(-1, "GBP")


def test_what_is_not_known_is_a_dash() -> None:
    assert {text(shown) for shown in (money(None, "GBP"), win(None, "GBP"), number(None), share(None))} == {
        "–"
    }


def test_shares_are_exact_to_two_places() -> None:
    assert [text(share(of)) for of in (Fraction(1, 7), Fraction(-1, 8))] == [
        "14.29 %",
        "\N{MINUS SIGN}12.50 %",
    ]


def test_a_chart_gets_decimal_texts_and_never_floats() -> None:
    assert [major(amount, "GBP") for amount in (0, -5, 123450)] == ["0.00", "-0.05", "1234.50"]
    assert major(7, "JPY") == "7"


def test_data_in_a_page_cannot_end_its_element() -> None:
    assert "<" not in as_data({"name": "</script><script>alert(1)</script>"})


def shown(template: str, **known: Any) -> str:
    known = {"zone": ConsoleSettings().zone_of("main"), "root": "/console", **known}
    return environment().from_string(template).render(**known)


@pytest.mark.parametrize(
    ("moment", "local"),
    [
        (datetime(2026, 11, 28, 22, 5, 11, tzinfo=UTC), "28 Nov 2026, 22:05 GMT"),
        (datetime(2026, 7, 28, 23, 5, 11, tzinfo=UTC), "29 Jul 2026, 00:05 BST"),
    ],
)
def test_moments_are_local_with_their_zone(moment: datetime, local: str) -> None:
    told = shown("{{ moment|moment }}", moment=moment)
    assert text(told) == local
    assert f'datetime="{moment:%Y-%m-%dT%H:%M:%SZ}"' in told


def test_a_gaming_day_is_named_and_not_moved_by_a_zone() -> None:
    assert text(shown("{{ '2026-11-27'|day }}")) == "Fri 27 Nov 2026"


def test_each_premises_has_its_zone() -> None:
    settings = ConsoleSettings(zones_of(["Europe/Paris", "macau=Asia/Macau"]))
    assert [settings.zone_of(name).key for name in ("macau", "anywhere")] == ["Asia/Macau", "Europe/Paris"]
    with pytest.raises(ValueError, match="no time zone"):
        zones_of(["Europe/Nowhere"])


def test_cards_have_names() -> None:
    told = cards("9c Kh 10")
    assert [name for name in ("nine of clubs", "king of hearts", 'aria-label="ten"') if name in told] == [
        "nine of clubs",
        "king of hearts",
        'aria-label="ten"',
    ]


def test_a_paragraph_links_to_its_words_where_they_are_known() -> None:
    assert anchor("6(7)(i)") == "p-6-7-i"
    assert 'href="/console/regulation#p-6-7-i"' in shown("{{ '6(7)(i)'|paragraph }}")
    assert "href" not in shown("{{ '9(9)'|paragraph }}")
    assert "&lt;b&gt;" in shown("{{ '<b>'|paragraph }}")
