"""Every projection there is."""

from __future__ import annotations

from collections.abc import Mapping

from projections.cage.cage import Cage
from projections.compliance.compliance import Compliance
from projections.floor.floor import Floor
from projections.patrons.patrons import Patrons
from projections.pnl.table_pnl import TablePnl
from projections.postings.postings import Postings
from projections.projection import Projection
from projections.search.search import Search

EVERY: tuple[Projection, ...] = (TablePnl(), Postings(), Cage(), Compliance(), Patrons(), Floor(), Search())
BY_NAME: Mapping[str, Projection] = {projection.name: projection for projection in EVERY}
