"""Tokens of an issuer: taken where everything about them is right, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from ledger.terms.access import Role
from ops.service.settings import OidcSettings, ServiceSettings
from ops.service.tokens import read_jwks
from tests.service.at_work import PREMISES, AtWork, at_work, code_of
from tests.service.test_commands import opening
from tests.tabletalk import NOON, events_of

ISSUER, AUDIENCE = "https://login.example", "baccarat-ledger"
SECRET = ed25519.Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
OTHER = ed25519.Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
CURVE = ec.derive_private_key(3, ec.SECP256R1())
GOOD: dict[str, Any] = {
    "iss": ISSUER,
    "aud": AUDIENCE,
    "sub": "law-1",
    "exp": (NOON + timedelta(hours=1)).timestamp(),
    "baccarat_ledger": {"main": ["compliance", "pit"], "annexe": ["auditor"]},
}


def key_set() -> bytes:
    keys = [json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(SECRET.public_key())) | {"kid": "one"}]
    keys.append(json.loads(jwt.algorithms.ECAlgorithm.to_jwk(CURVE.public_key())) | {"kid": "two"})
    keys.append({"kty": "oct", "k": "eHh4" * 12, "kid": "shared"})
    return json.dumps({"keys": keys}).encode()


def signed(claims: dict[str, Any], key: Any = SECRET, kid: str = "one", algorithm: str = "EdDSA") -> str:
    return jwt.encode(claims, key, algorithm, headers={"kid": kid})


@pytest.fixture(scope="module")
def trusting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    folder = tmp_path_factory.mktemp("tokens")
    (folder / "jwks.json").write_bytes(key_set())
    oidc = OidcSettings(ISSUER, AUDIENCE, str(folder / "jwks.json"))
    with at_work(folder / "ledger.db", ServiceSettings(oidc=oidc)) as service:
        yield service


def asks(working: AtWork, token: str, path: str = f"{PREMISES}/compliance") -> Any:
    return working.asks("GET", path, headers={"authorization": f"Bearer {token}"})


@pytest.mark.parametrize(("key", "kid", "algorithm"), [(SECRET, "one", "EdDSA"), (CURVE, "two", "ES256")])
def test_a_good_token_says_who_may_do_what_where(
    trusting: AtWork, key: Any, kid: str, algorithm: str
) -> None:
    token = signed(GOOD, key, kid, algorithm)
    assert asks(trusting, token).status_code == 200
    assert asks(trusting, token, "/v1/premises/annexe/pnl").status_code == 200
    denied = asks(trusting, token, f"{PREMISES}/cage")
    assert (denied.status_code, code_of(denied)) == (403, "not-allowed")
    denied = asks(trusting, token, "/v1/premises/third/pnl")
    assert (denied.status_code, code_of(denied)) == (403, "not-allowed")


def test_the_actor_is_the_tokens_person(trusting: AtWork) -> None:
    bearer = {"authorization": f"Bearer {signed(GOOD)}"}
    path = f"{PREMISES}/tables/O1/open-table"
    assert trusting.asks("POST", path, headers=bearer, json=opening("O1")).status_code == 200
    (opened, *_) = events_of(trusting.house.ledger, "table/main/O1/2026-11-27")
    assert opened.actor == "law-1"


BAD: dict[str, str] = {
    "expired": signed(GOOD | {"exp": (NOON - timedelta(minutes=1)).timestamp()}),
    "without an end": signed({k: v for k, v in GOOD.items() if k != "exp"}),
    "not yet": signed(GOOD | {"nbf": (NOON + timedelta(minutes=1)).timestamp()}),
    "never ends, because nothing is later than NaN": signed(GOOD | {"exp": float("nan")}),
    "never ends": signed(GOOD | {"exp": float("inf")}),
    "ends after all measure": signed(GOOD | {"exp": 10**400}),
    "began at no time": signed(GOOD | {"nbf": float("nan")}),
    "ends in text": signed(GOOD | {"exp": "never"}),
    "of another issuer": signed(GOOD | {"iss": "https://login.example.evil"}),
    "for another audience": signed(GOOD | {"aud": "roulette"}),
    "of nobody": signed({k: v for k, v in GOOD.items() if k != "sub"}),
    "of no name": signed(GOOD | {"sub": "law 1"}),
    "with a role that is none": signed(GOOD | {"baccarat_ledger": {"main": ["owner"]}}),
    "with roles in a text": signed(GOOD | {"baccarat_ledger": "main:admin"}),
    "by another's key": signed(GOOD, OTHER),
    "by a key unknown": signed(GOOD, OTHER, kid="three"),
    "by a shared secret": signed(GOOD, "x" * 36, kid="shared", algorithm="HS256"),
    "by a shared secret under a public key's name": signed(GOOD, "x" * 32, kid="one", algorithm="HS256"),
    "unsigned": jwt.encode(GOOD, "", algorithm="none", headers={"kid": "one"}),
    "cut short": signed(GOOD)[:-4],
    "no token": "a.b.c",
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_is_not_good_opens_nothing(trusting: AtWork, name: str) -> None:
    answer = asks(trusting, BAD[name])
    assert (answer.status_code, code_of(answer)) == (401, "not-authenticated")


def test_a_token_without_roles_is_somebody_who_may_nothing(trusting: AtWork) -> None:
    answer = asks(trusting, signed({k: v for k, v in GOOD.items() if k != "baccarat_ledger"}))
    assert (answer.status_code, code_of(answer)) == (403, "not-allowed")


def test_approvers_may_come_one_with_a_key_and_one_with_a_token(trusting: AtWork) -> None:
    from tests.service.test_consents import held, ruled  # noqa: PLC0415

    line = ruled(held(trusting, "O2"), "pit-1", "law-1")
    digest = trusting.sends(line, Role.PIT, person="dealer-1").json()["digest"]
    path = f"{PREMISES}/proposals/{line['id']}/consents"
    bearer = {"authorization": f"Bearer {signed(GOOD)}"}
    assert trusting.asks("POST", path, headers=bearer, json={"digest": digest}).status_code == 202
    last = trusting.asks("POST", path, Role.PIT, person="pit-1", json={"digest": digest})
    assert (last.status_code, last.json()["stage"]) == (200, "void")


class Issuer(BaseHTTPRequestHandler):
    """Serves a key set, when it is there."""

    there = False

    def do_GET(self) -> None:
        content = key_set() if Issuer.there else b""
        self.send_response(200 if Issuer.there else 500)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_keys_are_fetched_and_an_issuer_who_is_away_is_told(tmp_path: Path) -> None:
    """And who was away is asked again, not at every request, and those known stay good."""
    issuer = ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
    Thread(target=issuer.serve_forever, daemon=True).start()
    oidc = OidcSettings(ISSUER, AUDIENCE, f"http://127.0.0.1:{issuer.server_port}/keys")
    with at_work(tmp_path / "ledger.db", ServiceSettings(oidc=oidc)) as working:
        away = asks(working, signed(GOOD))
        assert (away.status_code, code_of(away)) == (503, "identity-unavailable")
        Issuer.there = True
        assert asks(working, signed(GOOD)).status_code == 503
        working.clock.moves(timedelta(seconds=31))
        assert asks(working, signed(GOOD)).status_code == 200
        Issuer.there = False
        working.clock.moves(timedelta(minutes=30))
        assert asks(working, signed(GOOD)).status_code == 200
    issuer.shutdown()
    issuer.server_close()


@pytest.mark.parametrize(
    "place", ["http://login.example/keys", "ftp://login.example/keys", "file:///etc/hosts"]
)
def test_keys_are_not_fetched_where_anybody_could_change_them(place: str) -> None:
    with pytest.raises(ValueError, match="https"):
        read_jwks(place)
