"""Spoilt input, a little of it in every run of the tests; `python -m tests.fuzz` makes up more."""

from __future__ import annotations

import pytest

from tests.fuzz.holding import send
from tests.fuzz.targets import TARGETS

SEED = 20_261_127
"""The same each time: what fails here fails again."""
INPUTS = 60


@pytest.mark.parametrize("name", TARGETS)
def test_only_declared_errors_come_of_what_cannot_be_read(name: str) -> None:
    came = send(name, SEED, INPUTS)
    assert came.total() >= INPUTS // 2
