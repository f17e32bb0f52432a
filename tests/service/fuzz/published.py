"""Requests as the published OpenAPI document has them, and as it does not: made by schemathesis."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from ledger.terms.access import Role
from tests.service.at_work import PATIENCE_SECONDS, AtWork

CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ENOUGH_RESOURCES = 50


@schemathesis.serializer("application/x-ndjson")
def as_it_is(_context: Any, value: Any) -> bytes:
    """A tape is sent as the text that it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def published(working: AtWork) -> list[Any]:
    """The resources, as their document has them."""
    document = schemathesis.openapi.from_url(f"{working.url}/v1/openapi.json")
    resources = [found.ok() for found in document.get_all_operations() if isinstance(found, Ok)]
    assert len(resources) > ENOUGH_RESOURCES
    return resources


def ask(working: AtWork, resource: Any, mode: GenerationMode, examples: int, by_seed: int) -> None:
    """Some requests to one resource, by somebody who may do everything.

    No 500, and nothing that the document does not say; what the document does not allow is not taken.
    """
    headers = {"authorization": f"Bearer {working.key('everybody', *Role)}"}
    is_tape = resource.path == "/v1/tapes"  # any text is a tape, and its bad lines are told in the answer
    strict = mode is GenerationMode.NEGATIVE and not is_tape
    checked = [*CHECKS, negative_data_rejection] if strict else CHECKS

    @seed(by_seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=resource.as_strategy(generation_mode=mode))
    def answers(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=checked, timeout=PATIENCE_SECONDS)

    with suppress(Unsatisfiable):  # of some nothing can be asked wrongly
        answers()


def ask_all(working: AtWork, by_seed: int, seconds: float, examples: int = 5) -> int:
    """Requests to one resource after the other, until the time is over. Returns how many were made, about."""
    until = monotonic() + seconds
    made = 0
    while True:
        for resource in published(working):
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                ask(working, resource, mode, examples, by_seed + made)
                made += examples
                if monotonic() >= until:
                    return made
