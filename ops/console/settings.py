"""What an installation decides about its console."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ZONE = "Europe/London"
"""Where the regulation is law."""


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """How the console is shown.

    Attributes:
        zones: the time zone of each premises, by its name in the IANA database; of `""`, of all others.
        https: browsers reach it over https, perhaps through a proxy: cookies then go over nothing else.
        lifetime: how long a session lasts at most: a shift.
        idle: how long it lasts without a page being asked for.
    """

    zones: Mapping[str, str] = field(default_factory=dict)
    https: bool = False
    lifetime: timedelta = timedelta(hours=12)
    idle: timedelta = timedelta(hours=1)

    def zone_of(self, premises: str) -> ZoneInfo:
        """The time zone of a premises. Where this machine knows no zones at all: UTC."""
        try:
            return ZoneInfo(self.zones.get(premises, self.zones.get("", ZONE)))
        except ZoneInfoNotFoundError:
            return ZoneInfo("UTC")


def zones_of(given: Iterable[str]) -> dict[str, str]:
    """Time zones as they are given: `ZONE` for all premises, `PREMISES=ZONE` for one.

    Raises:
        ValueError: this machine knows no such zone.
    """
    zones = {}
    for text in given:
        premises, _, zone = text.rpartition("=")
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(
                f"{zone[:60]!r} is no time zone of this machine; say one such as {ZONE}"
            ) from None
        zones[premises] = zone
    return zones
