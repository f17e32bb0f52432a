"""The page of a coup: HTML with its style in it, no script, and no address of anything outside."""

from __future__ import annotations

import re
from importlib import resources

from jinja2 import Environment, StrictUndefined

from projections.story.telling import Telling

SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
RED = frozenset({"d", "h"})
_CARD = re.compile(r"\b(10|[2-9AJQK])([cdhs])\b")


def page(telling: Telling) -> str:
    """The whole page. Everything that anybody has written is escaped."""
    room = resources.files(__package__)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["suited"] = suited
    template = environment.from_string(room.joinpath("page.html").read_text(encoding="utf-8"))
    style = room.joinpath("page.css").read_text(encoding="utf-8")
    return template.render(coup=telling, style=style, symbols=SYMBOLS, red=RED)


def suited(cards: str) -> str:
    """Cards with the symbols of their suits for the letters."""
    return _CARD.sub(lambda card: card[1] + SYMBOLS[card[2]], cards)
