"""What every response of the console tells the browser: take nothing from elsewhere, show nobody else."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NO_TEXT = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""A style element with nothing in it: Plotly makes one, and adds its rules by script."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {_NO_TEXT}",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing inline, nothing foreign."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
HTTPS_ONLY = ("Strict-Transport-Security", "max-age=31536000")


class Dressed:
    """Wraps the console: its headers, and the cookie that a page may have set."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._headers = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
        if https:
            self._headers.append((HTTPS_ONLY[0].lower().encode(), HTTPS_ONLY[1].encode()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name.lower() for name, _ in message["headers"]}
                headers = [*message["headers"], *(one for one in self._headers if one[0] not in said)]
                if cookie := state.get("console_cookie"):
                    headers.append((b"set-cookie", cookie.encode()))
                message["headers"] = headers
            await send(message)

        await self._app(scope, receive, sending)
