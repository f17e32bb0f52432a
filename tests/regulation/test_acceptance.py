"""Acceptance: in the order offered, for what the law, the terms, the limits and the bank allow."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from ledger.regulation.acceptance import Layout, Refused, accept, uncovered
from ledger.regulation.profiles import Profile
from ledger.regulation.settle import settle
from ledger.terms.wagers import Kind, Limit, Wager
from tests.oracle import published
from tests.regulation.coups import SI_1994, SI_2000, layout, results, wagers


def told(staked: str, table: Layout, used_ids: frozenset[str] = frozenset()) -> tuple[str, str]:
    """What is accepted as `id stake`, and what is refused as `id stake reason paragraph`."""
    accepted, refused = accept(wagers(staked), table, used_ids=used_ids)
    return (
        ", ".join(f"{wager.id} {wager.stake}" for wager in accepted),
        ", ".join(f"{no.wager.id} {no.stake} {no.reason} {no.paragraph}" for no in refused),
    )


@pytest.mark.parametrize(
    ("bank", "staked", "accepted", "refused"),
    [
        (100, "player 60, player 40", "w1 60, w2 40", ""),
        (100, "player 100", "w1 100", ""),
        (100, "player 101", "w1 100", "w1 1 bank-exceeded 6(3)"),
        (
            100,
            "player 80, player 50, player 10",
            "w1 80, w2 20",
            "w2 30 bank-exceeded 6(3), w3 10 bank-exceeded 6(3)",
        ),
        (100, "player 10, player 50, player 80", "w1 10, w2 50, w3 40", "w3 40 bank-exceeded 6(3)"),
        (1, "player 2, player 1", "w1 1", "w1 1 bank-exceeded 6(3), w2 1 bank-exceeded 6(3)"),
        (0, "player 1", "", "w1 1 bank-exceeded 6(3)"),
        (100, "banker 100, player 100", "w2 100", "w1 100 kind-not-available 6(7)(a)"),
        (
            100,
            "tie 60, player 70, player 70",
            "w2 70, w3 30",
            "w1 60 kind-not-available 6(7)(a), w3 40 bank-exceeded 6(3)",
        ),
    ],
)
def test_a_bank_is_used_up_in_the_order_offered(bank: int, staked: str, accepted: str, refused: str) -> None:
    """6(3), domain §3.4 A8: first come is covered first, the excess goes back, a refusal takes nothing."""
    assert told(staked, layout("chemin-de-fer", bank=bank)) == (accepted, refused)


@pytest.mark.parametrize(
    ("terms", "bank", "staked", "accepted", "refused"),
    [
        # Paid in fifties: 120 pays two of them.
        ("exact-only 50", 120, "player 200", "w1 100", "w1 100 bank-exceeded 6(3)"),
        ("exact-only 50", 125, "player 100, player 50", "w1 100", "w2 50 bank-exceeded 6(3)"),
        ("exact-only 100", 30, "player 100", "", "w1 100 bank-exceeded 6(3)"),
        # A stake of 60 is paid 100: a bank of 100 has nothing left after it, one of 90 cannot take it whole.
        ("up-to-unit 50", 100, "player 60, player 10", "w1 60", "w2 10 bank-exceeded 6(3)"),
        ("up-to-unit 50", 90, "player 60", "w1 50", "w1 10 bank-exceeded 6(3)"),
        ("up-to-unit 30", 100, "player 100", "w1 90", "w1 10 bank-exceeded 6(3)"),
        # A stake of 24 is paid nothing, and still stands against the bank.
        ("nearest 50", 0, "player 24", "", "w1 24 bank-exceeded 6(3)"),
        ("nearest 50", 40, "player 24, player 24", "w1 24", "w2 24 bank-exceeded 6(3)"),
        ("nearest 50", 100, "player 60, player 50", "w1 60", "w2 50 bank-exceeded 6(3)"),
    ],
)
def test_a_bank_covers_what_it_could_pay_and_never_more_than_it_holds(
    terms: str, bank: int, staked: str, accepted: str, refused: str
) -> None:
    """6(3), domain §3.4 A8: no stakes, and nothing owed on them, over the bank; it pays whole units."""
    rounding, unit = terms.split()
    table = layout("chemin-de-fer", bank=bank, rounding=rounding, unit=int(unit))
    assert told(staked, table) == (accepted, refused)


def test_wagers_accepted_before_are_covered_first() -> None:
    """6(3): a bank of 100 that stands for 60 has 40 left, also when wagers come one at a time."""
    first, second, third = wagers("player 60, player 70, player 10")
    table = layout("chemin-de-fer", bank=100)
    accepted, refused = accept((second, third), table, before=(first,))
    assert [(wager.id, wager.stake) for wager in accepted] == [("w2", 40)]
    assert [(no.wager.id, no.stake) for no in refused] == [("w2", 30), ("w3", 10)]


@pytest.mark.parametrize("format", ["punto-banco", "baccarat-banque"])
def test_the_house_covers_every_stake(format: str) -> None:
    """6(5): where the house holds the bank no sum limits the stakes."""
    kind = "player" if format == "punto-banco" else "both-hands"
    assert told(f"{kind} {10**12}, {kind} {10**12}", layout(format)) == (f"w1 {10**12}, w2 {10**12}", "")


@pytest.mark.parametrize("profile", [SI_1994, SI_2000], ids=["1994", "2000"])
@pytest.mark.parametrize(("stake", "exact", "ceiling"), published.NINETEEN_TO_TWENTY)
def test_a_stake_that_cannot_be_paid_exactly(
    stake: int, exact: object, ceiling: int, profile: Profile
) -> None:
    """Domain §3.5: refused before the cards under exact-only, and taken under the two roundings."""
    refused = ("", f"w1 {stake} not-payable-exactly terms.rounding")
    assert told(f"banker {stake}", layout(profile=profile)) == refused
    for rounding in ("up-to-unit", "nearest"):
        assert told(f"banker {stake}", layout(profile=profile, rounding=rounding)) == (f"w1 {stake}", "")


@pytest.mark.parametrize(
    ("unit", "staked", "accepted"),
    [
        (1, "banker 20, banker 30, player 1, tie 1", "w1 20, w3 1, w4 1"),
        (50, "player 50, player 30, tie 25, tie 20, banker 1000, banker 500", "w1 50, w3 25, w5 1000"),
        (100, "banker 2000, banker 1000, player 100, player 50", "w1 2000, w3 100"),
    ],
)
def test_exactness_is_judged_by_the_unit_for_every_kind(unit: int, staked: str, accepted: str) -> None:
    """terms.rounding: the stake times its odds must be a whole multiple of the unit."""
    assert told(staked, layout(unit=unit))[0] == accepted


@pytest.mark.parametrize(
    ("format", "hands_in_play", "bank", "staked", "reason"),
    [
        # Each wager here fails by every later reason too: a stake of 30 is not payable in fifties.
        ("punto-banco", ("player",), None, "hand-1 30", "kind-not-available 6(4)"),
        ("punto-banco", ("player",), None, "banker 30", "not-payable-exactly terms.rounding"),
        ("baccarat-banque", ("hand-1",), None, "player 30", "kind-not-available 6(4)"),
        ("baccarat-banque", ("hand-1",), None, "tie 30", "kind-not-available 6(7)(c)"),
        ("baccarat-banque", ("hand-1", "hand-2"), None, "tie 30", "kind-not-available 6(7)(b)"),
        ("baccarat-banque", ("hand-1",), None, "hand-2 30", "hand-not-in-play 2(2)"),
        ("baccarat-banque", ("hand-2",), None, "hand-1 30", "hand-not-in-play 2(2)"),
        ("baccarat-banque", ("hand-1",), None, "both-hands 30", "hand-not-in-play 2(2)"),
        ("baccarat-banque", ("hand-2",), None, "both-hands 30", "hand-not-in-play 2(2)"),
        ("baccarat-banque", ("hand-1",), None, "hand-1 30", "not-payable-exactly terms.rounding"),
        ("chemin-de-fer", ("player",), 0, "banker 30", "kind-not-available 6(7)(a)"),
        ("chemin-de-fer", ("player",), 0, "both-hands 30", "kind-not-available 6(4)"),
        ("chemin-de-fer", ("player",), 0, "player 30", "not-payable-exactly terms.rounding"),
        ("chemin-de-fer", ("player",), 0, "player 50", "bank-exceeded 6(3)"),
    ],
)
def test_the_first_reason_that_bars_a_wager_is_the_one_given(
    format: str, hands_in_play: tuple[str, ...], bank: int | None, staked: str, reason: str
) -> None:
    """The law's word on the kind, then the hand, then the terms, then the bank."""
    table = layout(format, hands_in_play=hands_in_play, bank=bank, unit=50)
    assert told(staked, table) == ("", f"w1 {staked.split()[1]} {reason}")


