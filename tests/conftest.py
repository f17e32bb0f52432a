"""A PostgreSQL server for those tests that ask for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of an empty database of a server's superuser, while the tests run."""
    with postgres.serving() as url:
        yield url


@pytest.fixture
def postgres_schema(postgres_server: str) -> Iterator[str]:
    """The address of an empty schema of its own in that database."""
    with postgres.schema(postgres_server) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_schema: str) -> str:
    """The address of an empty ledger."""
    return postgres.upgraded(postgres_schema)
