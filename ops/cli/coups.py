"""`coup show` and `coup replay`: one coup, in short and as a story."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ledger.errors import LedgerError
from ledger.seal.bundle import check_whole
from ledger.terms.hands import Result, results_of
from ledger.terms.house import Conditions
from ledger.terms.money import in_words
from ops.cli.covering import covering_of
from ops.cli.options import Json
from ops.cli.refused import refusals_of, show_refusals
from ops.cli.screen import Exit, err, money, out, print_json
from ops.cli.story import print_telling
from ops.keys import read_verifier
from ops.output import write_output
from ops.settings import Db
from ops.wiring import House, open_house
from projections.story.coups import CoupStory, find_coup, tell, tell_coup
from projections.story.refusals import refused_command
from projections.story.replay import as_json as story_as_json
from projections.story.replay import replay
from projections.story.telling import Covering
from projections.story.words import RESULTS, arithmetic, plain, sentence

CoupId = Annotated[
    str,
    typer.Argument(metavar="ID", help="TABLE/SHOE/NUMBER, PREMISES/TABLE/SHOE/NUMBER or a command's id."),
]


def coup_stream_named(house: House, coup: str) -> str:
    """The stream of the coup that is asked for; leaves with a sentence where there is none.

    A command that was refused names none, also where another brought about the coup that it asked for.
    """
    refused = refused_command(house.ledger.record, coup)
    stream = None if refused else find_coup(house.ledger.record, coup)
    if stream is None:
        err().print(f"no coup {coup!r} in this ledger")
        if refused:
            err().print(f"that command was refused: coup show {coup} says why")
        raise typer.Exit(Exit.BAD_INPUT)
    return stream


def coup_show(coup: CoupId, db: Db, *, as_json: Json = False) -> None:
    """One coup: its cards as dealt, the rules, each wager's arithmetic and paragraph.

    Of a command, or a coup, that was refused: what was asked and when, and why it was refused.
    """
    with open_house(db) as house:
        if refusals := refusals_of(house, coup):
            show_refusals(house, refusals, as_json=as_json)
            return
        story = tell_coup(house.ledger.record, coup_stream_named(house, coup))
    if as_json:
        print_json(story.as_json())
    else:
        print_coup(out(), story)


def coup_replay(
    coup: CoupId,
    db: Db,
    *,
    as_json: Json = False,
    page_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write it as a page to print.")
    ] = None,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="KEY", help="A public key to check the checkpoint with, or its file. Repeatable."
        ),
    ] = None,
) -> None:
    """One coup as a story to read to a patron: cards, rules, sums, rulings, disputes, place in the record.

    Its events are proved to be those that were sealed; where they are not, the story says so.

    Of a command, or a coup, that was refused: what was asked and when, and why it was refused.
    """
    trusted = [read_verifier(text) for text in keys or ()]
    with open_house(db) as house:
        if refusals := refusals_of(house, coup):
            if page_file is not None:
                err().print("what was refused has no page: there is no coup to tell")
                raise typer.Exit(Exit.BAD_INPUT)
            show_refusals(house, refusals, as_json=as_json, trusted=trusted)
            return
        rows = house.ledger.record.select_stream(coup_stream_named(house, coup))
        covering = covering_of(house, rows, trusted, check_whole)
        try:
            story = tell(rows[0].stream, rows)
            telling = replay(story, house.ledger.clock(), covering)
        except (LedgerError, LookupError, StopIteration, AssertionError):
            if covering is None or covering.holds:
                raise
            _say_untold(rows[0].stream, covering, as_json=as_json)
            raise typer.Exit(Exit.FINDINGS) from None
    if page_file is not None:
        from ops.replay.page import page  # noqa: PLC0415 - the template engine, for nothing else

        write_output(page_file, page(telling).encode(), db)
        err().print(f"{page_file}: the page of {story.coup}", soft_wrap=True)
    if as_json:
        print_json(story_as_json(story, telling, covering))
    elif page_file is None:
        print_telling(out(), telling)
    if not telling.record_holds:
        raise typer.Exit(Exit.FINDINGS)


def _say_untold(stream: str, covering: Covering, *, as_json: bool) -> None:
    """Of a record that was altered so that it tells no story."""
    if as_json:
        print_json({"coup": stream, "checkpoint": covering.as_json(), "told": None})
    else:
        out().print(Text(plain(sentence(f"{stream} cannot be told: {covering.fault}")), "bold red"))


def print_coup(console: Console, story: CoupStory) -> None:
    """A coup for people: what was dealt, why, what each wager came to, and what was ruled of it."""
    console.print(f"{story.coup}  {story.stage}", style="bold")
    if story.opened is not None:
        console.print(_conditions(story, story.opened.conditions))
    if story.banco:
        stake = in_words(story.banco["stake"], story.currency)
        console.print(f"{story.banco['call']} called by {story.banco['patron']} for {stake}")
    if story.hands:
        _print_hands(console, story)
    if story.claim_agrees is False:
        dealt = {name: result.value for name, result in results_of(story.dealt).items()}
        console.print(f"The feed claimed {story.claimed}; the cards say {dealt}.", style="red")
    if story.irregular:
        console.print(f"Irregular ({story.irregular['rule']}): {story.irregular['detail']}", style="red")
    _print_rulings(console, story)
    _print_wagers(console, story)
    if story.record:
        first, last = story.record[0]["sequence"], story.record[-1]["sequence"]
        console.print(f"In the record: {len(story.record)} events, from {first} to {last}")


def _conditions(story: CoupStory, pinned: Conditions) -> str:
    bank = f" ({pinned.banker}, {money(pinned.bank, story.currency)})" if pinned.banker else ""
    return (
        f"{pinned.format} under {pinned.profile}, gaming day {pinned.gaming_day}, shift {pinned.shift}, "
        f"banked by the {pinned.banked_by.value}{bank}"
    )


def _print_hands(console: Console, story: CoupStory) -> None:
    console.print("Dealt: " + ", ".join(f"{name} {card}" for name, card in story.cards()))
    if story.hands != story.dealt:
        told = "; ".join(f"{name} {hand}" for name, hand in story.hands.items())
        console.print(f"Settled on the hands as ruled: {told}")
    for name, hand in story.hands.items():
        result = story.results.get(name)
        said = f", {RESULTS[Result(result)]}" if result else ""
        console.print(f"  {name}: {hand} = {hand.total}{said}")
    for rule in story.drawing():
        console.print(f"  {rule}")
    for decision in story.decisions:
        drew = "drew" if decision["drew"] else "stood"
        console.print(f"  {decision['hand']} {drew}, by choice of {decision['by'] or 'the hand'}")


def _print_rulings(console: Console, story: CoupStory) -> None:
    for ruling in story.rulings:
        by = " and ".join(ruling["approvers"])
        _say(console, f"Ruling: {ruling['ruling']}: {ruling['reason']} (approved by {by})")
        for line in ruling["reversed"]:
            _say(console, f"  taken back: {line['wager']}: {line['arithmetic']}")
    for dispute in story.disputes:
        state = dispute["decision"] or f"open, unresolved from {dispute['unresolved_at'][:10]} on"
        _say(console, f"Dispute {dispute['dispute']}: {dispute['statement']}: {state}")


def _say(console: Console, text: str) -> None:
    """What holds somebody's own words."""
    console.print(Text(plain(text)))


def _print_wagers(console: Console, story: CoupStory) -> None:
    currency = story.currency
    table = Table()
    for name in ("wager", "kind", "stake", "outcome", "arithmetic", "paragraph"):
        table.add_column(name, justify="right" if name == "stake" else "left")
    for line in story.lines:
        table.add_row(
            line.wager,
            line.kind.value,
            in_words(line.stake, currency),
            line.outcome.value,
            arithmetic(line, currency),
            line.paragraph,
        )
    for wager in () if story.lines else story.standing():
        stake = in_words(wager["stake"], currency)
        ended = ("void", f"{stake} handed back") if story.stage == "void" else ("open", "")
        table.add_row(wager["id"], wager["kind"], stake, *ended, "")
    for wager in story.refused:
        stake = in_words(wager["refused_stake"], currency)
        table.add_row(wager["id"], wager["kind"], stake, "refused", wager["reason"], wager["paragraph"])
    for wager in story.cancelled:
        table.add_row(wager["id"], "", "", "cancelled", wager["reason"], wager["paragraph"])
    if table.row_count:
        console.print(table)
