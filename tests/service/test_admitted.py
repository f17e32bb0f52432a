"""Whoever was let in a moment ago is not looked up again; whoever was cut off here is, at once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ledger.terms.access import Role
from ops.service.admitted import CREDENTIALS_MAX, TRUSTED_FOR, Admitted
from ops.service.keys import Keys
from ops.service.principal import Principal
from ops.service.refusals import NotAuthenticated
from ops.wiring import open_house
from tests.service.at_work import Clock, at_work
from tests.tabletalk import NOON

PIT = Principal("dealer-1", "key:main/key-1", {"main": frozenset({Role.PIT})})


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_credential_is_known_for_a_second_and_no_longer(clock: Clock) -> None:
    admitted = Admitted(clock)
    assert admitted.find("secret") is None
    assert admitted.authenticate("secret", lambda: PIT) is PIT
    assert admitted.find("secret") is PIT
    assert admitted.find("secreT") is None
    clock.now = NOON + TRUSTED_FOR - timedelta(microseconds=1)
    assert admitted.find("secret") is PIT
    clock.now = NOON + TRUSTED_FOR
    assert admitted.find("secret") is None
    clock.now = NOON - timedelta(microseconds=1)
    assert admitted.find("secret") is None  # a clock that was put back keeps nobody in


def test_whoever_is_nobody_is_not_remembered(clock: Clock) -> None:
    def nobody() -> Principal:
        raise NotAuthenticated("this is no key")

    admitted = Admitted(clock)
    with pytest.raises(NotAuthenticated):
        admitted.authenticate("secret", nobody)
    assert admitted.find("secret") is None


def test_what_was_looked_up_before_somebody_was_cut_off_is_not_kept(clock: Clock) -> None:
    admitted = Admitted(clock)
    admitted.authenticate("other", lambda: PIT)

    def meanwhile() -> Principal:
        admitted.forget()
        return PIT

    assert admitted.authenticate("secret", meanwhile) is PIT
    assert (admitted.find("secret"), admitted.find("other")) == (None, None)


def test_there_is_room_for_so_many_and_those_seen_last_are_kept(clock: Clock) -> None:
    admitted = Admitted(clock)
    for number in range(CREDENTIALS_MAX + 1):
        admitted.authenticate(str(number), lambda: PIT)
    assert (admitted.find("0"), admitted.find("1")) == (None, PIT)


def test_a_key_revoked_elsewhere_opens_nothing_after_a_second(tmp_path: Path) -> None:
    """By the command line, say, while the service runs."""
    with at_work(tmp_path / "ledger.db") as working:
        assert working.gets("pnl", Role.ACCOUNTING).status_code == 200
        with open_house(str(tmp_path / "ledger.db"), clock=working.clock) as elsewhere:
            Keys(elsewhere).revoke("main", "key-0", "lost", "admin-1")
        working.clock.moves(TRUSTED_FOR)
        assert working.gets("pnl", Role.ACCOUNTING).status_code == 401
