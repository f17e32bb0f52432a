"""Templates: what every page can say in them."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ops.console import assets, cards, charts, citations, moments, money


def environment() -> Environment:
    """The console's templates. Whatever anybody has written is escaped; what is missing is an error."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        **cards.FILTERS,
        **charts.FILTERS,
        **citations.FILTERS,
        **moments.FILTERS,
        **money.FILTERS,
    }
    made.globals |= {"asset": assets.address, "maps_style": assets.maps_style}
    return made
