"""A coup as a story that a manager can read to a patron: what `coups` folded, in sentences.

Nothing here decides or works anything out that is not in the record, but for the rules' own words and the
days left on a dispute's clock. Amounts in minor units, moments in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ledger.regulation.paragraphs import PARAGRAPHS
from ledger.regulation.profiles import Authority, profile_named
from ledger.regulation.tableau import drawing_rules
from ledger.terms.formats import format_named
from ledger.terms.hands import BANKER, PLAYER, Result, in_dealt_order, results_of
from ledger.terms.house import BankedBy, BankerOnDraw, Conditions
from ledger.terms.money import Rounding, in_words
from ledger.terms.wagers import Kind
from projections.story import words
from projections.story.aftermath import dispute_told, record_told, ruling_told
from projections.story.coups import CoupStory, line_as_json
from projections.story.telling import (
    CardTold,
    Covering,
    HandTold,
    ParagraphTold,
    Reason,
    RuleTold,
    Telling,
    WagerTold,
    line_told,
    wager_told,
    who,
)


def replay(story: CoupStory, as_of: datetime, covering: Covering | None) -> Telling:
    """Tell a coup.

    Args:
        as_of: the moment that days left are counted from.
        covering: the checkpoint that covers it, if there is one, and whether it vouches for it.
    """
    opened = story.opened
    assert opened is not None, "a stream of a coup begins with its opening"
    pinned = opened.conditions
    profile = profile_named(pinned.profile)
    cancelled = [_cancelled(story, gone) for gone in story.cancelled]
    refused = [_refused(wager, story.currency) for wager in story.refused]
    wagers = list(_wagers(story))
    rulings = [ruling_told(ruling, story.currency) for ruling in story.rulings]
    taken_back = [line for ruling in rulings for line in ruling.taken_back]
    return Telling(
        title=f"Coup {opened.number} of shoe {opened.shoe} at table {opened.table}",
        ending=words.STAGES.get(story.stage, story.stage)
        + ("" if covering is None or covering.holds else ", and its record does not hold"),
        as_of=words.moment(as_of),
        conditions=_conditions(opened.premises, pinned),
        authority=words.sentence(
            f"played under {profile.title} ({profile.id}), in force from {words.day(profile.first)} to "
            f"{words.day(profile.last)}"
            if profile.authority_on(pinned.gaming_day) is Authority.REGULATION
            else f"played under house rules modelled on the {profile.title} ({profile.id}), which was itself "
            f"in force from {words.day(profile.first)} to {words.day(profile.last)}"
        ),
        bank=_bank(story, pinned),
        wagers=wagers,
        refused=refused,
        cancelled=cancelled,
        cards=[
            CardTold(
                hand,
                words.clause(hand),
                str(card),
                card.rank,
                card.suit,
                words.card_name(card.rank, card.suit),
                card.points,
            )
            for hand, card in in_dealt_order(story.dealt)
        ],
        rules=list(_rules(story, pinned)),
        irregular=words.sentence(story.irregular["detail"]) if story.irregular else None,
        ruled_hands=words.hands_text(story.hands) if story.hands != story.dealt else None,
        hands=list(_hands(story)),
        claim=_claim(story),
        rulings=rulings,
        disputes=[dispute_told(dispute, as_of) for dispute in story.disputes],
        paragraphs=_paragraphs(
            entry.paragraph for part in (wagers, refused, cancelled, taken_back) for entry in part
        ),
        record=record_told(story, covering),
        record_holds=covering is None or covering.holds,
    )


def as_json(story: CoupStory, telling: Telling, covering: Covering | None) -> dict[str, Any]:
    """The story for programs: the facts as `coup show` gives them, the sentences under `told`."""
    return {
        **story.as_json(),
        "checkpoint": covering.as_json() if covering else None,
        "told": asdict(telling),
    }


# --- Conditions --------------------------------------------------------------------------------------------

_ROUNDING = {
    Rounding.EXACT_ONLY: "a stake that could not be paid exactly is refused",
    Rounding.UP_TO_UNIT: "what does not come out is paid up to the next {unit}",
    Rounding.NEAREST: "what does not come out is paid to the nearest {unit}",
}


def _conditions(premises: str, pinned: Conditions) -> list[str]:
    game = words.FORMATS.get(pinned.format, pinned.format)
    decks = "deck" if pinned.decks == 1 else "decks"
    terms = pinned.terms
    sentences = [
        f"{game}, {pinned.decks} {decks}, gaming day {words.day(pinned.gaming_day)}, shift {pinned.shift}",
        f"premises {premises}",
        f"the smallest payable unit is {in_words(terms.unit, pinned.currency)}: "
        + _ROUNDING[terms.rounding].format(unit=in_words(terms.unit, pinned.currency)),
    ]
    if not format_named(pinned.format).drawing_option:
        draw = "is handed back" if terms.banker_on_draw is BankerOnDraw.STAND_OFF else "is lost"
        sentences.append(f"on equal hands a wager on the banker's hand {draw}")
    return [words.sentence(text) for text in sentences]


def _bank(story: CoupStory, pinned: Conditions) -> str:
    if pinned.banked_by is BankedBy.HOUSE or pinned.bank is None:
        return "The house held the bank."
    text = f"{pinned.banker} held the bank, of {in_words(pinned.bank, story.currency)}"
    if banco := story.banco:
        text += (
            f"; {banco['patron']} at seat {banco['seat']} called {banco['call'].replace('-', ' ')} for "
            f"{in_words(banco['stake'], story.currency)}"
        )
    if story.banker_win is not None:
        won = "won" if story.banker_win > 0 else "lost"
        sum_ = in_words(abs(story.banker_win), story.currency)
        text += f"; the bank {f'{won} {sum_}' if story.banker_win else 'neither won nor lost'} on this coup"
    return text + "."


# --- Wagers ------------------------------------------------------------------------------------------------


def _wagers(story: CoupStory) -> Iterator[WagerTold]:
    """Every accepted wager that was not cancelled, with its end as it stands now."""
    if story.lines:
        for line in story.lines:
            yield line_told(line_as_json(line, story.currency), story.currency)
        return
    for wager in story.standing():
        back = f"{in_words(wager['stake'], story.currency)} handed back"
        ended = ("void by ruling", back) if story.stage == "void" else ("open", "")
        yield wager_told(wager, story.currency, *ended, paragraph="")


def _named(wager: dict[str, Any]) -> str:
    by = f" by {who(wager)}" if wager.get("patron") else ""
    return f"wager {wager['id']}{by}"


def _refused(wager: dict[str, Any], currency: str) -> Reason:
    stake = in_words(wager["refused_stake"], currency)
    part = f" of {in_words(wager['stake'], currency)}" if wager["refused_stake"] < wager["stake"] else ""
    reason = words.REASONS.get(wager["reason"], wager["reason"])
    says = words.KINDS[Kind(wager["kind"])]
    return Reason(
        f"{stake}{part} on {_named(wager)}, that {says}, was not taken: {reason}.",
        wager["paragraph"],
    )


def _cancelled(story: CoupStory, gone: dict[str, Any]) -> Reason:
    wager = next(wager for wager in story.wagers if wager["id"] == gone["id"])
    reason = words.REASONS.get(gone["reason"], gone["reason"])
    says = words.KINDS[Kind(wager["kind"])]
    stake = in_words(wager["stake"], story.currency)
    return Reason(f"{stake} on {_named(wager)}, that {says}, was handed back: {reason}.", gone["paragraph"])


# --- Cards -------------------------------------------------------------------------------------------------


def _rules(story: CoupStory, pinned: Conditions) -> Iterator[RuleTold]:
    """Each line of the tableau on the cards as dealt; or, where somebody had an option, what was chosen."""
    if not story.dealt:
        return
    if not format_named(pinned.format).drawing_option:
        rules = [*drawing_rules(story.dealt[PLAYER], story.dealt[BANKER])]
        if rules[0].rule == rules[1].rule:  # a natural is one line for both hands
            rules.remove(max(rules, key=lambda rule: rule.kept))
        for rule in rules:
            text = words.rule_of_tableau(rule.rule, story.dealt)
            did = "" if rule.kept else ", but a card was drawn" if rule.drew else ", but no card was drawn"
            yield RuleTold(words.sentence(text), words.sentence(rule.text + did), rule.kept)
        return
    chosen = {decision["hand"]: decision for decision in story.decisions}
    for name in sorted(story.dealt, key=words.dealt_last):
        hand = story.dealt[name]
        did = "stood on" if hand.third is None else "drew on"
        decision = chosen.get(name)
        by = f" of {decision['by']}" if decision and decision["by"] else ""
        choice = f", by choice{by}" if decision else ""
        yield RuleTold(
            "Whether a third card is drawn was for the players of this game to say within its rules.",
            words.sentence(f"{words.clause(name)} {did} {hand.two_card_total}{choice}"),
            kept=True,
        )


def _hands(story: CoupStory) -> Iterator[HandTold]:
    """The hands that count, with their results; a coup that is held has none yet."""
    for name in sorted(story.hands, key=words.dealt_last):
        hand = story.hands[name]
        result = story.results.get(name) if story.stage != "held" else None
        yield HandTold(
            hand=name,
            name=words.clause(name),
            cards=str(hand),
            total=hand.total,
            result=words.RESULTS[Result(result)] if result else "",
        )


def _claim(story: CoupStory) -> str | None:
    """What a feed said of the cards as dealt, where it was not so; a claim settles nothing."""
    if story.claim_agrees is not False or not story.claimed:
        return None

    claimed, by_the_cards = (
        words.listed([f"{words.clause(name)} {words.RESULTS[Result(it)]}" for name, it in results.items()])
        for results in (story.claimed, results_of(story.dealt))
    )
    return words.sentence(f"the table's system claimed that {claimed}; by the cards as dealt {by_the_cards}")


# --- The law ------------------------------------------------------------------------------------------------


def _paragraphs(cited: Iterable[str]) -> list[ParagraphTold]:
    """What each paragraph cited says, in the order in which they are cited."""
    return [
        ParagraphTold(paragraph, found.text, found.quoted)
        for paragraph in dict.fromkeys(cited)
        if (found := PARAGRAPHS.get(paragraph))
    ]
