"""Coups without a record, in a few words.

wagers("banker 2500, tie 1000")              Wager values w1 and w2
layout("chemin-de-fer", bank=100)            what a table takes on one coup
coup("punto-banco", "P 9 K / B 7 Q", ...)   a settle line
settled(coup(...))                           its answer
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ledger.regulation.acceptance import Layout
from ledger.regulation.dry_run import DryCoup, dry_run
from ledger.regulation.profiles import Profile, profile_named
from ledger.terms.formats import format_named
from ledger.terms.hands import Hand, Result, hand
from ledger.terms.house import BankedBy, Terms
from ledger.terms.wagers import Kind, Limit, Wager
from tests import tabletalk

SI_1994 = profile_named("si-1994-2899")
SI_2000 = profile_named("si-2000-597-7a")


def wagers(text: str) -> tuple[Wager, ...]:
    """Wagers w1, w2, ... from `kind stake` pairs."""
    return tuple(Wager.model_validate(wager) for wager in tabletalk.wagers(text))


def hands(text: str) -> dict[str, Hand]:
    """Hands as values, from the table's text."""
    return {name: hand(cards) for name, cards in tabletalk.hands(text).items()}


def results(format: str, letters: tuple[str, ...]) -> dict[str, Result]:
    """W, L or D of each opposing hand of the format, in order; a hand without a letter is not in play."""
    names = format_named(format).hand_names
    return {name: Result(letter) for name, letter in zip(names, letters, strict=False)}


def layout(
    format: str = "punto-banco",
    profile: Profile = SI_1994,
    hands_in_play: tuple[str, ...] | None = None,
    bank: int | None = None,
    limits: Mapping[Kind, Limit] | None = None,
    **terms: Any,
) -> Layout:
    """What a table of this format takes; the bank is a player's where the format is chemin de fer."""
    version = format_named(format)
    return Layout(
        format=version,
        profile=profile,
        terms=Terms.model_validate(terms),
        banked_by=BankedBy.PLAYER if version.loser_gives_up_bank else BankedBy.HOUSE,
        hands_in_play=version.hand_names if hands_in_play is None else hands_in_play,
        bank=bank,
        limits=limits or {},
    )


def coup(format: str, dealt: str, staked: str, **more: Any) -> dict[str, Any]:
    """A settle line in the table's words."""
    return {"format": format, "hands": tabletalk.hands(dealt), "wagers": tabletalk.wagers(staked), **more}


def settled(coup: dict[str, Any]) -> dict[str, Any]:
    """The answer to a settle line, read from JSON as it would come in."""
    return dry_run(DryCoup.model_validate_json(json.dumps(coup)))
