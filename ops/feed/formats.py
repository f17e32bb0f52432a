"""The formats that the feed is served in, chosen by `Accept`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from ledger.errors import FormatNotServed


class Format(StrEnum):
    """How messages follow each other."""

    ARRAY = "array"
    NDJSON = "ndjson"
    SSE = "sse"


MEDIA_TYPES: Mapping[str, Format] = {
    "application/cloudevents-batch+json": Format.ARRAY,
    "application/json": Format.ARRAY,
    "application/x-ndjson": Format.NDJSON,
    "text/event-stream": Format.SSE,
}
_RANGES: Mapping[str, str] = {"*/*": "application/json", "application/*": "application/json"}


def negotiated(accept: str | None) -> tuple[str, Format]:
    """The media type to answer in, and its format (RFC 9110 §12.5.1).

    Raises:
        FormatNotServed: none of those accepted is served.
    """
    for media_type in _by_preference(accept or "*/*"):
        served = _RANGES.get(media_type, media_type)
        if served in MEDIA_TYPES:
            return served, MEDIA_TYPES[served]
    raise FormatNotServed((accept or "")[:200], ", ".join(MEDIA_TYPES))


def _by_preference(accept: str) -> list[str]:
    """The media types that are accepted, the best first, in their order where they are as good."""
    found: list[tuple[str, str]] = []
    for part in accept.split(","):
        media_type, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
        found.append((quality.ljust(5, "0") if "." in quality else f"{quality}.000", media_type))
    found = [(quality, media_type) for quality, media_type in found if quality.strip("0.") != ""]
    return [media_type for _, media_type in sorted(found, key=lambda one: one[0], reverse=True)]
