"""Recorded settlement lines beside the due ones, and why they differ. All amounts in minor units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, floor
from operator import attrgetter
from typing import Any

from ledger.terms.plain import as_json
from ledger.terms.wagers import SettlementLine, Wager
from projections.audit.causes import Cause, Finding, cause_of, told_why
from projections.audit.due import Dues, Ends, Judged, ends_of

Tell = Callable[[Any], tuple[Any, ...]]
_REPEATED = ("wager", "kind", "stake", "patron", "seat", "tender")
wager_on_line: Tell = attrgetter(*_REPEATED)
wager_accepted: Tell = attrgetter("id", *_REPEATED[1:])


def compare(
    wagers: Sequence[Wager],
    lines: Sequence[SettlementLine],
    dues: Dues,
    apart: Mapping[str, Judged],
    claimed: Dues | None = None,
) -> Iterator[Finding]:
    """Each recorded line that is not the due one, each that is missing and each that is too many.

    Args:
        apart: what is due on the wagers, by id, for which kind and stake alone do not say it.
        claimed: what would be due by the recorded results, where they are not those of the cards.
    """
    if (
        not apart
        and len(wagers) == len(lines)
        and all(
            wager_on_line(line) == wager_accepted(wager) and ends_of(line) == dues[wager.kind, wager.stake]
            for wager, line in zip(wagers, lines, strict=True)
        )
    ):
        return
    unsettled = {wager.id: wager for wager in wagers}
    for line in lines:
        wager = unsettled.pop(line.wager, None)
        if wager is None:
            yield for_nothing(line)
        elif found := _line_difference(wager, line, apart.get(line.wager), dues, claimed):
            yield found
    for wager in unsettled.values():
        due = (apart.get(wager.id) or dues.judge(wager)).ends
        yield Finding(Cause.MISSING, wager.id, wager.stake, -due.paid, None, due._asdict())


def for_nothing(line: SettlementLine) -> Finding:
    """A line that no accepted wager answers for: all that it pays is too much."""
    return Finding(Cause.FOR_NOTHING, line.wager, line.stake, paid_by((line,)), as_json(line))


def paid_by(lines: Iterable[SettlementLine]) -> int:
    """What goes to patrons by these lines: winnings, and stakes handed back."""
    return sum(line.winnings + line.returned for line in lines)


def _line_difference(
    wager: Wager, line: SettlementLine, apart: Judged | None, dues: Dues, claimed: Dues | None
) -> Finding | None:
    due, refused = apart or dues.judge(wager)
    recorded = Ends(*ends_of(line))
    stated, accepted = wager_on_line(line), wager_accepted(wager)
    if due == recorded and stated == accepted:
        return None
    if stated != accepted:
        cause = Cause.WAGER
    elif refused is not None:
        cause = cause_of(refused)
    elif claimed is not None and recorded == claimed[wager.kind, wager.stake]:
        cause = Cause.RESULT
    else:
        cause = _cause(wager, recorded, due, dues)
    names = (*_REPEATED, *Ends._fields)
    both = dict(zip(names, zip((*stated, *recorded), (*accepted, *due), strict=True), strict=True))
    differing = {name: pair for name, pair in both.items() if pair[0] != pair[1]}
    return Finding(
        cause,
        wager.id,
        wager.stake,
        recorded.paid - due.paid,
        {name: pair[0] for name, pair in differing.items()},
        {name: pair[1] for name, pair in differing.items()},
        told_why(refused) if refused is not None else "",
    )


def _cause(wager: Wager, recorded: Ends, due: Ends, dues: Dues) -> Cause:
    if recorded.outcome != due.outcome:
        return Cause.OUTCOME
    if recorded.odds != due.odds:
        return Cause.ODDS
    if recorded.winnings != due.winnings:
        return _cause_of_sum(wager, recorded.winnings, dues) if due.winnings else Cause.WINNINGS
    for name, cause in (("returned", Cause.STAKE), ("remainder", Cause.REMAINDER)):
        if getattr(recorded, name) != getattr(due, name):
            return cause
    return Cause.PARAGRAPH


def _cause_of_sum(wager: Wager, paid: int, dues: Dues) -> Cause:
    """Why a winner was paid another sum at the odds that the line states."""
    odds = dues.layout.profile.odds
    exact = odds[wager.kind].on(wager.stake)
    if any(paid in {floor(exact / unit) * unit, ceil(exact / unit) * unit} for unit in dues.units):
        return Cause.ROUNDING  # down, up or to the nearest: to one of the two units around
    return Cause.ODDS if paid in {other.on(wager.stake) for other in odds.values()} else Cause.WINNINGS
