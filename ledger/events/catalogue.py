"""The catalogue: every topic ever stored, and how its bytes become an event of today.

The version is part of the topic. When a type changes shape it gets a new topic, and the old one an entry in
`UPCASTERS`; its golden file stays, and the test that reads it keeps the promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import EventUnreadable, UnknownTopic
from ledger.events import access, command, coup, day, shoe, table
from ledger.events.base import LedgerEvent

EVENT_TYPES: tuple[type[LedgerEvent], ...] = (
    table.TableOpened,
    table.ShiftChanged,
    table.ShoeStarted,
    table.ShoeEnded,
    table.BankTaken,
    table.BankPassed,
    table.BankRetired,
    table.InterestDeclared,
    table.InterestWithdrawn,
    table.BankCommitted,
    table.BankSettled,
    table.ChipsFilled,
    table.ChipsCredited,
    table.SlipVoided,
    table.FloatCounted,
    table.DropCounted,
    table.TableChargeTaken,
    table.OfferChanged,
    table.PlayerSeated,
    table.PlayerLeft,
    table.TableClosed,
    day.TableListed,
    day.CountRecorded,
    day.DayReconciled,
    day.DaySealed,
    day.AdjustmentBooked,
    shoe.CardsSeen,
    shoe.CardsReread,
    coup.CoupOpened,
    coup.BancoCalled,
    coup.WagersPlaced,
    coup.WagerRefused,
    coup.WagersCancelled,
    coup.WagersClosed,
    coup.HandsDealt,
    coup.IrregularityFound,
    coup.HandsCorrected,
    coup.WagersSettled,
    coup.CoupSettled,
    coup.CoupVoided,
    coup.WagersReversed,
    coup.CoupCorrected,
    coup.DisputeRaised,
    coup.DisputeResolved,
    access.KeyIssued,
    access.KeyRevoked,
    command.CommandRecorded,
)

BY_TOPIC: Mapping[str, type[LedgerEvent]] = {event.TOPIC: event for event in EVENT_TYPES}

UPCASTERS: Mapping[str, Callable[[bytes], LedgerEvent]] = {}
"""Topics no longer written, to a function from their stored bytes to an event of today."""


def encode(event: LedgerEvent) -> bytes:
    """The bytes that are stored: JSON in the order of the fields, without those that are None."""
    return event.__pydantic_serializer__.to_json(event, exclude_none=True)


def decode(topic: str, state: bytes, stream: str = "", version: int = 0) -> LedgerEvent:
    """The event behind stored bytes; `stream` and `version` are only for the error.

    Raises:
        UnknownTopic: no type and no upcaster is known by this topic.
        EventUnreadable: the bytes are not such an event: altered, or a change that broke reading.
    """
    event_type = BY_TOPIC.get(topic)
    try:
        if event_type is not None:
            return event_type.__pydantic_validator__.validate_json(state)  # type: ignore[no-any-return]
        if upcast := UPCASTERS.get(topic):
            return upcast(state)
    except (ValueError, TypeError, LookupError) as error:  # pydantic's error is a ValueError
        raise EventUnreadable(stream, version, topic, str(error).replace("\n", " ")) from error
    raise UnknownTopic(topic)
