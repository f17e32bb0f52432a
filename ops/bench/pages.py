"""The first byte of every page of the console, on a large ledger against a small one: it should not grow.

The small ledger is one gaming day of a hundred tables with everything the pages show: coups, slips, counts,
rulings, disputes, refusals. The large one has it at as many premises as make it up (`ops.bench.ledgers`). The
service runs as `serve` runs it, on both, with the read tables up to date; somebody with every role is signed
in at each, and asks for each page of the one and of the other by turns, over loopback.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter, sleep
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import uuid4

from ledger.commands import TAPE_LINE
from ledger.terms.access import Role
from ops.bench.figure import Figure, Sort, Turn
from ops.bench.ledgers import PREMISES, Pair, premises_of, two_ledgers
from ops.bench.read_tables import fold
from ops.bench.reconcile import counts_of
from ops.cli.screen import progress_bar
from ops.rehearsal.load import FIRST_DAY, load
from ops.rehearsal.setting import Line
from ops.wiring import open_house, utc_now

GOAL = 1.5
TABLES = 100
TIMES = 7
"""How often a page is asked for in each ledger, in one turn."""
RULED_EVERY, DISPUTED_EVERY = 4, 10
"""Every so manieth table has a coup that is ruled upon, or disputed."""
_EVENTS_A_COUP = 8
_ANY_RATE = 1e9
_ROOT = "/console"
_SIGN_IN = f"{_ROOT}/sign-in"
_DONE = frozenset({200, 303})


class Look(NamedTuple):
    """A page as it is looked at.

    Attributes:
        page: its name in `ops.console.catalogue`.
        names: what its address says besides the premises.
    """

    name: str
    page: str
    names: Mapping[str, object] = {}


_SHOE = f"{FIRST_DAY}-1"
LOOKS = (
    Look("floor", "floor"),
    Look("floor as a table", "floor-table"),
    Look("a table's night", "table", {"table": "L1", "day": FIRST_DAY}),
    Look("a coup", "coup", {"table": "L2", "shoe": _SHOE, "number": 1}),
    Look("search", "search"),
    Look("search: a coup", "search", {"q": f"L2/{_SHOE}/1"}),
    Look("search: a slip", "search", {"q": "L1-1"}),
    Look("search: a patron", "search", {"q": "p-0007"}),
    Look("search: a span of time", "search", {"q": f"{FIRST_DAY} 18:00-18:10"}),
    Look("compliance: findings", "compliance"),
    Look("compliance: breaches", "compliance", {"severity": "breach"}),
    Look("compliance: by person", "compliance", {"person": "manager-01"}),
    Look("compliance: coverage", "compliance", {"view": "coverage"}),
    Look("compliance: banks", "compliance", {"view": "banks"}),
    Look("compliance: refusals", "compliance", {"view": "refusals"}),
    Look("compliance: persons", "compliance", {"view": "persons"}),
    Look("reconciliation: days", "reconciliation"),
    Look("reconciliation: a day", "reconciliation", {"day": FIRST_DAY}),
    Look("integrity", "integrity"),
    Look("regulation", "regulation"),
    Look("help", "help"),
)
"""Every page, and every part of one that is made by other queries."""


class NotShown(RuntimeError):
    """A page was not answered as it should be: what was to be measured did not happen."""


def pages(small: int, large: int, repeat: int) -> Iterator[Figure]:
    """Every page's figure.

    Args:
        small, large: events of the two ledgers.
        repeat: turns of each page.
    """
    with tempfile.TemporaryDirectory() as folder:
        pair = two_floors(Path(folder), small, large)
        yield from first_bytes(pair, repeat)


# --- The ledgers ---------------------------------------------------------------------------------------


def two_floors(folder: Path, small_events: int, large_events: int, tables: int = TABLES) -> Pair:
    """A gaming day of so many tables, and as many such days at other premises; read tables up to date."""
    coups = max(small_events // _EVENTS_A_COUP, tables)
    counts = counts_of(folder / "counted.db", load(coups, tables=tables))
    lines = [*load(coups, tables=tables), *_aftermath(tables)]
    also = [*(TAPE_LINE.validate_python(line) for line in lines), *counts]
    pair = two_ledgers(folder, 0, large_events, tables, also)
    fold(pair)
    return pair


def _aftermath(tables: int) -> Iterator[Line]:
    """What is said of the day's coups on the morning after: rulings, one of them twice, and disputes."""
    for table in range(1, tables + 1, RULED_EVERY):
        for time in ("first", "again"):  # the second is refused, which compliance tells as well
            why = {"reason": "a card was exposed", "approvers": ["manager-01", "manager-02"]}
            yield _said(table, f"void-{time}", "void-coup", 1, **why)
    for table in range(1, tables + 1, DISPUTED_EVERY):
        why = {"dispute": f"dispute-{table}", "patron": "p-0007", "statement": "It was a tie."}
        yield _said(table, "dispute", "raise-dispute", 1, **why)


