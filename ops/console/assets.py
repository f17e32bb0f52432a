"""Files that pages are made with, each under an address with its content's digest: kept for ever by browsers.

Scripts and styles are our own, and Plotly's comes out of its wheel. Nothing is built and nothing is fetched.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import Response

from ops.service.refusals import NotFound

_DIGEST_CHARACTERS = 16
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FOR_EVER = "public, max-age=31536000, immutable"


def _plotly() -> Path:
    """Plotly's script in its wheel, found without importing the library. Raises: ModuleNotFoundError."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("there is no plotly", name="plotly")
    return Path(found.origin).parent / "package_data" / "plotly.min.js"


_PLOTLY = _plotly()


class Asset(NamedTuple):
    """A file as it is sent."""

    name: str
    digest: str
    media_type: str
    content: bytes
    compressed: bytes


def _files() -> Mapping[str, Traversable]:
    room = resources.files("ops.console") / "static"
    own = {file.name: file for file in room.iterdir() if file.is_file()}
    return own | {_PLOTLY.name: _PLOTLY}


@cache
def asset(name: str) -> Asset:
    """The file of this name. Raises: NotFound."""
    file = _files().get(name)
    if file is None:
        raise NotFound("file of this name")
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:_DIGEST_CHARACTERS]
    media_type = _TYPES.get(name[name.rfind(".") :], "application/octet-stream")
    return Asset(name, digest, media_type, content, gzip.compress(content, mtime=0))


@cache
def maps_style() -> str:
    """The id under which Plotly would put the style of its maps into a page, unless one is there.

    It would be an inline style, which the content security policy refuses, and there are no maps here.
    """
    found = re.search(rb'getElementById\("([0-9a-f]{64})"\)', asset(_PLOTLY.name).content)
    return found[1].decode() if found else "no-maps"


def address(name: str) -> str:
    """Where a page finds it, from the console's root."""
    return f"static/{asset(name).digest}/{name}"


def answer(request: Request, digest: str, name: str) -> Response:
    """The file, compressed for whoever takes that. Raises: NotFound: there is no such version of it."""
    found = asset(name)
    if found.digest != digest:
        raise NotFound("version of this file")
    headers = {"Cache-Control": _FOR_EVER, "ETag": f'"{digest}"', "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.content, headers=headers, media_type=found.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(found.compressed, headers=headers, media_type=found.media_type)
