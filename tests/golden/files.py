"""The golden files, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ledger.events.catalogue import BY_TOPIC

HERE = Path(__file__).parent
EVENTS: dict[str, bytes] = {
    path.name.removesuffix(".json"): path.read_bytes() for path in sorted((HERE / "events").glob("*.json"))
}
"""The stored bytes of one event of each topic."""

TOPICS = sorted(set(EVENTS) & set(BY_TOPIC))
"""The topics still written that have their golden file: all of them, as a test sees to."""

DIGESTS: list[dict[str, Any]] = json.loads((HERE / "digests.json").read_text(encoding="utf-8"))
"""For one command of each type: `line`, `content` as it is hashed, and `digest`."""