LIMITS = {Kind.PLAYER: Limit(min=100, max=500), Kind.TIE: Limit(max=50)}


@pytest.mark.parametrize(
    ("staked", "reason"),
    [
        ("player 99", "under-minimum terms.limits"),
        ("player 100", None),
        ("player 500", None),
        ("player 501", "over-maximum terms.limits"),
        ("tie 1", None),
        ("tie 50", None),
        ("tie 51", "over-maximum terms.limits"),
        ("banker 20", None),
        ("banker 1000000", None),
    ],
)
def test_limits_hold_kind_by_kind_both_ends_included(staked: str, reason: str | None) -> None:
    """A kind without limits has none."""
    stake = staked.split()[1]
    expected = (f"w1 {stake}", "") if reason is None else ("", f"w1 {stake} {reason}")
    assert told(staked, layout(limits=LIMITS)) == expected


def test_limits_are_held_against_the_stake_offered_and_not_the_part_covered() -> None:
    """A bank of 60 covers 60 of a lawful 100, though the least stake is 100."""
    table = layout("chemin-de-fer", bank=60, limits=LIMITS)
    assert told("player 100, player 99", table) == (
        "w1 60",
        "w1 40 bank-exceeded 6(3), w2 99 under-minimum terms.limits",
    )


def test_a_wager_id_counts_once_in_a_coup() -> None:
    """The second is refused under 2(2), whatever it says, and takes nothing of the bank."""
    table = layout("chemin-de-fer", bank=100)
    first, second, third = wagers("player 60, player 70, player 30")
    second = second.model_copy(update={"id": first.id})
    accepted, refused = accept((first, second, third), table)
    assert [(wager.id, wager.stake) for wager in accepted] == [("w1", 60), ("w3", 30)]
    assert [(no.wager.id, no.stake, no.reason, no.paragraph) for no in refused] == [
        ("w1", 70, "wager-id-used", "2(2)")
    ]
    earlier = told("player 60, player 40", table, frozenset({"w1"}))
    assert earlier == ("w2 40", "w1 60 wager-id-used 2(2)")


