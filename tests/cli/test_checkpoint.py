"""`checkpoint --since` and `--check`: the proof that today's record goes on from what was kept elsewhere."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ledger.seal.checkpoint import Checkpoint, open_checkpoint
from ledger.seal.keys import parse_verifier
from ops.keys import read_signer
from tests.cli.shell import Done, run
from tests.projections.houses import EVENING
from tests.seal.test_extension import changed
from tests.verify.sealed import change

HALF_LINES = 120


class Kept(NamedTuple):
    """A ledger sealed twice, its keys, and the checkpoint of the first time as it was kept elsewhere."""

    db: Path
    key_file: Path
    public: str
    old: Path

    @property
    def size(self) -> int:
        return int(self.old.read_text().split("\n")[1])


def new_key(folder: Path, name: str) -> tuple[Path, str]:
    file = folder / f"{name}.key"
    return file, run("keys", "new", name, "-o", file).out.strip()


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Made once."""
    folder = tmp_path_factory.mktemp("kept")
    db, old = folder / "ledger.db", folder / "old.note"
    key_file, public = new_key(folder, "house")
    run("import", "--db", db, "-", said=b"".join(EVENING.read_bytes().splitlines(keepends=True)[:HALF_LINES]))
    run("seal", "--db", db, "--key-file", key_file)
    assert run("checkpoint", "--db", db, "-o", old).code == 0
    run("import", "--db", db, EVENING)
    run("seal", "--db", db, "--key-file", key_file)
    return Kept(db, key_file, public, old)


@pytest.fixture
def kept(sealed: Kept, tmp_path: Path) -> Kept:
    """To do with as one likes."""
    db, old = (Path(shutil.copy(file, tmp_path)) for file in (sealed.db, sealed.old))
    return sealed._replace(db=db, old=old)


def since(kept: Kept, *more: str | Path) -> Done:
    return run("checkpoint", "--db", kept.db, "--since", kept.old, "--key", kept.public, *more)


def check(kept: Kept, proof: str | Path, *more: str | Path, said: bytes = b"") -> Done:
    return run("checkpoint", "--check", proof, "--key", kept.public, *more, said=said)


def test_a_checkpoint_kept_is_shown_to_be_gone_on_from_and_checked_without_the_ledger(
    kept: Kept, tmp_path: Path
) -> None:
    proof = tmp_path / "proof.json"
    last = run("checkpoint", "--db", kept.db).out
    made = since(kept, "-o", proof)
    assert (made.code, made.out) == (0, "")
    assert json.loads(proof.read_bytes())["older"] == kept.old.read_text()
    assert json.loads(proof.read_bytes())["newer"] == last
    kept.db.unlink()
    for done in (check(kept, proof), check(kept, proof, "--since", kept.old)):
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("Good: baccarat-ledger/")
        assert f"from the checkpoint of {kept.size:,}: " in done.out
    assert kept.old.read_text().split("\n")[2] in check(kept, proof).out


def test_for_programs(kept: Kept) -> None:
    made = since(kept)
    told = check(kept, "-", "--json", said=made.out.encode()).json()
    assert told == since(kept, "--json").json()
    newest = run("checkpoint", "--db", kept.db, "--json").json()
    assert (told["good"], told["origin"]) == (True, newest["origin"])
    assert told["older"]["size"] == kept.size
    assert {name: told["newer"][name] for name in ("size", "root", "signed_by")} == {
        name: newest[name] for name in ("size", "root", "signed_by")
    }


def test_with_nothing_new_since_it_goes_on_from_itself(kept: Kept) -> None:
    run("checkpoint", "--db", kept.db, "-o", kept.old)
    assert check(kept, "-", said=since(kept).out.encode()).code == 0


def test_after_a_change_of_keys_both_are_named(kept: Kept, tmp_path: Path) -> None:
    new_file, new = new_key(tmp_path, "house-2")
    line = json.loads(EVENING.read_text().splitlines()[0]) | {"id": "one-more", "table": "PB-99"}
    run("import", "-", "--db", kept.db, said=json.dumps(line).encode())
    run("seal", "--db", kept.db, "--key-file", new_file, "--key", kept.public)
    alone = since(kept)
    assert (alone.code, alone.out) == (2, "")
    assert "signed by house-2" in alone.err
    both = since(kept, "--key", new)
    assert check(kept, "-", "--key", new, said=both.out.encode()).code == 0


