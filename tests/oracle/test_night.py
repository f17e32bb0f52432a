"""The oracle's nights, worked by hand: tapes in, P&L rows out."""

from __future__ import annotations

from fractions import Fraction

from . import play, published, truth_tables
from .regulation6 import settle
from .telling import Tape, coup, rounds_to

APPROVED = {"reason": "surveillance tape", "approvers": ["pit-1", "pit-2"]}


def test_a_night_of_punto_banco_to_the_last_field() -> None:
    """Three coups: the banker wins seven to six, six all, the player's nine wins; 6(4)(a), 6(7)(i),(ii)."""
    tape = Tape(terms={"rounding": "up-to-unit"})
    tape.coup(1, "2 4", "10 7", "banker 250, player 100, tie 10")
    tape.coup(2, "K 6", "J 6", "player 40, banker 60, tie 5, both-hands 9")
    tape.coup(3, "9 K", "10 7", "player 30")
    tape.add("count-drop", amount=1000, signed_by=["s-1"])
    gain = published.EXPECTED_GAIN[8]
    theoretical = -(
        170 * gain["player 1:1"] + 310 * gain["banker 19:20, draw returned"] + 15 * gain["tie 8:1"]
    )
    assert tape.rows() == [
        {
            "premises": "main",
            "table": "T1",
            "gaming_day": "2026-11-28",
            "shift": "1",
            "banked_by": "house",
            "coups": 3,
            "voided": 0,
            "held": 0,
            "wagers": 7,
            "handle": 495,
            "lost_stakes": 110,
            "winnings": 238 + 40 + 30,
            "win": 110 - 308,
            "banker_win": 0,
            "void_stakes": 40,
            "stand_off_stakes": 60,
            "voided_coup_stakes": 0,
            "remainder": "1/2",
            "theoretical_win": str(theoretical),
            "drop": 1000,
            "hold": "-99/500",
        }
    ]


def test_theoretical_win_follows_the_decks_and_the_option_on_draws() -> None:
    """Six decks and draws lost: a hundred on the banker has the published edge of 10.5627 %."""
    tape = Tape(decks=6, terms={"banker_on_draw": "lost"}).coup(1, "K 6", "J 6", "banker 100")
    (row,) = tape.rows()
    assert rounds_to(Fraction(row["theoretical_win"]), published.EDGE_PER_CENT[6]["banker 19:20, draw lost"])
    assert (row["lost_stakes"], row["stand_off_stakes"], row["win"]) == (100, 0, 100)
    assert (row["drop"], row["hold"]) == (None, None)


def test_step_by_step_comes_to_what_the_recorded_coup_comes_to() -> None:
    """Open, place, close, deal, settle is the same coup as one record."""
    at_once = Tape().coup(1, "2 4", "10 7", "banker 100, player 50").rows()
    tape = Tape().add("open-coup", number=1).add("place-wagers", number=1, wagers="banker 100, player 50")
    tape.add("close-wagers", number=1)
    tape.add("deal-hands", number=1, hands={"player": "2 4", "banker": "10 7"}, claimed="banker")
    assert tape.rows() == []
    assert tape.add("settle-coup", number=1).rows() == at_once


def test_cancelled_wagers_are_not_handle() -> None:
    """2(2): a wager cancelled before the first card counts nowhere; afterwards it stands."""
    staked = "banker 100, tie 20, player 50"
    tape = Tape().add("open-coup", number=1).add("place-wagers", number=1, wagers=staked)
    tape.add("cancel-wagers", number=1, wagers=["w1"]).add("close-wagers", number=1)
    tape.add("cancel-wagers", number=1, wagers=["w2"])
    tape.add("deal-hands", number=1, hands={"player": "2 4", "banker": "10 7"})
    tape.add("cancel-wagers", number=1, wagers=["w3"]).add("settle-coup", number=1)
    tape.row(coups=1, wagers=1, handle=50, lost_stakes=50, winnings=0, win=50)


