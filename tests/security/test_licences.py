"""What production installs is permissive; the copyleft among the tools stays with the tools."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.security.licences import ALLOWED, Dependency, dependencies, is_permissive

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = {"pymerkle": "GPL", "hypothesis": "MPL"}


@pytest.fixture(scope="module")
def installed() -> list[Dependency]:
    return list(dependencies())


def test_production_installs_nothing_but_permissive_licences_and_what_is_allowed_for(
    installed: list[Dependency],
) -> None:
    assert {each.name for each in installed if not each.permissive} == set(ALLOWED)
    assert {"cryptography", "pydantic", "psycopg", "nats-py", "fastapi", "pyarrow"} <= {
        each.name for each in installed
    }


def test_what_is_allowed_for_is_in_no_installation_that_did_not_ask_for_it() -> None:
    assert not {each.name for each in dependencies(())} & set(ALLOWED)


def test_tools_that_are_copyleft_are_in_the_development_group_alone(installed: list[Dependency]) -> None:
    development = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependency-groups"]["dev"]}
    assert set(TOOLS) <= development
    assert not set(TOOLS) & {each.name for each in installed}


@pytest.mark.parametrize(
    ("licence", "permissive"),
    [
        ("MIT", True),
        ("Apache-2.0 AND BSD-2-Clause", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("GNU General Public License v3 or later (GPLv3+)", False),
        ("LGPL-3.0-only", False),
        ("not said", False),
    ],
)
def test_of_several_licences_all_must_be_kept_and_one_may_be_chosen(licence: str, permissive: bool) -> None:
    assert is_permissive(licence) is permissive