def test_an_accepted_wager_is_the_one_offered_but_for_the_stake_covered() -> None:
    """Whose it is, where it stands and in what tender stay with it."""
    (offered,) = wagers("player 150 p-7")
    offered = offered.model_copy(update={"seat": 4, "tender": "promotional"})
    accepted, refused = accept((offered,), layout("chemin-de-fer", bank=100))
    assert accepted == [offered.model_copy(update={"stake": 100})]
    assert [(no.wager, no.stake) for no in refused] == [(offered, 50)]


def offers(kinds: list[Kind]) -> st.SearchStrategy[tuple[Wager, ...]]:
    """Up to a dozen wagers of these kinds."""
    offer = st.tuples(st.sampled_from(kinds), st.integers(1, 400))
    return st.lists(offer, max_size=12).map(
        lambda offered: wagers(", ".join(f"{kind.value} {stake}" for kind, stake in offered))
    )


LIMITED = st.tuples(st.integers(1, 200), st.integers(1, 400)).map(
    lambda ends: Limit(min=min(ends), max=max(ends))
)
ROUNDINGS = st.sampled_from(["exact-only", "up-to-unit", "nearest"])
UNITS = st.sampled_from([1, 5, 20, 50])
HOUSE_TABLES = st.builds(
    layout,
    st.sampled_from(["punto-banco", "baccarat-banque"]),
    st.sampled_from([SI_1994, SI_2000]),
    limits=st.dictionaries(st.sampled_from(Kind), LIMITED),
    rounding=ROUNDINGS,
    unit=UNITS,
)
PLAYERS_BANKS = st.builds(
    layout, st.just("chemin-de-fer"), bank=st.integers(0, 600), rounding=ROUNDINGS, unit=UNITS
)


def check_nothing_is_lost(offered: tuple[Wager, ...], accepted: list[Wager], refused: list[Refused]) -> None:
    """Stake by stake, what is accepted and what is refused make up what was offered, in its order."""
    stakes = {wager.id: wager.stake for wager in offered}
    for wager in accepted:
        stakes[wager.id] -= wager.stake
        assert wager.stake > 0
    for no in refused:
        stakes[no.wager.id] -= no.stake
        assert no.stake > 0
    assert set(stakes.values()) <= {0}
    order = list(stakes)
    assert [wager.id for wager in accepted] == sorted((wager.id for wager in accepted), key=order.index)
    assert [no.wager.id for no in refused] == sorted((no.wager.id for no in refused), key=order.index)


@given(offers(list(Kind)), HOUSE_TABLES)
@settings(max_examples=100, deadline=None)
def test_every_penny_offered_is_accepted_or_refused_and_none_twice(
    offered: tuple[Wager, ...], table: Layout
) -> None:
    """Conservation; with the house behind it, a wager is taken whole or not at all."""
    accepted, refused = accept(offered, table)
    check_nothing_is_lost(offered, accepted, refused)
    assert {wager.id for wager in accepted} & {no.wager.id for no in refused} == set()


