"""Adding to a large record and a small one on PostgreSQL, by turns."""

from __future__ import annotations

from ops.bench import growth
from ops.bench.server import own
from tests import postgres


def test_both_records_get_the_same_coups_and_only_the_large_one_was_large(
    postgres_server: str,
) -> None:
    sizes = []
    turns = growth.appended(postgres_server, small=80, large=800, live=COUPS)
    for _ in turns:
        sizes = [count(postgres_server, own(name)) for name in ("large", "small")]
    large, small = sizes
    assert large.pop("events") - small["events"] > 600
    assert small.pop("events") < 250
    assert large == small  # coups at the premises that both play at


COUPS = 5


def count(url: str, schema: str) -> dict[str, int]:
    """Events in all, and coups settled at the tape's own premises."""
    sql = (
        f"SELECT COUNT(*), COUNT(*) FILTER (WHERE topic = 'coup-settled.v1' AND originator_id LIKE "
        f"'coup/load-1/%') FROM {schema}.stored_events"
    )
    ((events, coups),) = postgres.change(url, sql)
    return {"events": events, "coups": coups}
