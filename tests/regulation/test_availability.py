"""Which wagers a table may take: 6(3), 6(4), 6(7) and 6(8), every cell of domain §3.1."""

from __future__ import annotations

import pytest

from ledger.regulation.acceptance import accept
from ledger.regulation.availability import kind_barred_by, kind_barred_from_offer, kinds_allowed
from ledger.regulation.profiles import Profile
from ledger.terms.formats import Format, format_named
from ledger.terms.house import BankedBy
from ledger.terms.wagers import Kind
from tests.oracle import truth_tables
from tests.regulation.coups import SI_1994, SI_2000, layout, wagers

# Domain §3.1, the two versions that the named games leave over: the house holds the bank, and somebody has
# an option as to a third card.
OTHER_VERSIONS: list[truth_tables.AvailabilityCell] = [
    (version, 1, kind, available, paragraph, odds)
    for version in ("chemin-de-fer-kept-bank", "single-hand-with-option")
    for kind, available, paragraph, odds in (
        ("player", True, "6(3),(4)", "1/1"),
        ("banker", False, "6(7)(c)", None),
        ("tie", False, "6(7)(c)", None),
        ("hand-1", False, "6(4)", None),
        ("hand-2", False, "6(4)", None),
        ("both-hands", False, "6(4)", None),
    )
]
CELLS = truth_tables.AVAILABILITY + OTHER_VERSIONS


def banked_by(format: str) -> BankedBy:
    """6(5), 6(6): a player banks chemin de fer and nothing else."""
    return BankedBy.PLAYER if format == "chemin-de-fer" else BankedBy.HOUSE


@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_of_availability(cell: truth_tables.AvailabilityCell) -> None:
    """A kind is barred under the paragraph of its cell, or by none."""
    format, hands_in_play, kind, available, paragraph, _ = cell
    barred_by = kind_barred_by(Kind(kind), format_named(format), banked_by(format), hands_in_play)
    assert barred_by == (None if available else paragraph)


@pytest.mark.parametrize("profile", [SI_1994, SI_2000], ids=lambda profile: profile.id)
@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_as_a_wager_is_offered(cell: truth_tables.AvailabilityCell, profile: Profile) -> None:
    """What may be had is accepted at the cell's odds; what may not is refused under its paragraph."""
    format, hands_in_play, kind, available, paragraph, odds = cell
    names = format_named(format).hand_names[:hands_in_play]
    accepted, refused = accept(wagers(f"{kind} 200"), layout(format, profile, names))
    if available:
        assert [wager.kind for wager in accepted] == [kind]
        assert not refused
        assert str(profile.odds[Kind(kind)]) == odds
    else:
        assert not accepted
        assert [(one.reason, one.paragraph, one.stake) for one in refused] == [
            ("kind-not-available", paragraph, 200)
        ]


@pytest.mark.parametrize(
    ("format", "kinds"),
    [
        ("punto-banco", "player banker tie"),
        ("chemin-de-fer", "player"),
        ("baccarat-banque", "hand-1 hand-2 both-hands"),
        ("chemin-de-fer-kept-bank", "player"),
        ("single-hand-with-option", "player"),
    ],
)
def test_the_kinds_that_the_house_must_make_available(format: str, kinds: str) -> None:
    """6(8), read as domain §3.4 A6 does: every kind that the version and the bank allow."""
    assert " ".join(kinds_allowed(format_named(format), banked_by(format))) == kinds


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell[1] == 1])
def test_an_offer_is_judged_as_if_one_hand_were_in_play(cell: truth_tables.AvailabilityCell) -> None:
    """6(7)(b) may be met by any coup of a table; 6(4), 6(7)(a) and (c) are facts of the table."""
    format, _, kind, available, paragraph, _ = cell
    barred_by = kind_barred_from_offer(Kind(kind), format_named(format), banked_by(format))
    assert barred_by == (None if available else paragraph)


def test_two_hands_without_an_option_may_offer_what_one_of_them_out_of_play_allows() -> None:
    """No such game has a name; by 6(7) a coup of it with one hand in play may take banker and tie wagers."""
    version = Format("some version", 2, drawing_option=False, loser_gives_up_bank=False)
    for kind in (Kind.BANKER, Kind.TIE):
        assert kind_barred_from_offer(kind, version, BankedBy.HOUSE) is None
        assert kind_barred_from_offer(kind, version, BankedBy.PLAYER) == "6(7)(a)"


@pytest.mark.parametrize("kind", [Kind.BANKER, Kind.TIE])
@pytest.mark.parametrize(
    ("bank", "hands_in_play", "option", "paragraph"),
    [
        (BankedBy.HOUSE, 1, False, None),
        (BankedBy.PLAYER, 1, False, "6(7)(a)"),
        (BankedBy.HOUSE, 2, False, "6(7)(b)"),
        (BankedBy.HOUSE, 1, True, "6(7)(c)"),
        (BankedBy.HOUSE, 2, True, "6(7)(b)"),
        (BankedBy.PLAYER, 2, False, "6(7)(a)"),
        (BankedBy.PLAYER, 1, True, "6(7)(a)"),
        (BankedBy.PLAYER, 2, True, "6(7)(a)"),
    ],
)
def test_each_condition_of_paragraph_7_bars_alone_and_the_first_is_named(
    kind: Kind, bank: BankedBy, hands_in_play: int, option: bool, paragraph: str | None
) -> None:
    """6(7)(a) the house's bank, (b) one opposing hand, (c) no option: all three, or no such wager."""
    version = Format("some version", hands_in_play, drawing_option=option, loser_gives_up_bank=False)
    assert kind_barred_by(kind, version, bank, hands_in_play) == paragraph