def _said(table: int, what: str, command: str, number: int, **facts: object) -> Line:
    return {
        "command": command,
        "id": f"{PREMISES}-{what}-L{table}",
        "occurred_at": f"{FIRST_DAY.replace(day=FIRST_DAY.day + 1)}T08:00:00Z",
        "actor": "pit-01",
        "premises": PREMISES,
        "table": f"L{table}",
        "shoe": _SHOE,
        "number": number,
        **facts,
    }


# --- The console ---------------------------------------------------------------------------------------


class Visit:
    """Somebody with every role at a premises, signed in: a connection that is kept, as a browser keeps it.

    Attributes:
        shown: the page that was last looked at, or where it sent the browser.
    """

    def __init__(self, port: int, premises: str, credential: str) -> None:
        self._premises = premises
        self._http = HTTPConnection("127.0.0.1", port)
        self._cookie = self.shown = ""
        _, _, after = self._asks("GET", _SIGN_IN).partition('name="form_token" value="')
        token, _, _ = after.partition('"')
        self._asks("POST", _SIGN_IN, urlencode({"form_token": token, "credential": credential}))

    def seconds(self, look: Look) -> float:
        """Until the first byte of the page.

        Raises:
            NotShown: it is something else.
        """
        from ops.console.catalogue import BY_NAME  # noqa: PLC0415 – the extra `console`

        address = BY_NAME[look.page].address(**self._where(BY_NAME[look.page].path), **look.names)
        begun = perf_counter()
        self._http.request("GET", _ROOT + address, headers=self._headers())
        answer = self._http.getresponse()
        taken = perf_counter() - begun
        text = answer.read().decode()
        self.shown = answer.headers.get("location") or text
        if answer.status not in _DONE or self.shown.startswith(_SIGN_IN):
            raise NotShown(f"{address}: {answer.status} {text[:200]!r}")
        return taken

    def close(self) -> None:
        """Leave."""
        self._http.close()

    def _where(self, path: str) -> dict[str, str]:
        return {"premises": self._premises} if "{premises}" in path else {}

    def _headers(self) -> dict[str, str]:
        return {"Accept": "text/html", "Sec-Fetch-Dest": "document", "Cookie": self._cookie}

    def _asks(self, method: str, path: str, form: str | None = None) -> str:
        typed = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        self._http.request(method, path, form, {**self._headers(), **typed})
        answer = self._http.getresponse()
        text = answer.read().decode()
        if answer.status not in _DONE:
            raise NotShown(f"{path}: {answer.status} {text[:200]}")
        self._cookie = (answer.headers.get("set-cookie") or self._cookie).partition(";")[0]
        return text


@contextmanager
def visiting(path: Path, premises: Sequence[str]) -> Iterator[list[Visit]]:
    """The service of a ledger at work, and a visit at each of these premises."""
    from ops.service.app import service  # noqa: PLC0415 – the extra `service`
    from ops.service.keys import NewKey  # noqa: PLC0415
    from ops.service.server import Server  # noqa: PLC0415
    from ops.service.settings import ServiceSettings  # noqa: PLC0415

    settings = ServiceSettings(requests_per_second=_ANY_RATE, burst=10**9)
    with open_house(str(path)) as house, ExitStack() as open_:
        app = service(house, settings, utc_now)
        keys, key = app.state.service.keys, f"bench-{uuid4()}"
        server = Server(app, "127.0.0.1", 0)
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        try:
            while not server.started:
                if not thread.is_alive():
                    raise NotShown("the service did not start")
                sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            visits = []
            for name in premises:
                credential = keys.issue(NewKey(name, key, "bench", tuple(Role)), "admin")
                visits.append(open_.enter_context(closing(Visit(port, name, credential))))
            yield visits
        finally:
            open_.close()
            server.should_exit = True
            thread.join()
            server.end()


def first_bytes(pair: Pair, repeat: int) -> Iterator[Figure]:
    """Each page's figure, from the large ledger (ours) and the small (other), by turns.

    In the large one the first premises, one in the middle and the last are looked at in turn.
    """
    copies = sorted({0, pair.copies // 2, pair.copies - 1})
    with (
        visiting(pair.small, [PREMISES]) as (in_small,),
        visiting(pair.large, [premises_of(copy) for copy in copies]) as in_large,
        progress_bar("pages") as (bar, task),
    ):
        bar.update(task, total=len(LOOKS) * repeat)
        for look in LOOKS:
            for visit in (in_small, *in_large):
                visit.seconds(look)  # what is made once, templates and statements, is made
            turns = []
            for _ in range(repeat):
                turns.append(_turn(look, in_small, in_large))
                bar.advance(task)
            name = f"{look.name}, {pair.large_events:,} events"
            yield Figure(name, f"{pair.small_events:,} events", "pages", turns, Sort.TIME, GOAL)


def _turn(look: Look, in_small: Visit, in_large: Sequence[Visit]) -> Turn:
    taken = [(in_large[time % len(in_large)].seconds(look), in_small.seconds(look)) for time in range(TIMES)]
    return Turn(TIMES, median(large for large, _ in taken), median(small for _, small in taken))
