"""What every test is held to, and a PostgreSQL server for those that ask for one."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from ledger.batch import Batch
from ledger.events.catalogue import decode, encode
from ledger.store.port import NewRow
from tests import postgres

# Whoever starts the tests in the background has them, and so all that they start, deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _what_is_stored_is_what_its_model_would_write() -> Iterator[None]:
    """The ledger makes plain events, which look at nothing they are given; so here their models look at all.

    Whatever a test of this process stores, by whatever path of the ledger, must be read by the event's model
    and come out of it to the byte.
    """
    made = Batch.rows

    def rows(batch: Batch) -> list[NewRow]:
        stored = made(batch)
        for row in stored:
            assert encode(decode(row.topic, row.state, row.stream, row.version)) == row.state
        return stored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Batch, "rows", rows)
        yield


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
