"""`coup replay`: the story on a terminal, for programs, and as a page to print."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from errno import ENOSPC
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ops.cli.story import print_telling
from ops.replay.page import suited
from projections.story.coups import tell_coup
from projections.story.replay import replay
from projections.story.telling import Covering
from tests.bundle.sealed import COUP, ORIGIN, key, seal
from tests.cli.shell import run
from tests.projections.houses import house_at, house_in_memory, take
from tests.projections.tampered import behind_its_back
from tests.tabletalk import NOON, Night, hands, wagers

RULING: dict[str, Any] = {"approvers": ["pit-1", "pit-2"], "evidence": "tape 12"}
CARDS = "P 2h 4s / B 7d Qc"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Coup 1 plain and sealed, 2 corrected and disputed, 3 held, 4 open, 5 with words meant to harm."""
    path = tmp_path_factory.mktemp("replay") / "ledger.db"
    night = Night().opens(terms={"rounding": "up-to-unit", "unit": 25})
    night.coup(1, CARDS, "banker 2750 p-1, player 100 p-2, hand-2 5", id="first-coup")
    later = Night()
    later.lines = night.lines[:]
    later.coup(2, CARDS, "banker 2750 p-1, player 100 p-2", claimed="tie")
    later.step("correct-coup", 2, hands=hands("P 2h 4s / B 6d Qc"), reason="camera 4", **RULING)
    later.step("raise-dispute", 2, dispute="D1", patron="p-1", wager="w1", statement="a seven")
    later.coup(3, "P K 2 8 / B A 2 5", "player 100")
    later.step("open-coup", 4)
    later.step("place-wagers", 4, wagers=wagers("player 100"))
    later.step("cancel-wagers", 4, wagers=["w1"])
    later.coup(5, "P 9 K / B 7 Q", "player 100")
    harm = "<script>alert(1)</script> & [bold]x[/bold] \x1b[31m"
    later.step("raise-dispute", 5, dispute="D2", statement=harm)
    with house_at(path) as house:
        take(house, night.lines)
        seal(house)
        take(house, later.lines[len(night.lines) :])
    return path


def replayed(db: Path, number: int, *more: str | Path) -> str:
    done = run("coup", "replay", f"T1/S1/{number}", "--db", db, *more)
    assert done.code == 0
    return done.out


def page(db: Path, number: int, folder: Path) -> str:
    file = folder / "page.html"
    done = run("coup", "replay", f"T1/S1/{number}", "--db", db, "--html", file)
    assert (done.code, done.out) == (0, "")
    assert str(file) in done.err.replace("\n", "")
    return file.read_text(encoding="utf-8")


# --- On a terminal ---------------------------------------------------------------------------------------


def test_a_coup_as_a_story(db: Path) -> None:
    """From the title to its place in the record, in the order in which it happened."""
    said = [
        "Coup 1 of shoe S1 at table T1: settled",
        "Punto banco, 8 decks, gaming day 27 November 2026, shift 1.",
        "house rules modelled on the Gaming Clubs (Bankers' Games) Regulations 1994",
        "1. two of hearts, to the player's hand",
        "4. queen of clubs, to the banker's hand",
        "Player stands on 6. (The player's hand draws on 0 to 5 and stands on 6 or 7)",
        "the player's hand: 2h 4s = 6, loses to the banker's hand",
        "£27.50 at 19 to 20 = £26.25",
        "£0.05 on wager w3, that the second hand wins, was not taken",
        "6(7)(i): ‘a wager (payable, if won, at odds of 19 to 20) that the banker’s hand will win the game’",
        f"Covered by the checkpoint of {ORIGIN} over",
        f"said to be signed by {key().verifier.label} (signature not checked).",
    ]
    out = re.sub(r"\s+", " ", replayed(db, 1))
    at = 0
    for sentence in said:
        assert sentence in out[at:], sentence
        at = out.index(sentence, at)