def test_a_step_out_of_order_is_passed_over() -> None:
    """No wagers after closing, no dealing before it, no settling before the hands."""
    tape = Tape().add("open-coup", number=1).add("settle-coup", number=1)
    tape.add("deal-hands", number=1, hands={"player": "9 K", "banker": "10 7"})
    tape.add("place-wagers", number=1, wagers="player 50").add("close-wagers", number=1)
    tape.add("place-wagers", number=1, wagers="player 5000")
    tape.add("deal-hands", number=1, hands={"player": "2 4", "banker": "10 7"}).add("settle-coup", number=1)
    tape.row(coups=1, handle=50, win=50)


def test_an_irregular_coup_is_held_until_a_ruling() -> None:
    """Held counts no money; corrected it settles; void, every accepted stake goes back."""
    hold = Tape().coup(1, "K 2 8", "A 2 5", "player 100, hand-1 7")
    hold.row(coups=0, held=1, voided=0, handle=0, win=0, voided_coup_stakes=0)
    alone = {"reason": "", "approvers": ["pit-1", "pit-1"]}
    hold.add("void-coup", number=1, **alone).row(held=1, voided=0)

    corrected = Tape().coup(1, "K 2 8", "A 2 5", "player 100, hand-1 7")
    corrected.add("correct-hands", number=1, hands={"player": "K 2 8", "banker": "A 2 5"}, **APPROVED)
    corrected.row(held=1, coups=0)
    corrected.add("correct-hands", number=1, hands={"player": "K 2 8", "banker": "A 2"}, **APPROVED)
    corrected.row(coups=1, held=0, voided=0, handle=100, lost_stakes=100, win=100)

    void = Tape().coup(1, "K 2 8", "A 2 5", "player 100, hand-1 7").add("void-coup", number=1, **APPROVED)
    void.row(coups=0, held=0, voided=1, handle=0, void_stakes=0, voided_coup_stakes=100, win=0)


def test_a_settled_coup_corrected_and_then_void() -> None:
    """A correction settles anew in place of the old result; a void ruling takes the coup out."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100").row(win=100)
    tape.add("correct-coup", number=1, hands={"player": "9 K", "banker": "10 7"}, **APPROVED)
    tape.row(coups=1, handle=100, lost_stakes=0, winnings=100, win=-100)
    tape.add("void-coup", number=1, **APPROVED)
    tape.row(coups=0, voided=1, handle=0, win=0, voided_coup_stakes=100, theoretical_win="0")
    tape.add("correct-coup", number=1, hands={"player": "9 K", "banker": "10 7"}, **APPROVED)
    tape.row(coups=0, voided=1, win=0)


def test_duplicates_count_once() -> None:
    """A repeated command id is ignored; a repeated coup number under a new id is refused."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100")
    tape.lines.append(tape.lines[-1])
    tape.coup(1, "2 4", "10 7", "player 100").add("open-coup", number=1)
    tape.row(coups=1, handle=100, win=100)


def test_limits_refuse_a_wager_outside_them() -> None:
    """Too small, too large and just right at both ends; a kind without limits is free."""
    tape = Tape(limits={"player": {"min": 10, "max": 100}})
    tape.coup(1, "2 4", "10 7", "player 9, player 10, player 100, player 101, tie 1")
    tape.row(wagers=3, handle=111, lost_stakes=111)


