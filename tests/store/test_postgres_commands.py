"""The commands, given the address of a server for the path of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import run
from tests.projections.houses import EVENING

SEED = "sesame-4711"


def with_password(url: str) -> str:
    """The same address with a password, which the tests' server does not ask for."""
    before, at, after = url.partition("@")
    return f"{before.removesuffix(':')}:{SEED}{at}{after}"


def on(url: str) -> dict[str, str]:
    """The setting, with a password that must never be seen again."""
    return {"BACCARAT_LEDGER_DB": with_password(url)}


def test_the_whole_evening_is_told_as_it_is_from_a_file(postgres_schema: str, tmp_path: Path) -> None:
    """Whatever is made of the record, word for word; then sealed, verified, and copied to a file."""
    file, server = {"BACCARAT_LEDGER_DB": str(tmp_path / "ledger.db")}, on(postgres_schema)
    key = tmp_path / "key"
    public = run("keys", "new", "house", "-o", key).out.strip()
    first = run("pnl", settings=server)
    assert (first.code, "db upgrade" in first.err) == (2, True)
    done = [first, run("db", "upgrade", settings=server), run("db", "upgrade", "--json", settings=server)]
    assert done[-1].json()["before"] == done[-1].json()["version"] > 0
    for command in (
        ["import", str(EVENING)],
        ["import", str(EVENING), "--json"],
        ["pnl", "--json"],
        ["pnl", "--by", "day", "--json"],
        ["audit", "--json"],
        ["coup", "show", "PB1/2026-11-27-1/33", "--json"],
        ["project", "rebuild", "--json"],
        ["project", "check", "--json"],
    ):
        there, here = run(*command, settings=server), run(*command, settings=file)
        assert (there.code, _timeless(there.out)) == (here.code, _timeless(here.out)), command
        done.append(there)
    done.append(run("seal", "--key-file", key, settings=server))
    done.append(run("verify", "--key", public, settings=server))
    done.append(run("verify", "--key", public, "--json", settings=server))
    assert done[-1].json()["findings"] == []
    copy = tmp_path / "copy.db"
    done.append(run("migrate-store", server["BACCARAT_LEDGER_DB"], copy))
    done.append(run("migrate-store", server["BACCARAT_LEDGER_DB"], copy))
    assert [one.code for one in done[-5:]] == [0, 0, 0, 0, 2]
    assert run("verify", "--key", public, "--db", copy).code == 0
    assert not any(SEED in one.out + one.err for one in done)


def _timeless(out: str) -> str:
    """What was said, without when it was recorded."""
    return "\n".join(line for line in out.splitlines() if "recorded_at" not in line)


def test_the_demo_plays_into_an_empty_schema_and_no_other(postgres_schema: str) -> None:
    url = on(postgres_schema)["BACCARAT_LEDGER_DB"]
    played, again = run("demo", "--db", url), run("demo", "--db", url)
    assert (played.code, again.code) == (0, 2)
    assert ":…@" in played.out
    assert SEED not in played.out + played.err + again.out + again.err


def test_who_may_only_read_gets_the_figures_all_the_same(postgres_url: str) -> None:
    """Made in memory from the record, where there is no right to keep them."""
    owner, reader = on(postgres_url), on(f"{postgres_url}%20-crole%3Dledger_reader")
    assert run("import", EVENING, settings=owner).code == 1  # there are refusals in the evening
    told = run("pnl", "--json", settings=reader)
    assert told.code == 0
    assert told.json()["rows"]
    assert told.out == run("pnl", "--json", settings=owner).out
    assert run("verify", settings=reader).code == 0


@pytest.mark.parametrize(
    "command", [["pnl"], ["import", str(EVENING)], ["verify"], ["init"], ["db", "upgrade"]]
)
@pytest.mark.parametrize(
    "db",
    [
        f"postgresql://cage:{SEED}@localhost:1/ledger",
        f"postgresql://cage:{SEED}@localhost:{SEED}/ledger",
        f"mysql://cage:{SEED}@localhost/ledger",
    ],
)
def test_where_no_server_answers_it_is_said_without_the_password(command: list[str], db: str) -> None:
    done = run(*command, settings={"BACCARAT_LEDGER_DB": db})
    assert done.code == 2
    assert done.err
    assert "Traceback" not in done.err
    assert SEED not in done.out + done.err
