"""The finished blocks of a run file, reduced by SQL.

The caller holds one state of the file meanwhile, and finds the words for errors.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TypeVar

import msgspec

from sectax.model.measured import Failure
from sectax.model.metric import Summary
from sectax.model.plan import Plan, batch_observation, tail_observations
from sectax.model.subject import Witnesses
from sectax.record.builder import BlockSummary
from sectax.record.schema import quoted
from sectax.record.summary import Totals, middle
from sectax.stats.batch_shape import batches_of

T = TypeVar("T")


def rows(db: sqlite3.Connection, sql: str, kind: type[T]) -> list[T]:
    """All rows of a query, each of the type *kind*. Raises `msgspec.ValidationError` where one is not."""
    return msgspec.convert(db.execute(sql).fetchall(), list[kind])  # type: ignore[valid-type]


def pilot_failures(db: sqlite3.Connection) -> list[Failure]:
    return _failures(db, "b.state = 'pilot'")


def finished_blocks(db: sqlite3.Connection, plan: Plan) -> Iterable[BlockSummary]:
    """The finished blocks in order."""
    finished = rows(
        db,
        "SELECT number, seconds FROM block WHERE state = 'finished' AND number > 0 ORDER BY number",
        tuple[int, float],
    )
    blocks = {number: BlockSummary(number, seconds, ()) for number, seconds in finished}
    names = dict(rows(db, "SELECT number, id FROM treatment", tuple[int, str]))
    for failure in _failures(db, "b.state = 'finished'"):
        blocks[failure.block].failures.append(failure)
    _add_subjects(db, blocks, names)
    series = {
        number: (names[treatment], observed)
        for number, treatment, observed in rows(
            db, "SELECT number, treatment, metric FROM series", tuple[int, int, str]
        )
    }
    lengths = _add_totals(db, blocks, series, plan)
    _add_batches(
        db, blocks, {number: name for number, (name, of) in series.items() if of == batch_observation(plan)}, lengths
    )
    _add_telemetry(db, blocks, names)
    return blocks.values()


def _failures(db: sqlite3.Connection, where: str) -> list[Failure]:
    found = rows(
        db,
        "SELECT MAX(f.block, 0), f.treatment, f.stage, f.state, f.reason, f.hint"  # noqa: S608
        f" FROM failure f JOIN block b ON b.number = f.block WHERE {where} ORDER BY f.block, f.number",
        tuple[int, str, str, str, str, str],
    )
    return [Failure(*row) for row in found]


def _add_subjects(db: sqlite3.Connection, blocks: dict[int, BlockSummary], names: dict[int, str]) -> None:
    """What was planned, and every set of witnesses where it was seen for the first time."""
    sets = dict(rows(db, "SELECT number, witnesses FROM witness_set", tuple[int, str]))
    decoded: dict[int, Witnesses] = {}
    seen: set[tuple[int, int]] = set()
    for number, treatment, *shown in rows(
        db,
        "SELECT u.block, u.treatment, u.opened, u.closed FROM block b CROSS JOIN subject u ON u.block = b.number"
        " WHERE b.state = 'finished' AND b.number > 0 ORDER BY b.number, u.cell_order, u.opening",
        tuple[int, int, int | None, int | None],
    ):
        block = blocks[number]
        block.planned += (names[treatment],)
        for which in shown:
            if which is not None and (treatment, which) not in seen:
                seen.add((treatment, which))
                if which not in decoded:
                    decoded[which] = msgspec.json.decode(sets[which], type=Witnesses)
                block.witnesses.append((names[treatment], decoded[which]))


def _add_totals(
    db: sqlite3.Connection, blocks: dict[int, BlockSummary], series: dict[int, tuple[str, str]], plan: Plan
) -> list[tuple[int, int, int]]:
    """Sums come from SQLite, which needs half the time that a row each takes in Python.

    Returns:
        How many observations every block and series has, also of blocks that do not count, in the order of the table.
    """

    def summarised_as(summary: Summary) -> set[int]:
        wanted = {metric.observed for metric in plan.metrics if metric.summary is summary}
        return {number for number, (_, observed) in series.items() if observed in wanted}

    with_median = summarised_as(Summary.MEDIAN)
    with_tail = {number for number, (_, observed) in series.items() if observed in tail_observations(plan)}
    medians: dict[tuple[int, int], float | None] = {}
    each: dict[tuple[int, int], array[float]] = {}
    for block, which, quotients in _quotients(db, with_median | with_tail):
        if which in with_median:
            medians[block, which] = middle(quotients)
        if which in with_tail:
            each[block, which] = array("d", quotients)
    largest = _largest(db, summarised_as(Summary.MAXIMUM))
    lengths = []
    for number, which, observations, count, value, smallest in db.execute(
        "SELECT block, series, COUNT(*), SUM(count), SUM(value), MIN(value) FROM observation GROUP BY block, series"
    ):
        lengths.append((number, which, observations))
        if number in blocks:
            blocks[number].totals[series[which]] = Totals(
                observations,
                int(count),
                float(value),
                float(smallest),
                largest=largest.get((number, which)),
                median=medians.get((number, which)),
                each=each.get((number, which)) or array("d"),
            )
    return lengths


def _quotients(db: sqlite3.Connection, of: set[int]) -> Iterator[tuple[int, int, list[float]]]:
    """The block, the series, and value/count of each of its observations that counted something, in ascending order."""
    if not of:
        return
    where = f"WHERE series IN ({_numbers(of)})"
    counts = db.execute(f"SELECT block, series, COUNT(*) FROM observation {where} GROUP BY block, series")  # noqa: S608
    # Both queries walk the same tree in the same order, and a row of one column is cheap to make.
    ratios = db.execute(f"SELECT value / count FROM observation {where} ORDER BY block, series")  # noqa: S608
    for block, which, count in counts.fetchall():
        yield block, which, sorted(float(ratio) for (ratio,) in ratios.fetchmany(count) if ratio is not None)


def _largest(db: sqlite3.Connection, of: set[int]) -> dict[tuple[int, int], float]:
    found = db.execute(
        f"SELECT block, series, MAX(value) FROM observation WHERE series IN ({_numbers(of)}) GROUP BY block, series"  # noqa: S608
    )
    return {(block, which): float(value) for block, which, value in found} if of else {}


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _add_batches(
    db: sqlite3.Connection,
    blocks: dict[int, BlockSummary],
    series: dict[int, str],
    lengths: Iterable[tuple[int, int, int]],
) -> None:
    """How the batches lie, block by block, so that a long run takes no more memory.

    Args:
        series: the treatments whose batches they are, by number.
        lengths: of every block and series, as `_add_totals` gives them.
    """
    import numpy as np

    # In the order of the table, a row follows the one before without a search.
    values = chain.from_iterable(
        db.execute(
            f"SELECT COALESCE(value / count, 0.0), position FROM observation WHERE series IN ({_numbers(series)})"  # noqa: S608
            " ORDER BY block, series, round, position, number"
        )
    )
    batches = (row for row in lengths if row[1] in series)
    for number, found in groupby(batches, key=itemgetter(0)):
        _, which, sizes = zip(*found, strict=True)
        times, places = np.fromiter(islice(values, 2 * sum(sizes)), np.float64).reshape(-1, 2).T
        if number in blocks:
            made = batches_of(times, places, sizes)
            blocks[number].batches = dict(zip((series[one] for one in which), made, strict=True))


def _add_telemetry(db: sqlite3.Connection, blocks: dict[int, BlockSummary], names: dict[int, str]) -> None:
    columns = rows(db, "SELECT name, column_name FROM telemetry ORDER BY name", tuple[str, str])
    if not columns:
        return
    # With its table before it, a name in quotes is never taken for text.
    sums = ", ".join(f"SUM(trial.{quoted(column)})" for _, column in columns)
    for number, treatment, *values in db.execute(
        f"SELECT block, treatment, {sums} FROM trial GROUP BY block, treatment"  # noqa: S608
    ):
        if number in blocks:
            blocks[number].telemetry[names[treatment]] = {
                name: float(value) for (name, _), value in zip(columns, values, strict=True) if value is not None
            }
