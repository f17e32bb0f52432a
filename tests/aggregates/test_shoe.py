"""A shoe holds four of a rank and one of a card for each of its decks, and no more."""

from __future__ import annotations

import pytest

from ledger.application import Ledger
from tests.tabletalk import Live, hands, topics_of

SHOE = "shoe/main/T1/S1"


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


@pytest.mark.parametrize("burned", ["As As", "A A A A A"])
def test_a_shoe_cannot_burn_what_it_does_not_hold(ledger: Ledger, burned: str) -> None:
    """The shoe does not come into use: nothing is half applied."""
    live = Live(ledger)
    live.say("end-shoe", shoe="S1")
    refused = live.say("start-shoe", shoe="S2", decks=1, burned=burned)
    assert (refused.outcome, refused.code) == ("refused", "card-not-in-shoe")
    assert topics_of(ledger, "shoe/main/T1/S2") == []
    assert live.say("start-shoe", shoe="S2", decks=1).applied


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
