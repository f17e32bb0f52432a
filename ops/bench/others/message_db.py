"""message-db: an event store in PostgreSQL's own functions, called from psycopg.

Its scripts made the database; each event is a call of `write_message`, which is all that it has for writing;
the calls of a commit go in one transaction and in one pipeline. It has no projections: a consumer reads a
category and keeps its own table and position, as its guide has it; here in batches of the size that it reads
by default.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any
from uuid import uuid4

import psycopg

from ops.bench.others.protocol import Fact, Pnl, facts_of, in_saves, serve, where, win_of

BATCH = 1_000
_WRITE = "SELECT message_store.write_message(%s::varchar, %s::varchar, %s::varchar, %s::jsonb)"
_CATEGORY = "SELECT type, data, global_position FROM message_store.get_category_messages('coup', %s, %s)"
_STREAM = "SELECT type, data FROM message_store.get_stream_messages(%s)"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS public.pnl (place TEXT PRIMARY KEY, coups BIGINT, win BIGINT)",
    "CREATE TABLE IF NOT EXISTS public.pnl_position (position BIGINT)",
)
_ADD = (
    "INSERT INTO public.pnl VALUES (%s, %s, %s) ON CONFLICT (place) "
    "DO UPDATE SET coups = pnl.coups + excluded.coups, win = pnl.win + excluded.win"
)


class MessageDb:
    """See `ops.bench.others.protocol.Contestant`. Its lines are facts."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._connection = psycopg.connect(given["db"], options="-csearch_path=message_store,public")
        self._connection.prepare_threshold = 0
        self._make_tables()

    def _make_tables(self) -> None:
        for sql in _TABLES:
            self._connection.execute(sql)
        self._connection.execute(
            "INSERT INTO public.pnl_position SELECT 0 WHERE NOT EXISTS (SELECT FROM public.pnl_position)"
        )
        self._connection.commit()

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        saves = in_saves([facts_of(line) for line in lines], size)

        def work() -> None:
            for save in saves:
                self._write([_message(fact) for facts in save for fact in facts])

        return work

    def _write(self, messages: Sequence[tuple[str, str, str, str]]) -> None:
        self._connection.cursor().executemany(_WRITE, messages)
        self._connection.commit()

    def project(self, coups: int, seconds: float) -> int:
        until = monotonic() + seconds
        done = self._done()
        while done < coups and monotonic() < until:
            done += self._batch()
        return done

    def _batch(self) -> int:
        """One batch and its position, in a transaction. Returns how many coups it had."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            ((position,),) = cursor.execute("SELECT position FROM public.pnl_position").fetchall()
            rows = cursor.execute(_CATEGORY, (position + 1, BATCH)).fetchall()
            counts: Counter[str] = Counter()
            wins: Counter[str] = Counter()
            for kind, data, _ in rows:
                if kind.startswith("coup-settled"):
                    facts = json.loads(data)
                    counts[where(facts)] += 1
                    wins[where(facts)] += win_of(facts["totals"])
            cursor.executemany(_ADD, [(place, coups, wins[place]) for place, coups in counts.items()])
            if rows:
                cursor.execute("UPDATE public.pnl_position SET position = %s", (rows[-1][2],))
        return counts.total()

    def rebuild(self, coups: int, seconds: float) -> int:
        self._connection.execute("DROP TABLE public.pnl, public.pnl_position")
        self._make_tables()
        return self.project(coups, seconds)

    def replay(self, stream: str) -> int:
        rows = self._connection.execute(_STREAM, (_name(stream),)).fetchall()
        self._connection.commit()
        state: dict[str, Any] = {}
        for _, data in rows:
            state.update(json.loads(data))
        return len(rows)

    def _done(self) -> int:
        ((done,),) = self._connection.execute("SELECT COALESCE(SUM(coups), 0) FROM public.pnl").fetchall()
        self._connection.commit()
        return int(done)

    def pnl(self) -> Pnl:
        return {
            place: int(win) for place, win in self._connection.execute("SELECT place, win FROM public.pnl")
        }

    def close(self) -> None:
        self._connection.close()


def _message(fact: Fact) -> tuple[str, str, str, str]:
    stream, topic, facts = fact
    return str(uuid4()), _name(stream), topic, json.dumps(facts, separators=(",", ":"))


def _name(stream: str) -> str:
    """As it names streams: the category, a hyphen, the rest."""
    category, _, rest = stream.partition("/")
    return f"{category}-{rest}"


if __name__ == "__main__":
    serve(MessageDb)
