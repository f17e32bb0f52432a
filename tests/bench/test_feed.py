"""From commit to consumer: each commit is seen to come, over the feed and by the bare loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from ops.bench import feed


@pytest.mark.parametrize("engine", ["SQLite", "PostgreSQL"])
def test_every_commit_is_seen_by_both(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(feed, "TURN_COMMITS", 5)
    db = str(tmp_path / "ledger.db") if engine == "SQLite" else request.getfixturevalue("postgres_url")
    found = feed.latencies(db, 5)
    assert (len(found.feed), len(found.bare)) == (5, 5)
