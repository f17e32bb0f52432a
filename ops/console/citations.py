"""Paragraphs as links to their words: the page `Regulation 6` has all that the record cites."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from ledger.regulation.paragraphs import PARAGRAPHS
from ops.console.money import NOTHING


def anchor(paragraph: str) -> str:
    """`6(7)(i)` as the name of a place on a page: `p-6-7-i`."""
    return "p-" + "-".join(re.findall(r"[a-z0-9]+", paragraph.lower()))


@pass_context
def paragraph(context: Context, cited: str | None) -> Markup:
    """A citation, as a link where its words are known."""
    if not cited:
        return NOTHING
    if cited not in PARAGRAPHS:
        return Markup('<span class="paragraph">{}</span>').format(cited)
    address = f"{context['root']}/regulation#{anchor(cited)}"
    return Markup('<a class="paragraph" href="{}">{}</a>').format(address, cited)


FILTERS: Mapping[str, Callable[..., Any]] = {"paragraph": paragraph, "anchor": anchor}
