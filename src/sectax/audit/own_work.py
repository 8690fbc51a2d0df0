"""What the treatments of a run of ours do, as its plan says: what they carry, and what they contain."""

from __future__ import annotations

from sectax.audit.figure import Circumstances, Moves
from sectax.model.plan import Plan
from sectax.model.treatment import Treatment


def circumstances(plan: Plan, treatment: Treatment) -> Circumstances:
    """What is known of one operation of a treatment."""
    operation, contents = treatment.levels.get(plan.control), plan.contents
    if contents is None or operation is None:
        return Circumstances(operation=operation)
    size = contents.sizes.get(treatment.levels.get(contents.size_factor, ""))
    return Circumstances(
        operation=operation,
        moves=None if size is None else Moves.BODY,
        contains=contents.parts.get(operation, ()),
        size_bytes=size,
        link_bytes_s=contents.bytes_s.get(operation),
    )
