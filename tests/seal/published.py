"""Vectors published by others.

* The Merkle trees of the Certificate Transparency reference implementation (eight leaves, their roots, and
  inclusion and consistency proofs), which every RFC 6962 library is tested with.
* The keys and notes in the tests of Go's golang.org/x/mod/sumdb/note, the origin of the signed note.
* Heads of live logs: Go's checksum database, and Sigstore's Rekor with an entry and its inclusion proof.
"""

from __future__ import annotations

from base64 import b64decode
from typing import NamedTuple


def _hashes(*texts: str) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


# --- Certificate Transparency ----------------------------------------------------------------------------

LEAVES = _hashes(
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"
)
ROOTS = _hashes(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""By size, from 0."""

INCLUSION = {
    (0, 1): [],
    (0, 8): _hashes(
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): _hashes(
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): _hashes("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    (1, 5): _hashes(
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}
"""By leaf index and size."""

CONSISTENCY = {
    (1, 1): [],
    (1, 8): INCLUSION[0, 8],
    (6, 8): _hashes(
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): INCLUSION[1, 5][1:],
    (6, 7): _hashes(
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}
"""By the two sizes."""


# --- Go's notes --------------------------------------------------------------------------------------------

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_SIGNED = (
    "— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCH_SIGNED = (
    "— EnochRoot "
    "rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
WRONG_LENGTH = "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=="
UNKNOWN_ALGORITHM = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
"""Both with the id that belongs to them."""


# --- Live logs ---------------------------------------------------------------------------------------------


class Head(NamedTuple):
    """A checkpoint that a log published, and what it says."""

    key: str
    origin: str
    size: int
    root: str
    note: str


SUMDB = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
REKOR = "log2025-1.rekor.sigstore.dev+cf119915+AbfK5adZJxsI323FwGD2AJJ9F4i89cfDuLdGJBIYntuO"


def _head(key: str, origin: str, size: int, root: str, *signatures: str) -> Head:
    lines = "".join(f"— {signature}\n" for signature in signatures)
    return Head(key, origin, size, root, f"{origin}\n{size}\n{root}\n\n{lines}")


HEADS = [
    _head(
        SUMDB,
        "go.sum database tree",
        6476701,
        "mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=",
        "sum.golang.org "
        "Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw=",
    ),
    _head(
        SUMDB,
        "go.sum database tree",
        15067302,
        "gJyioq6dwR9n+NjEWORfYmH+ubeYm3kH42BBQ0bTpYI=",
        "sum.golang.org "
        "Az3grp1rvWOs5NKlr/xR4GLN/CDyzzakmt1o61uSxYKpK1SerqOP2ClbX/peKUZjYnyomH5Xz7GZG3TpB7OeKn4E2ww=",
        "test.example.com "
        "qTGhC/xIPQ0AXKHK6Y+9ypRfuvMZWPjRXM8NiOg5M1WREn07VQXyuIXM3NRNav3ieVFLUqDRK77PWDmL6w8w84UqeAw=",
    ),
    _head(
        REKOR,
        "log2025-1.rekor.sigstore.dev",
        34356369,
        "dA9mMr0smTXgo7nGsE01Zdc5KOOqTs2/zYfdSqxO+ks=",
        "log2025-1.rekor.sigstore.dev "
        "zxGZFQZgTebN28s0D7vKP5gX8R+CsXCved700HCQAHgDHbdkaH3tfx7+DMPkccNhzsnSy7LijLzWMa+evZduylLs0wc=",
    ),
    _head(
        REKOR,
        "log2025-1.rekor.sigstore.dev",
        139911860,
        "EliTHtnx44DhEBH+5qIXBtQsSpc54Avam7mIYEvxnTA=",
        "log2025-1.rekor.sigstore.dev "
        "zxGZFcOra4Y7QpuiQen+CmnUvDZbxSXfBOXJzL+HKIeR9aC58QTfao58ABqkhVyBhQDseS+TZdDNpcnZhoRxkh7IbQ0=",
        "witness.stagemole.eu "
        "Z/euoAAAAABqxF18wrJCADsJ1G5Lc2JaRjZqqBwjpNqH24yQse4iJ4rKS6b5MtvHP+IbKYXwaWuWokdGA+BubLFi+TrwK7xpKr6XBw==",
    ),
]

ENTRY_INDEX = 412114
ENTRY_HEAD = _head(
    REKOR,
    "log2025-1.rekor.sigstore.dev",
    412115,
    "+8vUkEgBK/ansexBUomzocaWoPEmPIzxJC/y+xNMQN4=",
    "log2025-1.rekor.sigstore.dev "
    "zxGZFahCZ/+MqTjH4rC5MWcdLDWbpetE5l30RZfQc4BQkRjWSoKipEUPjvHENeZDHIlAsuezJcLzUVvItpNjaSRoMAs=",
)
ENTRY = b64decode(
    "eyJhcGlWZXJzaW9uIjoiMC4wLjIiLCJraW5kIjoiaGFzaGVkcmVrb3JkIiwic3BlYyI6eyJoYXNoZWRSZWtvcmRWMDAyIjp7ImRhdGEiOnsi"
    "YWxnb3JpdGhtIjoiU0hBMl8yNTYiLCJkaWdlc3QiOiI1ZEoyU2FrVWVPWFk0dXQxaEJIUG9teitoVG42dGMwS1R6Y0dvc0ErZXBFPSJ9LCJz"
    "aWduYXR1cmUiOnsiY29udGVudCI6Ik1FWUNJUURjSk84Mm56MXJydHUxRHhTcHJ1WDFvZ0p1bThkbDRJaUdCTVB6M2pZY2JnSWhBS3dROHdO"
    "dTFPbjhwWWZoQUpDSzhPcVQwT09HVGgveUFRK0FuL2UzZC9kVSIsInZlcmlmaWVyIjp7ImtleURldGFpbHMiOiJQS0lYX0VDRFNBX1AyNTZf"
    "U0hBXzI1NiIsInB1YmxpY0tleSI6eyJyYXdCeXRlcyI6Ik1Ga3dFd1lIS29aSXpqMENBUVlJS29aSXpqMERBUWNEUWdBRTBxOVErdGRHMTk1"
    "Q1hLZm1VeDFZYXR2Wi9tTjNyaGpwT2ZtMWx2c2tXcHJIOVB4cGU5WGM2TGpFSmJCY1ZQaHV0a2ZVdkJCOVJEays0MlNORTYvNXhnPT0ifX19"
    "fX19"
)
ENTRY_PROOF = [
    b64decode(text)
    for text in (
        "KIoYVJ0TqmaEkFboP7YWTjSh8vFjVECmokcTOAByfIM=",
        "Umf0h0cK2hegTzNnSgsXszyiA4bp5OvEvP+GrWq3C8w=",
        "vNQeSNBfepYZI2Ez3ViKdCft0JH87ZS8IGKwixxUVjc=",
        "JBAugd5awOqmHXIKgz1MOjlR5f37VqmP0bWoRVcHX5M=",
        "xYH2mAxGxfOgvSOLnItT2LsJt+Z2a2egjf8QJFwK7jA=",
        "PbZWM3NitzChx9A22m/kddDtzh2bAKX5Fy7j76l3z2k=",
        "sKX9Sbsahvw5DiC2oP6pbZsDi1NzuNS1nIULXkCC57o=",
        "pfTCxXHnCM253jwYxVJcuUhmoTTtDxznn92QhN0M4Ws=",
        "cJ8uk2ZvZyfg+HRILKOHcyHu2pvI8Fz3R1MyMvyzWtA=",
    )
]
