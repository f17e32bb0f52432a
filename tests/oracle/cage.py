"""The cage's books of a tape: floats, slips and boxes by shift, and the numbers of the slips.

Every table has a page for each gaming day, on which what happens is written down in order: chips counted,
chips moved, the next shift. The figures are read off the page when the tape is at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .notebook import Command, Coup, Table, coup_key
from .play import Night

Row = dict[str, Any]
Key = tuple[str, str, str]


@dataclass
class Page:
    """One table's one gaming day. `told` are entries such as ("counted", 500), ("moved",), ("shift", "2")."""

    currency: str
    format: str
    opener: int
    first_shift: str
    told: list[tuple[Any, ...]] = field(default_factory=list)
    slips: dict[str, dict[str, Any]] = field(default_factory=dict)
    drops: list[tuple[str, int]] = field(default_factory=list)
    charges: list[tuple[str, int]] = field(default_factory=list)
    closer: int | None = None


def worth(chips: dict[str, int]) -> int:
    """What chips are worth."""
    return sum(int(denomination) * count for denomination, count in chips.items())


class Cage:
    """The pages, written while the tape is played."""

    def __init__(self) -> None:
        """Begin before the first command."""
        self.night = Night()
        self.pages: dict[Key, Page] = {}

    def obey(self, command: Command) -> None:
        """Let a command happen, and write down what it means to the cage."""
        if command["id"] in self.night.seen:
            return
        was_open = self.night.open_table_of(command) if "table" in command else None
        coup = self.night.coups.get(coup_key(command)) if "number" in command else None
        before = end_of(coup)
        self.night.obey(command)
        if "number" in command:
            coup = self.night.coups.get(coup_key(command))
            if coup is not None and end_of(coup) != before:
                self.page(coup.table).told.append(("moved",))
        elif command["command"] == "open-table":
            self.opened(command, was_open)
        elif was_open is not None:
            self.at_open_table(command, was_open, self.page(was_open))
        if command["command"] in ("count-drop", "void-slip"):
            self.of_a_night(command)

    def page(self, table: Table) -> Page:
        """Return the page of a table's gaming day."""
        return self.pages[table.premises, table.gaming_day, table.name]

    def opened(self, command: Command, was_open: Table | None) -> None:
        """Begin a page, if the table opened."""
        table = self.night.open_table_of(command)
        if table is not None and table is not was_open:
            currency = command.get("currency", "GBP")
            opener = worth(command["opener"]["chips"])
            self.pages[table.premises, table.gaming_day, table.name] = Page(
                currency, table.format, opener, table.shift
            )

    def at_open_table(self, command: Command, table: Table, page: Page) -> None:
        """Write down what happens at a table that stands open."""
        name = command["command"]
        if name == "count-float":
            page.told.append(("counted", worth(command["count"]["chips"])))
        elif name == "change-shift":
            page.told.append(("shift", command["shift"]))
        elif name == "take-charge":
            page.charges.append((table.shift, command["amount"]))
            page.told.append(("moved",))
        elif name in ("fill-chips", "credit-chips") and command["slip"] not in page.slips:
            page.slips[command["slip"]] = {
                "is": "fill" if name == "fill-chips" else "credit",
                "shift": table.shift,
                "amount": worth(command["chips"]),
            }
            page.told.append(("moved",))
        elif name == "close-table" and not table.is_open:
            page.closer = worth(command["closer"]["chips"])

    def of_a_night(self, command: Command) -> None:
        """Write down a drop or a void slip, of the night it names or of the latest."""
        table = self.night.table_of(command)
        if "gaming_day" in command:
            name = (command.get("premises", "main"), command["table"], command["gaming_day"])
            table = self.night.nights.get(name)
        if table is None:
            return
        page = self.page(table)
        if command["command"] == "count-drop" and command.get("shift") in (None, *table.shifts):
            page.drops.append((command.get("shift") or table.shift, command["amount"]))
        elif command["command"] == "void-slip":
            page.slips.setdefault(command["slip"], {"shift": table.shift, "amount": 0})["is"] = "void"


def end_of(coup: Coup | None) -> Any:
    """Return how a coup has ended, if it has."""
    if coup is None or coup.state not in ("settled", "void"):
        return None
    return coup.state, dict(coup.hands)


