"""The growth of the record as a plot: what work costs in a large one, against what it costs in a small one.

Drawn by Plotly, in Debian's chromium, into an SVG that a page of text can show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from ops.chromium import ARGUMENTS, CHROMIUM

_FIGURE = re.compile(r"(?P<work>.+), (?P<events>[\d,]+) events")
_AGAINST = re.compile(r"(?P<events>[\d,]+) events")
_WIDTH, _HEIGHT = 960, 520
_SVG = "data:image/svg+xml,"

Line = list[tuple[int, float]]
"""Events in the record, and the ratio."""


def lines_of(figures: Iterable[Mapping[str, Any]]) -> dict[str, Line]:
    """By work: what it costs in records of so many events, as ratios to the smallest one, which is 1.

    Args:
        figures: as their JSON has them; those that do not compare records are passed over.
    """
    found: dict[str, Line] = {}
    for figure in figures:
        large, small = _FIGURE.fullmatch(figure["name"]), _AGAINST.fullmatch(figure["against"])
        if large is None or small is None:
            continue
        line = found.setdefault(large["work"], [(_number(small["events"]), 1.0)])
        line.append((_number(large["events"]), float(figure["ratio"]["median"])))
    return {work: sorted(line) for work, line in found.items()}


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def draw(lines: Mapping[str, Line]) -> str:
    """The plot, as SVG. Raises: ModuleNotFoundError: playwright or plotly is not installed."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 – of development
    from plotly import graph_objects  # type: ignore[import-untyped]  # noqa: PLC0415 – the extra `console`; it has no types

    traces = [
        graph_objects.Scatter(
            x=[events for events, _ in line], y=[ratio for _, ratio in line], mode="lines+markers", name=work
        )
        for work, line in sorted(lines.items())
    ]
    figure = graph_objects.Figure(traces)
    sizes = sorted({_about(events) for line in lines.values() for events, _ in line})
    figure.update_layout(
        template="plotly_white",
        title="What it costs in a large record, against a small one",
        xaxis={
            "type": "log",
            "title": {"text": "events in the record"},
            "tickvals": sizes,
            "ticktext": [f"{size:,}" for size in sizes],
        },
        yaxis={"title": {"text": "times the cost"}, "rangemode": "tozero"},
        legend={"font": {"size": 11}},
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            page = browser.new_page()
            page.set_content(figure.to_html(include_plotlyjs=True))
            drawn: str = page.evaluate(
                "size => Plotly.toImage(document.querySelector('.plotly-graph-div'), size)",
                {"format": "svg", "width": _WIDTH, "height": _HEIGHT},
            )
        finally:
            browser.close()
    return unquote(drawn.removeprefix(_SVG))


def _about(events: int) -> int:
    """To its first digit: what is meant by a size that came out a little otherwise."""
    place = int(10 ** (len(str(events)) - 1))
    return round(events / place) * place
