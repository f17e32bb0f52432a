"""Coups as they may come: any cards, any wagers, any terms, at the three formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle.regulation6 import BANQUE, CHEMIN_DE_FER, PUNTO_BANCO, punto_banco_tableau_breach
from tests.tabletalk import Night

Line = dict[str, Any]
KINDS = ("player", "banker", "tie", "hand-1", "hand-2", "both-hands")

_cards = st.sampled_from(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"])
_pair = st.tuples(_cards, _cards)
_stakes = st.one_of(st.integers(1, 400), st.integers(1, 20).map(lambda twenties: 20 * twenties))


@st.composite
def _free_hand(draw: st.DrawFn) -> str:
    """Two cards or three, as somebody with an option may leave them."""
    return " ".join([*draw(_pair), *draw(st.lists(_cards, max_size=1))])


@st.composite
def _tableau_hands(draw: st.DrawFn, irregular: bool) -> dict[str, str]:
    """Hands by the tableau of punto banco, or hands that break it."""
    player, banker = list(draw(_pair)), list(draw(_pair))
    thirds = draw(_cards), draw(_cards)
    ways = [
        ([*player, *thirds[:1][:players]], [*banker, *thirds[1:][:bankers]])
        for players in (0, 1)
        for bankers in (0, 1)
    ]
    fitting = [way for way in ways if (punto_banco_tableau_breach(*way) is not None) is irregular]
    dealt = draw(st.sampled_from(fitting))
    return {"player": " ".join(dealt[0]), "banker": " ".join(dealt[1])}


@st.composite
def hands_of(draw: st.DrawFn, format: str, irregular: bool | None = None) -> dict[str, str]:
    """The hands of one coup; at banque one of the two may not be dealt."""
    if format == PUNTO_BANCO:
        broken = draw(st.sampled_from([False, False, False, True])) if irregular is None else irregular
        return draw(_tableau_hands(broken))
    if format == CHEMIN_DE_FER:
        return {"player": draw(_free_hand()), "banker": draw(_free_hand())}
    in_play = draw(st.sampled_from([("hand-1", "hand-2"), ("hand-1", "hand-2"), ("hand-1",), ("hand-2",)]))
    return {name: draw(_free_hand()) for name in (*in_play, "banker")}


@st.composite
def offers(draw: st.DrawFn, format: str) -> list[Line]:
    """Wagers of all kinds, most of them of those that may be had."""
    likely = {
        PUNTO_BANCO: ("player", "banker", "tie"),
        CHEMIN_DE_FER: ("player",),
        BANQUE: ("hand-1", "hand-2", "both-hands"),
    }[format]
    kinds = st.one_of(st.sampled_from(likely), st.sampled_from(likely), st.sampled_from(KINDS))
    offered = []
    for number, (kind, stake) in enumerate(draw(st.lists(st.tuples(kinds, _stakes), max_size=7))):
        wager: Line = {"id": f"w{number}", "kind": kind, "stake": stake}
        if draw(st.booleans()):
            seat = draw(st.integers(0, 9))
            wager |= {"patron": f"p-{number % 3}", "seat": seat, "tender": "promotional"}
        offered.append(wager)
    return offered


def _terms(units: tuple[int, ...]) -> st.SearchStrategy[Line]:
    return st.fixed_dictionaries(
        {
            "rounding": st.sampled_from(["exact-only", "up-to-unit", "nearest"]),
            "unit": st.sampled_from(units),
            "banker_on_draw": st.sampled_from(["stand-off", "lost"]),
        }
    )


@st.composite
def _claims(draw: st.DrawFn, dealt: dict[str, str]) -> Any:
    """Nothing, or what a feed says: right or wrong."""
    names = [name for name in dealt if name != "banker"]
    results = st.fixed_dictionaries({name: st.sampled_from("WLD") for name in names})
    words = st.sampled_from(["player", "banker", "tie"]) if len(names) == 1 else results
    return draw(st.one_of(st.none(), results, words))


@dataclass(frozen=True)
class CoupNight:
    """A table, with what comes before its one coup, and the coup as one command."""

    opening: list[Line]
    coup: Line

    @property
    def lines(self) -> list[Line]:
        """All of the tape."""
        return [*self.opening, self.coup]


@st.composite
def _bank(draw: st.DrawFn, night: Night) -> None:
    """A player's bank of any sum. Where he sits is not known, or he says it, or all have been seated."""
    where = draw(st.sampled_from(["unknown", "said", "seated"]))
    if where == "seated":
        for number, seat in enumerate(draw(st.permutations(range(9)))[:2]):
            night.say("seat-player", patron=("p-9", "p-1")[number], seat=seat)
    said = {"seat": draw(st.integers(0, 9))} if where == "said" else {}
    night.say("take-bank", holder="p-9", capacity="player", sum=draw(st.integers(1, 1200)), **said)


@st.composite
def coup_nights(
    draw: st.DrawFn,
    format: str | None = None,
    *,
    irregular: bool | None = None,
    bank_units: tuple[int, ...] = (1,),
) -> CoupNight:
    """One coup at a table of any format, terms and limits; at chemin de fer on a bank of any sum.

    At chemin de fer all is paid 1 to 1, so a unit of 1 never rounds; what a larger one does to a bank is a
    question of its own, for whoever gives `bank_units`.
    """
    chosen = draw(st.sampled_from([PUNTO_BANCO, CHEMIN_DE_FER, BANQUE])) if format is None else format
    some = {"player": {"min": 50, "max": 300}, "hand-1": {"max": 200}, "tie": {"max": 40}}
    night = Night(chosen).opens(
        draw(st.integers(6, 8)),
        terms=draw(_terms(bank_units if chosen == CHEMIN_DE_FER else (1, 5, 50))),
        limits=draw(st.sampled_from([{}, {}, some])),
        profile=draw(st.sampled_from(["si-1994-2899", "si-2000-597-7a"])),
    )
    if chosen == CHEMIN_DE_FER:
        draw(_bank(night))
    opening = list(night.lines)
    dealt = draw(hands_of(chosen, irregular))
    claimed = draw(_claims(dealt))
    coup = night.step("record-coup", 1, hands=dealt, wagers=draw(offers(chosen)))
    if claimed is not None:
        coup["claimed"] = claimed
    return CoupNight(opening, coup)
