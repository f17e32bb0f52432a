"""The application over PostgreSQL: once and in order, as on SQLite; and a commit whose answer is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ledger.application import Ledger
from ledger.store import postgres as module
from ledger.store.postgres import PostgresLedgerRecorder
from ledger.store.postgres_append import append
from ledger.store.postgres_connections import Conn
from tests import postgres
from tests.application.test_concurrency import (
    other,
    test_a_coup_is_played_under_the_conditions_that_the_other_set,
    test_a_decision_is_made_on_what_the_other_has_changed,
    test_a_table_that_the_other_opened_is_open_for_the_one_that_closed_it,
    test_four_processes_record_one_shoe_between_them,
    test_the_days_of_a_table_go_forward_whoever_opens_them,
    test_threads_that_stake_at_once_fill_the_bank_and_no_more,
)
from tests.application.test_idempotence import (
    test_doubles_across_batches_run_once,
    test_doubles_within_a_batch_run_once,
    test_the_first_answer_holds_where_another_servers_clock_is_behind,
    test_two_ledgers_on_one_record_run_a_command_once,
    test_what_was_rejected_may_be_sent_again_put_right,
)
from tests.application.test_transactions import (
    test_a_refusal_amid_a_batch_leaves_its_neighbours_alone,
    test_an_empty_batch_is_nothing,
)
from tests.tabletalk import Night, all_events, command, open_ledger, play

__all__ = [
    "other",
    "test_a_coup_is_played_under_the_conditions_that_the_other_set",
    "test_a_decision_is_made_on_what_the_other_has_changed",
    "test_a_refusal_amid_a_batch_leaves_its_neighbours_alone",
    "test_a_table_that_the_other_opened_is_open_for_the_one_that_closed_it",
    "test_an_empty_batch_is_nothing",
    "test_doubles_across_batches_run_once",
    "test_doubles_within_a_batch_run_once",
    "test_four_processes_record_one_shoe_between_them",
    "test_the_days_of_a_table_go_forward_whoever_opens_them",
    "test_the_first_answer_holds_where_another_servers_clock_is_behind",
    "test_threads_that_stake_at_once_fill_the_bank_and_no_more",
    "test_two_ledgers_on_one_record_run_a_command_once",
    "test_what_was_rejected_may_be_sent_again_put_right",
]


@pytest.fixture
def path(postgres_url: str) -> str:
    """Where the ledger is."""
    return postgres_url


@pytest.fixture
def ledger(path: str) -> Iterator[Ledger]:
    """An empty ledger."""
    opened = open_ledger(path)
    yield opened
    opened.close()


# --- A connection that is lost -------------------------------------------------------------------------


@pytest.mark.parametrize("after", [False, True], ids=["before-commit", "answer-lost"])
@pytest.mark.parametrize("at_once", [False, True], ids=["one-by-one", "a-batch"])
def test_commands_whose_connection_is_lost_are_recorded_once_and_answered_as_usual(
    ledger: Ledger, postgres_url: str, monkeypatch: pytest.MonkeyPatch, after: bool, at_once: bool
) -> None:
    """The next day opens too: its own save has moved what it was decided on."""
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100")
    night.say("close-table", closer={"chips": {"2500": 400}})
    night.say("open-table", gaming_day="2026-11-28", format="punto-banco", opener={"chips": {"2500": 400}})

    def loses(connection: Conn, *arguments: object, copies: bool) -> int:
        monkeypatch.setattr(module, "append", append)
        if after:
            append(connection, *arguments, copies=copies)  # type: ignore[arg-type]
        pid = connection.info.backend_pid
        postgres.change(postgres_url, "SELECT pg_terminate_backend(%s, 5000)", (pid,))
        connection.execute("SELECT 1")
        raise AssertionError

    answers = []
    for lines in [night.lines] if at_once else [[line] for line in night.lines]:
        monkeypatch.setattr(module, "append", loses)
        answers += ledger.run_many([command(line) for line in lines])
    assert [(answer.outcome, answer.repeat) for answer in answers] == [("applied", False)] * len(night.lines)
    assert all(answer.repeat for answer in play(ledger, night))
    causes = [event.cause for event in all_events(ledger) if event.TOPIC == "command-recorded.v1"]
    assert causes == [line["id"] for line in night.lines]
    assert isinstance(ledger.recorder, PostgresLedgerRecorder)
