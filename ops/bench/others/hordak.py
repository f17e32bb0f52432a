# mypy: ignore-errors
# Django is not there where this is checked: it is in this contestant's own environment.
"""django-hordak on PostgreSQL: double entry, as somebody would keep these books without events.

A coup is a transaction in its sense, with two legs for each wager that money changed hands for, between the
table's account and the patrons'; the coup's facts, to the byte, are the transaction's description. It has no
projection: balances are summed when they are asked for, which is what a rebuild is here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings

from ops.bench.others.protocol import Fact, Pnl, facts_of, in_saves, serve, where

_CENTS = Decimal(100)
_NO_PROJECTION = "it keeps none: balances are summed when they are asked for"


class Hordak:
    """See `ops.bench.others.protocol.Contestant`. Its lines are facts."""

    def __init__(self, given: dict[str, Any]) -> None:
        settings.configure(
            DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", **given["django"]}},
            INSTALLED_APPS=["django.contrib.contenttypes", "mptt", "djmoney", "hordak"],
            DEFAULT_CURRENCY="GBP",
            HORDAK_INTERNAL_CURRENCY="GBP",
            HORDAK_CURRENCIES=["GBP"],
            CURRENCIES=("GBP",),
            DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
            USE_TZ=True,
        )
        import django  # noqa: PLC0415 – after its settings

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        from hordak.models import Account, AccountType  # noqa: PLC0415

        self._accounts = {account.name: account for account in Account.objects.all()}
        self._new = lambda name, kind: Account.objects.create(name=name, type=kind, currencies=["GBP"])
        self._kinds = AccountType
        self._account("patrons", AccountType.asset)
        self._entries: dict[str, int] = {}

    def _account(self, name: str, kind: Any) -> Any:
        if name not in self._accounts:
            self._accounts[name] = self._new(name, kind)
        return self._accounts[name]

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        saves = in_saves([facts_of(line) for line in lines], size)

        def work() -> None:
            from django.db import transaction  # noqa: PLC0415

            for save in saves:
                with transaction.atomic():
                    for facts in save:
                        self._record(facts, in_bulk=size > 1)

        return work

    def _record(self, facts: Sequence[Fact], *, in_bulk: bool) -> None:
        from hordak.models import Leg, Transaction  # noqa: PLC0415
        from moneyed import Money  # noqa: PLC0415

        lines = [
            line for _, topic, fact in facts if topic.startswith("wagers-settled") for line in fact["lines"]
        ]
        settled = next((fact for _, topic, fact in facts if topic.startswith("coup-settled")), None)
        stream = settled["stream"] if settled else facts[0][0]
        text = json.dumps([fact for _, _, fact in facts], separators=(",", ":"))
        entry = Transaction.objects.create(
            description=f"{stream} {text}", date=facts[0][2]["occurred_at"][:10]
        )
        if settled is None:
            return
        self._entries[stream] = entry.pk
        house = self._account(where(settled), self._kinds.income)
        patrons = self._accounts["patrons"]
        legs = []
        for line in lines:
            lost = line["outcome"] == "lost"
            amount = line["stake"] if lost else line["winnings"]
            if amount:
                money = Money(Decimal(amount) / _CENTS, "GBP")
                to, of = (house, patrons) if lost else (patrons, house)
                legs.append(Leg(transaction=entry, account=to, credit=money))
                legs.append(Leg(transaction=entry, account=of, debit=money))
        if in_bulk:
            Leg.objects.bulk_create(legs)
        else:
            for leg in legs:
                leg.save()

    def project(self, coups: int, seconds: float) -> int:
        raise NotImplementedError(_NO_PROJECTION)

    def rebuild(self, coups: int, seconds: float) -> int:
        del seconds
        self.pnl()
        return coups

    def replay(self, stream: str) -> int:
        from hordak.models import Transaction  # noqa: PLC0415

        entry = Transaction.objects.prefetch_related("legs").get(pk=self._entries[stream])
        list(entry.legs.all())
        return len(json.loads(entry.description.partition(" ")[2]))

    def pnl(self) -> Pnl:
        from hordak.models import Account  # noqa: PLC0415

        return {
            account.name: int(account.balance["GBP"].amount * _CENTS)
            for account in Account.objects.filter(type=self._kinds.income).with_balances()
        }

    def close(self) -> None:
        from django.db import connection  # noqa: PLC0415

        connection.close()


if __name__ == "__main__":
    serve(Hordak)
