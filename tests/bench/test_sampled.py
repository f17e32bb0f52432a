"""Samples name what the ledger was doing, and end with the block."""

from __future__ import annotations

import signal

from ledger.terms.wagers import places_round
from ops.bench.sampled import sampling

SAMPLES_MAX = 1_000
DOING = "terms/wagers.py places_round"


def test_what_the_ledger_does_is_in_the_samples_and_nothing_else() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with sampling() as samples:
        while not samples.of[DOING] and samples.taken < SAMPLES_MAX:
            places_round(1, 5)
    assert set(samples.of) == {DOING}
    assert samples.of[DOING] <= samples.taken
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
