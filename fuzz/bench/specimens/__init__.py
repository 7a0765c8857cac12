"""Historical faults, re-created as targets: what a search must be able to find.

Of the 51 reports of faults in and near KV-page zeroing that were gathered with their numbers kept (``HISTORY``), a
specimen stands for each that a kernel, a planner, staging or a launch can show. The others say here why they do
not count: most are an allocator's, and no zeroer can show what it was never asked.

One module a family: ``of_pages``, ``of_widths``, ``of_launches``, ``of_warmups``, ``of_layouts``, ``of_orders``;
the faulty code is under ``targets``, which only workers import.
"""

from fuzz.bench.specimens import of_launches, of_layouts, of_orders, of_pages, of_warmups, of_widths
from fuzz.bench.specimens.history import HISTORY
from fuzz.bench.specimens.specimen import Specimen

__all__ = ["BY_NAME", "HISTORY", "SPECIMENS", "Specimen"]

SPECIMENS: tuple[Specimen, ...] = (
    *of_pages.SPECIMENS,
    *of_widths.SPECIMENS,
    *of_launches.SPECIMENS,
    *of_warmups.SPECIMENS,
    *of_layouts.SPECIMENS,
    *of_orders.SPECIMENS,
)

BY_NAME = {specimen.name: specimen for specimen in SPECIMENS}
