"""What is published of the interface is true."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode

from tests.service.at_work import AtWork
from tests.service.fuzz.published import ask, published

EXAMPLES = 2
KINDS = {"record-coup", "void-coup", "replay", "bundle", "{number}"}
"""Commands' resources come from one piece of code: one of each kind of path and body is enough."""


def is_like_another(path: str) -> bool:
    """Whether it is the resource of a command, and not one of those that stand for all."""
    return "/tables/" in path + "/" and path.rpartition("/")[2] not in KINDS


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_resource_answers_as_it_is_published(working: AtWork, mode: GenerationMode) -> None:
    """Whatever somebody sends who may do everything: no 500, and nothing that the document does not say.

    What the document does not allow is not taken.
    """
    for number, resource in enumerate(published(working)):
        if not is_like_another(resource.path):
            ask(working, resource, mode, EXAMPLES, by_seed=number)


def test_the_schemas_are_schemas(working: AtWork) -> None:
    document = working.asks("GET", "/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for body in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(body)
