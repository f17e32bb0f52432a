"""What the parts of the service share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from threading import Event
from typing import Any

from ledger.answer import Answer
from ledger.commands import Command
from ledger.seal.tiles import SealedTree
from ledger.verify.sealed import exists
from ops.feed.streams import Feed
from ops.service.admitted import Admitted
from ops.service.cursors import Cursors
from ops.service.keeper import Keeper
from ops.service.keys import MARK, Keys
from ops.service.limits import Rates
from ops.service.metrics import Metrics
from ops.service.principal import Principal
from ops.service.refusals import NotAuthenticated
from ops.service.settings import ServiceSettings
from ops.service.tables import cursor_secret
from ops.service.tokens import Tokens
from ops.service.upkeep import Upkeep
from ops.service.writer import Writer
from ops.wiring import House

_BEARER = "bearer "


class Service:
    """An open house with a door: what every router is made from.

    Attributes:
        lags: what is behind the record by how many events; shown by `/readyz` and `/metrics`. Whoever has
            another consumer to show adds it here.
        interface: gives the OpenAPI document, once all parts are there.
        stopping: set when nothing new is to be accepted; what takes long looks at it.
        after_commit, at_stop, at_end: called after every commit of this service; when it is told to stop;
            and when it has stopped, before what it stands on is closed.
        feed: the record and its tail, for the feed; None: it makes its own.
    """

    def __init__(
        self,
        house: House,
        settings: ServiceSettings,
        clock: Callable[[], datetime],
        feed: Feed | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.house = house
        self.settings = settings
        self.clock = clock
        self.feed = feed
        self.stopping = Event()
        self.upkeep = Upkeep(house, keeper)
        self.after_commit: list[Callable[[], None]] = [self.upkeep.wake]
        self.at_stop: list[Callable[[], None]] = []
        self.at_end: list[Callable[[], None]] = []
        self.writer = Writer(house.ledger, settings.waiting_max, self.committed)
        self.admitted = Admitted(clock)
        self.keys = Keys(house, self.run, self.admitted.forget)
        self.tokens = Tokens(settings.oidc, clock) if settings.oidc else None
        self.rates = Rates(settings.requests_per_second, settings.burst)
        self.cursors = Cursors(cursor_secret(house.tables))
        self.lags: dict[str, Callable[[], int]] = {"projections": self.upkeep.lag, "seal": self.seal_lag}
        self.interface: Callable[[], dict[str, Any]] = dict
        self.metrics = Metrics(house.ledger.record.last_sequence, self.lags, lambda: self.writer.waiting)

    def committed(self) -> None:
        """There is something new in the record."""
        for tell in self.after_commit:
            tell()

    def stop(self) -> None:
        """Accept nothing that takes long, and end what does. From any thread; also several times."""
        self.stopping.set()
        for tell in self.at_stop:
            tell()

    def run(self, command: Command) -> Answer:
        """Run a command and wait for its answer; from a thread that may wait."""
        return self.writer.submit(command).result()

    def authenticate(self, header: str | None) -> Principal:
        """Who asks, by the `Authorization` header; looked up. From a thread that may wait.

        Raises:
            NotAuthenticated, IdentityUnavailable.
        """
        credential = _credential(header)
        return self.admitted.authenticate(credential, partial(self._look_up, credential))

    def recognise(self, header: str | None) -> Principal | None:
        """Who asks, if they were authenticated a moment ago; nobody waits. Raises: NotAuthenticated."""
        return self.admitted.find(_credential(header))

    def _look_up(self, credential: str) -> Principal:
        if credential.startswith(f"{MARK}_"):
            return self.keys.authenticate(credential)
        if self.tokens is None:
            raise NotAuthenticated("this is no key, and tokens are not taken here")
        return self.tokens.authenticate(credential)

    def seal_lag(self) -> int:
        """How many events are not sealed yet."""
        recorded = self.house.ledger.record.last_sequence()
        if not exists(self.house.tables, "seal_size"):
            return recorded
        with SealedTree(self.house.tables).view() as view:
            return max(0, recorded - view.size())

    def close(self) -> None:
        """Accept nothing more, finish what was accepted."""
        self.stop()
        self.writer.close()
        self.upkeep.close()
        for end in self.at_end:
            end()


def _credential(header: str | None) -> str:
    """What stands in an `Authorization` header. Raises: NotAuthenticated: nothing that is taken here."""
    if not header or header[: len(_BEARER)].lower() != _BEARER:
        raise NotAuthenticated("send `Authorization: Bearer` with a key or a token")
    return header[len(_BEARER) :].strip()