def test_a_corrected_and_disputed_coup(db: Path) -> None:
    out = re.sub(r"\s+", " ", replayed(db, 2))
    for sentence in (
        "claimed that the player's hand equals the banker's hand; by the cards as dealt",
        "approved by pit-1 and pit-2: camera 4; evidence: tape 12.",
        "Taken back:",
        "Dispute D1 about wager w1, received from p-1",
        "eight weeks",
        "No signed checkpoint covers all of them yet.",
    ):
        assert sentence in out


def test_a_held_and_an_open_coup_are_told_as_far_as_they_have_come(db: Path) -> None:
    assert "Irregular, and held for a ruling: Banker stands on 3" in replayed(db, 3)
    out = replayed(db, 4)
    assert "open to wagers" in out
    assert "No accepted wager stands." in out
    assert "was handed back: it was cancelled by mutual consent before the first card. [2(2)]" in out


def test_what_people_wrote_is_shown_and_does_nothing(db: Path) -> None:
    out = replayed(db, 5)
    assert "<script>alert(1)</script> & [bold]x[/bold]" in re.sub(r"\s+", " ", out)
    assert "\x1b" not in out


@pytest.mark.parametrize("name", ["T1/S1/1", "main/T1/S1/1", "coup/main/T1/S1/1", "first-coup"])
def test_for_programs_it_is_what_show_gives_and_the_sentences(db: Path, name: str) -> None:
    told = run("coup", "replay", name, "--db", db, "--json").json()
    shown = run("coup", "show", name, "--db", db, "--json").json()
    assert {field: told[field] for field in shown} == shown
    assert (told["checkpoint"]["origin"], told["checkpoint"]["signed_by"]) == (ORIGIN, [key().verifier.label])
    assert told["told"]["title"] == "Coup 1 of shoe S1 at table T1"


@pytest.mark.parametrize("name", ["T1/S1/99", "no-such-command", ""])
def test_a_coup_that_is_not_there_is_exit_2(db: Path, tmp_path: Path, name: str) -> None:
    done = run("coup", "replay", name, "--db", db, "--html", tmp_path / "page.html")
    assert (done.code, done.out) == (2, "")
    assert "no coup" in done.err
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_is_exit_2(db: Path, tmp_path: Path) -> None:
    done = run("coup", "replay", "T1/S1/1", "--db", db, "--html", tmp_path / "nowhere" / "page.html")
    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err
    assert "Traceback" not in done.err


def test_in_a_pipe_no_line_is_filled_up_to_a_width(db: Path) -> None:
    """Programs that read lines, and people who compare them, get the sentence and no more."""
    lines = replayed(db, 1).splitlines()
    for sentence in (
        "  Premises main.",
        "  The house held the bank.",
        "  1. two of hearts, to the player's hand",
    ):
        assert sentence in lines


def test_a_dispute_that_is_not_resolved_has_the_same_fields_for_programs(db: Path) -> None:
    (dispute,) = json.loads(replayed(db, 2, "--json"))["disputes"]
    assert (dispute["decision"], dispute["resolved_at"], dispute["evidence"]) == (None, None, None)


# --- Whether the record vouches for it ---------------------------------------------------------------------


@pytest.mark.parametrize("by_file", [False, True])
def test_with_the_public_key_the_signature_is_checked(db: Path, tmp_path: Path, by_file: bool) -> None:
    pinned = str(key().verifier)
    (tmp_path / "key").write_text(f"{pinned}\n")
    asked = ("--key", tmp_path / "key" if by_file else pinned, "--key", str(key(seed="other").verifier))
    assert f", signed by {key().verifier.label}." in re.sub(r"\s+", " ", replayed(db, 1, *asked))
    told = json.loads(replayed(db, 1, *asked, "--json"))["checkpoint"]
    assert (told["holds"], told["signature_checked"], told["fault"]) == (True, True, None)
    assert json.loads(replayed(db, 1, "--json"))["checkpoint"]["signature_checked"] is False


