"""`settle`: what coups would pay, a line for a line, storing nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.application.writers import coups_of_a_shoe
from tests.cli.shell import Done, ended, run, start
from tests.oracle.regulation6 import settle as oracle
from tests.oracle.truth_tables import (
    AVAILABILITY,
    BANKER_HAND,
    ONE_OPPOSING_HAND,
    ONE_OPPOSING_HAND_7A,
    OPPOSING_HAND,
    TWO_OPPOSING_HANDS,
)
from tests.tabletalk import hands, wagers

Coup = dict[str, Any]
EXAMPLE: Coup = {
    "format": "punto-banco",
    "profile": "si-1994-2899",
    "terms": {"rounding": "up-to-unit", "unit": 1, "banker_on_draw": "stand-off"},
    "wagers": [
        {"id": "w1", "kind": "banker", "stake": 2500},
        {"id": "w2", "kind": "tie", "stake": 1000},
    ],
    "hands": {"banker": "2 2 3", "player": "3 3"},
}


def tape(*coups: Any) -> bytes:
    return b"".join(
        (coup if isinstance(coup, bytes) else json.dumps(coup).encode()) + b"\n" for coup in coups
    )


def settle(*coups: Any) -> Done:
    return run("settle", "-", said=tape(*coups))


def same(answers: list[Any], coups: list[Coup]) -> None:
    """That each answer is the oracle's; of an irregular coup the rule may go by another name."""
    assert len(answers) == len(coups)
    for answer, coup in zip(answers, coups, strict=True):
        expected = oracle(coup)
        if expected["irregular"]:
            assert set(answer["irregular"]) == {"rule", "detail"}
            expected = {**expected, "irregular": answer["irregular"]}
        assert answer == expected


def test_the_example_of_the_contract() -> None:
    """7 beats 6: banker 2500 at 19 to 20 is 2375; the tie is lost."""
    done = settle(EXAMPLE)
    assert (done.code, done.err) == (0, "")
    assert done.lines() == [
        {
            "results": {"player": "L"},
            "irregular": None,
            "lines": [
                {
                    "wager": "w1",
                    "outcome": "won",
                    "odds": "19/20",
                    "winnings": 2375,
                    "returned": 2500,
                    "remainder": "0",
                    "paragraph": "6(7)(i)",
                },
                {
                    "wager": "w2",
                    "outcome": "lost",
                    "odds": "8/1",
                    "winnings": 0,
                    "returned": 0,
                    "remainder": "0",
                    "paragraph": "6(7)(ii)",
                },
            ],
        }
    ]


def test_profile_and_terms_may_be_left_out() -> None:
    """Design §4: the text of 1994, exact only, unit 1, stand-off."""
    bare = {name: EXAMPLE[name] for name in ("format", "hands")}
    refused, stood_off = settle(
        {**bare, "wagers": wagers("banker 21")},
        {**bare, "hands": hands("P 3 4 / B 7 Q"), "wagers": wagers("banker 20")},
    ).lines()
    (line,) = refused["lines"]
    assert (line["outcome"], line["reason"], line["paragraph"]) == (
        "refused",
        "not-payable-exactly",
        "terms.rounding",
    )
    assert (line["returned"], line["winnings"]) == (21, 0)
    assert stood_off["lines"][0]["outcome"] == "stand-off"


def test_cards_are_read_in_every_spelling() -> None:
    """Domain §2.1: ten and pictures nothing; suits, lower case and T make no difference."""
    spellings = ["10 9", "T 9", "Kh 9s", "kH 9S", "q 9d", "t 9", "10c 9", "Jd  9"]
    coups = [{**EXAMPLE, "hands": {"player": player, "banker": "7 Q"}} for player in spellings]
    done = settle(*coups)
    assert done.code == 0
    assert [answer["results"] for answer in done.lines()] == len(coups) * [{"player": "W"}]


def test_answers_come_in_the_order_of_the_lines_errors_in_their_place() -> None:
    done = settle(
        EXAMPLE,
        {**EXAMPLE, "format": "whist"},
        b"{",
        {**EXAMPLE, "wagers": [{"id": "w1", "kind": "banker", "stake": 2500.0}]},
        {**EXAMPLE, "hands": {"banker": "2 2 3"}},
        {**EXAMPLE, "hands": {"banker": "2 2 3", "player": "3 3", "hand-1": "2 2", "hand-2": "2 2"}},
        {**EXAMPLE, "format": "baccarat-banque"},
        {**EXAMPLE, "profile": "si-2000-597-7b"},
        EXAMPLE,
    )
    assert done.code == 1
    answers = done.lines()
    codes = [answer["error"]["code"] if "error" in answer else None for answer in answers]
    assert codes == [
        None,
        "unknown-format",
        "not-json",
        "not-an-integer",
        "hand-missing",
        "not-baccarat",
        "hand-unknown",
        "profile-not-implemented",
        None,
    ]
    assert answers[0] == answers[-1]
    assert all(set(answer["error"]) == {"code", "detail"} for answer in answers if "error" in answer)
    assert "wagers.0.stake" in answers[3]["error"]["detail"]


def test_an_irregular_coup_is_an_answer_and_no_error() -> None:
    done = settle({**EXAMPLE, "hands": hands("P K 2 8 / B A 2 5")})
    assert done.code == 0
    (answer,) = done.lines()
    assert (answer["results"], answer["lines"]) == ({}, [])
    assert set(answer["irregular"]) == {"rule", "detail"}


