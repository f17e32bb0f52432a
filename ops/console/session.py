"""Sessions: who is signed in at a browser, in a signed cookie that scripts cannot read.

The cookie has the name of a key or the person of a token, never a secret. A key is looked up in the record at
each request, so a revoked one opens nothing from that moment; a token's session ends with the token. Signing
out is remembered in the ledger's tables, so a copy of the cookie opens nothing afterwards, at no process.

The signature's secret is derived from the one that the services of this ledger share (`ops.service.tables`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from itsdangerous import BadSignature, URLSafeSerializer

from ledger.store.port import ReadTables
from ledger.terms.access import Role
from ops.console.refusals import SessionEnded
from ops.console.settings import ConsoleSettings
from ops.service.keys import Keys
from ops.service.principal import Principal
from ops.service.tables import SIGNED_OUT

NOTED_EVERY_SECONDS = 60
"""That a session is in use is known to the minute: not every page needs a new cookie."""
_KEY, _TOKEN = "key:", "oidc:"


class Session(NamedTuple):
    """A browser's visit.

    Attributes:
        id: random; forms are tied to it.
        principal: who is signed in; None: nobody yet.
        ends_at, seen_at: seconds since 1970.
    """

    id: str
    principal: Principal | None
    ends_at: int
    seen_at: int


class Sessions:
    """Makes, reads and ends them.

    Args:
        secret: the ledger's own, which its services share.
        clock: aware UTC.
        tokens_taken: whether an issuer of tokens is trusted at all.
    """

    def __init__(
        self,
        secret: bytes,
        tables: ReadTables,
        keys: Keys,
        clock: Callable[[], datetime],
        settings: ConsoleSettings,
        *,
        tokens_taken: bool,
    ) -> None:
        self._secret = hmac.digest(secret, b"console-session", "sha256")
        self._signer = URLSafeSerializer(
            self._secret,
            salt="session",
            signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
        )
        self._tables, self._keys, self._clock, self._settings = tables, keys, clock, settings
        self._tokens_taken = tokens_taken
        with tables.transaction() as statements:
            statements.execute(SIGNED_OUT)

    def now(self) -> int:
        """Seconds since 1970, by the ledger's clock."""
        return int(self._clock().timestamp())

    def begin(self, principal: Principal | None = None, until: int | None = None) -> Session:
        """A new session, under a new id: nobody can have known it before.

        Args:
            until: when it ends at the latest, seconds since 1970: a token's end.
        """
        now = self.now()
        ends = now + int(self._settings.lifetime.total_seconds())
        return Session(secrets.token_urlsafe(24), principal, min(ends, until or ends), now)

    def written(self, session: Session) -> str:
        """The cookie's text."""
        who = session.principal
        content: dict[str, Any] = {"id": session.id, "ends": session.ends_at, "seen": session.seen_at}
        if who is not None:
            content["by"] = who.credential
            if who.credential.startswith(_TOKEN):  # no record says what a token allows: it did itself
                content["roles"] = {at: sorted(roles) for at, roles in who.roles.items()}
        return str(self._signer.dumps(content))

    def read(self, cookie: str | None) -> Session:
        """The session of a cookie, as its holder stands now.

        Raises:
            SessionEnded: there is none, or it is over, or its key is revoked.
        """
        try:
            content = self._signer.loads(cookie or "")
        except BadSignature:
            raise SessionEnded("nobody is signed in here") from None
        now = self.now()
        if now >= content["ends"] or now - content["seen"] >= self._settings.idle.total_seconds():
            raise SessionEnded("this session is over")
        principal = self._principal(content) if "by" in content else None
        if principal is not None and self._is_signed_out(content["id"]):
            raise SessionEnded("this session was ended")
        return Session(content["id"], principal, content["ends"], content["seen"])

    def seen(self, session: Session) -> Session | None:
        """The same session, in use now; None where that is known already."""
        now = self.now()
        return session._replace(seen_at=now) if now - session.seen_at >= NOTED_EVERY_SECONDS else None

    def end(self, session: Session) -> None:
        """Sign out."""
        with self._tables.transaction() as statements:
            statements.execute("DELETE FROM console_signed_out WHERE ends_at < ?", (self.now(),))
            sql = "INSERT INTO console_signed_out VALUES (?, ?) ON CONFLICT DO NOTHING"
            statements.execute(sql, (session.id, session.ends_at))

    def form_token(self, session: Session) -> str:
        """What every form of this session carries: no other site can know it."""
        return hmac.digest(self._secret, b"form " + session.id.encode(), "sha256").hex()

    def _principal(self, content: dict[str, Any]) -> Principal:
        credential = content["by"]
        if credential.startswith(_KEY):
            premises, _, name = credential.removeprefix(_KEY).partition("/")
            return self._keys.standing(premises, name)
        if not self._tokens_taken:
            raise SessionEnded("tokens are no longer taken here")
        roles = {at: frozenset(map(Role, held)) for at, held in content["roles"].items()}
        return Principal(credential.removeprefix(_TOKEN), credential, roles)

    def _is_signed_out(self, session_id: str) -> bool:
        with self._tables.snapshot() as statements:
            sql = "SELECT 1 FROM console_signed_out WHERE session_id = ?"
            return bool(statements.execute(sql, (session_id,)))
