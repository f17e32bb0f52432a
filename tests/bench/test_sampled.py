"""Samples name what the ledger was doing, and end with the block."""

from __future__ import annotations

import signal

from ledger.terms.hands import hand
from ops.bench.sampled import sampling


def test_what_the_ledger_does_is_in_the_samples() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with sampling() as samples:
        while samples.taken < 5:
            hand("9 K")
    assert samples.of["terms/hands.py hand"]
    assert all(name.partition(".py ")[1] for name in samples.of)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
