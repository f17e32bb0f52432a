"""The garbage collector, and threads taking turns, during bulk work."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COLLECT_AFTER = 100_000
"""Objects made before the collector looks for cycles. Events hold none, so looking often finds nothing."""


TURN_SECONDS = 0.0005
"""How long a thread has the interpreter while another waits for it. As it comes it is ten times that."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let a thread that saves come back soon from the disk, while another decides."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def few_collections() -> Iterator[None]:
    """Look for cycles seldom. Measured on an import: two fifths of the time went into looking."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
