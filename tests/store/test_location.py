"""Where a ledger is, as people are told it: without the password, wherever it turns up."""

from __future__ import annotations

import pickle

import pytest

from ops.location import Location


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ledger.db", "ledger.db"),
        ("/srv/a:b@c/ledger.db", "/srv/a:b@c/ledger.db"),
        ("postgresql://cage@db.example/ledger", "postgresql://cage@db.example/ledger"),
        ("postgresql://cage:s@db.example:5432/ledger", "postgresql://cage:…@db.example:5432/ledger"),
        ("postgresql://cage:a@b/c:d@db.example/ledger", "postgresql://cage:…@db.example/ledger"),
        ("postgresql://:s@/ledger?host=/run/pg", "postgresql://:…@/ledger?host=/run/pg"),
        ("postgresql:///ledger?Password=s&host=h", "postgresql:///ledger?Password=…&host=h"),
    ],
)
def test_it_is_told_without_its_password_and_handed_over_with_it(given: str, told: str) -> None:
    location = Location(given)
    assert (str(location), f"{location}", format(location, ">0"), repr(location)) == (
        told,
        told,
        told,
        repr(told),
    )
    assert f"{location!s}" == "%s" % location == "{}".format(location) == told  # noqa: UP031, UP032
    assert location.for_driver() == given
    again = pickle.loads(pickle.dumps(location))
    assert (str(again), again.for_driver()) == (told, given)
