"""The page of what was measured, and the plot of growth beside it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from ops.bench.growth_plot import draw, lines_of
from ops.bench.results import page
from ops.chromium import CHROMIUM


def figure(name: str, against: str, median: float) -> dict[str, Any]:
    return {
        "name": name,
        "against": against,
        "unit": "times",
        "sort": "time",
        "turns": 3,
        "ratio": {"low": median, "median": median, "high": median},
        "goal": 1.5,
        "held": median <= 1.5,
        "ours": median,
        "other": 1.0,
    }


FIGURES = [
    figure("replay of one coup, 5,000,000 events", "50,000 events", 1.25),
    figure("replay of one coup, 500,000 events", "50,000 events", 1.125),
    figure("a live coup, PostgreSQL, 501,360 events", "48,720 events", 0.75),
    figure("verify", "a bare loop", 3.0),
]
RUN: dict[str, Any] = {
    "taken_at": "2026-11-30T12:00:00+00:00",
    "machine": {
        "cores": 2,
        "processor": "one",
        "memory_bytes": 2**30,
        "system": "Linux",
        "load_average": [0.5, 0.5, 0.5],
    },
    "versions": {"python": "3.11"},
    "parts": [{"name": "growth", "title": "growth", "figures": FIGURES}],
    "left_out": {"one that cannot be had": "no wheel"},
}


def test_a_line_goes_through_every_size_of_the_record() -> None:
    """By hand: the smallest is what the others are compared with, so it is 1."""
    assert lines_of(FIGURES) == {
        "replay of one coup": [(50_000, 1.0), (500_000, 1.125), (5_000_000, 1.25)],
        "a live coup, PostgreSQL": [(48_720, 1.0), (501_360, 0.75)],
    }


def test_the_page_has_every_figure_what_was_left_out_and_the_plot_in_words() -> None:
    said = page([RUN])
    for one in FIGURES:
        assert f"| {one['name']} | {one['against']} | {one['ratio']['median']:.2f} |" in said
    assert "* one that cannot be had: no wheel" in said
    assert "replay of one coup: 1.00 at 50,000, 1.12 at 500,000, 1.25 at 5,000,000" in said
    assert "](growth.svg)" in said


def test_only_growth_is_drawn() -> None:
    """Thirty lines, of pages and of memory too, would show nothing."""
    pages = {"name": "pages", "title": "pages", "figures": FIGURES}
    said = page([{**RUN, "parts": [pages]}])
    assert "### pages" in said
    assert "growth.svg" not in said


def test_without_a_figure_of_growth_there_is_no_plot() -> None:
    assert "growth.svg" not in page([{**RUN, "parts": [{**RUN["parts"][0], "figures": FIGURES[3:]}]}])


@pytest.mark.skipif(not CHROMIUM.exists() and "CI" not in os.environ, reason=f"{CHROMIUM} draws it")
def test_the_plot_names_every_line_and_every_size() -> None:
    drawn = draw(lines_of(FIGURES))
    root = ET.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for word in ("replay of one coup", "a live coup, PostgreSQL", "50,000", "500,000", "5,000,000"):
        assert f">{word}<" in drawn
    assert "48,720" not in drawn  # beside 50,000 nobody could read it
