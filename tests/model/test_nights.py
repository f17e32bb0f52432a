"""A few nights in every run; `python -m tests.model` plays ten thousand."""

from __future__ import annotations

from tests.model.machine import Nights
from tests.model.profiles import FAST

TestNights = Nights.TestCase
TestNights.settings = FAST