def test_signed_by_nobody_whom_we_trust_it_is_exit_1(db: Path) -> None:
    asked = ("coup", "replay", "T1/S1/1", "--db", db, "--key", str(key(seed="another").verifier))
    done = run(*asked)
    assert done.code == 1
    assert "The checkpoint that covers it proves nothing: the note is signed by" in done.out
    assert "Covered by" not in done.out
    told = run(*asked, "--json")
    assert (told.code, told.json()["checkpoint"]["holds"]) == (1, False)


def test_a_signature_that_does_not_fit_the_checkpoint_is_exit_1(db: Path, tmp_path: Path) -> None:
    """The house's name and key id stand under a text that the house did not sign."""
    forged = copied(db, tmp_path)
    with behind_its_back(forged) as connection:
        connection.execute("UPDATE seal_checkpoints SET note = replace(note, ?, ?)", (ORIGIN + "\n", "x\n"))
    done = run("coup", "replay", "T1/S1/1", "--db", forged, "--key", str(key().verifier))
    assert done.code == 1
    assert "does not fit the note" in done.out


def test_a_key_that_is_none_is_exit_2(db: Path) -> None:
    done = run("coup", "replay", "T1/S1/1", "--db", db, "--key", "x")
    assert (done.code, done.out) == (2, "")


def copied(db: Path, folder: Path) -> Path:
    """A ledger of one's own to alter."""
    with closing(sqlite3.connect(db)) as source, closing(sqlite3.connect(folder / "forged.db")) as copy:
        source.backup(copy)
    return folder / "forged.db"


_STATE = "UPDATE stored_events SET state = CAST(replace(state, '{}', '{}') AS BLOB)"
ALTERED = {
    "a stake": _STATE.format('"stake":2750', '"stake":9950'),
    "an actor": _STATE.format('"actor":"', '"actor":"x'),
    "the wagers left out": "DELETE FROM stored_events WHERE topic = 'wagers-placed.v1'",
    "the seal's tiles": "UPDATE seal_tiles SET hashes = zeroblob(length(hashes))",
    "the tiles left out": "DELETE FROM seal_tiles",
    "the size sealed": "UPDATE seal_size SET size = 3",
}


@pytest.mark.parametrize("sql", ALTERED.values(), ids=ALTERED.keys())
def test_a_coup_that_is_not_what_was_sealed_is_not_vouched_for(db: Path, tmp_path: Path, sql: str) -> None:
    """Somebody went behind the ledger's back: told plainly on a terminal, on the page and for programs."""
    forged = copied(db, tmp_path)
    with behind_its_back(forged) as connection:
        assert connection.execute(sql).rowcount
    asked = ("coup", "replay", "T1/S1/1", "--db", forged)
    done = run(*asked, "--key", str(key().verifier))
    assert done.code == 1
    assert done.out.startswith("Coup 1 of shoe S1 at table T1: settled, and its record does not hold\n")
    assert "The record is not what was sealed: " in done.out
    assert "Covered by" not in done.out
    told = run(*asked, "--json")
    assert told.code == 1
    assert told.json()["checkpoint"]["holds"] is False
    assert told.json()["checkpoint"]["fault"].startswith("the record is not what was sealed: ")
    assert run(*asked, "--html", tmp_path / "page.html").code == 1
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search('<p class="broken">In the record as .*The record is not what was sealed', text)
    assert "Covered by" not in text


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE stored_events SET state = CAST('{' AS BLOB) WHERE topic = 'hands-dealt.v1'",
        "UPDATE stored_events SET topic = 'x.v1' WHERE topic = 'hands-dealt.v1'",
        "DELETE FROM stored_events WHERE topic = 'wagers-placed.v1'",
    ],
)
def test_what_was_altered_until_it_tells_no_story_is_said_to_be_altered(
    db: Path, tmp_path: Path, sql: str
) -> None:
    """Unreadable, of no known type, or a wager cancelled that was never placed."""
    forged = copied(db, tmp_path)
    with house_at(forged) as house:
        seal(house)
    with behind_its_back(forged) as connection:
        assert connection.execute(sql).rowcount
    number = 4 if sql.startswith("DELETE") else 1
    asked = ("coup", "replay", f"T1/S1/{number}", "--db", forged, "--html", tmp_path / "page.html")
    done = run(*asked)
    assert done.code == 1
    assert f"T1/S1/{number} cannot be told: the record is not what was sealed: " in done.out
    told = run(*asked, "--json")
    assert (told.code, told.json()["checkpoint"]["holds"], told.json()["told"]) == (1, False, None)
    assert not (tmp_path / "page.html").exists()


