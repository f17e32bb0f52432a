"""What a coup would pay, storing nothing: acceptance, tableau and settlement in one pure function."""

from __future__ import annotations

from typing import Any

from ledger.regulation.acceptance import Layout, Refused, accept
from ledger.regulation.bank import capacities_allowed
from ledger.regulation.profiles import DEFAULT_PROFILE, Profile, profile_named
from ledger.regulation.settle import settle
from ledger.regulation.tableau import irregularity
from ledger.terms.formats import check_hands, format_named
from ledger.terms.hands import BANKER, PLAYER, Hands, results_of
from ledger.terms.house import BankedBy, Capacity, Terms
from ledger.terms.identifiers import Name
from ledger.terms.money import Amount
from ledger.terms.value import Value
from ledger.terms.wagers import Outcome, Seat, SettlementLine, Wager, Wagers


class DryCoup(Value):
    """A coup to be settled on paper. `bank` (minor units) caps a bank that a player holds; no other.

    `bankers_seat` says where that player sits: if the bank does not cover every wager, seats come in order.
    """

    format: Name
    profile: Name = DEFAULT_PROFILE
    terms: Terms = Terms()
    wagers: Wagers = ()
    hands: Hands
    bank: Amount | None = None
    bankers_seat: Seat | None = None


def dry_run(coup: DryCoup) -> dict[str, Any]:
    """What the coup would pay: `results`, `irregular`, and a line for each wager in the order offered.

    Raises:
        MalformedInput: the format, the profile or the hands are not such as this coup can have.
    """
    format, profile = format_named(coup.format), profile_named(coup.profile)
    check_hands(format, coup.hands)
    if not format.drawing_option and (broken := irregularity(coup.hands[PLAYER], coup.hands[BANKER])):
        return {"results": {}, "irregular": broken.model_dump(), "lines": []}
    results = results_of(coup.hands)
    player_banked = Capacity.PLAYER in capacities_allowed(format)
    accepted, refused = accept(
        coup.wagers,
        Layout(
            format=format,
            profile=profile,
            terms=coup.terms,
            banked_by=BankedBy.PLAYER if player_banked else BankedBy.HOUSE,
            hands_in_play=tuple(name for name in format.hand_names if name in coup.hands),
            bank=coup.bank if player_banked else None,
            limits={},
            bankers_seat=coup.bankers_seat,
        ),
    )
    settled = {line.wager: line for line in settle(accepted, results, profile, coup.terms)}
    refusals = {refusal.wager.id: refusal for refusal in refused}
    return {
        "results": {name: result.value for name, result in results.items()},
        "irregular": None,
        "lines": [
            _line(wager, settled.get(wager.id), refusals.get(wager.id), profile) for wager in coup.wagers
        ],
    }


def _line(
    wager: Wager, settled: SettlementLine | None, refused: Refused | None, profile: Profile
) -> dict[str, Any]:
    """One wager's answer. A wager covered in part has both ends: its excess went back before the cards."""
    if settled is None:
        return _refused_line(wager, refused, profile)
    line = {
        "wager": settled.wager,
        "outcome": settled.outcome.value,
        "odds": settled.odds,
        "winnings": settled.winnings,
        "returned": settled.returned,
        "remainder": settled.remainder,
        "paragraph": settled.paragraph,
    }
    if refused is not None:
        line |= {"returned": settled.returned + refused.stake, "excess": refused.stake}
    return line


def _refused_line(wager: Wager, refused: Refused | None, profile: Profile) -> dict[str, Any]:
    if refused is None:
        msg = f"wager {wager.id} was neither accepted nor refused"
        raise AssertionError(msg)
    return {
        "wager": wager.id,
        "outcome": Outcome.REFUSED.value,
        "odds": None if refused.reason == "kind-not-available" else str(profile.odds[wager.kind]),
        "winnings": 0,
        "returned": wager.stake,
        "remainder": "0",
        "paragraph": refused.paragraph,
        "reason": refused.reason,
    }