def test_a_key_named_with_the_last_checkpoint_must_have_signed_it(kept: Kept, tmp_path: Path) -> None:
    assert run("checkpoint", "--db", kept.db, "--key", kept.public).code == 0
    done = run("checkpoint", "--db", kept.db, "--key", new_key(tmp_path, "other")[1])
    assert (done.code, done.out) == (2, "")


# --- Altered: exit 1, and what -----------------------------------------------------------------------------


def fails(done: Done, code: int, error: str) -> None:
    """Ends so with `--json`, in the one shape."""
    assert (done.code, done.err) == (code, "")
    assert done.json()["good"] is False
    assert done.json()["error"]["code"] == error


def test_a_history_sealed_anew_does_not_go_on_from_what_was_kept(kept: Kept, tmp_path: Path) -> None:
    """Whoever owns file and key changes an early event, and seals and signs all of it again."""
    change(kept.db, "UPDATE stored_events SET state = CAST(state || ' ' AS BLOB) WHERE sequence = 9")
    for table in ("seal_tiles", "seal_size", "seal_checkpoints"):
        change(kept.db, f"DELETE FROM {table}")
    run("seal", "--db", kept.db, "--key-file", kept.key_file)
    proof = tmp_path / "proof.json"
    done = since(kept, "-o", proof)
    assert (done.code, proof.exists()) == (1, False)
    assert f"the root over {kept.size} events is" in done.out
    fails(since(kept, "--json"), 1, "root-differs")


def test_a_seal_that_is_damaged_shows_nothing(kept: Kept) -> None:
    change(kept.db, "DELETE FROM seal_tiles WHERE level = 1")
    assert since(kept).code == 1
    fails(since(kept, "--json"), 1, "seal-damaged")


def test_a_proof_that_does_not_lead_there_is_exit_1(kept: Kept) -> None:
    made = since(kept).out.encode()
    false = changed(made, lambda content: content.update(proof=content["proof"][::-1]))
    assert check(kept, "-", said=false).out.startswith("Not shown to go on")
    fails(check(kept, "-", "--json", said=false), 1, "proof-invalid")


def signed(kept: Kept, size: int, root: bytes | None = None) -> str:
    """What the house might sign besides."""
    key = parse_verifier(kept.public)
    old = kept.old.read_text()
    origin = old.split("\n")[0]
    found = open_checkpoint(old, origin, [key])
    return str(Checkpoint(origin, size, root or found.root).signed(read_signer(kept.key_file)))


def test_another_root_that_was_signed_for_the_same_size_is_exit_1(kept: Kept) -> None:
    """Two guests were shown two records: each has the house's own signature for it."""
    proof = since(kept).out.encode()
    kept.old.write_text(signed(kept, kept.size, bytes(32)))
    fails(check(kept, "-", "--since", kept.old, "--json", said=proof), 1, "root-differs")
    fails(since(kept, "--json"), 1, "root-differs")


# --- Bad input: exit 2, one clear error each ---------------------------------------------------------------


def replaced(old: Path, true: str, false: str) -> None:
    text = old.read_text()
    assert true in text
    old.write_text(text.replace(true, false))