def floats(page: Page) -> list[list[Any]]:
    """Return [shift, opener, closer] of each time that a shift was in force, in order."""
    times: list[list[Any]] = [[page.first_shift, page.opener, None]]
    for at, entry in enumerate(page.told):
        if entry[0] != "shift" or entry[1] == times[-1][0]:
            continue
        before = page.told[at - 1] if at else None
        after = page.told[at + 1] if at + 1 < len(page.told) else None
        counted_before = before[1] if before is not None and before[0] == "counted" else None
        counted_after = after[1] if after is not None and after[0] == "counted" else None
        times[-1][2] = counted_after if counted_before is None else counted_before
        times.append([entry[1], counted_before if counted_after is None else counted_after, None])
    times[-1][2] = page.closer
    return times


def row(key: Key, page: Page, shift: str | None, times: list[list[Any]]) -> Row:
    """Return the figures of one shift, or of the day where no shift is named."""
    premises, gaming_day, table = key

    def slips(kind: str) -> list[str]:
        of_kind = (name for name, slip in page.slips.items() if slip["is"] == kind)
        return sorted(name for name in of_kind if shift in (None, page.slips[name]["shift"]))

    drops = [drop for drop in page.drops if shift in (None, drop[0])]
    in_force = {time[0] for time in times}
    drop = sum(amount for _, amount in drops) if drops and in_force <= {name for name, _ in drops} else None
    openers, closers = [time[1] for time in times], [time[2] for time in times]
    if shift is None:
        openers, closers = [page.opener], [page.closer]
    opener = None if None in openers or not openers else sum(openers)
    closer = None if None in closers or not closers else sum(closers)
    fills = sum(page.slips[name]["amount"] for name in slips("fill"))
    credits_ = sum(page.slips[name]["amount"] for name in slips("credit"))
    known = opener is not None and closer is not None and drop is not None
    return {
        "premises": premises,
        "table": table,
        "gaming_day": gaming_day,
        "shift": shift,
        "currency": page.currency,
        "format": page.format,
        "opener": opener,
        "closer": closer,
        "fills": fills,
        "credits": credits_,
        "drop": drop,
        "charges": sum(amount for name, amount in page.charges if shift in (None, name)),
        "fill_slips": slips("fill"),
        "credit_slips": slips("credit"),
        "void_slips": slips("void"),
        "opened": True,
        "closed": page.closer is not None,
        # NY 9 NYCRR 5315.1(c): drop + closing inventory + credits - opening inventory - fills
        "win_by_inventory": drop + closer + credits_ - opener - fills if known else None,  # type: ignore[operator]
    }


def pages_of(lines: Iterable[Command]) -> dict[Key, Page]:
    """Return the pages of a tape."""
    cage = Cage()
    for line in lines:
        cage.obey(line)
    return cage.pages


def rows(lines: Iterable[Command], *, by_day: bool = False) -> list[Row]:
    """Return the rows of a tape by day, premises and table; shifts as they came."""
    found = []
    for key, page in sorted(pages_of(lines).items(), key=lambda item: (item[0][1], item[0][0], item[0][2])):
        times = floats(page)
        if by_day:
            found.append(row(key, page, None, times))
            continue
        shifts = [time[0] for time in times]
        spoken_of = {slip["shift"] for slip in page.slips.values()} | {name for name, _ in page.drops}
        shifts += sorted(spoken_of - set(shifts))
        found += [
            row(key, page, shift, [time for time in times if time[0] == shift])
            for shift in dict.fromkeys(shifts)
        ]
    return found


def missing_numbers(lines: Iterable[Command]) -> set[tuple[str, str, int]]:
    """Return (premises, series, number) of every number that lies between two used ones and was not used."""
    used: dict[tuple[str, str], set[int]] = {}
    for (premises, _, _), page in pages_of(lines).items():
        for slip in page.slips:
            digits = re.search("[0-9]*$", slip)
            if digits is not None and digits[0]:
                used.setdefault((premises, slip[: digits.start()]), set()).add(int(digits[0]))
    return {
        (premises, series, number)
        for (premises, series), numbers in used.items()
        for number in range(min(numbers), max(numbers))
        if number not in numbers
    }
