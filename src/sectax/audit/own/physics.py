"""More bytes in a second than the wire or the memory can carry, in every block of a run."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.growth import link_of
from sectax.audit.checks.interface import Check, Remark, fatal, warning
from sectax.audit.checks.physics import SHORTEST_OPERATION_S, USE_THE_RESULTS
from sectax.audit.checks.words import bandwidth
from sectax.audit.form import Moves
from sectax.audit.own.blocks import typical_speeds
from sectax.audit.own.evidence import BlockSeries, RunEvidence


def _in_runs(figures: list[BlockSeries]) -> Iterator[Remark]:
    """Of runs of ours: where even the slowest block is too fast, no noise explains it."""
    for figure in figures:
        slowest = max(figure.seconds().values())
        size = figure.work.size_bytes
        if size is not None and figure.work.moves is Moves.BODY and size > slowest * link_of(figure):
            yield fatal(
                figure.treatment,
                f"the slowest block of {figure.id} would be {bandwidth(size / slowest)}, and no more than "
                f"{bandwidth(link_of(figure))} can be",
                "the bytes were not worked on",
                "check that the whole body arrives, and that its last byte changes the result",
            )
        elif slowest < SHORTEST_OPERATION_S:
            yield warning(
                figure.treatment,
                f"one operation takes {1e9 * slowest:.2g} ns at most in {figure.id}",
                "that is a loop with nothing in it, or hardly anything: the compiler may have left out the work",
                USE_THE_RESULTS,
            )


FASTER_THAN_PHYSICS: Check[RunEvidence] = Check(
    id="faster-than-physics",
    rule="F: even the slowest block moves more bytes per second than the memory or link carries; W: it takes under "
    "0.5 ns",
    examine=lambda evidence: _in_runs(typical_speeds(evidence)),
    applies=lambda evidence: bool(typical_speeds(evidence)),
)
