"""A shoe holds four of a rank and one of a card for each of its decks, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.shoe import CardsReread
from ledger.events.table import ShoeStarted
from tests.tabletalk import Live, events_of, hands, topics_of

SHOE = "shoe/main/T1/S1"
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}


def test_a_seventh_ace_of_spades_is_not_in_six_decks(ledger: Ledger) -> None:
    """Nothing of that coup is recorded, and the card that is there may still come."""
    live = Live(ledger, decks=6)
    for number in (1, 2, 3):
        assert live.coup(number, "P As 5 / B As 6", "player 100").applied
    cards_seen = topics_of(ledger, SHOE)
    seventh = live.coup(4, "P As 5 / B 7 9h", "player 100")
    assert (seventh.outcome, seventh.code) == ("refused", "card-not-in-shoe")
    assert live.coup_events(4) == []
    assert topics_of(ledger, SHOE) == cards_seen
    assert live.coup(4, "P Ah 5 / B 7 Q", "player 100").applied


def test_a_twenty_fifth_ace_is_not_in_six_decks(ledger: Ledger) -> None:
    """Without suits: four a deck. Suited and plain aces are counted together."""
    live = Live(ledger, decks=6)
    for number in range(1, 5):  # four coups of six aces; two draws in a row are the tableau at ace, ace
        answer = live.coup(number, "P A Ad A / B A A As", "player 100")
        assert answer.applied
    refused = live.coup(5, "P A 6 / B 7 Q")
    assert (refused.outcome, refused.code) == ("refused", "card-not-in-shoe")
    assert live.coup(5, "P K 6 / B 7 Q").applied


def test_burnt_cards_count(ledger: Ledger) -> None:
    live = Live(ledger, decks=8)
    live.say("end-shoe", shoe="S1")
    assert live.say("start-shoe", shoe="S2", decks=1, burned="As K").applied
    ace_again = live.coup(1, "P As 6 / B 7 Q", shoe="S2")
    assert (ace_again.outcome, ace_again.code) == ("refused", "card-not-in-shoe")
    assert live.coup(1, "P Ah 6 / B 7 Q", shoe="S2").applied


def test_cards_burnt_unseen_cannot_be_dealt_either(ledger: Ledger) -> None:
    """One deck of 52, of which two are burnt face up and 42 unseen: eight may still come."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    assert live.say("start-shoe", shoe="S2", decks=1, burned="9 K", burned_face_down=42).applied
    assert live.coup(1, "P 9 Q / B 8 10", shoe="S2").applied
    five = live.coup(2, "P 2 3 4 / B 3 4", shoe="S2")
    assert (five.outcome, five.code) == ("refused", "shoe-overdrawn")
    assert live.coup(2, "P 9 J / B 8 J", shoe="S2").applied
    none_left = live.coup(3, "P A 7 / B 2 6", shoe="S2")
    assert (none_left.outcome, none_left.code) == ("refused", "shoe-overdrawn")


@pytest.mark.parametrize("burned", ["As As", "A A A A A"])
def test_a_shoe_cannot_burn_what_it_does_not_hold(ledger: Ledger, burned: str) -> None:
    """The shoe does not come into use: nothing is half applied."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    refused = live.say("start-shoe", shoe="S2", decks=1, burned=burned)
    assert (refused.outcome, refused.code) == ("refused", "card-not-in-shoe")
    assert topics_of(ledger, "shoe/main/T1/S2") == []
    assert live.say("start-shoe", shoe="S2", decks=1).applied


def test_the_burn_and_the_cut_card_stand_with_the_shoe(ledger: Ledger) -> None:
    """The cards burnt face up are seen; how many were burnt unseen and lie behind the cut is counted."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    assert live.say("start-shoe", shoe="S2", decks=8, burned="7h", burned_face_down=7, cut_card=14).applied
    started = live.table_events()[-1]
    assert isinstance(started, ShoeStarted)
    assert (started.burned, started.burned_face_down, started.cut_card) == ("7h", 7, 14)


@pytest.mark.parametrize(
    ("burn_and_cut", "answer"),
    [
        ({"cut_card": 52}, ("applied", None)),
        ({"cut_card": 53}, ("rejected", "shoe-too-small")),
        ({"burned_face_down": 53}, ("rejected", "shoe-too-small")),
        ({"burned": "7h", "burned_face_down": 7, "cut_card": 44}, ("applied", None)),
        ({"burned": "7h", "burned_face_down": 7, "cut_card": 45}, ("rejected", "shoe-too-small")),
    ],
)
def test_no_more_is_burnt_and_behind_the_cut_than_the_shoe_holds(
    ledger: Ledger, burn_and_cut: dict[str, Any], answer: tuple[str, str | None]
) -> None:
    """A deck has 52 cards; what is burnt comes off the front, and the cut card lies at the back."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    before = ledger.record.last_sequence()
    started = live.say("start-shoe", shoe="S2", decks=1, **burn_and_cut)
    assert (started.outcome, started.code) == answer
    assert (ledger.record.last_sequence() == before) is (started.outcome == "rejected")


def test_a_burnt_card_that_is_no_card_cannot_be_read(ledger: Ledger) -> None:
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    before = ledger.record.last_sequence()
    rejected = live.say("start-shoe", shoe="S2", decks=1, burned="1s")
    assert (rejected.outcome, rejected.code) == ("rejected", "bad-card")
    assert ledger.record.last_sequence() == before


def test_dealing_step_by_step_is_whole_or_not_at_all(ledger: Ledger) -> None:
    """The hands and the cards gone from the shoe are one save: the coup still waits to be dealt."""
    live = Live(ledger, decks=1)
    live.step("open-coup", 1)
    live.step("close-wagers", 1)
    refused = live.step("deal-hands", 1, hands=hands("P As 6 / B As 6"))
    assert (refused.outcome, refused.code) == ("refused", "card-not-in-shoe")
    assert topics_of(ledger, "coup/main/T1/S1/1")[-1] == "wagers-closed"
    assert live.step("deal-hands", 1, hands=hands("P As 6 / B Ah 6")).applied


def test_every_shoe_has_cards_of_its_own(ledger: Ledger) -> None:
    live = Live(ledger, decks=1)
    assert live.coup(1, "P As 6 / B 7 Q").applied
    live.say("end-shoe", shoe="S1")
    live.say("start-shoe", shoe="S2", decks=1)
    assert live.coup(1, "P As 6 / B 7 Q", shoe="S2").applied


def test_the_name_of_a_shoe_is_used_once_at_a_table(ledger: Ledger) -> None:
    """Otherwise its coups and its cards would be confused with those of another evening."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    again = live.say("start-shoe", shoe="S1", decks=8)
    assert (again.outcome, again.code) == ("refused", "shoe-id-used")
    assert live.say("start-shoe", shoe="S2", decks=8).applied
    assert live.say("start-shoe", shoe="S3", decks=8).code == "shoe-in-use"
    assert live.coup(1, "P 9 K / B 7 Q").code == "shoe-not-in-use"