def test_the_same_cards_may_be_lawful_at_chemin_de_fer() -> None:
    coup = {"format": "chemin-de-fer", "hands": hands("P K 2 8 / B A 2 5"), "wagers": wagers("player 100")}
    (answer,) = settle(coup).lines()
    assert (answer["irregular"], answer["results"]) == (None, {"player": "L"})


def test_a_file_and_standard_input_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "coups.ndjson"
    file.write_bytes(tape(EXAMPLE, EXAMPLE))
    assert run("settle", file) == settle(EXAMPLE, EXAMPLE)


def test_a_file_that_is_not_there_is_exit_2(tmp_path: Path) -> None:
    done = run("settle", tmp_path / "missing.ndjson")
    assert (done.code, done.out) == (2, "")
    assert "missing.ndjson" in done.err
    assert run("settle").code == 2


def test_of_nothing_there_is_no_answer() -> None:
    assert settle() == Done(0, "", "")


def test_nothing_is_stored(tmp_path: Path) -> None:
    db = tmp_path / "l.db"
    assert run("settle", "-", said=tape(EXAMPLE), settings={"BACCARAT_LEDGER_DB": str(db)}).code == 0
    assert list(tmp_path.iterdir()) == []


# --- Against the oracle ----------------------------------------------------------------------------------


def cells() -> list[Coup]:
    """Every cell of the truth tables as a coup: availability, one hand, both texts, two hands."""
    coups: list[Coup] = []
    for format, in_play, kind, *_ in AVAILABILITY:
        names = ("hand-1", "hand-2")[:in_play] if format == "baccarat-banque" else ("player",)
        coups += [_coup(format, dict.fromkeys(names, hand), kind) for hand in OPPOSING_HAND.values()]
    tables = [(cell, "si-1994-2899") for cell in (*ONE_OPPOSING_HAND, *TWO_OPPOSING_HANDS)]
    tables += [(cell, "si-2000-597-7a") for cell in ONE_OPPOSING_HAND_7A]
    for (format, kind, results, on_draw, *_), profile in tables:
        names = ("hand-1", "hand-2")[: len(results)] if format == "baccarat-banque" else ("player",)
        opposing = {name: OPPOSING_HAND[result] for name, result in zip(names, results, strict=True)}
        coups.append(_coup(format, opposing, kind, profile=profile, terms={"banker_on_draw": on_draw}))
    return coups


def _coup(format: str, opposing: dict[str, str], kind: str, **more: Any) -> Coup:
    return {
        "format": format,
        "hands": {"banker": BANKER_HAND, **opposing},
        "wagers": wagers(f"{kind} 200"),
        **more,
    }


def random_coups(count: int, seed: int) -> list[Coup]:
    """Coups of all formats, terms and kinds, regular or not, some on a bank that does not cover all."""
    rng = random.Random(seed)
    dealt = [hand for shoe in range(8) for hand in coups_of_a_shoe(rng.randrange(10**6) + shoe)]
    kinds = ("player", "banker", "tie", "hand-1", "hand-2", "both-hands")

    def cards() -> str:
        ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "T", "J", "Q", "K", "Kh", "9s"]
        return " ".join(rng.choices(ranks, k=rng.choice((2, 3))))

    coups = []
    for number in range(count):
        format = rng.choice(["punto-banco", "punto-banco", "chemin-de-fer", "baccarat-banque"])
        names = ["player"]
        if format == "baccarat-banque":
            names = rng.choice([["hand-1", "hand-2"], ["hand-1", "hand-2"], ["hand-1"], ["hand-2"]])
        at_table = {name: cards() for name in (*names, "banker")}
        if format == "punto-banco" and number % 8:
            at_table = hands(dealt[number])
        coup: Coup = {
            "format": format,
            "hands": at_table,
            "wagers": [
                {
                    "id": f"w{wager}",
                    "kind": rng.choice(kinds),
                    "stake": rng.choice((1, 20)) * rng.randint(1, 400),
                }
                for wager in range(rng.randint(0, 6))
            ],
            "terms": {
                "rounding": rng.choice(["exact-only", "up-to-unit", "nearest"]),
                "unit": 1 if format == "chemin-de-fer" else rng.choice([1, 5, 25, 50]),
                "banker_on_draw": rng.choice(["stand-off", "lost"]),
            },
            "profile": rng.choice(["si-1994-2899", "si-2000-597-7a"]),
        }
        if rng.random() < 0.5:
            coup["bank"] = rng.randint(0, 4000)
        coups.append(coup)
    return coups


def test_every_cell_of_the_truth_tables_and_coups_at_random_in_one_run() -> None:
    """Through the console script; line by line as the oracle settles."""
    seed = random.randrange(10**9)
    coups = [*cells(), *random_coups(400, seed)]
    done = ended(start("settle", "-", said=-1), tape(*coups))
    assert (done.code, done.err) == (0, ""), seed
    same(done.lines(), coups)


def test_whoever_has_read_enough_may_leave(tmp_path: Path) -> None:
    """A closed pipe is no error of ours to tell of, whether much or little was still to be said."""
    file = tmp_path / "coups.ndjson"
    file.write_bytes(tape(*(2_000 * [EXAMPLE])))
    for process in (start("settle", file), start("schema")):
        assert process.stdout is not None
        if process.args[1:2] == ["settle"]:  # type: ignore[index]
            assert json.loads(process.stdout.readline())["results"] == {"player": "L"}
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()
        process.wait(timeout=60)
