"""The evening tape: three tables on the gaming day 2026-11-27, and what is laid down for them."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter

from ops.rehearsal.banque import BanqueTable
from ops.rehearsal.chemin import CheminTable
from ops.rehearsal.punto import PuntoBancoTable
from ops.rehearsal.setting import Line, Setting
from ops.rehearsal.tray import Patron

EVENING_SEED = 20261127
GAMING_DAY = "2026-11-27"
SHIFT_CHANGES = datetime(2026, 11, 27, 23, 30, tzinfo=UTC)


def evening(seed: int = EVENING_SEED) -> Iterator[Line]:
    """One evening's tape, in order of time, as a pit system reports it.

    PB1 deals punto banco, BB1 baccarat banque and CF1 chemin de fer: 240 coups from 19:00 to 04:00 UTC. The
    seed shuffles the shoes, gives the patrons their tokens and their luck, and picks the coups at which
    something out of the ordinary happens.
    """
    rng = _random(seed, "evening")
    tokens = _tokens(rng)
    tables = (
        PuntoBancoTable(_punto_banco(rng, tokens), _random(seed, "PB1")),
        BanqueTable(_banque(rng, tokens), _random(seed, "BB1")),
        CheminTable(_chemin(rng, tokens), _random(seed, "CF1")),
    )
    return heapq.merge(*(table.lines() for table in tables), key=itemgetter("occurred_at"))


def _random(seed: int, what: str) -> random.Random:
    # Not secrets: the same seed must deal the same cards, and nobody plays with them.
    return random.Random(f"{seed}/{what}")  # noqa: S311


def _tokens(rng: random.Random) -> list[str]:
    """Patrons' tokens. The last is for somebody who changes tables with the shift."""
    return [f"p-{number:06x}" for number in rng.sample(range(1 << 24), 21)]


def _seats(
    tokens: list[str], *places: tuple[int, int], vouchers: frozenset[int] = frozenset()
) -> list[Patron]:
    """Patrons from the tokens, at places of a seat and a usual stake."""
    return [Patron(tokens.pop(0), seat, stake, seat in vouchers) for seat, stake in places]


def _cases(rng: random.Random, coups: range, by_steps: frozenset[int], *cases: str) -> dict[int, str]:
    """Each case at a coup of its own that is reported at once."""
    at_once = [coup for coup in coups if coup not in by_steps]
    return dict(zip(rng.sample(at_once, len(cases)), cases, strict=True))


def _punto_banco(rng: random.Random, tokens: list[str]) -> Setting:
    early = _seats(tokens, (1, 2_500), (2, 1_000), (4, 5_000), (5, 2_500), vouchers=frozenset({2, 5}))
    late = _seats(tokens, (3, 10_000), (7, 2_500))
    mover = Patron(tokens[-1], 6, 7_500)
    by_steps = frozenset({3, 41, 77, 104})
    either_hand = {"min": 500, "max": 100_000}
    return Setting(
        name="PB1",
        gaming_day=GAMING_DAY,
        format="punto-banco",
        decks=8,
        coups=120,
        opens=datetime(2026, 11, 27, 19, 0, tzinfo=UTC),
        last_coup=datetime(2026, 11, 28, 3, 40, tzinfo=UTC),
        changes_shift=SHIFT_CHANGES,
        seated={"1": (*early, mover), "2": (*early, *late)},
        denominations=(50_000, 10_000, 2_500, 500, 100, 25),
        opener=2_500_000,
        terms={"rounding": "up-to-unit", "unit": 25, "banker_on_draw": "stand-off"},
        limits={"player": either_hand, "banker": either_hand, "tie": {"min": 500, "max": 10_000}},
        by_steps=by_steps,
        cases=_cases(
            rng,
            range(10, 100),
            by_steps,
            "corrected",
            "void",
            "held",
            "false claim",
            "number used twice",
            "over the maximum",
            "under the minimum",
        ),
    )


def _banque(rng: random.Random, tokens: list[str]) -> Setting:
    right = _seats(tokens, (1, 10_000), (2, 5_000), (4, 20_000))
    left = _seats(tokens, (6, 10_000), (8, 5_000), (9, 25_000))
    mover = Patron(tokens[-1], 5, 7_500)
    by_steps = frozenset({9, 26, 48})
    one_hand = {
        17: "hand-1",
        18: "hand-1",
        26: "hand-2, one on both",
        39: "hand-2",
        52: "hand-1, one on both",
    }
    one_side = {"min": 2_500, "max": 250_000}
    return Setting(
        name="BB1",
        gaming_day=GAMING_DAY,
        format="baccarat-banque",
        decks=6,
        coups=60,
        opens=datetime(2026, 11, 27, 20, 30, tzinfo=UTC),
        last_coup=datetime(2026, 11, 28, 3, 10, tzinfo=UTC),
        changes_shift=SHIFT_CHANGES,
        seated={"1": (*right, *left), "2": (*right, mover, *left)},
        denominations=(100_000, 25_000, 5_000, 2_500, 500),
        opener=10_000_000,
        terms={"rounding": "exact-only", "unit": 500},
        limits={"hand-1": one_side, "hand-2": one_side, "both-hands": one_side},
        by_steps=by_steps,
        cases={
            **_cases(
                rng,
                range(5, 58),
                by_steps | frozenset(one_hand),
                "banker",
                "tie",
                "not payable",
                "over the maximum",
            ),
            **one_hand,
        },
    )


def _chemin(rng: random.Random, tokens: list[str]) -> Setting:
    patrons = _seats(tokens, (1, 5_000), (3, 2_500), (4, 10_000), (6, 5_000), (8, 7_500), (9, 2_500))
    by_steps = frozenset({7, 31, 50})
    return Setting(
        name="CF1",
        gaming_day=GAMING_DAY,
        format="chemin-de-fer",
        decks=6,
        coups=60,
        opens=datetime(2026, 11, 27, 21, 0, tzinfo=UTC),
        last_coup=datetime(2026, 11, 28, 2, 40, tzinfo=UTC),
        changes_shift=SHIFT_CHANGES,
        seated={"1": tuple(patrons[:5]), "2": tuple(patrons)},
        denominations=(50_000, 10_000, 2_500, 500),
        opener=1_500_000,
        terms={"rounding": "exact-only", "unit": 500},
        by_steps=by_steps,
        cases={
            1: "house takes the bank",
            **_cases(rng, range(5, 40), by_steps, "tie", "before the bank has passed"),
        },
    )
