"""Who takes part: where each runs, and what it is given. What cannot be had says so when it is set up."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.store.postgres_connections import settings_of
from ops.bench.others.environments import NotMade, npm_environment, python_environment
from ops.bench.server import own, scratch
from ops.bench.stock import postgres_env

ROOT = Path(__file__).parents[3]


class Setup(NamedTuple):
    """A contestant that is ready to be started.

    Attributes:
        command: its arguments up to what it is given.
        given: what it is told.
        takes_commands: it is given the tape; otherwise the facts.
    """

    command: tuple[str, ...]
    given: dict[str, Any]
    takes_commands: bool = False


class Place(NamedTuple):
    """Where a contestant may keep what it writes: a folder of its own, and the database's address, if any."""

    folder: Path
    url: str | None


class Contestant(NamedTuple):
    """One of those who take part.

    Attributes:
        name: as `--only` has it.
        label: as tables have it.
        beside: the name of ours that it is measured against: the one on the same kind of store.
        set_up: makes its environment and its empty store, for as long as the block lasts.
    """

    name: str
    label: str
    beside: str
    set_up: Callable[[Place], Any]


def python(module: str, interpreter: str | Path = sys.executable) -> tuple[str, ...]:
    """A module of ours in an interpreter that may not know us: our root comes last on its path."""
    run = f"import sys, runpy; sys.path.append({str(ROOT)!r}); "
    return str(interpreter), "-c", f"{run}runpy.run_module('ops.bench.others.{module}', run_name='__main__')"


def _server(place: Place) -> str:
    if place.url is None:
        raise NotMade("there is no PostgreSQL server")
    return place.url


@contextmanager
def _ours_on_sqlite(place: Place) -> Iterator[Setup]:
    yield Setup(python("ledger"), {"db": str(place.folder / "ledger.db")}, takes_commands=True)


@contextmanager
def _ours_on_postgres(place: Place) -> Iterator[Setup]:
    with scratch(_server(place), own("others")) as address:
        yield Setup(python("ledger"), {"db": address}, takes_commands=True)


@contextmanager
def _eventsourcing(place: Place) -> Iterator[Setup]:
    with _database(place, "eventsourcing") as address:
        yield Setup(python("eventsourcing_postgres"), {"db": address, "env": postgres_env(address, "public")})


@contextmanager
def _umadb(place: Place) -> Iterator[Setup]:
    interpreter = python_environment("umadb")
    yield Setup(python("umadb_server", interpreter), {"folder": str(place.folder)})


@contextmanager
def _hordak(place: Place) -> Iterator[Setup]:
    interpreter = python_environment("hordak")
    with _database(place, "hordak") as address:
        said = conninfo_to_dict(address)
        named = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
        django = {theirs: str(said.get(libpqs, "")) for theirs, libpqs in named.items()}
        yield Setup(python("hordak", interpreter), {"django": django})


@contextmanager
def _emmett(place: Place) -> Iterator[Setup]:
    folder = npm_environment()
    program = shutil.copy(Path(__file__).with_name("emmett.mjs"), folder)  # modules are looked for beside it
    with _database(place, "emmett") as address:
        yield Setup(("node", str(program)), {"db": _as_url(address)})


@contextmanager
def _message_db(place: Place) -> Iterator[Setup]:
    scripts = npm_environment() / "node_modules" / "@eventide" / "message-db" / "database"
    with _database(place, "message_db") as address:
        with psycopg.connect(address, autocommit=True, options=_MESSAGE_STORE) as connection:
            for name in _installed_by(scripts):
                connection.execute((scripts / name).read_bytes())
        yield Setup(python("message_db"), {"db": address})


_MESSAGE_STORE = "-csearch_path=message_store,public -cclient_min_messages=warning"
_INSTALLERS = (
    "install.sh",
    "install-functions.sh",
    "install-indexes.sh",
    "install-views.sh",
    "install-privileges.sh",
)
_NOT_NEEDED = ("extensions/pgcrypto.sql",)
"""It is for `gen_random_uuid`, which PostgreSQL has had by itself since 13."""


def _installed_by(scripts: Path) -> list[str]:
    """The files that its installers run, in their order."""
    said = "\n".join((scripts / name).read_text() for name in _INSTALLERS)
    return [
        name
        for name in re.findall(r"-f \$base/(\S+)|run_psql_file \$base/(\S+)", said)
        for name in name
        if name and name not in _NOT_NEEDED
    ]


@contextmanager
def _bare(place: Place) -> Iterator[Setup]:
    yield Setup(python("bare_sqlite"), {"folder": str(place.folder)})


@contextmanager
def _bare_on_postgres(place: Place) -> Iterator[Setup]:
    with _database(place, "bare") as address:
        yield Setup(python("bare_postgres"), {"db": address})


@contextmanager
def _database(place: Place, name: str) -> Iterator[str]:
    """The address of a database of its own on the server."""
    url = _server(place)
    database = own(name)
    with psycopg.connect(**settings_of(url), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {database}".encode())
        try:
            yield make_conninfo(url, dbname=database)
        finally:
            connection.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())


def _as_url(address: str) -> str:
    said = conninfo_to_dict(address)
    password = f":{said['password']}" if said.get("password") else ""
    return f"postgresql://{said['user']}{password}@{said['host']}:{said['port']}/{said['dbname']}"


OURS = {
    "sqlite": Contestant("sqlite", "this ledger, SQLite", "", _ours_on_sqlite),
    "postgres": Contestant("postgres", "this ledger, PostgreSQL", "", _ours_on_postgres),
}
OTHERS: Mapping[str, Contestant] = {
    contestant.name: contestant
    for contestant in (
        Contestant("bare-sqlite", "bare driver, SQLite", "sqlite", _bare),
        Contestant("bare-postgres", "bare driver, PostgreSQL", "postgres", _bare_on_postgres),
        Contestant("eventsourcing", "eventsourcing 9.5.6, PostgreSQL", "postgres", _eventsourcing),
        Contestant("umadb", "eventsourcing-umadb 0.3.5", "postgres", _umadb),
        Contestant("emmett", "Emmett 0.42.0, PostgreSQL", "postgres", _emmett),
        Contestant("message-db", "message-db 1.3.1, PostgreSQL", "postgres", _message_db),
        Contestant("hordak", "django-hordak 2.0.0, PostgreSQL", "postgres", _hordak),
    )
}
