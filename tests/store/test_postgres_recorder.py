"""The recorder's contract, and the eventsourcing library's own cases, on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from uuid import uuid4

import pytest
from eventsourcing.tests import persistence as library

from ledger.store.port import LedgerRecorder
from ledger.store.postgres import PostgresLedgerRecorder
from tests import postgres
from tests.contracts.elsewhere import PATIENCE_SECONDS
from tests.contracts.recorder import RecorderContract
from tests.contracts.writers import Opener

from .postgres_records import open_record, write_slowly


class TestPostgresLedgerRecorder(RecorderContract):
    @pytest.fixture
    def opener(self, postgres_url: str) -> Opener:
        return partial(open_record, postgres_url)

    @pytest.fixture
    def recorder(self, opener: Opener) -> Iterator[LedgerRecorder]:
        recorder = opener()
        assert isinstance(recorder, PostgresLedgerRecorder)
        yield recorder
        recorder.close()

    @pytest.fixture
    def writer(self, postgres_url: str) -> Callable[..., None]:
        return partial(write_slowly, url=postgres_url)


class _InASchema(library.RecorderTestCase):
    """The library's cases, under text ids as the ledger has them: a stream's name is no UUID."""

    server: str

    @pytest.fixture(autouse=True)
    def _server(self, postgres_server: str) -> None:
        self.server = postgres_server

    def setUp(self) -> None:
        super().setUp()
        stack = ExitStack()
        self.addCleanup(stack.close)
        self.url = postgres.upgraded(stack.enter_context(postgres.schema(self.server)))

    def new_originator_id(self) -> str:
        return f"coup/main/PB1/S-20/{uuid4()}"

    def create_recorder(self) -> PostgresLedgerRecorder:
        recorder = open_record(self.url)
        self.addCleanup(recorder.close)
        self.addCleanup(self.await_threads, set(threading.enumerate()))
        return recorder

    @staticmethod
    def await_threads(before: set[threading.Thread]) -> None:
        """A case tells its readers to stop, and returns; a connection must not be closed under them."""
        for thread in set(threading.enumerate()) - before:
            thread.join(PATIENCE_SECONDS)


class TestTheLibrarysApplicationRecorderCases(
    _InASchema, library.ApplicationRecorderTestCase[PostgresLedgerRecorder]
):
    pass


class TestTheLibrarysCaseOfNonInterleavingNumbers(_InASchema, library.NonInterleavingNotificationIDsBaseCase):
    pass