def test_of_a_record_that_does_not_hold_it_is_told_in_red(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(force_terminal=True, color_system="standard", width=200)
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, CARDS)
        take(house, night.lines)
        story = tell_coup(house.ledger.record, COUP)
    covering = Covering(ORIGIN, 9, "00" * 32, (), signature_checked=False, fault="it is not what was sealed")
    print_telling(console, replay(story, NOON, covering))
    assert "\x1b[1;31mIt is not what was sealed." in capsys.readouterr().out


# --- What it writes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db-wal", "ledger.db-shm", "link.db", "other.db"])
@pytest.mark.parametrize("command", [("replay", "--html"), ("bundle", "-o")])
def test_a_ledger_is_never_written_over(
    db: Path, tmp_path: Path, name: str, command: tuple[str, str]
) -> None:
    """Neither its own file nor what the database keeps beside it, by whatever name; nor another database."""
    ledger = copied(db, tmp_path).rename(tmp_path / "ledger.db")
    (tmp_path / "link.db").symlink_to(ledger)
    (tmp_path / "other.db").write_bytes(ledger.read_bytes())
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    verb, option = command
    done = run("coup", verb, "T1/S1/1", "--db", ledger, option, tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert "is not written over" in done.err.replace("\n", " ")
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name in before}
    assert after == before


@pytest.mark.parametrize("command", [("replay", "--html"), ("bundle", "-o")])
def test_a_file_is_replaced_whole_through_its_link_and_nothing_is_left_beside_it(
    db: Path, tmp_path: Path, command: tuple[str, str]
) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    verb, option = command
    assert run("coup", verb, "T1/S1/1", "--db", db, option, tmp_path / "link").code == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "link"]
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "file").stat().st_size > 1000


