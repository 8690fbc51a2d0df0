"""Advice rows: requests over an open connection that equal one new connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sectax.experiments.advice import Column, column, mean_ratio
from sectax.model.advice import AdviceRow
from sectax.model.finding import alike
from sectax.model.measured import Measured
from sectax.model.treatment import Treatment


def connection_times(
    measured: Measured, metric: str, new: str, kept: str, factor: str = "connection"
) -> Iterator[tuple[Treatment, Column, Column]]:
    """Treatments with new connections, and the times over new and open ones."""
    for members in alike(measured.plan.treatments, factor).values():
        if new in members and kept in members:
            yield members[new], column(measured, metric, members[new]), column(measured, metric, members[kept])


def connection_rows(
    measured: Measured, times: Iterable[tuple[Treatment, Column, Column]], noun: str
) -> Iterator[AdviceRow]:
    """Requests over an open connection that take as long as one new connection.

    Args:
        times: seconds of a new connection and of a request over an open one.
        noun: 'requests' or the like.
    """
    for treatment, new, request in times:
        ratios = [new[block] / request[block] for block in measured.blocks if new.get(block) and request.get(block)]
        if ratios:
            count = mean_ratio(measured, ratios, noun)
            shorter = count.high is not None and count.high < 1
            meaning = f"a new connection takes as long as this many {noun} over an open one"
            sentence = f"{noun} over an open connection take longer than new ones do" if shorter else meaning
            yield AdviceRow(f"A new connection, in {noun} over an open one", treatment.levels, "", count, sentence)
