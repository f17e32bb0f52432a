"""A coup's story for those who may not see who staked what: the same coup, with nobody in it.

Who may is the feed's table: whoever reads `wagers-placed` there sees tokens here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ledger.events.coup import WagersPlaced
from ops.feed.roles import READERS
from projections.story.coups import CoupStory

SEES_TOKENS = READERS[WagersPlaced.TOPIC]
_WHO = ("patron", "seat")
SOMEBODY = "a player"
"""Stands for the holder of a bank, or for whoever called banco."""


def without_tokens(story: CoupStory) -> CoupStory:
    """The story with every patron's token and seat left out, and no dispute: its words are somebody's own."""
    opened = story.opened
    if opened is not None and opened.conditions.banker is not None:
        pinned = opened.conditions.model_copy(update={"banker": SOMEBODY})
        opened = opened.model_copy(update={"conditions": pinned})
    return replace(
        story,
        opened=opened,
        wagers=_without(story.wagers),
        refused=_without(story.refused),
        banco=story.banco and {**story.banco, "patron": SOMEBODY},
        decisions=[{**decision, "by": None} for decision in story.decisions],
        disputes=[],
        lines=[line.model_copy(update=dict.fromkeys(_WHO)) for line in story.lines],
        rulings=[{**ruling, "reversed": _without(ruling["reversed"])} for ruling in story.rulings],
    )


def _without(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in entry.items() if name not in _WHO} for entry in entries]