def test_shifts_split_the_night_and_a_coup_stays_with_its_opening() -> None:
    """A coup opened in shift 1 and settled in shift 2 is in row 1; drops go to the shift in force."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100").add("open-coup", number=2)
    tape.add("place-wagers", number=2, wagers="player 30").add("change-shift", shift="2")
    tape.add("close-wagers", number=2).add("deal-hands", number=2, hands={"player": "2 4", "banker": "10 7"})
    tape.add("settle-coup", number=2).coup(3, "9 K", "10 7", "player 5").add("close-table")
    tape.add("count-drop", amount=50).add("count-drop", amount=30)
    first, second = tape.rows()
    assert (first["shift"], first["coups"], first["win"], first["drop"]) == ("1", 2, 130, None)
    assert (second["shift"], second["win"], second["drop"], second["hold"]) == ("2", -5, 80, "-1/16")


def test_premises_and_tables_are_kept_apart() -> None:
    """The same table name on two premises makes two rows; a closed table and an ended shoe deal no coup."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100")
    tape.add("open-table", premises="annexe", gaming_day="2026-11-28", format="punto-banco", shift="late")
    tape.add("start-shoe", premises="annexe", decks=6)
    tape.coup(1, "2 4", "10 7", "player 7", premises="annexe")
    tape.add("end-shoe", premises="annexe").coup(2, "2 4", "10 7", "player 7", premises="annexe")
    tape.add("close-table").coup(2, "2 4", "10 7", "player 100").coup(3, "2 4", "10 7", "player 1", shoe="S9")
    assert [(r["premises"], r["shift"], r["handle"]) for r in tape.rows()] == [
        ("annexe", "late", 7),
        ("main", "1", 100),
    ]


