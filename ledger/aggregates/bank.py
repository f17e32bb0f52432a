"""The bank of a table: who holds it, who has a share in it, and whether it may stand for a coup.

At a house-banked table the holder of the licence holds it unless somebody acting for him is named; its sum is
not counted. At chemin de fer a player holds it, and covers no more than its sum.
"""

from __future__ import annotations

from ledger import errors
from ledger.aggregates.draft import Draft
from ledger.aggregates.table import Bank, Table, check_open
from ledger.commands import DeclareInterest, PassBank, RetireBank, TakeBank, WithdrawInterest
from ledger.events import table as events
from ledger.regulation.bank import capacities_allowed, check_interests, check_may_hold
from ledger.terms.house import Capacity


def _free_bank(table: Draft[Table]) -> Bank:
    """The bank, when no coup stands on it. Raises: TableNotOpen, NoBank, BankCommitted."""
    check_open(table)
    bank = table.state.bank
    if bank is None:
        raise errors.NoBank(table.state.night.table)
    if bank.committed_to is not None:
        raise errors.BankCommitted(bank.committed_to)
    return bank


def _check_next_holder(table: Draft[Table], command: TakeBank | PassBank) -> None:
    """That whoever is to hold the bank may: by capacity, and by being at the table."""
    check_may_hold(table.state.format, command.capacity)
    state = table.state
    if command.capacity is Capacity.PLAYER and state.seats_reported and command.holder not in state.seats:
        raise errors.NotAtTable(command.holder)


def _seat_of(table: Draft[Table], command: TakeBank | PassBank) -> int | None:
    """Where the next holder sits: where the table has seated them, else where the command says."""
    return table.state.seats.get(command.holder, command.seat)


def bankers_seat(table: Table) -> int | None:
    """Where the player who holds the bank sits, as far as anybody has said."""
    bank = table.bank
    if bank is None:
        return None
    return bank.seat if bank.seat is not None else table.seats.get(bank.holder)


def take_bank(table: Draft[Table], command: TakeBank) -> None:
    """Somebody takes a bank that nobody holds.

    Raises:
        TableNotOpen, BankMayNotStand, NotAtTable, BankTakenAlready; BankMustPass: they have just lost it.
    """
    check_open(table)
    _check_next_holder(table, command)
    if table.state.bank is not None:
        raise errors.BankTakenAlready(table.state.bank.holder)
    if table.state.bank_lost_by == command.holder:
        raise errors.BankMustPass(command.holder)
    table.record(
        events.BankTaken,
        holder=command.holder,
        capacity=command.capacity,
        seat=_seat_of(table, command),
        sum=command.sum,
    )


def pass_bank(table: Draft[Table], command: PassBank) -> None:
    """The bank goes to its next holder, who is another.

    Raises:
        TableNotOpen, BankMayNotStand, NotAtTable, NoBank, BankCommitted, BankTakenAlready, BankMustPass.
    """
    bank = _free_bank(table)
    _check_next_holder(table, command)
    if command.holder == bank.holder:
        raise (errors.BankMustPass if bank.must_pass else errors.BankTakenAlready)(bank.holder)
    table.record(
        events.BankPassed,
        from_holder=bank.holder,
        from_sum=bank.sum,
        holder=command.holder,
        capacity=command.capacity,
        seat=_seat_of(table, command),
        sum=command.sum,
    )


def retire_bank(table: Draft[Table], _command: RetireBank) -> None:
    """The holder gives the bank up. Raises: TableNotOpen, NoBank, BankCommitted."""
    bank = _free_bank(table)
    table.record(events.BankRetired, holder=bank.holder, sum=bank.sum)


def declare_interest(table: Draft[Table], command: DeclareInterest) -> None:
    """Somebody has a share or interest in the bank. It is a fact even where it is not lawful.

    Whether the bank may then stand is decided when the next coup opens. Raises: TableNotOpen.
    """
    check_open(table)
    table.record(
        events.InterestDeclared,
        person=command.person,
        capacity=command.capacity,
        detail=command.detail,
    )


def withdraw_interest(table: Draft[Table], command: WithdrawInterest) -> None:
    """A declared interest has ended. Raises: TableNotOpen, InterestUnknown."""
    check_open(table)
    if command.person not in table.state.interests:
        raise errors.InterestUnknown(command.person)
    table.record(events.InterestWithdrawn, person=command.person)


def bank_that_stands(table: Draft[Table]) -> Bank | None:
    """The bank for a coup that is about to open: a player's, or None where the house covers all.

    Raises:
        InterestNotAllowed: 6(5)(b) or 6(6).
        NoBank, BankMustPass, BankCommitted: at a player-banked table.
    """
    format = table.state.format
    check_interests(format, table.state.interests)
    if Capacity.PLAYER not in capacities_allowed(format):
        return None
    bank = _free_bank(table)
    if bank.must_pass:
        raise errors.BankMustPass(bank.holder)
    return bank


def commit_bank(table: Draft[Table], coup: str, bank: Bank) -> None:
    """A player's bank stands for this coup."""
    table.record(events.BankCommitted, coup=coup, sum=bank.sum)


def settle_bank(
    table: Draft[Table],
    coup: str,
    *,
    banker_win: int = 0,
    opposing_hand_won: bool = False,
    banco_by: str | None = None,
) -> None:
    """The coup that the bank stood for has ended with this result for the banker (minor units).

    When the opposing hand won the game the bank must pass before another coup opens, whatever was staked
    (6(5), 6(6)); after a draw, or a coup that does not count, nothing moves, the right of suivi neither.
    Whoever had called banco and lost has the next suivi.
    """
    bank = table.state.bank
    if bank is None or bank.committed_to != coup:
        return
    nothing_moved = not opposing_hand_won and banker_win == 0
    had_suivi = table.state.banco_lost_by if nothing_moved else None
    table.record(
        events.BankSettled,
        coup=coup,
        banker_win=banker_win,
        sum=bank.sum + banker_win,
        must_pass=opposing_hand_won,
        banco_lost_by=banco_by if banker_win > 0 else had_suivi,
    )
