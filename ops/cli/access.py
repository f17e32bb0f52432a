"""`access keys`: who may use the service. What is done here is in the record."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ledger.terms.access import Role
from ledger.terms.identifiers import DEFAULT_PREMISES
from ops.cli.options import Json
from ops.cli.screen import err, out, print_json
from ops.service.keys import Keys, KnownKey, NewKey
from ops.settings import Db
from ops.wiring import open_house, utc_now

app = typer.Typer(help="Keys to the service: issued, listed, revoked.", no_args_is_help=True)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}", re.ASCII)


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise typer.BadParameter(f"{text!r}: letters, digits and . _ : - only, at most 64")
    return text


Premises = Annotated[str, typer.Option(parser=_name, metavar="NAME", help="At which premises.")]
KeyName = Annotated[str, typer.Argument(parser=_name, metavar="NAME", help="What the key is called.")]
Actor = Annotated[
    str,
    typer.Option(
        "--as",
        parser=_name,
        metavar="NAME",
        envvar="BACCARAT_LEDGER_ACTOR",
        help="Who does this, for the record.",
    ),
]


@app.command("new")
def keys_new(
    key: KeyName,
    db: Db,
    *,
    person: Annotated[
        str, typer.Option("--for", parser=_name, metavar="NAME", help="Whose acts are done with it.")
    ],
    roles: Annotated[list[Role], typer.Option("--role", help="What it is for. Repeatable.")],
    actor: Actor,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=3650, help="How long it is good; else until revoked.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A new file, for its owner's eyes alone."),
    ] = None,
    premises: Premises = DEFAULT_PREMISES,
) -> None:
    """Issue a key and show it, this once. The ledger keeps a digest of it, from which nobody can make it."""
    with open_house(db) as house:
        keys = Keys(house)
        expires_at: datetime | None = utc_now() + timedelta(days=days) if days else None
        stream = _new_file(output) if output is not None else None
        try:
            text = keys.issue(NewKey(premises, key, person, tuple(roles), expires_at), actor)
        except BaseException:
            if stream is not None and output is not None:
                os.close(stream)
                output.unlink()
            raise
    if stream is None:
        sys.stdout.write(f"{text}\n")
        err().print("This is the only time that it is shown.")
        return
    with os.fdopen(stream, "w", encoding="ascii") as file:
        file.write(f"{text}\n")
    err().print(f"{output}: the key {key} of {person} at {premises}", soft_wrap=True)


def _new_file(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise typer.BadParameter(f"{path} is there already", param_hint="--output") from None


@app.command("list")
def keys_list(
    db: Db,
    *,
    premises: Annotated[
        str | None, typer.Option(parser=_name, metavar="NAME", help="Only of these premises.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The keys: whose, for what, when last used. No secret is shown, because none is kept."""
    with open_house(db) as house:
        found = list(Keys(house).every(premises))
    if as_json:
        print_json({"rows": [key.as_json() for key in found]})
        return
    if not found:
        out().print("No key was issued.")
        return
    now = utc_now()
    table = Table(title="Keys", title_justify="left")
    for name in ("premises", "key", "for", "roles", "issued", "state", "last used"):
        table.add_column(name, overflow="fold")
    for key in found:
        roles = ", ".join(role.value for role in key.roles)
        issued = f"{key.issued_at:%Y-%m-%d} by {key.issued_by}"
        used = "never" if key.last_used is None else key.last_used[:16].replace("T", " ")
        table.add_row(key.premises, key.key, key.person, roles, issued, _state(key, now), used)
    out().print(table)


def _state(key: KnownKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d} by {key.revoked_by}"
    if key.expires_at is None:
        return "good"
    return f"{'expired' if now >= key.expires_at else 'good until'} {key.expires_at:%Y-%m-%d}"


@app.command("revoke")
def keys_revoke(
    key: KeyName,
    db: Db,
    *,
    actor: Actor,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the record.")],
    premises: Premises = DEFAULT_PREMISES,
) -> None:
    """Revoke a key: it opens nothing from here on."""
    if not reason.strip() or len(reason) > 500:
        raise typer.BadParameter("in at most 500 characters", param_hint="--reason")
    with open_house(db) as house:
        Keys(house).revoke(premises, key, reason, actor)
    err().print(f"the key {key} at {premises} opens nothing any more")
