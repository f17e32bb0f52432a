"""What the paragraphs say is what the law says."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from ledger.regulation.acceptance import BY_MUTUAL_CONSENT, COVER, TERM_LIMITS, TERM_OFFER, TERM_ROUNDING
from ledger.regulation.availability import kind_barred_by
from ledger.regulation.paragraphs import PARAGRAPHS
from ledger.regulation.profiles import PROFILES
from ledger.regulation.settle import outcome_of
from ledger.terms.formats import FORMATS
from ledger.terms.hands import Result
from ledger.terms.house import BankedBy, BankerOnDraw, Terms
from ledger.terms.wagers import HANDS_OF_KIND, Kind

LAW = " ".join((Path(__file__).parent / "regulation-6.txt").read_text(encoding="utf-8").split())
QUOTED = [paragraph for paragraph, words in PARAGRAPHS.items() if words.quoted]
LONGEST = 330
"""Characters that a patron is read without losing the thread."""


@pytest.mark.parametrize("paragraph", QUOTED)
def test_a_quotation_is_the_laws_own_words_in_their_order(paragraph: str) -> None:
    """Word for word, but for what ` … ` leaves out."""
    at = 0
    for piece in PARAGRAPHS[paragraph].text.replace(". … ", " … ").split(" … "):
        found = LAW.find(piece, at)
        assert found >= 0, piece
        at = found + len(piece)


@pytest.mark.parametrize("paragraph", QUOTED)
def test_a_quotation_comes_from_the_paragraph_it_stands_for(paragraph: str) -> None:
    """Its end stands after the paragraph's number and before the next one's."""
    number = int(paragraph[2])
    end = LAW.index(PARAGRAPHS[paragraph].text.split(" … ")[-1])
    first = LAW.index(f"({number}) ")
    following = LAW.find(f"({number + 1}) ", first)
    if paragraph == "6(3),(4)":
        following = LAW.index("(5) ")
    assert first <= end < (following if following > 0 else len(LAW))


@pytest.mark.parametrize("paragraph", list(PARAGRAPHS))
def test_a_sentence_is_short(paragraph: str) -> None:
    assert 0 < len(PARAGRAPHS[paragraph].text) <= LONGEST


def test_whatever_a_line_cites_has_its_sentence() -> None:
    """Every kind, every result, both profiles, both readings of equal hands."""
    cited = set()
    for profile, reading, kind in product(PROFILES.values(), BankerOnDraw, Kind):
        names = HANDS_OF_KIND.get(kind, ("player",))
        for results in product(Result, repeat=len(names)):
            terms = Terms(banker_on_draw=reading)
            cited.add(outcome_of(kind, dict(zip(names, results, strict=True)), profile, terms)[1])
    assert len(cited) == 9
    assert cited <= set(PARAGRAPHS)


def test_whatever_a_refusal_cites_has_its_sentence() -> None:
    cited = {
        kind_barred_by(kind, format, banked_by, hands)
        for kind, format, banked_by, hands in product(Kind, FORMATS.values(), BankedBy, (1, 2))
    } - {None}
    assert cited == {"6(4)", "6(7)(a)", "6(7)(b)", "6(7)(c)"}
    assert cited | {BY_MUTUAL_CONSENT, COVER, TERM_LIMITS, TERM_OFFER, TERM_ROUNDING} <= set(PARAGRAPHS)


def test_what_is_not_quoted_is_not_passed_off_as_a_quotation() -> None:
    """The amendment's text, regulation 2(2) and terms of a table are told in other words."""
    assert {paragraph for paragraph in PARAGRAPHS if paragraph not in QUOTED} == {
        "6(7A)(a)",
        "6(7A)(b)",
        "2(2)",
        "house rule (reg 2(2))",
        "terms.rounding",
        "terms.limits",
        "terms.offer",
    }
