"""Bearer tokens of an OpenID Connect issuer, checked against its public keys: fetched, or in a file."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import jwt
import structlog
from pydantic import TypeAdapter, ValidationError

from ledger.terms.access import Role
from ledger.terms.identifiers import Name
from ops.service.principal import Principal
from ops.service.refusals import IdentityUnavailable, NotAuthenticated
from ops.service.settings import OidcSettings

log = structlog.get_logger()

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that only the issuer has; never a shared secret, never none."""
LEEWAY_SECONDS = 5
"""As for the clocks of tables."""
KEYS_KEPT = timedelta(minutes=10)
FETCHED_AT_MOST_EVERY = timedelta(seconds=30)
"""A made-up key id must not make this service a nuisance to the issuer."""
FETCH_SECONDS = 5
JWKS_BYTES_MAX = 1024 * 1024
_NEVER = 2**63
_SECURE = re.compile(r"https://|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)")

_PERSON: TypeAdapter[str] = TypeAdapter(Name)
_ROLES: TypeAdapter[dict[str, frozenset[Role]]] = TypeAdapter(dict[Name, frozenset[Role]])


class Tokens:
    """Says whose token it is.

    Raises:
        IdentityUnavailable: the issuer's keys cannot be had.
    """

    def __init__(self, settings: OidcSettings, clock: Callable[[], datetime]) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched: datetime | None = None
        self._asked: datetime | None = None

    def authenticate(self, token: str) -> Principal:
        """Whose token this is, and what they may do where.

        Raises:
            NotAuthenticated: it is not good, or says nothing of a person and their roles.
            IdentityUnavailable: the issuer's keys cannot be had.
        """
        try:
            header = jwt.get_unverified_header(token)
            key = self._key(str(header.get("kid", "")))
            claims = self._claims(token, key)
        except jwt.PyJWTError as error:
            raise NotAuthenticated(f"this token is not good: {error}") from None
        try:
            person = _PERSON.validate_python(claims.get(self._settings.person_claim))
            roles = _ROLES.validate_python(claims.get(self._settings.roles_claim, {}))
        except ValidationError:
            raise NotAuthenticated("this token does not say who may do what, where") from None
        return Principal(person, f"oidc:{person}", roles)

    def _claims(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            audience=self._settings.audience,
            issuer=self._settings.issuer,
            leeway=LEEWAY_SECONDS,
            options={
                "require": ["exp", "iss", "aud", "sub"],
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
        now = self._clock().timestamp()  # the ledger's clock, which is also that of what is recorded
        if not _is_moment(claims["exp"]) or now >= claims["exp"] + LEEWAY_SECONDS:
            raise jwt.ExpiredSignatureError("it has expired")
        begins = claims.get("nbf", 0)
        if not _is_moment(begins) or now < begins - LEEWAY_SECONDS:
            raise jwt.ImmatureSignatureError("it is not valid yet")
        return claims

    def _key(self, key_id: str) -> jwt.PyJWK:
        with self._lock:
            now = self._clock()
            old = self._fetched is None or now - self._fetched >= KEYS_KEPT
            asked_lately = self._asked is not None and now - self._asked < FETCHED_AT_MOST_EVERY
            if (old or key_id not in self._keys) and not asked_lately:
                self._fetch(now)
            if self._fetched is None:
                raise IdentityUnavailable
            key = self._keys.get(key_id)
        if key is None:
            raise jwt.InvalidKeyError("it is signed by no key of the issuer")
        return key

    def _fetch(self, now: datetime) -> None:
        self._asked = now
        try:
            found = _usable(json.loads(read_jwks(self._settings.jwks)))
        except (OSError, ValueError, jwt.PyJWTError) as error:
            log.warning("the keys of the issuer cannot be read", jwks=self._settings.jwks, fault=str(error))
            return  # those known go on being good until the issuer is back
        self._keys, self._fetched = found, now


def _is_moment(value: object) -> bool:
    """A number that a clock comes to. Nothing is ever later than NaN, which Python's JSON reads."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _NEVER


def _usable(key_set: Any) -> dict[str, jwt.PyJWK]:
    """The keys that sign, by their ids; others are passed over."""
    found = key_set.get("keys") if isinstance(key_set, dict) else None
    usable = {}
    for each in found if isinstance(found, list) else ():
        try:
            key = jwt.PyJWK(each)
        except (jwt.PyJWTError, TypeError, AttributeError):
            continue
        if key.algorithm_name in ALGORITHMS and each.get("use", "sig") == "sig":
            usable[str(each.get("kid", ""))] = key
    return usable


def read_jwks(place: str) -> bytes:
    """The issuer's key set. Raises: OSError, ValueError: from where nobody should take it."""
    if "://" not in place:
        return Path(place).read_bytes()
    if not _SECURE.match(place):
        raise ValueError("keys are fetched over https only, or from this machine")
    with urllib.request.urlopen(place, timeout=FETCH_SECONDS) as response:  # noqa: S310 – see _SECURE
        content: bytes = response.read(JWKS_BYTES_MAX + 1)
    if len(content) > JWKS_BYTES_MAX:
        raise ValueError("the set of keys is too long")
    return content
