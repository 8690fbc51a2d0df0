"""Sides that are not observed alike."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import sides
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal
from sectax.audit.checks.words import EVERYTHING
from sectax.audit.form import Evidence


@check(
    "F: timed calls of one side pass through a tracer, proxy or logger that those of the other do not",
    applies=lambda evidence: any(True for _ in sides(evidence)),
)
def unequal_instruments(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    silent = []
    # One group for each pair of tables (or one table) whose sides are set against each other.
    groups = {" against ".join(dict.fromkeys(one.table for one in group)): group for group in sides(evidence)}
    for compared, group in groups.items():
        through = {one.levels[contrast.factor]: one.setting.instrument for one in group}
        if len(set(through.values()) - {None}) > 1:
            words = "; ".join(
                f"those of {level} through {'nothing' if instrument == 'none' else instrument}"
                for level, instrument in through.items()
                if instrument is not None
            )
            yield fatal(
                compared,
                f"the timed calls are not observed alike: {words}",
                "the difference includes what the instrument costs, on one side alone",
                "remove the instrument, or let both sides pass through it",
            )
        elif None in through.values():
            silent.append(compared)
    if silent:
        where = silent[0] if len(silent) == 1 else EVERYTHING
        yield cannot_be_checked(where, "whether timed calls pass through a tracer, a proxy or a logger is not reported")
