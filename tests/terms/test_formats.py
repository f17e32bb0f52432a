"""Formats: the facts that regulation 6 asks about, and the hands each version has."""

from __future__ import annotations

import pytest

from ledger.errors import HandMissing, HandUnknown, NotBaccarat, UnknownFormat
from ledger.terms.formats import FORMATS, Format, check_hands, format_named

# Domain §3.1: opposing hands, a drawing option, a losing banker gives up the bank at once; the hands' names.
FACTS = {
    "punto-banco": (1, False, False, ("player",)),
    "chemin-de-fer": (1, True, True, ("player",)),
    "baccarat-banque": (2, True, False, ("hand-1", "hand-2")),
    "chemin-de-fer-kept-bank": (1, True, False, ("player",)),
    "single-hand-with-option": (1, True, False, ("player",)),
}


@pytest.mark.parametrize("name", FACTS)
def test_each_version_is_what_domain_3_1_says(name: str) -> None:
    format = format_named(name)
    facts = (format.opposing_hands, format.drawing_option, format.loser_gives_up_bank, format.hand_names)
    assert facts == FACTS[name]
    assert format.name == name


def test_no_version_is_left_unchecked() -> None:
    assert set(FORMATS) == set(FACTS)


@pytest.mark.parametrize("name", ["", "Punto-Banco", "punto banco", "super-pan-9", "x" * 1000])
def test_another_game_is_refused(name: str) -> None:
    """The refusal has the name, or the first forty characters of it, and those that would do."""
    with pytest.raises(UnknownFormat) as refused:
        format_named(name)
    assert (refused.value.format, refused.value.known.split(", ")) == (name[:40], list(FACTS))


@pytest.mark.parametrize(
    ("format", "names"),
    [
        ("punto-banco", "banker player"),
        ("chemin-de-fer", "player banker"),
        ("baccarat-banque", "banker hand-1 hand-2"),
        ("baccarat-banque", "banker hand-1"),
        ("baccarat-banque", "hand-2 banker"),
    ],
)
def test_the_hands_of_the_version_are_taken(format: str, names: str) -> None:
    """Domain §3.4 A5: with two opposing hands, one may be out of play."""
    check_hands(format_named(format), dict.fromkeys(names.split()))


@pytest.mark.parametrize(
    ("format", "names", "missing"),
    [
        ("punto-banco", "banker", "player"),
        ("punto-banco", "player", "banker"),
        ("punto-banco", "", "banker"),
        ("baccarat-banque", "banker", "hand-1 or hand-2"),
        ("baccarat-banque", "hand-1 hand-2", "banker"),
    ],
)
def test_a_hand_that_is_missing_is_named(format: str, names: str, missing: str) -> None:
    with pytest.raises(HandMissing) as refused:
        check_hands(format_named(format), dict.fromkeys(names.split()))
    assert (refused.value.hand, refused.value.format) == (missing, format)


@pytest.mark.parametrize(
    ("format", "names", "unknown"),
    [
        ("punto-banco", "banker hand-1", "hand-1"),
        ("punto-banco", "banker player hand-1", "hand-1"),
        ("chemin-de-fer", "banker hand-2", "hand-2"),
        ("baccarat-banque", "banker player", "player"),
        ("baccarat-banque", "banker hand-1 hand-3", "hand-3"),
        ("punto-banco", "banker " + "x" * 1000, "x" * 40),
    ],
)
def test_a_hand_that_the_version_has_not_is_named(format: str, names: str, unknown: str) -> None:
    """By the first forty characters of it."""
    with pytest.raises(HandUnknown) as refused:
        check_hands(format_named(format), dict.fromkeys(names.split()))
    assert (refused.value.hand, refused.value.format) == (unknown, format)


@pytest.mark.parametrize(
    ("format", "names"),
    [
        ("baccarat-banque", "banker hand-1 hand-2 hand-3"),
        ("punto-banco", "banker player hand-1 hand-2"),
    ],
)
def test_three_opposing_hands_are_not_baccarat(format: str, names: str) -> None:
    """6(1): one opposing hand or each of two, "and no more"."""
    with pytest.raises(NotBaccarat) as refused:
        check_hands(format_named(format), dict.fromkeys(names.split()))
    assert (refused.value.paragraph, refused.value.opposing_hands) == ("6(1)", 3)


@pytest.mark.parametrize(("opposing_hands", "names"), [(1, ("player",)), (2, ("hand-1", "hand-2"))])
def test_a_version_of_baccarat_names_its_opposing_hands(opposing_hands: int, names: tuple[str, ...]) -> None:
    """6(1): one or two."""
    version = Format("a-version", opposing_hands, drawing_option=False, loser_gives_up_bank=False)
    assert version.hand_names == names
