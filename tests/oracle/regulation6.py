"""Regulation 6 of SI 1994/2899, paragraph by paragraph, for one coup.

``settle`` takes a well-formed settle line and answers as the contract says. Malformed input is not looked
for here. The law is written out as plain branches, each under the words of the paragraph it follows.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

from .cards import card_value, results_of, total

__all__ = ["punto_banco_tableau_breach", "settle", "total"]

PUNTO_BANCO = "punto-banco"
CHEMIN_DE_FER = "chemin-de-fer"
BANQUE = "baccarat-banque"

DEFAULT_PROFILE = "si-1994-2899"
DEFAULT_TERMS: dict[str, Any] = {"rounding": "exact-only", "unit": 1, "banker_on_draw": "stand-off"}


# The tableau of punto banco


def punto_banco_tableau_breach(player: list[str], banker: list[str]) -> str | None:
    """Return the rule of the punto banco tableau that the third cards break, or None when regular."""
    player_drew = len(player) == 3
    banker_drew = len(banker) == 3
    player_two = total(player[:2])
    banker_two = total(banker[:2])

    # A natural, eight or nine on two cards by either hand: no more cards.
    if player_two >= 8 or banker_two >= 8:
        if player_drew or banker_drew:
            return "natural"
        return None

    # Player: nought to five draws, six and seven stand.
    if player_two <= 5 and not player_drew:
        return "player-must-draw"
    if player_two >= 6 and player_drew:
        return "player-must-stand"

    # Banker after the player stood: nought to five draws, six and seven stand.
    if not player_drew:
        if banker_two <= 5 and not banker_drew:
            return "banker-must-draw"
        if banker_two >= 6 and banker_drew:
            return "banker-must-stand"
        return None

    # Banker after the player drew a card of value v.
    v = card_value(player[2])
    if banker_two == 3:
        must_draw = v != 8
    elif banker_two == 4:
        must_draw = 2 <= v <= 7
    elif banker_two == 5:
        must_draw = 4 <= v <= 7
    elif banker_two == 6:
        must_draw = v == 6 or v == 7
    elif banker_two == 7:
        must_draw = False
    else:
        must_draw = True
    if must_draw and not banker_drew:
        return "banker-must-draw"
    if banker_drew and not must_draw:
        return "banker-must-stand"
    return None


# Which wagers may be had


def kind_not_available(table_format: str, kind: str, hands_in_play: int) -> str | None:
    """Return the paragraph that keeps this kind from the coup, or None when it may be had."""
    if kind == "banker" or kind == "tie":
        # 6(7)(a) "the bank is held as mentioned in paragraph (5)(a)": at chemin de fer it is not, 6(6).
        if table_format == CHEMIN_DE_FER:
            return "6(7)(a)"
        # 6(7)(b) "there is only one opposing hand in the game".
        if hands_in_play > 1:
            return "6(7)(b)"
        # 6(7)(c) "no person has an option in any circumstances as to whether or not a third card".
        if table_format == BANQUE:
            return "6(7)(c)"
        return None
    # 6(4) "a wager that the opposing hand (or, ... a specific one or both of them) will win the game".
    if table_format == BANQUE:
        if kind == "player":
            return "6(4)"
        return None
    if kind != "player":
        return "6(4)"
    return None


def hand_not_in_play(kind: str, hands_dealt: list[str]) -> bool:
    """Say whether the wager names an opposing hand that was not dealt; reg 2(2): it need not be taken."""
    if kind == "hand-1":
        return "hand-1" not in hands_dealt
    if kind == "hand-2":
        return "hand-2" not in hands_dealt
    if kind == "both-hands":
        return "hand-1" not in hands_dealt or "hand-2" not in hands_dealt
    return False


def odds_of(kind: str) -> Fraction:
    """Return the odds at which a wager of this kind is payable, if won."""
    # 6(7)(i) "payable, if won, at odds of 19 to 20".
    if kind == "banker":
        return Fraction(19, 20)
    # 6(7)(ii) "payable, if won, at odds of 8 to 1".
    if kind == "tie":
        return Fraction(8, 1)
    # 6(3) "payable, if the wager is won, at odds of 1 to 1".
    return Fraction(1, 1)


def not_payable_exactly(kind: str, stake: int, terms: dict[str, Any]) -> bool:
    """Say whether terms that pay exactly or not at all bar this stake, whatever the cards say."""
    if terms["rounding"] != "exact-only":
        return False
    unit: int = terms["unit"]
    return (stake * odds_of(kind) / unit).denominator != 1


# What a wager comes to


def judge(
    kind: str, results: dict[str, str], terms: dict[str, Any], profile: str = DEFAULT_PROFILE
) -> tuple[str, str]:
    """Return the outcome of an accepted wager and the paragraph that decides it."""
    if kind == "banker":
        return judge_banker(results["player"], terms["banker_on_draw"], profile)
    if kind == "tie":
        return judge_tie(results["player"], profile)
    if kind == "both-hands":
        return judge_both_hands(results["hand-1"], results["hand-2"])
    return judge_opposing_hand(results[kind])


def judge_opposing_hand(result: str) -> tuple[str, str]:
    """Judge a wager that one opposing hand will win."""
    # 6(4)(a) "in the case of a wager that one hand will win, in a draw between the banker's hand and that
    # hand": "treated as void".
    if result == "D":
        return "void", "6(4)(a)"
    # 6(4) "a wager that the opposing hand ... will win the game"; 6(3) "payable, if the wager is won".
    if result == "W":
        return "won", "6(3),(4)"
    return "lost", "6(4)"


def judge_both_hands(first: str, second: str) -> tuple[str, str]:
    """Judge a wager that both opposing hands will win; it is never settled by halves."""
    # 6(4)(b) "in a draw between the banker's hand and one or both of those hands": void.
    if first == "D" or second == "D":
        return "void", "6(4)(b)"
    # 6(4)(b) "winning against one of those hands and losing against the other": void.
    if first != second:
        return "void", "6(4)(b)"
    # 6(4) "both of them ... will win the game".
    if first == "W":
        return "won", "6(3),(4)"
    return "lost", "6(4)"


def judge_banker(result: str, banker_on_draw: str, profile: str) -> tuple[str, str]:
    """Judge a wager that the banker's hand will win."""
    # 6(7)(i) "that the banker's hand will win the game"; the 2000 text says it again in (7A)(a).
    if profile == "si-2000-597-7a":
        paragraph = "6(7A)(a)"
    else:
        paragraph = "6(7)(i)"
    if result == "L":
        return "won", paragraph
    if result == "W":
        return "lost", paragraph
    # Equal hands: the void rule of 6(4) speaks of a wager on an opposing hand, so it does not reach this
    # one. Reg 2(2) lets a wager be cancelled by consent: the house hands it back, unless its terms say lost.
    if banker_on_draw == "lost":
        return "lost", paragraph
    return "stand-off", "house rule (reg 2(2))"


