"""What has been seen of one shoe, so that no card can come twice."""

from __future__ import annotations

from typing import ClassVar

from ledger.events.base import LedgerEvent
from ledger.terms.house import Decks
from ledger.terms.identifiers import CoupNumber
from ledger.terms.money import Count


class CardsReread(LedgerEvent):
    """A ruling found that a coup's cards were other ones: `removed` were never there, `added` were."""

    TOPIC: ClassVar[str] = "cards-reread.v1"

    coup: CoupNumber
    decks: Decks
    removed: str
    added: str


class CardsSeen(LedgerEvent):
    """Cards left the shoe: dealt in a coup, or burnt when `coup` is None. `cards` is their text.

    `face_down` more were burnt with them unseen: nobody knows which, and they cannot be dealt either.
    """

    TOPIC: ClassVar[str] = "cards-seen.v1"

    coup: CoupNumber | None = None
    decks: Decks
    cards: str
    face_down: Count | None = None
