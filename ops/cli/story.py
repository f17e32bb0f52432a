"""A coup's story on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from projections.story.telling import Telling, WagerTold

_COLUMNS = ("wager", "patron", "says that", "stake", "ended", "arithmetic", "under")


def print_telling(console: Console, telling: Telling) -> None:
    """The story, part by part; what there is none of is left out."""
    console.print(Text(f"{telling.title}: {telling.ending}", "bold" if telling.record_holds else "bold red"))
    _print(console, [*telling.conditions, telling.bank, telling.authority])
    if telling.cards:
        _heading(console, "The cards, in the order of the deal")
        _print(
            console,
            (f"{number}. {card.name}, to {card.to}" for number, card in enumerate(telling.cards, start=1)),
        )
        for rule in telling.rules:
            _print(console, [f"{rule.here} ({rule.rule.removesuffix('.')})"], "" if rule.kept else "red")
        if telling.irregular:
            _print(console, [f"Irregular, and held for a ruling: {telling.irregular}"], "red")
        if telling.ruled_hands:
            _print(console, [f"By ruling the hands are: {telling.ruled_hands}"])
        if telling.claim:
            _print(console, [telling.claim], "red")
        _heading(console, "The result")
        _print(
            console,
            (
                f"{hand.name}: {hand.cards} = {hand.total}" + (f", {hand.result}" if hand.result else "")
                for hand in telling.hands
            ),
        )
    _heading(console, "The wagers")
    _print_wagers(console, telling.wagers)
    _print(console, (f"{reason.sentence} [{reason.paragraph}]" for reason in telling.refused))
    _print(console, (f"{reason.sentence} [{reason.paragraph}]" for reason in telling.cancelled))
    _print_aftermath(console, telling)


def _print_aftermath(console: Console, telling: Telling) -> None:
    if telling.rulings:
        _heading(console, "Rulings")
    for ruling in telling.rulings:
        _print(console, [f"{ruling.sentence} {ruling.hands}"])
        if ruling.taken_back:
            _print(console, ["Taken back:"])
            _print_wagers(console, ruling.taken_back)
    if telling.disputes:
        _heading(console, f"Disputes, as of {telling.as_of}")
        _print(console, (f"{dispute.sentence} {dispute.clock}" for dispute in telling.disputes))
    if telling.paragraphs:
        _heading(console, "What the paragraphs say")
        for entry in telling.paragraphs:
            text = f"‘{entry.text}’" if entry.quoted else entry.text
            _print(console, [f"{entry.paragraph}: {text}"])
    _heading(console, "The record")
    _print(console, telling.record, "" if telling.record_holds else "bold red")


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold"))


def _print(console: Console, sentences: Iterable[str], style: str = "") -> None:
    for sentence in sentences:
        console.print(Padding(Text(sentence, style), (0, 0, 0, 2), expand=False))


def _print_wagers(console: Console, wagers: Sequence[WagerTold]) -> None:
    if not wagers:
        _print(console, ["No accepted wager stands."])
        return
    table = Table()
    for name in _COLUMNS:
        table.add_column(name, justify="right" if name == "stake" else "left")
    for told in wagers:
        cells = (told.wager, told.who, told.says, told.stake, told.ending, told.arithmetic, told.paragraph)
        table.add_row(*map(Text, cells))
    console.print(table)
