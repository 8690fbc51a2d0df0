"""Rows of advice: how many requests over an open connection take as long as a new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sectax.experiments.advice import Column, column, mean_ratio
from sectax.model.advice import AdviceRow
from sectax.model.finding import alike
from sectax.model.measured import Measured
from sectax.model.treatment import Treatment


def new_and_kept(
    measured: Measured, metric: str, new: str, kept: str, factor: str = "connection"
) -> Iterator[tuple[Treatment, Column, Column]]:
    """Treatments over new connections with the times of both, where the kept one was measured too."""
    for members in alike(measured.plan.treatments, factor).values():
        if new in members and kept in members:
            yield members[new], column(measured, metric, members[new]), column(measured, metric, members[kept])


def connection_rows(
    measured: Measured, times: Iterable[tuple[Treatment, Column, Column]], noun: str
) -> Iterator[AdviceRow]:
    """Equivalent count: one new connection takes as long as so many requests over an open one.

    Args:
        times: seconds of a new connection and of a request over an open one. noun: 'requests', for both.
    """
    for treatment, new, request in times:
        ratios = [new[block] / request[block] for block in measured.blocks if new.get(block) and request.get(block)]
        if ratios:
            count = mean_ratio(measured, ratios, noun)
            shorter = count.high is not None and count.high < 1
            meaning = f"a new connection takes as long as this many {noun} over one that stays open"
            sentence = f"{noun} over an open connection take longer than new ones do" if shorter else meaning
            yield AdviceRow(f"A new connection, in {noun} over an open one", treatment.levels, "", count, sentence)
