"""`coup replay` from a large ledger against the same from a small one: it should not grow with the record.

The ledgers are those of `ops.bench.ledgers`; each coup's events are proved against the checkpoint.

Three times are taken of a coup: all that the command does, from opening the file on, with the file in the
system's cache; the same with the file driven out of it; and the answer alone, from a ledger that is open.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from time import perf_counter

from ledger.seal.bundle import check_whole
from ops.bench.ledgers import KEY, Growth, Pair
from ops.cli.coups import coup_replay, coup_stream_named
from ops.cli.covering import covering_of
from ops.memory import few_collections
from ops.wiring import House, open_house
from projections.story.coups import tell
from projections.story.replay import replay


def growths(pair: Pair, seed: int) -> Iterator[Growth]:
    """Each of the three times, once. The coups of the large ledger are others for each seed."""
    chance = random.Random(seed)  # noqa: S311 - which coup is looked at is no secret
    coups = [(coup, pair.in_large(coup, chance.randrange(pair.copies))) for coup in pair.coups]
    with few_collections():
        yield _growth("open and replay", coups, *(_command(path) for path in (pair.small, pair.large)))
        if hasattr(os, "posix_fadvise"):
            small, large = (_command(path, before=_forget) for path in (pair.small, pair.large))
            yield _growth("the same, file not in the cache", coups, small, large)
        with open_house(str(pair.small)) as one, open_house(str(pair.large)) as other:
            yield _growth("replay from an open ledger", coups, partial(_answer, one), partial(_answer, other))


def _growth(
    name: str,
    coups: Sequence[tuple[str, str]],
    of_small: Callable[[str], float],
    of_large: Callable[[str], float],
) -> Growth:
    """Turn about, so that what else the machine does meets both alike."""
    times = [(of_small(in_small), of_large(in_large)) for in_small, in_large in coups]
    return Growth(name, median(small for small, _ in times), median(large for _, large in times))


def _command(path: Path, before: Callable[[Path], None] | None = None) -> Callable[[str], float]:
    """Times `coup replay ID --json --key KEY` (seconds), without what comes before."""

    def timed(coup: str) -> float:
        if before is not None:
            before(path)
        with redirect_stdout(StringIO()):
            start = perf_counter()
            coup_replay(coup, str(path), as_json=True, keys=[str(KEY.verifier)])
            return perf_counter() - start

    return timed


def _answer(house: House, coup: str) -> float:
    """What the command does with an open ledger: find, read, prove and tell (seconds)."""
    start = perf_counter()
    rows = house.ledger.record.select_stream(coup_stream_named(house, coup))
    covering = covering_of(house, rows, [KEY.verifier], check_whole)
    telling = replay(tell(rows[0].stream, rows), house.ledger.clock(), covering)
    seconds = perf_counter() - start
    assert covering is not None, "it was sealed to its end"
    assert telling.record_holds, "a ledger that nobody has touched"
    return seconds


def _forget(path: Path) -> None:
    """Have the system drop what it holds of a file."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)  # what is not on the disk yet would stay
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