def test_a_recorded_coup_must_agree_with_its_table() -> None:
    """The format, profile and terms may be repeated if they are the table's; otherwise it is refused."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100", format="chemin-de-fer")
    tape.coup(1, "2 4", "10 7", "player 100", terms={"banker_on_draw": "lost"})
    tape.coup(1, "2 4", "10 7", "player 100", profile="si-2000-597-7a")
    assert tape.rows() == []
    tape.coup(1, "2 4", "10 7", "player 100", format="punto-banco", profile="si-1994-2899", terms={"unit": 1})
    tape.row(coups=1, handle=100)


def test_banque_counts_neither_refused_hands_nor_a_theoretical_win() -> None:
    """2(2): stakes on a hand not dealt are no handle; edges are known for punto banco alone."""
    tape = Tape("baccarat-banque")
    hands = {"banker": "10 7", "hand-1": "J 7"}
    tape.add("record-coup", number=1, hands=hands, wagers="hand-1 40, hand-2 50, both-hands 60, tie 5")
    tape.row(coups=1, wagers=1, handle=40, void_stakes=40, theoretical_win=None, banked_by="house")


def chemin(bank: int) -> Tape:
    """Open a chemin de fer table with a bank taken by the patron in seat one."""
    return Tape("chemin-de-fer", decks=6).add("take-bank", holder="p-9", capacity="player", sum=bank, seat=1)


def test_chemin_de_fer_the_bank_grows_and_then_must_pass() -> None:
    """6(6): 100 grows to 200; then an opposing hand wins and no coup opens until the bank passes."""
    tape = chemin(100).coup(1, "2 4", "10 7", "player 150").row(handle=100, banker_win=100)
    tape.coup(2, "9 K", "10 7", "player 150, player 90").row(handle=300, winnings=200)
    tape.coup(3, "2 4", "10 7", "player 5")
    tape.add("pass-bank", holder="p-9", capacity="player", sum=50).coup(3, "2 4", "10 7", "player 5")
    tape.add("take-bank", holder="p-3", capacity="player", sum=50).coup(3, "2 4", "10 7", "player 5")
    tape.row(coups=2)
    tape.add("pass-bank", holder="p-4", capacity="player", sum=60).coup(
        3, "2 4", "10 7", "player 80", bank=60
    )
    tape.row(
        coups=3,
        wagers=4,
        handle=360,
        lost_stakes=160,
        winnings=200,
        win=0,
        banker_win=-40,
        banked_by="player",
        theoretical_win=None,
    )


def test_chemin_de_fer_a_draw_moves_nothing() -> None:
    """6(4)(a): the stakes go back, the bank stands at its sum and need not pass."""
    tape = chemin(100).coup(1, "J 7", "10 7", "player 80").coup(2, "9 K", "10 7", "player 500")
    tape.row(coups=2, handle=180, void_stakes=80, winnings=100, banker_win=-100)


def test_chemin_de_fer_no_coup_without_a_bank() -> None:
    """6(6): none stands before one is taken by a player, or after it retires."""
    tape = Tape("chemin-de-fer", decks=6).coup(1, "2 4", "10 7", "player 5")
    tape.add("take-bank", holder="house", capacity="licence-holder", sum=100)
    tape.add("take-bank", holder="d-1", capacity="employee", sum=100).coup(1, "2 4", "10 7", "player 5")
    assert tape.rows() == []
    tape.add("take-bank", holder="p-9", capacity="player", sum=100).coup(1, "9 K", "10 7", "player 5")
    tape.add("retire-bank").coup(2, "2 4", "10 7", "player 5").row(coups=1)
    tape.add("take-bank", holder="p-4", capacity="player", sum=40).coup(2, "2 4", "10 7", "player 50")
    tape.row(coups=2, handle=45, banker_win=35)


def test_chemin_de_fer_covers_wagers_as_they_are_placed() -> None:
    """6(3): 80 and 20 of 50 fill a bank of 100; cancelling the 80 makes room for a later 60 alone."""
    tape = chemin(100).add("open-coup", number=1).add("place-wagers", number=1, wagers="player 80, player 50")
    tape.add("cancel-wagers", number=1, wagers=["w1"])
    late = [{"id": "w3", "kind": "player", "stake": 60}]
    tape.add("place-wagers", number=1, wagers=late).add("close-wagers", number=1)
    tape.add("pass-bank", holder="p-4", capacity="player", sum=1)
    tape.add("deal-hands", number=1, hands={"player": "9 K", "banker": "10 7"}).add("settle-coup", number=1)
    tape.row(wagers=2, handle=80, winnings=80)


def test_chemin_de_fer_a_short_bank_covers_by_seats() -> None:
    """Of 150, seat 5 on the right of seat 4 has 100 and seat 3 the rest; earlier commands keep theirs."""
    tape = Tape("chemin-de-fer").add("take-bank", holder="b-1", seat=4, sum=150).add("open-coup", number=1)
    first, second = ({"kind": "player", "stake": 100, "seat": seat, "id": f"s{seat}"} for seat in (3, 5))
    tape.add("place-wagers", number=1, wagers=[first, second])
    night = play.Night()
    for line in tape.lines:
        night.obey(line)
    (coup,) = night.coups.values()
    assert [(item.wager["id"], item.covered) for item in coup.accepted] == [("s5", 100), ("s3", 50)]


def test_chemin_de_fer_a_correction_moves_no_bank() -> None:
    """A lost coup corrected to a won one changes its own money; the bank still has to pass."""
    tape = chemin(100).coup(1, "9 K", "10 7", "player 100")
    tape.add("correct-coup", number=1, hands={"player": "2 4", "banker": "10 7"}, **APPROVED)
    tape.coup(2, "2 4", "10 7", "player 5").row(coups=1, winnings=0, lost_stakes=100, banker_win=100)


def test_a_night_agrees_with_settling_each_coup_alone() -> None:
    """Every cell of the truth table, recorded as a night, adds up to its settle lines."""
    for cell in truth_tables.ONE_OPPOSING_HAND:
        table_format, kind, (result,), banker_on_draw, *_ = cell
        terms = {"banker_on_draw": banker_on_draw, "rounding": "nearest"}
        player, banker = truth_tables.OPPOSING_HAND[result], truth_tables.BANKER_HAND
        if table_format == "baccarat-banque":
            continue
        tape = Tape(table_format, terms=terms)
        if table_format == "chemin-de-fer":
            tape.add("take-bank", holder="p-9", capacity="player", sum=77)
        (row,) = tape.coup(1, player, banker, f"{kind} 99, {kind} 33").rows()
        hands = {"player": player, "banker": banker}
        lines = settle(coup(table_format, hands, f"{kind} 99, {kind} 33", terms=terms, bank=77))["lines"]
        assert row["winnings"] == sum(line["winnings"] for line in lines)
        assert Fraction(row["remainder"]) == sum(Fraction(line["remainder"]) for line in lines)
        kept = row["win"] + row["banker_win"]
        assert kept == 99 + 33 - sum(line["winnings"] + line["returned"] for line in lines)


def test_a_repeated_id_counts_no_drop_twice() -> None:
    """The same line twice, and the same id with other words, are one command: the first."""
    tape = Tape().add("count-drop", amount=70)
    tape.lines.append(tape.lines[-1])
    tape.lines.append({**tape.lines[-1], "amount": 5})
    tape.row(coups=0, drop=70, hold="0", theoretical_win="0")


def test_a_drop_belongs_to_the_shift_and_the_day_it_names() -> None:
    """A box counted the next noon is still the night's; one that names nothing is the shift's in force."""
    tape = Tape(shift="day").add("change-shift", shift="late").add("close-table")
    tape.add("open-table", gaming_day="2026-11-29", format="punto-banco", shift="early")
    tape.add("count-drop", amount=70, gaming_day="2026-11-28").add("count-drop", amount=5)
    tape.add("count-drop", amount=30, gaming_day="2026-11-28", shift="day")
    assert [(row["gaming_day"], row["shift"], row["drop"]) for row in tape.rows()] == [
        ("2026-11-28", "day", 30),
        ("2026-11-28", "late", 70),
        ("2026-11-29", "early", 5),
    ]


def test_wagers_are_cancelled_together_or_not_at_all() -> None:
    """2(2): naming a wager that is not there leaves the others standing."""
    tape = Tape().add("open-coup", number=1).add("place-wagers", number=1, wagers="player 10, player 50")
    tape.add("cancel-wagers", number=1, wagers=["w2", "w9"]).add("close-wagers", number=1)
    tape.add("deal-hands", number=1, hands={"player": "2 4", "banker": "10 7"}).add("settle-coup", number=1)
    tape.row(wagers=2, handle=60)


def test_a_table_opens_once_a_day_and_closes_after_its_final_coup() -> None:
    """A close with a coup in hand is passed over; the same day does not open again, the next one does."""
    tape = Tape().add("open-coup", number=1).add("close-table").coup(2, "2 4", "10 7", "player 10")
    tape.add("void-coup", number=1, **APPROVED).add("close-table")
    tape.add("open-table", gaming_day="2026-11-28", format="punto-banco").coup(3, "2 4", "10 7", "player 10")
    tape.row(coups=1, voided=1)
    tape.add("open-table", gaming_day="2026-11-29", format="punto-banco").coup(3, "2 4", "10 7", "player 10")
    assert [(row["gaming_day"], row["coups"]) for row in tape.rows()] == [
        ("2026-11-28", 1),
        ("2026-11-29", 1),
    ]


def test_a_shoe_starts_once() -> None:
    """Starting the shoe again with other decks changes nothing: eight decks' edge holds."""
    tape = Tape().add("start-shoe", decks=1).coup(1, "2 4", "10 7", "player 1")
    tape.row(theoretical_win=str(-published.EXPECTED_GAIN[8]["player 1:1"]))


def test_chemin_de_fer_one_coup_and_one_bank_at_a_time() -> None:
    """6(3): the sum at risk covers one coup; no other opens and the bank does not change meanwhile."""
    tape = chemin(100).add("open-coup", number=1).add("place-wagers", number=1, wagers="player 100")
    tape.coup(2, "2 4", "10 7", "player 100").add("retire-bank").add("close-wagers", number=1)
    tape.add("deal-hands", number=1, hands={"player": "2 4", "banker": "10 7"}).add("settle-coup", number=1)
    tape.coup(2, "2 4", "10 7", "player 500").row(coups=2, handle=300, banker_win=300)


def test_a_recorded_coup_may_name_the_bank_only_as_it_stands() -> None:
    """A bank of 90 is not the table's 100, and a house table has no such bank."""
    tape = chemin(100).coup(1, "2 4", "10 7", "player 5", bank=90)
    assert tape.rows() == []
    tape.coup(1, "2 4", "10 7", "player 5", bank=100).row(coups=1)
    assert Tape().coup(1, "2 4", "10 7", "player 5", bank=100).rows() == []