@given(offers([Kind.PLAYER, Kind.PLAYER, Kind.PLAYER, Kind.BANKER]), PLAYERS_BANKS)
@settings(max_examples=100, deadline=None)
def test_a_players_bank_is_never_exceeded(offered: tuple[Wager, ...], table: Layout) -> None:
    """6(3), 6(6): conservation; the stakes, and what they would be paid, stay within the bank."""
    assert table.bank is not None
    accepted, refused = accept(offered, table)
    check_nothing_is_lost(offered, accepted, refused)
    stakes = sum(wager.stake for wager in accepted)
    lines = settle(accepted, results("chemin-de-fer", ("W",)), table.profile, table.terms)
    assert stakes <= table.bank
    assert sum(line.winnings for line in lines) <= table.bank
    if table.terms.unit == 1 and any(no.reason == "bank-exceeded" for no in refused):
        assert stakes == table.bank


def seated(*told: tuple[str, int | None, str | None]) -> tuple[Wager, ...]:
    """Wagers of 60 on the player's hand, each an id, the seat that it names and a patron."""
    return tuple(
        Wager(id=name, kind=Kind.PLAYER, stake=60, seat=seat, patron=patron) for name, seat, patron in told
    )


def taken_at(
    bank: int, offered: tuple[Wager, ...], seats: Mapping[str, int] | None = None
) -> list[tuple[str, int]]:
    """What of them a bank takes whose banker has seat 3, in order of acceptance."""
    table = structs.replace(layout("chemin-de-fer", bank=bank), bankers_seat=3, seats=seats or {})
    return [(wager.id, wager.stake) for wager in accept(offered, table)[0]]


def test_a_bank_that_is_short_goes_round_the_table_from_the_bankers_right() -> None:
    """Seat 4, round to 2, the banker's own 3, and who has no seat last; covered as far as it lasts."""
    offered = seated(("none", None, None), ("own", 3, None), ("left", 2, None), ("right", 4, None))
    assert taken_at(100, offered) == [("right", 60), ("left", 40)]
    assert taken_at(130, offered) == [("right", 60), ("left", 60), ("own", 10)]
    assert taken_at(190, offered) == [("right", 60), ("left", 60), ("own", 60), ("none", 10)]
    assert taken_at(240, offered) == [("none", 60), ("own", 60), ("left", 60), ("right", 60)]


def test_where_the_table_has_seated_somebody_counts_and_not_what_the_wager_says() -> None:
    offered = seated(("first", 5, "p-1"), ("second", 2, "p-2"), ("nobody", 9, None))
    assert taken_at(70, offered, {"p-2": 4}) == [("second", 60), ("first", 10)]


def test_what_a_bank_does_not_cover_is_told_in_order_of_acceptance() -> None:
    """A bank of 100 covers 60, 40 of 60, and nothing of the next."""
    offered = seated(("w1", None, None), ("w2", None, None), ("w3", None, None))
    table = layout("chemin-de-fer", bank=1000)
    assert [(wager.id, left) for wager, left in uncovered(offered, table, 100)] == [("w2", 40), ("w3", 0)]
    assert list(uncovered(offered, table, 180)) == []


def test_what_is_not_on_offer_is_not_taken() -> None:
    """6(8) asks for all kinds; where the table has said which it offers, no other is had."""
    table = structs.replace(layout(), offer=(Kind.PLAYER, Kind.TIE))
    accepted, refused = accept(wagers("player 60, banker 60, tie 60"), table)
    assert [wager.id for wager in accepted] == ["w1", "w3"]
    assert [(no.wager.id, no.stake, no.reason, no.paragraph) for no in refused] == [
        ("w2", 60, "kind-not-on-offer", "terms.offer")
    ]


def test_a_wager_is_made_with_the_banker_so_he_makes_none() -> None:
    """6(3)."""
    table = structs.replace(layout("chemin-de-fer", bank=1000), banker="p-9")
    accepted, refused = accept(seated(("w1", 1, "p-1"), ("w2", 2, "p-9"), ("w3", 3, None)), table)
    assert [wager.id for wager in accepted] == ["w1", "w3"]
    assert [(no.wager.id, no.stake, no.reason, no.paragraph) for no in refused] == [
        ("w2", 60, "wager-by-the-banker", "6(3)")
    ]


def test_wagers_accepted_before_keep_what_they_would_be_paid() -> None:
    """In units of 5 a stake of 6 is paid 10: of a bank of 16 that leaves 6, and of that 5 can be paid."""
    table = layout("chemin-de-fer", bank=16, rounding="up-to-unit", unit=5)
    first, second = wagers("player 6, player 6")
    accepted, refused = accept((second,), table, before=(first,))
    assert [(wager.id, wager.stake) for wager in accepted] == [("w2", 5)]
    assert [(no.wager.id, no.stake, no.reason) for no in refused] == [("w2", 1, "bank-exceeded")]
