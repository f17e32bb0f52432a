"""The words in which a coup is told to people: names, reasons, rules, moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction

from ledger.regulation.tableau import BANKER_DRAWS_AGAINST
from ledger.terms.hands import BANKER, Hand, Result
from ledger.terms.money import exactly, in_words
from ledger.terms.wagers import Kind, Outcome, SettlementLine, Tender

FORMATS: Mapping[str, str] = {
    "punto-banco": "Punto banco",
    "chemin-de-fer": "Chemin de fer",
    "baccarat-banque": "Baccarat banque",
    "chemin-de-fer-kept-bank": "Chemin de fer whose bank is kept",
    "single-hand-with-option": "Baccarat against one hand, with an option",
}
HANDS: Mapping[str, str] = {
    "banker": "the banker's hand",
    "player": "the player's hand",
    "hand-1": "the first hand",
    "hand-2": "the second hand",
}
KINDS: Mapping[Kind, str] = {
    Kind.PLAYER: "the player's hand wins",
    Kind.BANKER: "the banker's hand wins",
    Kind.TIE: "the hands are equal",
    Kind.HAND_1: "the first hand wins",
    Kind.HAND_2: "the second hand wins",
    Kind.BOTH_HANDS: "both hands win",
}
RESULTS: Mapping[Result, str] = {
    Result.WINS: "beats the banker's hand",
    Result.LOSES: "loses to the banker's hand",
    Result.DRAW: "equals the banker's hand",
}
ENDINGS: Mapping[Outcome, str] = {
    Outcome.WON: "won",
    Outcome.LOST: "lost",
    Outcome.VOID: "void",
    Outcome.STAND_OFF: "stand-off",
    Outcome.CANCELLED: "cancelled",
    Outcome.REFUSED: "refused",
}
STAGES: Mapping[str, str] = {
    "open": "open to wagers",
    "closed": "closed to wagers, not dealt yet",
    "dealt": "dealt, not settled yet",
    "held": "held: it is irregular and waits for a ruling",
    "settled": "settled",
    "void": "void by ruling",
}
REASONS: Mapping[str, str] = {
    "kind-not-available": "this kind of wager could not be taken at this game and with this bank",
    "hand-not-in-play": "a hand that it was on was not in play",
    "kind-not-on-offer": "this kind of wager was not on offer at this table",
    "not-payable-exactly": "the stake could not have been paid exactly at the odds",
    "under-minimum": "the stake was under the smallest that the table takes",
    "over-maximum": "the stake was over the largest that the table takes",
    "wager-by-the-banker": "whoever holds the bank makes no wager against it",
    "wager-id-used": "another wager of this coup had the same number",
    "bank-exceeded": "the bank did not cover it",
    "wagers-closed": "wagers had closed",
    "mutual-consent": "it was cancelled by mutual consent before the first card",
    "banco-gives-way": "a banco with more right to it was called",
}
"""Why a wager was refused or cancelled; a reason that is not here is told as it is."""
TENDERS: Mapping[Tender, str] = {Tender.VALUE: "", Tender.PROMOTIONAL: ", in promotional chips"}
_RANKS: Mapping[str, str] = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
    "9": "nine", "10": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip
_SUITS: Mapping[str, str] = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def arithmetic(line: SettlementLine, currency: str) -> str:
    """A settlement line as a sum that can be read to a patron."""
    stake = in_words(line.stake, currency)
    if line.outcome is Outcome.LOST:
        return f"{stake} lost"
    if line.outcome is not Outcome.WON:
        return f"{stake} handed back"
    winnings, of_stake = line.odds.split("/")
    sum_ = f"{stake} at {winnings} to {of_stake} = {in_words(line.winnings, currency)}"
    if beyond := Fraction(line.remainder):
        sum_ += f" ({exactly(abs(beyond), currency)} {'more' if beyond > 0 else 'less'} than the odds)"
    return f"{sum_}, and {stake} handed back"


def card_name(rank: str, suit: str | None) -> str:
    """A card as it is said: `nine of hearts`."""
    return _RANKS[rank] + (f" of {_SUITS[suit]}" if suit else "")


def day(when: date) -> str:
    """`27 November 2026`."""
    return f"{when.day} {when:%B} {when.year}"


def moment(when: datetime) -> str:
    """`27 November 2026, 21:00 UTC`; the record keeps UTC."""
    return f"{day(when)}, {when:%H:%M} UTC"


def clause(hand: str) -> str:
    """A hand's name, for the middle of a sentence."""
    return HANDS.get(hand, hand)


def hands_text(hands: Mapping[str, Hand] | Mapping[str, str]) -> str:
    """Hands with their cards, the banker's last as it is dealt."""
    return "; ".join(f"{clause(name)} {hands[name]}" for name in sorted(hands, key=dealt_last))


def dealt_last(hand: str) -> tuple[bool, str]:
    """Sorts hands as they are dealt: the banker's after those against it."""
    return hand == BANKER, hand


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def listed(items: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else "".join(items)


def rule_of_tableau(rule: str, hands: Mapping[str, Hand]) -> str:
    """The line of the tableau that was applied, as it is written for every coup."""
    if rule == "natural":
        return "where either hand counts 8 or 9 on two cards, no more cards are drawn"
    if rule.startswith("player-"):
        return "the player's hand draws on 0 to 5 and stands on 6 or 7"
    total, third = hands[BANKER].two_card_total, hands["player"].third
    if third is None:
        return "when the player's hand has stood, the banker's hand draws on 0 to 5 and stands on 6 or 7"
    against = BANKER_DRAWS_AGAINST[total]
    unless = [str(points) for points in range(10) if points not in against]
    if not against:
        return f"on {total} the banker's hand never draws once the player's hand has drawn"
    if not unless:
        what = "whatever the player's third card counts"
    elif len(unless) == 1:
        what = f"unless the player's third card counts {unless[0]}"
    else:
        what = f"when the player's third card counts {listed([*map(str, sorted(against))], 'or')}"
    return f"on {total} the banker's hand draws {what}"


def plain(text: str) -> str:
    """Somebody's own words, without what would steer a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)
