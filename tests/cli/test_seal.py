"""`keys`, `seal`, `checkpoint` and `verify`: from a new key to a finding."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from ledger.seal.keys import parse_verifier
from ledger.seal.note import parse_note
from tests.cli.shell import Done, run
from tests.projections.houses import EVENING
from tests.verify.sealed import change


@pytest.fixture
def key(tmp_path: Path) -> tuple[Path, str]:
    """A key file, and its public key."""
    return new_key(tmp_path, "house")


def new_key(folder: Path, name: str) -> tuple[Path, str]:
    file = folder / f"{name}.key"
    done = run("keys", "new", name, "-o", file)
    assert done.code == 0, done.err
    return file, done.out.strip()


def seal(db: Path, *arguments: str | Path) -> Done:
    return run("seal", "--db", db, *arguments)


def test_a_new_key_is_secret_and_says_its_public_half(key: tuple[Path, str]) -> None:
    file, public = key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().startswith("PRIVATE+KEY+house+")
    assert parse_verifier(public).name == "house"
    assert run("keys", "public", file).out.strip() == public


def test_a_key_that_is_not_the_pinned_one_seals_nothing(tmp_path: Path, key: tuple[Path, str]) -> None:
    """A clear error, and nothing changed: also what is new stays unsealed."""
    db, other = tmp_path / "l.db", new_key(tmp_path, "other")
    half = EVENING.read_bytes().splitlines(keepends=True)[:60]
    run("import", "--db", db, "-", said=b"".join(half))
    first = seal(db, "--key-file", key[0], "--json").json()["sealed"]
    run("import", "--db", db, EVENING)
    refused = seal(db, "--key-file", other[0])
    assert refused.code == 2
    after = seal(db, "--key-file", key[0], "--json").json()
    assert after["new"] == after["sealed"] - first > 0


def test_two_keys_differ(tmp_path: Path) -> None:
    assert new_key(tmp_path, "one")[1].split("+")[2] != new_key(tmp_path, "other")[1].split("+")[2]


def test_a_key_is_never_written_over(key: tuple[Path, str]) -> None:
    file, _ = key
    before = file.read_bytes()
    done = run("keys", "new", "house", "-o", file)
    assert (done.code, file.read_bytes()) == (2, before)
    assert "never written over" in done.err


@pytest.mark.parametrize("name", ["", "two words", "one+two", "tab\t"])
def test_a_name_that_no_key_can_have_makes_no_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / "new.key"
    done = run("keys", "new", name, "-o", file)
    assert (done.code, file.exists()) == (2, False)
    assert "not a key" in done.err


def test_a_key_that_others_can_read_is_refused(db: Path, key: tuple[Path, str]) -> None:
    key[0].chmod(0o640)
    done = seal(db, "--key-file", key[0])
    assert done.code == 2
    assert "chmod 600" in done.err


def test_sealing_signs_once_and_with_nothing_new_does_nothing(db: Path, key: tuple[Path, str]) -> None:
    first = seal(db, "--key-file", key[0], "--json").json()
    assert first["signed"]
    assert first["sealed"] == first["new"] == first["size"] > 2_000
    again = seal(db, "--key-file", key[0], "--json").json()
    assert again == {**first, "new": 0, "signed": False}
    assert "nothing new" in seal(db, "--key-file", key[0]).out


def test_a_checkpoint_comes_out_as_it_was_signed(db: Path, key: tuple[Path, str]) -> None:
    sealed = seal(db, "--key-file", key[0], "--json").json()
    printed = run("checkpoint", "--db", db)
    assert printed.out == sealed["checkpoint"]
    assert parse_note(printed.out).verified_by([parse_verifier(key[1])])
    assert run("checkpoint", "--db", db, "--json").json()["root"] == sealed["root"]
    assert run("checkpoint", "--db", db, encoding="ascii").out == printed.out


def test_before_the_first_checkpoint_there_is_none(db: Path) -> None:
    done = run("checkpoint", "--db", db)
    assert (done.code, done.out) == (2, "")
    assert "baccarat-ledger seal" in done.err


def test_an_empty_ledger_can_be_sealed(tmp_path: Path, key: tuple[Path, str]) -> None:
    db = tmp_path / "empty.db"
    run("init", "--db", db)
    assert seal(db, "--key-file", key[0], "--json").json()["size"] == 0
    assert run("verify", "--db", db, "--key", key[1]).code == 0


def test_a_clean_ledger_verifies(db: Path, key: tuple[Path, str], tmp_path: Path) -> None:
    seal(db, "--key-file", key[0])
    kept = tmp_path / "kept.checkpoint"
    kept.write_text(run("checkpoint", "--db", db).out)
    done = run("verify", "--db", db, "--key", key[1], "--checkpoint", kept)
    assert done.code == 0
    assert "nothing found" in done.out
    found = run("verify", "--db", db, "--key", key[1], "--checkpoint", kept, "--json").json()
    assert found["clean"]
    assert found["events"] == found["sealed"] == found["signed"]
    assert (found["first_bad"], found["findings"]) == (None, [])


def test_a_changed_event_is_told_with_its_position(db: Path, key: tuple[Path, str]) -> None:
    seal(db, "--key-file", key[0])
    change(db, "UPDATE stored_events SET state = CAST(state || ' ' AS BLOB) WHERE sequence = 99")
    done = run("verify", "--db", db, "--key", key[1])
    assert done.code == 1
    assert "event 99" in done.out
    found = run("verify", "--db", db, "--key", key[1], "--json")
    assert (found.code, found.json()["first_bad"]) == (1, 99)
    assert {finding["code"] for finding in found.json()["findings"]} >= {"leaf-differs"}


def test_without_a_key_it_says_that_no_signature_was_checked(db: Path, key: tuple[Path, str]) -> None:
    seal(db, "--key-file", key[0])
    done = run("verify", "--db", db)
    assert done.code == 0
    assert "signatures were not checked" in done.out
    assert not run("verify", "--db", db, "--json").json()["signatures_checked"]


def test_without_a_seal_it_says_that_nothing_is_shown(db: Path) -> None:
    done = run("verify", "--db", db)
    assert done.code == 0
    assert "there is no seal" in done.out


# --- Rotation ----------------------------------------------------------------------------------------------


def test_an_old_checkpoint_stays_good_with_the_old_key(
    db: Path, key: tuple[Path, str], tmp_path: Path
) -> None:
    old_file, old = key
    new_file, new = new_key(tmp_path, "house-2")
    seal(db, "--key-file", old_file)
    more(db)
    refused = seal(db, "--key-file", new_file)
    assert refused.code == 2
    assert "trusted is house-2" in refused.err
    assert seal(db, "--key-file", new_file, "--key", old).code == 0
    assert run("verify", "--db", db, "--key", old, "--key", new).code == 0
    only_new = run("verify", "--db", db, "--key", new, "--json")
    assert only_new.code == 1
    assert [finding["why"] for finding in only_new.json()["findings"]] == ["key-not-pinned"]


def test_both_keys_may_sign_one_checkpoint(db: Path, key: tuple[Path, str], tmp_path: Path) -> None:
    new_file, new = new_key(tmp_path, "house-2")
    done = seal(db, "--key-file", key[0], "--key-file", new_file, "--json").json()
    assert len(done["signed_by"]) == 2
    for public in (key[1], new):
        assert run("verify", "--db", db, "--key", public).code == 0


@pytest.mark.parametrize("old", ["--key-file", "--key"])
def test_a_second_key_signs_a_checkpoint_that_the_first_has_signed(
    db: Path, key: tuple[Path, str], tmp_path: Path, old: str
) -> None:
    """With the old key at hand, or with its public key alone: also where nothing is new since."""
    new_file, new = new_key(tmp_path, "house-2")
    seal(db, "--key-file", key[0])
    done = seal(db, old, key[0] if old == "--key-file" else key[1], "--key-file", new_file, "--json").json()
    assert done["new"] == 0
    assert done["signed"]
    assert len(done["signed_by"]) == 2
    for public in (key[1], new):
        assert run("verify", "--db", db, "--key", public).code == 0


def more(db: Path) -> None:
    """One command more."""
    line = json.loads(EVENING.read_text().splitlines()[0]) | {"id": "one-more", "table": "PB-99"}
    assert run("import", "-", "--db", db, said=json.dumps(line).encode()).code == 0


# --- Bad input ---------------------------------------------------------------------------------------------


def test_a_checkpoint_from_another_ledger_is_told(db: Path, key: tuple[Path, str], tmp_path: Path) -> None:
    seal(db, "--key-file", key[0])
    other = tmp_path / "other.db"
    run("init", "--db", other)
    seal(other, "--key-file", key[0])
    kept = tmp_path / "other.checkpoint"
    kept.write_text(run("checkpoint", "--db", other).out)
    done = run("verify", "--db", db, "--key", key[1], "--checkpoint", kept)
    assert (done.code, done.out) == (2, "")
    assert "the checkpoint is of baccarat-ledger/" in done.err


def test_a_kept_checkpoint_that_no_pinned_key_signed_is_told(
    db: Path, key: tuple[Path, str], tmp_path: Path
) -> None:
    seal(db, "--key-file", key[0])
    kept = tmp_path / "kept.checkpoint"
    kept.write_text(run("checkpoint", "--db", db).out)
    _, other = new_key(tmp_path, "other")
    done = run("verify", "--db", db, "--key", other, "--checkpoint", kept)
    assert done.code == 2
    assert "trusted is other" in done.err


def test_a_kept_checkpoint_with_a_changed_size_is_told(
    db: Path, key: tuple[Path, str], tmp_path: Path
) -> None:
    seal(db, "--key-file", key[0])
    kept = tmp_path / "kept.checkpoint"
    size = str(run("checkpoint", "--db", db, "--json").json()["size"])
    kept.write_text(run("checkpoint", "--db", db).out.replace(f"\n{size}\n", f"\n{int(size) - 1}\n"))
    done = run("verify", "--db", db, "--key", key[1], "--checkpoint", kept)
    assert done.code == 2
    assert "does not fit the note" in done.err


@pytest.mark.parametrize(
    "text", ["", "house", "house+58fa0cc0", "house+zz+AAAA", "PRIVATE+KEY+x+00000000+AA=="]
)
def test_a_key_that_is_none_is_told(db: Path, text: str) -> None:
    done = run("verify", "--db", db, "--key", text)
    assert (done.code, done.out) == (2, "")
    assert "not a key of a signed note" in done.err


def test_no_error_shows_a_secret(db: Path, key: tuple[Path, str]) -> None:
    """A secret key where a public one belongs, in its text or as its file; and a secret key cut short."""
    secret = key[0].read_text().strip()
    for done in (
        run("verify", "--db", db, "--key", secret),
        run("verify", "--db", db, "--key", key[0]),
        seal(db, "--key-file", _cut(key[0], secret)),
    ):
        assert done.code == 2
        assert secret.split("+", 4)[-1][:20] not in done.err + done.out


def _cut(file: Path, secret: str) -> Path:
    file.write_text(secret[:-3])
    return file


@pytest.mark.parametrize("content", [None, b"", b"nothing\n", b"\xff\xfe", b"x" * 2_000_000])
def test_a_checkpoint_file_that_is_none_is_told(db: Path, tmp_path: Path, content: bytes | None) -> None:
    kept = tmp_path / "kept.checkpoint"
    if content is not None:
        kept.write_bytes(content)
    done = run("verify", "--db", db, "--checkpoint", kept)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("baccarat-ledger: ")


@pytest.mark.parametrize("command", [("verify",), ("checkpoint",)])
def test_where_there_is_no_ledger_none_is_made(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(*command, "--db", tmp_path / "nothing.db")
    assert done.code == 2
    assert not (tmp_path / "nothing.db").exists()
