"""What a night's coups add up to, coup by coup and by kind of wager: exact until it is drawn. Pure.

Amounts in minor units. House-banked and player-banked coups are never added together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ledger.terms.house import BankedBy
from ledger.terms.wagers import Outcome
from ops.console.charts import major
from projections.floor.views import CoupRow
from projections.pnl.expectation import NOTHING_STAKED, Moments, deviation, expected_win

BANDS = (2, 1)
"""How many standard deviations either way are drawn, the wider first."""
_BACK = frozenset({Outcome.VOID, Outcome.STAND_OFF, Outcome.CANCELLED})


class Side(NamedTuple):
    """The coups of one night whose bank one side held, added up as far as one of them.

    Attributes:
        coup: the one that this stands after.
        win: what the bank has won so far.
        expected: mean and variance of that; None where the game has an option, so that there is none.
    """

    coup: CoupRow
    nth: int
    win: int
    expected: Moments | None


def running(coups: Iterable[CoupRow], banked_by: BankedBy, *, has_edge: bool) -> list[Side]:
    """The win so far after each coup that this side banked, with what was to be expected by then."""
    win, mean, variance = 0, Fraction(0), Fraction(0)
    told: list[Side] = []
    for coup in coups:
        if coup.banked_by != banked_by:
            continue
        win += coup.win
        of_coup = moments(coup) if has_edge else NOTHING_STAKED
        mean, variance = mean + of_coup.mean, variance + of_coup.variance
        told.append(Side(coup, len(told) + 1, win, Moments(mean, variance) if has_edge else None))
    return told


def moments(coup: CoupRow) -> Moments:
    """What the house was to expect of a coup's wagers, whatever became of them."""
    stakes = [(kind, stakes) for kind, _, _, _, stakes, _ in coup.sums()]
    return expected_win(stakes, coup.decks, coup.profile, coup.banker_on_draw)


@dataclass(slots=True)
class KindRow:
    """The night's wagers of one kind and tender, of coups that one side banked.

    Attributes:
        back: stakes handed back: void, or stood off.
        win: the bank's: stakes lost less winnings paid.
        expected: what it was to be; None where the game has an option.
    """

    banked_by: str
    kind: str
    tender: str
    currency: str
    wagers: int = 0
    handle: int = 0
    lost: int = 0
    paid: int = 0
    back: int = 0
    expected: Fraction | None = None

    @property
    def win(self) -> int:
        return self.lost - self.paid

    @property
    def win_share(self) -> Fraction | None:
        """The win of the handle."""
        return Fraction(self.win, self.handle) if self.handle else None


def by_kind(coups: Iterable[CoupRow], *, has_edge: bool) -> list[KindRow]:
    """The night's wagers by bank, kind and tender."""
    rows: dict[tuple[str, str, str], KindRow] = {}
    staked: Counter[tuple[tuple[str, str, str], tuple[int, str, str]]] = Counter()
    for coup in coups:
        for kind, tender, outcome, wagers, stakes, winnings in coup.sums():
            key = coup.banked_by, kind, tender
            row = rows.setdefault(key, KindRow(*key, coup.currency))
            row.wagers += wagers
            row.handle += stakes
            row.paid += winnings
            row.lost += stakes if outcome == Outcome.LOST else 0
            row.back += stakes if outcome in _BACK else 0
            staked[key, (coup.decks, coup.profile, coup.banker_on_draw)] += stakes
    for (key, played), stakes in staked.items() if has_edge else ():
        row = rows[key]
        row.expected = (row.expected or 0) + expected_win([(row.kind, stakes)], *played).mean
    return [rows[key] for key in sorted(rows)]


def total_of(rows: Sequence[KindRow]) -> KindRow:
    """Every kind together; of one night, so all in one currency and banked by one side."""
    added = KindRow(rows[0].banked_by, "every kind", "", rows[0].currency)
    for name in ("wagers", "handle", "lost", "paid", "back"):
        setattr(added, name, sum(getattr(row, name) for row in rows))
    known = [row.expected for row in rows if row.expected is not None]
    added.expected = sum(known, Fraction(0)) if len(known) == len(rows) else None
    return added


# --- The drawing --------------------------------------------------------------------------------------


def figure(sides: Sequence[Side], currency: str, name: str) -> dict[str, Any]:
    """The chart of one side's win so far; with the expectation and its band, where there is one."""
    at = [side.nth for side in sides]
    known = [side.expected for side in sides if side.expected is not None]
    traces = [trace for times in BANDS if known for trace in _band(at, known, times, currency)]
    if known:
        mean = [major(round(one.mean), currency) for one in known]
        traces.append(_line(at, mean, "expected", "@quiet", dash="dot"))
    hover = [f"coup {side.coup.number} of {side.coup.shoe}" for side in sides]
    won = [major(side.win, currency) for side in sides]
    traces.append({**_line(at, won, name, "@accent"), "text": hover, "hoverinfo": "text+y+name"})
    axes = {
        "xaxis": {"title": {"text": "Coups of the night"}},
        "yaxis": {"title": {"text": f"{currency}, so far"}},
    }
    above = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}  # it may take four lines, upwards
    return {"data": traces, "layout": {**axes, "hovermode": "x", "legend": above}}


def _line(
    at: Sequence[int], values: Sequence[str], name: str, colour: str, dash: str = "solid"
) -> dict[str, Any]:
    line = {"color": colour, "width": 2, "dash": dash}
    return {"type": "scatter", "mode": "lines", "x": at, "y": values, "name": name, "line": line}


def _band(at: Sequence[int], known: Sequence[Moments], times: int, currency: str) -> list[dict[str, Any]]:
    edges: defaultdict[int, list[str]] = defaultdict(list)
    for mean, variance in known:
        off = times * deviation(variance)
        for sign in (-1, 1):
            edges[sign].append(major(round(mean) + sign * off, currency))
    common = {"type": "scatter", "mode": "lines", "x": at, "line": {"width": 0}, "hoverinfo": "skip"}
    name = f"± {times} standard deviation{'s' if times > 1 else ''}"
    return [
        {**common, "y": edges[-1], "showlegend": False},
        {**common, "y": edges[1], "fill": "tonexty", "fillcolor": f"@band-{times}", "name": name},
    ]


_ONE = {"W": "player", "L": "banker", "D": "tie"}
_EACH = {"W": "won", "L": "lost", "D": "equal"}


def result_words(results: str) -> str | None:
    """A coup's result as it is said: `banker`; of two hands `first won, second lost`. None: none stands."""
    pairs = [pair.split("=") for pair in results.split()]
    if not pairs:
        return None
    if pairs[0][0] == "player":
        return _ONE[pairs[0][1]]
    names = {"hand-1": "first", "hand-2": "second"}
    return ", ".join(f"{names.get(hand, hand)} {_EACH[result]}" for hand, result in pairs)
