"""Good lines, and what may be done to them."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from tests.tabletalk import Night

Json = dict[str, Any]


def good_coup(**facts: Any) -> Json:
    """A coup of two wagers as a line of a tape."""
    return Night().coup(1, "P 9 K / B 7 Q", "player 100, banker 200", **facts)


def changed(line: Json, path: Sequence[str | int], value: Any) -> Json:
    """The line with something else at this place."""
    line = copy.deepcopy(line)
    place: Any = line
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return line


def without(line: Json, field: str) -> Json:
    """The line with a field left out."""
    return {name: value for name, value in line.items() if name != field}


def written(line: Json) -> bytes:
    """The line as a tape has it."""
    return json.dumps(line).encode()
