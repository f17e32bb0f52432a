"""What is published of the interface is true."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
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

EXAMPLES = {GenerationMode.POSITIVE: 2, GenerationMode.NEGATIVE: 2}


@schemathesis.serializer("application/x-ndjson")
def as_it_is(_context: Any, value: Any) -> bytes:
    """A tape is sent as the text that it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


KINDS = {"record-coup", "void-coup"}
"""Commands' resources come from one piece of code: one of each kind of path and body is enough."""


def is_like_another(path: str) -> bool:
    """Whether it is the resource of a command, and not one of those that stand for all."""
    return "/tables/" in path + "/" and path.rpartition("/")[2] not in KINDS | {
        "replay",
        "bundle",
        "{number}",
    }


@pytest.mark.parametrize("mode", EXAMPLES)
def test_every_resource_answers_as_it_is_published(working: AtWork, mode: GenerationMode) -> None:
    """Whatever somebody sends who may do everything: no 500, and nothing that the document does not say.

    What the document does not allow is not taken.
    """
    text = working.key("everybody", *Role)
    headers = {"authorization": f"Bearer {text}"}
    checked = [*CHECKS, negative_data_rejection] if mode is GenerationMode.NEGATIVE else CHECKS
    published = schemathesis.openapi.from_url(f"{working.url}/v1/openapi.json")
    resources = [found.ok() for found in published.get_all_operations() if isinstance(found, Ok)]
    assert len(resources) > 50
    resources = [one for one in resources if not is_like_another(one.path)]
    for resource in resources:
        is_tape = resource.path == "/v1/tapes"  # any text is a tape, and its bad lines are told in the answer
        _ask(resource, mode, headers, CHECKS if is_tape else checked)


def _ask(resource: Any, mode: GenerationMode, headers: dict[str, str], checked: list[Any]) -> None:
    @settings(
        max_examples=EXAMPLES[mode],
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


def test_the_schemas_are_schemas(working: AtWork) -> None:
    document = working.asks("GET", "/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for body in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(body)
