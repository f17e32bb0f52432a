"""Every projection there is."""

from __future__ import annotations

from collections.abc import Mapping

from projections.cage.cage import Cage
from projections.compliance.compliance import Compliance
from projections.patrons.patrons import Patrons
from projections.pnl.table_pnl import TablePnl
from projections.postings.postings import Postings
from projections.projection import Projection

EVERY: tuple[Projection, ...] = (TablePnl(), Postings(), Cage(), Compliance(), Patrons())
BY_NAME: Mapping[str, Projection] = {projection.name: projection for projection in EVERY}
