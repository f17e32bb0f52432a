"""`demo --serve`: the console on the demo ledger, with a key for each role."""

from __future__ import annotations

from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rich.table import Table

from ledger.errors import ExtraMissing
from ops import logs
from ops.cli.screen import err, out
from ops.cli.serve import extra, listen
from ops.console.settings import ConsoleSettings
from ops.rehearsal.next_evening import NOW
from ops.service.settings import ServiceSettings
from ops.wiring import open_house, utc_now

if TYPE_CHECKING:
    from ops.service.context import Service

_HOST = "127.0.0.1"
_STARTED = utc_now()


def serve_demo(path: str, port: int) -> None:
    """Play the demo into a new ledger, serve it, and say where and how to look at it.

    Raises:
        ExtraMissing: the service or the console is not installed.
        NotServed: the port is taken.
    """
    logs.configure("warning")
    for library in ("itsdangerous", "plotly"):
        if find_spec(library) is None:
            raise ExtraMissing("console", library)
    with extra(), open_house(path, create=True, clock=_clock) as house:
        from ops.console.demo import demo_keys, play_demo  # noqa: PLC0415 – the framework, for nothing else

        err().print(f"Playing an evening and the day after it into {path}", soft_wrap=True)
        verifier = play_demo(house)

        def begun(service: Service) -> None:
            table = Table(title=f"http://{_HOST}:{port}/console", title_justify="left")
            table.add_column("sign in as")
            table.add_column("with this key", no_wrap=True)
            for role, key in demo_keys(service.keys):
                table.add_row(role, key)
            out().print(table, soft_wrap=True)
            out().print(f"The record is sealed; the public key is {verifier}", soft_wrap=True)
            out().print("Every key is for this demo alone. Ctrl-C ends it.")

        listen(
            house,
            path,
            ServiceSettings(),
            ConsoleSettings(),
            host=_HOST,
            port=port,
            clock=_clock,
            begun=begun,
        )


def _clock() -> datetime:
    """The ledger's clock: it stands where the evening has come to, and goes on from there as time passes."""
    return datetime.fromisoformat(NOW) + (utc_now() - _STARTED)
