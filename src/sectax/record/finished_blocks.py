"""The finished blocks of a run file, reduced by SQL.

The caller holds one state of the file meanwhile, and finds the words for errors.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from sectax.model.measured import Failure
from sectax.model.metric import Summary
from sectax.model.plan import Plan
from sectax.model.subject import Witnesses
from sectax.record.builder import BlockSummary, batch_observation
from sectax.record.schema import quoted
from sectax.record.summary import Totals, median, step

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
    _add_totals(db, blocks, names, plan)
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


def _add_totals(db: sqlite3.Connection, blocks: dict[int, BlockSummary], names: dict[int, str], plan: Plan) -> None:
    """Sums come from SQLite, which needs half the time that a row each takes in Python."""
    series = {
        number: (names[treatment], observed)
        for number, treatment, observed in rows(
            db, "SELECT number, treatment, metric FROM series", tuple[int, int, str]
        )
    }

    def summarised_as(summary: Summary) -> set[int]:
        wanted = {metric.observed for metric in plan.metrics if metric.summary is summary}
        return {number for number, (_, observed) in series.items() if observed in wanted}

    medians = _medians(db, summarised_as(Summary.MEDIAN))
    largest = _largest(db, summarised_as(Summary.MAXIMUM))
    batch = batch_observation(plan)
    for number, which, observations, count, value, smallest, distinct in db.execute(
        "SELECT block, series, COUNT(*), SUM(count), SUM(value), MIN(value), COUNT(DISTINCT value)"
        " FROM observation GROUP BY block, series"
    ):
        if number in blocks:
            blocks[number].totals[series[which]] = Totals(
                observations,
                int(count),
                float(value),
                float(smallest),
                distinct,
                largest=largest.get((number, which)),
                median=medians.get((number, which)),
                step=_step(db, number, which) if distinct < observations and series[which][1] == batch else None,
            )


def _medians(db: sqlite3.Connection, of: set[int]) -> dict[tuple[int, int], float | None]:
    """The medians of value/count, by block and series."""
    if not of:
        return {}
    where = f"WHERE series IN ({_numbers(of)})"
    counts = db.execute(f"SELECT block, series, COUNT(*) FROM observation {where} GROUP BY block, series")  # noqa: S608
    # Both queries walk the same tree in the same order, and a row of one column is cheap to make.
    ratios = db.execute(f"SELECT value / count FROM observation {where} ORDER BY block, series")  # noqa: S608
    return {
        (block, which): median(float(ratio) for (ratio,) in ratios.fetchmany(count) if ratio is not None)
        for block, which, count in counts.fetchall()
    }


def _largest(db: sqlite3.Connection, of: set[int]) -> dict[tuple[int, int], float]:
    found = db.execute(
        f"SELECT block, series, MAX(value) FROM observation WHERE series IN ({_numbers(of)}) GROUP BY block, series"  # noqa: S608
    )
    return {(block, which): float(value) for block, which, value in found} if of else {}


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _step(db: sqlite3.Connection, block: int, series: int) -> float | None:
    values = db.execute("SELECT DISTINCT value FROM observation WHERE block = ? AND series = ?", (block, series))
    return step(float(value) for (value,) in values)


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