def test_what_stood_there_stands_when_writing_fails(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    done = run("coup", "bundle", "T1/S1/1", "--db", db, "-o", tmp_path / "file")
    assert (done.code, done.out) == (2, "")
    assert "No space left" in done.err.replace("\n", " ")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def full(_descriptor: int) -> None:
    """A disk without room."""
    raise OSError(ENOSPC, "No space left on device")


# --- The page --------------------------------------------------------------------------------------------


class Seen(HTMLParser):
    """Elements with their attributes and the path to each; and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self._open)))
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text.append(data)

    def of(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes, _ in self.elements if tag in tags]


NUMBERS = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_page_asks_nothing_of_any_other_file(db: Path, tmp_path: Path, number: int) -> None:
    """No script, no address, no link: one file, whole."""
    text = page(db, number, tmp_path)
    seen = Seen(text)
    assert not seen.of("script", "link", "img", "iframe", "object", "embed", "a", "form", "base")
    for _, attributes, _ in seen.elements:
        assert not {name for name in attributes if name in {"src", "href", "style"} or name.startswith("on")}
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert style.strip()
    assert not re.search(r"url\(|@import|expression|//", style)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_page_can_be_found_ones_way_in_without_seeing_it(db: Path, tmp_path: Path, number: int) -> None:
    """Language, title, landmarks; headings in order, each section named; tables with captions and headers."""
    seen = Seen(page(db, number, tmp_path))
    assert seen.of("html") == [{"lang": "en-GB"}]
    assert [len(seen.of(tag)) for tag in ("title", "header", "main", "footer", "h1")] == [1] * 5
    levels = [int(tag[1]) for tag, _, _ in seen.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = [attributes["id"] for _, attributes, _ in seen.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {section["aria-labelledby"] for section in seen.of("section")} <= set(ids)
    assert len(seen.of("caption")) == len(seen.of("table"))
    assert {header.get("scope") for header in seen.of("th")} <= {"col", "row"}


def test_the_cards_are_drawn_as_cards_and_named_for_those_who_cannot_see_them(
    db: Path, tmp_path: Path
) -> None:
    text = page(db, 1, tmp_path)
    drawn = re.findall(
        r'<div class="card( red)?" aria-hidden="true"><span>(.+?)</span><span.*?>(.*?)</span>', text
    )
    assert drawn == [(" red", "2", "♥"), (" red", "7", "♦"), ("", "4", "♠"), ("", "Q", "♣")]
    assert re.findall(r'class="unseen">(\w+ of \w+) to', text) == [
        "two of hearts",
        "seven of diamonds",
        "four of spades",
        "queen of clubs",
    ]


def test_a_card_whose_suit_nobody_saw_has_none(db: Path, tmp_path: Path) -> None:
    drawn = re.findall(r'<div class="card.*?"suit">(.*?)</span>', page(db, 3, tmp_path))
    assert drawn == [""] * 6


def test_the_page_says_what_the_story_says(db: Path, tmp_path: Path) -> None:
    for number in NUMBERS:
        told = json.loads(replayed(db, number, "--json"))["told"]
        text = " ".join(" ".join(Seen(page(db, number, tmp_path)).text).split())
        sentences = [*told["conditions"], told["authority"], told["bank"], *told["record"]]
        sentences += [reason["sentence"] for reason in told["refused"] + told["cancelled"]]
        sentences += [wager["arithmetic"] for wager in told["wagers"]]
        sentences += [rule["here"] for rule in told["rules"]]
        sentences += [ruling["sentence"] for ruling in told["rulings"]]
        sentences += [entry["text"] for entry in told["paragraphs"]]
        sentences += [
            said for dispute in told["disputes"] for said in (dispute["sentence"], dispute["clock"])
        ]
        for sentence in sentences:
            without_the_time = re.sub(r"\d+ days? left", "", sentence)
            assert " ".join(without_the_time.split()) in re.sub(r"\d+ days? left", "", text).replace(
                "  ", " "
            )


def test_what_people_wrote_is_text_on_the_page_and_nothing_else(db: Path, tmp_path: Path) -> None:
    text = page(db, 5, tmp_path)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; [bold]x[/bold]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("cards", "with_symbols"),
    [
        ("2h 10s Qc Ad", "2♥ 10♠ Q♣ A♦"),
        ("9 K", "9 K"),
        ("the player's hand 2h 4s", "the player's hand 2♥ 4♠"),
    ],
)
def test_suits_are_shown_by_their_symbols(cards: str, with_symbols: str) -> None:
    assert suited(cards) == with_symbols


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


PAIRS = (
    *(("ink", "paper"), ("soft", "paper"), ("good", "paper"), ("bad", "paper")),
    *(("black", "face"), ("red", "face")),
)


def test_every_colour_of_text_stands_out_from_what_it_is_on() -> None:
    """4.5 to 1 or more (WCAG 2.2, 1.4.3): by light, in the dark, and in print."""
    style = resources.files("ops.replay").joinpath("page.css").read_text(encoding="utf-8")
    light, dark, printed = (
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    )
    for colours in (light, light | dark, light | printed):
        for text, on in PAIRS:
            lighter, darker = sorted((luminance(colours[text]), luminance(colours[on])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (text, on)


def test_the_page_is_laid_out_for_a4() -> None:
    style = resources.files("ops.replay").joinpath("page.css").read_text(encoding="utf-8")
    assert "@page { size: A4;" in style
    assert "@media print" in style
    assert "prefers-color-scheme: dark" in style
