"""A second reader of bundles, written from ledger/seal/BUNDLE.md alone. It shares no line with the ledger."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ODDS = {
    "banker": "19/20",
    "both-hands": "1/1",
    "hand-1": "1/1",
    "hand-2": "1/1",
    "player": "1/1",
    "tie": "8/1",
}
PROFILES = {
    "si-1994-2899": ("1995-01-01", "2000-03-31", "6(7)(i)", "6(7)(ii)"),
    "si-2000-597-7a": ("2000-04-01", "2007-08-31", "6(7A)(a)", "6(7A)(b)"),
}
HANDS = {"player": ["player"], "hand-1": ["hand-1"], "hand-2": ["hand-2"], "both-hands": ["hand-1", "hand-2"]}


class Refused(Exception):
    """The bundle proves nothing."""


def read(source: bytes, key: str) -> dict[str, Any]:
    """The bundle, if the key vouches for all of it. Raises: Refused."""
    try:
        bundle: dict[str, Any] = json.loads(source)
        digest = bundle.pop("digest")
        must(digest == sha256(written(bundle)).hexdigest(), "digest")
        must(source == written(bundle | {"digest": digest}) + b"\n", "form")
        must(bundle["format"] == "baccarat-ledger/coup-bundle/v1", "format")
        size, root = checkpoint(bundle["checkpoint"], key)
        events = [event(bundle["coup"], entry, size, root) for entry in bundle["events"]]
        sequences = [entry["sequence"] for entry in bundle["events"]]
        must(sequences == sorted(set(sequences)), "order")
        must([entry["version"] for entry in bundle["events"]] == list(range(1, len(events) + 1)), "versions")
        opened = events[0]
        must(
            [topic == "coup-opened.v1" for topic, _ in events] == [True] + [False] * (len(events) - 1),
            "opening",
        )
        name = "/".join(str(opened[1][part]) for part in ("premises", "table", "shoe", "number"))
        must(bundle["coup"] == f"coup/{name}", "coup")
        profile = opened[1]["conditions"]["profile"]
        first, last, banker, tie = PROFILES[profile]
        said = {"id": profile, "first": first, "last": last, "banker": banker, "tie": tie, "odds": ODDS}
        must(bundle["profile"] == said, "profile")
        must(set(bundle) == {"checkpoint", "coup", "events", "format", "profile"}, "members")
        settle(events, banker, tie)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise Refused(str(error)) from error
    return bundle


def must(holds: bool, what: str) -> None:
    if not holds:
        raise Refused(what)


def written(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def base64(text: str) -> bytes:
    raw = b64decode(text, validate=True)
    must(b64encode(raw).decode() == text, "Base64")
    return raw


def checkpoint(note: str, key: str) -> tuple[int, bytes]:
    """SIZE and ROOT, if the key signed them."""
    name, key_id, encoded = key.split("+", 2)
    public = base64(encoded)
    must(public[:1] == b"\x01" and sha256(f"{name}\n".encode() + public).hexdigest()[:8] == key_id, "key")
    text, _, below = note.rpartition("\n\n")
    must(below.endswith("\n"), "end of the note")
    good = False
    for line in below[:-1].split("\n"):
        dash, signer, signed = line.split(" ")
        raw = base64(signed)
        must(dash == "—" and len(raw) > 4, "signature line")
        if signer == name and raw[:4].hex() == key_id:
            try:
                Ed25519PublicKey.from_public_bytes(public[1:]).verify(raw[4:], f"{text}\n".encode())
            except Exception as error:
                raise Refused("signature") from error
            good = True
    must(good, "nobody whom we know has signed")
    _, size, root = text.split("\n")[:3]
    return int(size), base64(root)


def event(stream: str, entry: dict[str, Any], size: int, root: bytes) -> tuple[str, dict[str, Any]]:
    """Topic and content of an event that is a leaf of the tree."""
    must(set(entry) == {"proof", "sequence", "state", "topic", "version"}, "members of an event")
    sequence, version = entry["sequence"], entry["version"]
    parts = [part.encode() for part in (stream, entry["topic"], entry["state"])]
    numbers = sequence.to_bytes(8, "big") + version.to_bytes(8, "big")
    leaf = numbers + b"".join(len(part).to_bytes(4, "big") for part in parts) + b"".join(parts)
    found, at, last = sha256(b"\x00" + leaf).digest(), sequence - 1, size - 1
    must(0 <= at <= last, "place in the tree")
    for step in map(base64, entry["proof"]):
        must(last > 0, "proof too long")
        if at % 2 or at == last:
            found = sha256(b"\x01" + step + found).digest()
            while at and at % 2 == 0:
                at, last = at // 2, last // 2
        else:
            found = sha256(b"\x01" + found + step).digest()
        at, last = at // 2, last // 2
    must(last == 0 and found == root, "proof")
    content = json.loads(entry["state"])
    must(content["stream"] == stream and content["version"] == version, "place in the stream")
    return entry["topic"], content


def settle(events: list[tuple[str, dict[str, Any]]], banker: str, tie: str) -> None:
    """Settle the coup again as often as it was settled."""
    terms = events[0][1]["conditions"]["terms"]
    hands: dict[str, str] = {}
    wagers: dict[str, dict[str, Any]] = {}
    lines: list[dict[str, Any]] = []
    taken_back: list[dict[str, Any]] = []
    for topic, content in events:
        if topic == "wagers-placed.v1":
            wagers |= {wager["id"]: wager for wager in content["wagers"]}
        elif topic == "wagers-cancelled.v1":
            wagers = {id_: wager for id_, wager in wagers.items() if id_ not in content["wagers"]}
        elif topic == "wagers-settled.v1":
            lines += content["lines"]
        elif topic == "wagers-reversed.v1":
            taken_back += content["lines"]
        if "hands" in content:
            hands = content["hands"]
        if topic == "coup-voided.v1":
            must(taken_back == lines, "lines taken back")
            lines, taken_back = [], []
        if topic in {"coup-settled.v1", "coup-corrected.v1"}:
            must(taken_back == lines[: len(taken_back)], "lines taken back")
            lines, taken_back = lines[len(taken_back) :], []
            due = [line(wager, hands, terms, banker, tie) for wager in wagers.values()]
            must(
                [{name: had.get(name) for name in due[0]} for had in lines] == due if due else not lines,
                "lines",
            )


def total(hand: str) -> int:
    ranks = [card.rstrip("cdhs") for card in hand.split()]
    return sum(1 if rank == "A" else int(rank) if rank.isdigit() else 0 for rank in ranks) % 10


def line(
    wager: dict[str, Any], hands: dict[str, str], terms: dict[str, Any], banker: str, tie: str
) -> dict[str, Any]:
    """What a wager comes to."""
    against = {name: total(hand) - total(hands["banker"]) for name, hand in hands.items() if name != "banker"}
    kind, stake = wager["kind"], wager["stake"]
    if kind in HANDS:
        margins = [against[name] for name in HANDS[kind]]
        outcome, paragraph = "void", "6(4)(b)" if len(margins) == 2 else "6(4)(a)"
        if all(margin > 0 for margin in margins):
            outcome, paragraph = "won", "6(3),(4)"
        elif all(margin < 0 for margin in margins):
            outcome, paragraph = "lost", "6(4)"
    else:
        (margin,) = against.values()
        right = margin == 0 if kind == "tie" else margin < 0
        outcome, paragraph = "won" if right else "lost", tie if kind == "tie" else banker
        if kind == "banker" and margin == 0 and terms["banker_on_draw"] == "stand-off":
            outcome, paragraph = "stand-off", "house rule (reg 2(2))"
    to, of = map(int, ODDS[kind].split("/"))
    due, unit = stake * to, terms["unit"] * of
    units = (2 * due + unit) // (2 * unit) if terms["rounding"] == "nearest" else -(-due // unit)
    return {
        "wager": wager["id"],
        "kind": kind,
        "stake": stake,
        "outcome": outcome,
        "odds": ODDS[kind],
        "winnings": units * terms["unit"] if outcome == "won" else 0,
        "returned": 0 if outcome == "lost" else stake,
        "paragraph": paragraph,
        "patron": wager.get("patron"),
        "seat": wager.get("seat"),
        "tender": wager["tender"],
    }
