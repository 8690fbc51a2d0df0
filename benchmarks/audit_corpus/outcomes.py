"""What every check says of a text: the audit without a file."""

from __future__ import annotations

import numpy as np

from sectax.audit.checks.interface import CheckOutcome
from sectax.audit.checks.registry import review
from sectax.audit.reading import registry
from sectax.audit.reading.asked import Columns
from sectax.audit.tables.table import read_table


def outcomes_of(text: str, columns: Columns | None = None) -> tuple[str, tuple[CheckOutcome, ...]]:
    """The kind of a text and what the checks say. Raises `BadInput`."""
    said = columns or Columns()
    known = registry.recognised(text[: 2**16])
    with np.errstate(all="ignore"):
        if known is None:
            return "csv", review(read_table(iter(text.split("\n")), said))
        grammar, evidence = registry.read(text, known)
        return grammar.name, review(evidence)
