"""Sends a target what may come, and says how many times it held."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import TARGETS

AT_ONCE = 300
"""Inputs between two looks at the clock."""


def send(name: str, number: int, examples: int) -> Counter[str]:
    """Send a target so many inputs; what it raises, where that is not declared, is raised.

    Returns:
        How often it read one and how often it refused one.
    """
    target, came = TARGETS[name], Counter[str]()

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(sent=target.sent())
    def sends(sent: Any) -> None:
        came["refused"] += 1
        with suppress(*target.declared):
            target.reads(sent)
            came["refused"] -= 1
            came["read"] += 1

    sends()
    return came


def send_for(name: str, number: int, seconds: float) -> Counter[str]:
    """Send a target inputs for that long, each time others."""
    came, until = Counter[str](), monotonic() + seconds
    while not came or monotonic() < until:
        came += send(name, number, AT_ONCE)
        number += 1
    return came
