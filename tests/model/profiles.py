"""How long the machine plays: a little in every run of the tests, all night when it is asked to."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

EVERY_CHECK_BUT_SLOWNESS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "nightly",
    max_examples=10_000,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=EVERY_CHECK_BUT_SLOWNESS,
    print_blob=True,
)
FAST = settings(
    max_examples=10,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=EVERY_CHECK_BUT_SLOWNESS,
)
NIGHTLY = settings.get_profile("nightly")
