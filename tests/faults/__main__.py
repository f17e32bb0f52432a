"""`python -m tests.faults crash`: one of the long fault tests; the last line says what held.

crash     processes and servers are killed while they work
power     the power of the disk fails, at any moment
disk      a disk that is full, cannot be written or fails at times; a clock that is wrong
failover  the primary is lost, again and again
restore   the ledger is restored, from copies and to points in time
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from ops import logs
from ops.cli.screen import Exit, err, out
from tests.faults import crash_test, failover, layer, power, restore, sick_disk
from tests.faults.outcome import Held

TESTS: dict[str, tuple[Callable[[int, int], Held], int, str]] = {
    "crash": (crash_test.crash, 1_000, "kills"),
    "power": (power.power, 200, "power cuts"),
    "disk": (sick_disk.disk, 40, "failures"),
    "failover": (failover.failover, 10, "failovers"),
    "restore": (restore.restore, 20, "restores"),
}


def main() -> None:
    """Run one, and say what held."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("test", choices=TESTS)
    parser.add_argument(
        "--times", type=int, help="how often: kills, power cuts, failures, failovers, restores"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="the same chances again, as far as the machine allows"
    )
    wanted = parser.parse_args()
    if (why := layer.obstacle()) is not None:
        err().print(f"faults: {why}")
        sys.exit(Exit.BAD_INPUT)
    logs.configure()
    test, times, _ = TESTS[wanted.test]
    held = test(wanted.times or times, wanted.seed)
    for sentence in held.broken:
        out().print(f"broken: {sentence}", soft_wrap=True)
    out().print(held.last_line(wanted.test), soft_wrap=True)
    sys.exit(Exit.FINDINGS if held.broken else 0)


if __name__ == "__main__":
    main()