Spoil = Callable[[Kept], object]
BAD: dict[str, tuple[Spoil, str]] = {
    "larger than the ledger": (lambda kept: kept.old.write_text(signed(kept, 10**6)), "tree-shrunk"),
    "another size": (lambda kept: replaced(kept.old, f"\n{kept.size}\n", "\n7\n"), "signature-invalid"),
    "cut short": (lambda kept: kept.old.write_text(kept.old.read_text()[:90]), "note-malformed"),
    "empty": (lambda kept: kept.old.write_text(""), "note-malformed"),
    "no text": (lambda kept: kept.old.write_bytes(b"\xff\xfe"), "key-file-unusable"),
    "not there": (lambda kept: kept.old.unlink(), "key-file-unusable"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_checkpoint_that_is_not_as_it_was_kept_is_told(kept: Kept, name: str) -> None:
    spoil, code = BAD[name]
    spoil(kept)
    fails(since(kept, "--json"), 2, code)
    told = since(kept)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("baccarat-ledger: ")


def test_a_checkpoint_of_another_ledger_and_one_by_another_key_are_told(kept: Kept, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    run("init", "--db", other)
    run("seal", "--db", other, "--key-file", kept.key_file)
    run("checkpoint", "--db", other, "-o", tmp_path / "other.note")
    fails(since(kept._replace(old=tmp_path / "other.note"), "--json"), 2, "origin-differs")
    stranger = new_key(tmp_path, "stranger")[1]
    fails(since(kept._replace(public=stranger), "--json"), 2, "key-not-pinned")
    proof = since(kept).out.encode()
    fails(check(kept._replace(public=stranger), "-", "--json", said=proof), 2, "key-not-pinned")
    held = ("--since", tmp_path / "other.note")
    fails(check(kept, "-", *held, "--json", said=proof), 2, "origin-differs")


def test_a_checkpoint_held_that_no_pinned_key_signed_is_told(kept: Kept, tmp_path: Path) -> None:
    proof = since(kept).out.encode()
    stranger, _ = new_key(tmp_path, "stranger")
    kept.old.write_text(signed(kept._replace(key_file=stranger), kept.size))
    fails(check(kept, "-", "--since", kept.old, "--json", said=proof), 2, "key-not-pinned")


def test_a_proof_of_another_checkpoint_than_the_one_held_is_told(kept: Kept, tmp_path: Path) -> None:
    proof = since(kept).out.encode()
    run("checkpoint", "--db", kept.db, "-o", kept.old)
    fails(check(kept, "-", "--since", kept.old, "--json", said=proof), 2, "extension-of-another")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda proof: proof[:-20],
        lambda proof: proof.replace(b"A", b"B", 1),
        lambda proof: b"",
        lambda proof: b"{}\n",
    ],
    ids=["cut short", "altered", "empty", "something else"],
)
def test_a_proof_that_is_not_as_it_was_made_is_told(kept: Kept, spoil: Callable[[bytes], bytes]) -> None:
    proof = spoil(since(kept).out.encode())
    fails(check(kept, "-", "--json", said=proof), 2, "extension-malformed")
    told = check(kept, "-", said=proof)
    assert (told.code, told.out) == (2, "")
    assert "not a proof of extension" in told.err


def test_a_file_that_cannot_be_opened_is_told(kept: Kept, tmp_path: Path) -> None:
    fails(check(kept, tmp_path / "nothing", "--json"), 2, "source-unreadable")
    fails(since(kept, "-o", tmp_path / "no" / "proof", "--json"), 2, "file-unusable")


def test_before_the_first_checkpoint_nothing_goes_on(kept: Kept, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    run("init", "--db", fresh)
    fails(since(kept._replace(db=fresh), "--json"), 2, "no-checkpoint")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--since", "OLD"],
        ["--check", "OLD"],
        ["--check", "OLD", "--key", "KEY", "-o", "x"],
        ["--since", "OLD", "--key", "KEY", "-o", "OLD"],
    ],
    ids=["no key to prove with", "no key to check with", "a check writes nothing", "over the one held"],
)
def test_what_makes_no_sense_is_bad_usage(kept: Kept, arguments: list[str]) -> None:
    named: dict[str, Any] = {"OLD": kept.old, "KEY": kept.public}
    before = kept.old.read_bytes()
    done = run("checkpoint", "--db", kept.db, *(named.get(word, word) for word in arguments))
    assert (done.code, done.out, kept.old.read_bytes()) == (2, "", before)


def test_without_a_ledger_or_a_proof_it_asks_for_one() -> None:
    done = run("checkpoint")
    assert (done.code, done.out) == (2, "")
    assert "--db" in done.err


def test_it_is_never_written_over_the_ledger(kept: Kept) -> None:
    before = kept.db.read_bytes()
    assert since(kept, "-o", kept.db).code == 2
    assert kept.db.read_bytes() == before
