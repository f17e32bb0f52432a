"""The recorder's contract, and the eventsourcing library's own cases, on SQLite files."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from eventsourcing.tests import persistence as library

from ledger.store.port import LedgerRecorder
from ledger.store.sqlite import SQLiteLedgerRecorder
from tests.contracts.elsewhere import PATIENCE_SECONDS
from tests.contracts.recorder import RecorderContract
from tests.contracts.writers import Opener

from .sqlite_files import open_record, write_slowly


class TestSQLiteLedgerRecorder(RecorderContract):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> Opener:
        return partial(open_record, tmp_path / "ledger.db")

    @pytest.fixture
    def recorder(self, opener: Opener) -> Iterator[LedgerRecorder]:
        recorder = opener()
        assert isinstance(recorder, SQLiteLedgerRecorder)
        yield recorder
        recorder.datastore.close()

    @pytest.fixture
    def writer(self, tmp_path: Path) -> Callable[..., None]:
        return partial(write_slowly, path=tmp_path / "ledger.db")


class _OnAFile(library.RecorderTestCase):
    """The library's cases, under text ids as the ledger has them: a stream's name is no UUID."""

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "ledger.db"

    def new_originator_id(self) -> str:
        return f"coup/main/PB1/S-20/{uuid4()}"

    def create_recorder(self) -> SQLiteLedgerRecorder:
        recorder = open_record(self.path)
        self.addCleanup(recorder.datastore.close)
        self.addCleanup(self.await_threads, set(threading.enumerate()))
        return recorder

    @staticmethod
    def await_threads(before: set[threading.Thread]) -> None:
        """A case tells its readers to stop, and returns; a connection must not be closed under them."""
        for thread in set(threading.enumerate()) - before:
            thread.join(PATIENCE_SECONDS)


class TestTheLibrarysApplicationRecorderCases(
    _OnAFile, library.ApplicationRecorderTestCase[SQLiteLedgerRecorder]
):
    pass


class TestTheLibrarysCaseOfNonInterleavingNumbers(_OnAFile, library.NonInterleavingNotificationIDsBaseCase):
    pass