def judge_tie(result: str, profile: str) -> tuple[str, str]:
    """Judge a wager that the hands will be equal."""
    # 6(7)(ii) "shall be equal at the end of the game"; the 2000 text says it again in (7A)(b).
    if profile == "si-2000-597-7a":
        paragraph = "6(7A)(b)"
    else:
        paragraph = "6(7)(ii)"
    if result == "D":
        return "won", paragraph
    return "lost", paragraph


def winnings_of(kind: str, stake: int, terms: dict[str, Any]) -> int:
    """Return what a won stake is paid under the table's terms of rounding."""
    exact = stake * odds_of(kind)
    unit: int = terms["unit"]
    if terms["rounding"] == "up-to-unit":
        return unit * ceil(exact / unit)
    if terms["rounding"] == "nearest":
        return unit * floor(exact / unit + Fraction(1, 2))
    if exact.denominator != 1:
        raise ValueError(f"stake {stake} on {kind} is not payable exactly")
    return int(exact)


def bank_covers(stake: int, bank_left: int, terms: dict[str, Any]) -> tuple[int, int]:
    """Return what of a stake a bank covers with what is left of it, and what it sets aside for that."""
    # 6(3) "shall be payable, if the wager is won": a bank covers what it could pay.
    payment = winnings_of("player", stake, terms)
    if stake <= bank_left and payment <= bank_left:
        return stake, max(stake, payment)
    # Of a stake beyond that it covers what it has, in units that can be paid.
    whole = bank_left // terms["unit"] * terms["unit"]
    return whole, whole


def bank_is_short(wagers: list[dict[str, Any]], bank_left: int, terms: dict[str, Any]) -> bool:
    """Say whether a bank cannot cover all of these wagers together, all of which may be had."""
    for wager in wagers:
        covered, aside = bank_covers(wager["stake"], bank_left, terms)
        if covered < wager["stake"]:
            return True
        bank_left -= aside
    return False


