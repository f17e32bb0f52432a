"""Count sheets in few words, and the one of the rehearsal's evening, worked out by hand from its tape."""

from __future__ import annotations

from ops.reconcile.sheet import TableShifts

HEADING = "table,shift,opener,closer,fills,credits,drop,fill_slips,credit_slips"
DAY = "2026-11-27"

EVENING = f"""{HEADING}
BB1,1,10000000,9050000,1000000,0,1500000,BB1-02087,
BB1,2,9050000,9975000,2000000,500000,150000,BB1-02089 BB1-02090,BB1-02088
CF1,1,1500000,1500000,0,0,0,,
CF1,2,1500000,1500000,0,0,0,,
PB1,1,2500000,2330125,200000,0,423250,PB1-04411,
PB1,2,2330125,2407825,400000,100000,493250,PB1-04413 PB1-04414,PB1-04412
"""
"""Openers, closers, fills, credits and drops are the tape's. It has no count at the change of shift: the
floats there are what the first shift must have left, which the second shift's own figures then prove. Of PB1,
whose first shift won £533.75: 25,000.00 + 2,000.00 - 4,232.50 + 533.75 = 23,301.25."""

T1 = TableShifts("T1", "GBP", ("1",))


def sheet(*lines: str, heading: str = HEADING) -> bytes:
    """A sheet with these lines, as bytes."""
    return "\r\n".join([heading, *lines, ""]).encode()
