"""What the log says of a fault of ours: what kind, and where in the program. Never with what values."""

from __future__ import annotations

import traceback
from typing import Any

_FRAMES_MAX = 12


def told(error: BaseException) -> dict[str, Any]:
    """The error's kind and the innermost frames; its message may hold what was sent, so it is left out."""
    inner = error
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    frames = traceback.extract_tb(inner.__traceback__)[-_FRAMES_MAX:]
    at = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
    return {"fault": type(inner).__name__, "at": at}
