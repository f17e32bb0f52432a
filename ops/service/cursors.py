"""Where the next page begins: a text that this ledger's services alone can make."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from ops.service.refusals import CursorUnknown

_SIGNATURE_BYTES = 16
CURSOR_LENGTH_MAX = 1_000


class Cursors:
    """Signs positions, so that one that was made up, or is another query's, is told."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def make(self, query: str, asked: Mapping[str, Any], position: list[Any]) -> str:
        """A cursor of this query, with this position in it."""
        content = json.dumps(position, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._sign(query, asked, content) + content).decode().rstrip("=")

    def read(self, query: str, asked: Mapping[str, Any], cursor: str) -> list[Any]:
        """The position. Raises: CursorUnknown: this query never gave it out."""
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            whole = base64.b64decode(padded, altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            raise CursorUnknown("it is no cursor") from None
        signature, content = whole[:_SIGNATURE_BYTES], whole[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(query, asked, content)):
            raise CursorUnknown("ask for the first page, without a cursor")
        position: list[Any] = json.loads(content)
        return position

    def _sign(self, query: str, asked: Mapping[str, Any], content: bytes) -> bytes:
        about = json.dumps([query, sorted((name, str(value)) for name, value in asked.items())]).encode()
        signed = hashlib.sha256(about).digest() + content
        return hmac.digest(self._secret, signed, "sha256")[:_SIGNATURE_BYTES]
