"""The crash test: nights on both stores, in turn, until enough has died."""

from __future__ import annotations

from pathlib import Path

from tests.faults.crash import SERVERS, Plan, night, store_in
from tests.faults.outcome import Held, Telling, telling
from tests.faults.servers import Postgres, folder, server

CRASHES = "crashes"
STORES = ("SQLite", "PostgreSQL")
PROMISE = (
    "every acknowledged command there once, none half, the totals the oracle's, each event once in the "
    "stream, the day closed once, verify clean"
)


def crash(kills: int, seed: int, plan: Plan = Plan()) -> Held:  # noqa: B008 - it is frozen
    """Nights until so many processes were killed."""
    held = Held(promise=PROMISE)
    with folder() as place, server(place) as postgres, telling("killing", kills) as told:
        number = 0
        while (died := _died(held)) < kills and not held.broken:
            one_night(
                held,
                place,
                seed + number,
                plan=plan,
                told=told,
                postgres=postgres if number % 2 else None,
            )
            number += 1
            assert _died(held) > died, "a night in which nothing dies"
    return held


def one_night(
    held: Held, place: Path, number: int, *, plan: Plan, told: Telling, postgres: Postgres | None
) -> None:
    """One night on one store, added to what came of the others. What is broken leaves its folder behind."""
    here = place / f"night-{number}"
    here.mkdir()
    came = night(here, store_in(here, postgres), number, plan, died=told.step, server=postgres)
    store = STORES[postgres is not None]
    held.done["nights"] += 1
    held.done["events"] += came.events
    for kind, count in came.deaths.items():
        held.done[f"{CRASHES} of servers" if kind == SERVERS else f"kills of {kind} on {store}"] += count
    held.broken += [f"night {number} on {store}: {sentence}" for sentence in came.broken]


def _died(held: Held) -> int:
    return sum(count for what, count in held.done.items() if what.startswith("kills"))