def round_the_table(
    wagers: list[dict[str, Any]], bankers_seat: int | None, seats: dict[str, int]
) -> list[dict[str, Any]]:
    """Return the wagers as a short bank meets them: seat after seat from the banker's right, himself last.

    The player on his right has the next number, and after the highest comes the lowest. A wager from no seat
    comes after all. Where the banker's own seat is not known nobody can say who comes first: as offered.
    """
    if bankers_seat is None:
        return wagers
    walk = [*range(bankers_seat + 1, 100), *range(bankers_seat + 1)]
    places = [seats.get(wager.get("patron", ""), wager.get("seat")) for wager in wagers]
    return [
        wager for seat in [*walk, None] for wager, place in zip(wagers, places, strict=True) if place == seat
    ]


def odds_text(odds: Fraction) -> str:
    """Write odds with both numbers, as in 1/1."""
    return f"{odds.numerator}/{odds.denominator}"


def refused_line(wager: dict[str, Any], reason: str, paragraph: str) -> dict[str, Any]:
    """Return the line of a wager that was refused: the whole stake goes back."""
    odds = None if reason == "kind-not-available" else odds_text(odds_of(wager["kind"]))
    return {
        "wager": wager["id"],
        "outcome": "refused",
        "odds": odds,
        "winnings": 0,
        "returned": wager["stake"],
        "remainder": "0",
        "paragraph": paragraph,
        "reason": reason,
    }


def accepted_line(
    wager: dict[str, Any], covered: int, results: dict[str, str], terms: dict[str, Any], profile: str
) -> dict[str, Any]:
    """Return the line of an accepted wager, settled on the covered part of its stake."""
    outcome, paragraph = judge(wager["kind"], results, terms, profile)
    winnings = 0
    remainder = Fraction(0)
    if outcome == "won":
        winnings = winnings_of(wager["kind"], covered, terms)
        remainder = winnings - covered * odds_of(wager["kind"])
    excess = wager["stake"] - covered
    line = {
        "wager": wager["id"],
        "outcome": outcome,
        "odds": odds_text(odds_of(wager["kind"])),
        "winnings": winnings,
        "returned": excess if outcome == "lost" else covered + excess,
        "remainder": str(remainder),
        "paragraph": paragraph,
    }
    if excess > 0:
        line["excess"] = excess
    return line


def covers_of(coup: dict[str, Any], terms: dict[str, Any]) -> dict[str, int]:
    """Return what a chemin de fer bank covers of each wager that may be had, by the wager's id."""
    left: int = coup["bank"]
    wagers = [
        wager
        for wager in coup["wagers"]
        if kind_not_available(CHEMIN_DE_FER, wager["kind"], 1) is None
        and not not_payable_exactly(wager["kind"], wager["stake"], terms)
    ]
    if bank_is_short(wagers, left, terms):
        wagers = round_the_table(wagers, coup.get("bankers_seat"), {})
    covers = {}
    for wager in wagers:
        covers[wager["id"]], aside = bank_covers(wager["stake"], left, terms)
        left -= aside
    return covers


def settle(coup: dict[str, Any]) -> dict[str, Any]:
    """Settle every wager of one coup, in the order of the wagers."""
    table_format = coup["format"]
    profile = coup.get("profile", DEFAULT_PROFILE)
    terms = {**DEFAULT_TERMS, **coup.get("terms", {})}
    hands = coup["hands"]

    if table_format == PUNTO_BANCO:
        breach = punto_banco_tableau_breach(hands["player"].split(), hands["banker"].split())
        if breach is not None:
            detail = f"player {hands['player']}, banker {hands['banker']}"
            return {"results": {}, "irregular": {"rule": breach, "detail": detail}, "lines": []}

    results = results_of(hands)
    covered = covers_of(coup, terms) if table_format == CHEMIN_DE_FER and "bank" in coup else None
    lines = []
    for wager in coup["wagers"]:
        kind, stake = wager["kind"], wager["stake"]
        barred_by = kind_not_available(table_format, kind, len(results))
        if barred_by is not None:
            lines.append(refused_line(wager, "kind-not-available", barred_by))
        elif hand_not_in_play(kind, list(results)):
            lines.append(refused_line(wager, "hand-not-in-play", "2(2)"))
        elif not_payable_exactly(kind, stake, terms):
            lines.append(refused_line(wager, "not-payable-exactly", "terms.rounding"))
        elif covered is None:
            lines.append(accepted_line(wager, stake, results, terms, profile))
        elif covered[wager["id"]] > 0:
            lines.append(accepted_line(wager, covered[wager["id"]], results, terms, profile))
        else:
            lines.append(refused_line(wager, "bank-exceeded", "6(3)"))
    return {"results": results, "irregular": None, "lines": lines}
