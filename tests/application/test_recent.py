"""What was asked for of late is kept, and no more of it than there is room for."""

from __future__ import annotations

from ledger.recent import Recent


def test_the_one_not_asked_for_the_longest_makes_room() -> None:
    recent: Recent[int] = Recent(2)
    recent.put("T1", 1)
    recent.put("T2", 2)
    assert recent.get("T1") == 1
    recent.put("T3", 3)
    assert (recent.get("T1"), recent.get("T2"), recent.get("T3")) == (1, None, 3)


def test_what_is_put_again_is_as_it_was_put_last() -> None:
    recent: Recent[int] = Recent(2)
    for name, value in (("T1", 1), ("T2", 2), ("T1", 3), ("T3", 4)):
        recent.put(name, value)
    assert (recent.get("T1"), recent.get("T2"), recent.get("T3")) == (3, None, 4)


def test_what_was_dropped_is_gone_and_may_be_dropped_again() -> None:
    recent: Recent[int] = Recent(2)
    recent.put("T1", 1)
    recent.drop("T1")
    recent.drop("T1")
    assert recent.get("T1") is None