def test_the_cards_of_a_void_coup_are_gone_all_the_same(ledger: Ledger) -> None:
    """Domain §2.4: a card separated from the shoe never goes back."""
    live = Live(ledger, decks=1)
    assert live.coup(1, "P As 6 K / B 7 Q").stage == "held"
    live.step("void-coup", 1, reason="camera 4", approvers=["pit-1", "pit-2"])
    assert live.coup(2, "P As 6 / B 7 Q").code == "card-not-in-shoe"


# --- Cards that a ruling reads otherwise ---------------------------------------------------------------


def rereadings(ledger: Ledger) -> list[tuple[int, str, str]]:
    """Of which coup, which cards were not those, and which were."""
    return [
        (event.coup, event.removed, event.added)
        for event in events_of(ledger, SHOE)
        if isinstance(event, CardsReread)
    ]


def test_a_card_that_was_misread_is_still_in_the_shoe(ledger: Ledger) -> None:
    """It was the ace of hearts: that of spades has yet to come, and that of hearts has come."""
    live = Live(ledger, decks=1)
    live.coup(1, "P As 6s / B 7s Qs")
    assert live.step("correct-coup", 1, hands=hands("P Ah 6s / B 7s Qs"), **RULING).applied
    assert rereadings(ledger) == [(1, "As", "Ah")]
    assert live.coup(2, "P Ah 6h / B 7h Qh").code == "card-not-in-shoe"
    assert live.coup(2, "P As 6h / B 7h Qh").applied


def test_a_card_read_back_is_gone_again(ledger: Ledger) -> None:
    live = Live(ledger, decks=1)
    live.coup(1, "P As 6s / B 7s Qs")
    for dealt in ("P Ah 6s / B 7s Qs", "P As 6s / B 7s Qs"):
        assert live.step("correct-coup", 1, hands=hands(dealt), **RULING).applied
    assert rereadings(ledger) == [(1, "As", "Ah"), (1, "Ah", "As")]
    assert live.coup(2, "P As 6h / B 7h Qh").code == "card-not-in-shoe"
    assert live.coup(2, "P Ah 6h / B 7h Qh").applied


def test_a_ruling_names_no_card_that_the_shoe_cannot_have_held(ledger: Ledger) -> None:
    """The other coup had that ace. Nothing is corrected, and no card moves."""
    live = Live(ledger, decks=1)
    live.coup(1, "P As 6s / B 7s Qs")
    live.coup(2, "P Ah 6h / B 7h Qh")
    before = live.coup_events(2)
    refused = live.step("correct-coup", 2, hands=hands("P As 6h / B 7h Qh"), **RULING)
    assert (refused.outcome, refused.code) == ("refused", "card-not-in-shoe")
    assert live.coup_events(2) == before
    assert rereadings(ledger) == []


def test_a_card_dealt_by_mistake_has_been_seen_all_the_same(ledger: Ledger) -> None:
    """Domain §2.4: what is separated from the shoe never goes back, though it counts for no hand."""
    live = Live(ledger, decks=1)
    assert live.coup(1, "P Ks 2s 8s / B As 2h 5s").stage == "held"
    assert live.step("correct-hands", 1, hands=hands("P Ks 2s 8s / B As 2h"), **RULING).applied
    assert rereadings(ledger) == []
    assert live.coup(2, "P 5s 4h / B 7s Qs").code == "card-not-in-shoe"


def test_a_card_dealt_late_is_gone_from_the_shoe(ledger: Ledger) -> None:
    live = Live(ledger, decks=1)
    assert live.coup(1, "P 2s 3s / B 7s Ks").stage == "held"
    assert live.step("correct-hands", 1, hands=hands("P 2s 3s 4s / B 7s Ks"), **RULING).applied
    assert rereadings(ledger) == [(1, "", "4s")]
    assert live.coup(2, "P 4s 5h / B 7h Qs").code == "card-not-in-shoe"


def test_the_same_cards_in_other_hands_leave_the_shoe_as_it_was(ledger: Ledger) -> None:
    live = Live(ledger, decks=1)
    live.coup(1, "P 9s Ks / B 7s Qs")
    assert live.step("correct-coup", 1, hands=hands("P 7s Ks / B 9s Qs"), **RULING).applied
    assert rereadings(ledger) == []
