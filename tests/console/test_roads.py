"""Roads, against boards drawn by hand.

As boards at tables are read (the Wizard of Odds on baccarat score boards): the bead plate runs down six rows
and then to the right; the big road takes a new column when the winner changes, strokes its last entry for a
tie, turns right after six, and where a streak bumps into a dragon it turns right too, whatever row it is in.
"""

from __future__ import annotations

import pytest

from ops.console.roads import Side, bead_plate, big_road, counts, streak


def sides(text: str) -> list[Side]:
    return [Side(letter) for letter in text.replace(" ", "")]


def bead_board(text: str) -> str:
    beads = {(bead.row, bead.column): bead.side.value for bead in bead_plate(sides(text))}
    return board(beads)


def big_board(text: str) -> str:
    """Letters of winners; small where ties came after, and `-` for ties before anybody won."""
    entries = {
        (entry.row, entry.column): ((entry.side or "-").lower() if entry.ties else str(entry.side))
        for entry in big_road(sides(text))
    }
    return board(entries)


def board(cells: dict[tuple[int, int], str]) -> str:
    width = max((column for _, column in cells), default=-1) + 1
    rows = ["".join(cells.get((row, column), ".") for column in range(width)) for row in range(6)]
    return "\n".join(rows)


def drawn(picture: str) -> str:
    rows = picture.split()
    return "\n".join([*rows, *["." * len(rows[0])] * (6 - len(rows))])


def test_beads_run_down_six_rows_and_then_to_the_right() -> None:
    assert bead_board("BPTBBP PPB") == drawn("BP PP TB B. B. P.".replace(" ", "\n"))


@pytest.mark.parametrize(
    ("played", "picture"),
    [
        ("B", "B"),
        ("BBPB", "BPB B.."),
        ("PPPBPP", "PBP P.P P.."),
        ("BT", "b"),
        ("BTTP", "bP"),
        ("BPTPB", "BpB .P."),
        ("T", "-"),
        ("TTB", "b"),
        ("TTPP", "p P"),
        ("BBBBBB", "B B B B B B"),
        ("BBBBBBB", "B. B. B. B. B. BB"),
        ("BBBBBBBBB P", "BP.. B... B... B... B... BBBB"),
        # the streak of the player bumps into the first dragon in the sixth row, and turns in the fifth
        ("BBBBBBBB PPPPPPP", "BP.. BP.. BP.. BP.. BPPP BBB."),
        # a third streak meets the second dragon in the fifth row, and turns in the fourth
        ("BBBBBBBB PPPPPPP BBBBB", "BPB. BPB. BPB. BPBB BPPP BBB."),
        # a long tail: the next streaks begin where their own columns are, above it
        ("BBBBBBBBBB PP B PPP", "BPBP. BP.P. B..P. B.... B.... BBBBB"),
    ],
)
def test_a_big_road_is_drawn_as_people_draw_it(played: str, picture: str) -> None:
    assert big_board(played) == drawn(picture)


def test_ties_are_counted_on_the_last_win_and_never_take_a_place() -> None:
    entries = big_road(sides("T B T T B P T"))
    assert [(entry.column, entry.row, entry.side, entry.ties) for entry in entries] == [
        (0, 0, "B", 3),
        (0, 1, "B", 0),
        (1, 0, "P", 1),
    ]


def test_a_streak_is_not_ended_by_ties() -> None:
    assert streak(sides("BPPTPT")) == (Side.OPPOSING, 3)
    assert streak(sides("TT")) is None


def test_every_coup_is_counted() -> None:
    assert counts(sides("BPTTB")) == {Side.BANKER: 2, Side.OPPOSING: 1, Side.TIE: 2}
    assert len(bead_plate(sides("BPTTB"))) == 5


def test_no_two_entries_share_a_place() -> None:
    """Streaks of seven to one, again and again: dragons over dragons."""
    played = "".join(side * length for length in range(12, 0, -1) for side in ("B" if length % 2 else "P"))
    entries = big_road(sides(played))
    assert len({(entry.column, entry.row) for entry in entries}) == len(entries) == len(played)
