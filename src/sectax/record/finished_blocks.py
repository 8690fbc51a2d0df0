"""Reduce rows of finished blocks to block values, live or from a file.

The caller provides a snapshot of the file and handles errors.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isfinite
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from sectax.model.environment import LOCAL_HOST
from sectax.model.measured import Failure, Visited
from sectax.model.metric import Summary
from sectax.model.plan import Plan
from sectax.model.subject import Witnesses
from sectax.record.builder import LARGEST, BlockSummary, totals
from sectax.record.checksums import BlockChecksum, Hash, has_checksums, recorded_blocks
from sectax.record.errors import RecordChanged
from sectax.record.plan_tables import treatment_numbers
from sectax.record.schema import quoted
from sectax.stats.batch_shape import process_batches

if TYPE_CHECKING:
    from sectax.stats.moments import Array

T = TypeVar("T")

_Series = tuple[int, int, str, str, str]  # number, treatment, metric, unit, clock
# Blocks read together, since one small block costs mostly call overhead; large blocks are read one by one.
TOGETHER = 32
_FIRST_WITH_HOSTS = 4
_ROWS = 20_000
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


def rows(db: sqlite3.Connection, sql: str, kind: type[T], *parameters: int) -> list[T]:
    """All rows of a query as *kind*; raises `msgspec.ValidationError`."""
    return msgspec.convert(db.execute(sql, parameters).fetchall(), list[kind])  # type: ignore[valid-type]


def pilot_failures(db: sqlite3.Connection) -> list[Failure]:
    """The failures of the pilot, as block 0."""
    return _failures(db, "b.state = 'pilot'")


def _failures(db: sqlite3.Connection, where: str, *parameters: int) -> list[Failure]:
    failures = rows(
        db,
        "SELECT MAX(f.block, 0), f.treatment, f.stage, f.state, f.reason, f.hint"  # noqa: S608
        f" FROM failure f JOIN block b ON b.number = f.block WHERE {where} ORDER BY f.block, f.number",
        tuple[int, str, str, str, str, str],
        *parameters,
    )
    return [Failure(*row) for row in failures]


def _placeholders(blocks: Mapping[int, object]) -> str:
    return f"({', '.join('?' * len(blocks))})"


def _parts(columns: Array) -> Iterator[Array]:
    """Consecutive rows with the same value in the first column."""
    import numpy as np

    starts = np.flatnonzero(np.diff(columns[:, 0], prepend=-1.0)).tolist()
    for start, end in pairwise([*starts, len(columns)]):
        yield columns[start:end]


class BlockReducer:
    """Reduces the finished blocks of a file in order; shared tables are read once."""

    def __init__(self, db: sqlite3.Connection, plan: Plan) -> None:
        self._db = db
        (version,) = db.execute("PRAGMA user_version").fetchone()
        self._host_column = "host" if version >= _FIRST_WITH_HOSTS else f"'{LOCAL_HOST}'"
        self._names = {number: id for id, number in treatment_numbers(plan).items()}
        self._batch = plan.batch_observation
        self._tails = plan.tail_observations
        self._medians = {metric.observed for metric in plan.metrics if metric.summary is Summary.MEDIAN}
        self._series: dict[int, _Series] = {}
        self._witness_sets: dict[int, tuple[str, Witnesses]] = {}
        self._shown: set[tuple[int, int]] = set()

    def finished(self) -> list[tuple[int, float]]:
        return rows(
            self._db,
            "SELECT number, seconds FROM block WHERE state = 'finished' AND number > 0 ORDER BY number",
            tuple[int, _Seconds],
        )

    def reduce(self, finished: Sequence[tuple[int, float]]) -> list[tuple[BlockSummary, BlockChecksum]]:
        """Reduce consecutive blocks, with checksums but without `batches`.

        A set of witnesses is only in the first block of a treatment that has it.
        """
        blocks = {number: BlockSummary(number, seconds) for number, seconds in finished}
        hashes = {number: Hash() for number in blocks}
        for number, seconds in finished:
            hashes[number].add((number, seconds))
        self._add_subjects(blocks, hashes)
        for failure in _failures(self._db, f"f.block IN {_placeholders(blocks)}", *blocks):
            blocks[failure.block].failures.append(failure)
        for number, block in blocks.items():
            failures = block.failures
            hashes[number].add([(f.treatment, f.stage, f.state, f.reason, f.hint) for f in failures])
        self._add_observations(blocks, hashes)
        self._add_telemetry(blocks, hashes)
        begun = f"SELECT number, started, {self._host_column} FROM block WHERE number IN {_placeholders(blocks)}"  # noqa: S608
        started = {number: start for number, *start in rows(self._db, begun, tuple[int, str, str], *blocks)}
        checksums = []
        for number, block in blocks.items():
            self._add_visits(block)
            without_start = hashes[number].hexdigest()
            began, block.host = started[number]
            hashes[number].add(began)
            if block.host != LOCAL_HOST:  # local blocks keep the digests of older formats
                hashes[number].add(block.host)
            checksums.append((block, BlockChecksum(hashes[number].hexdigest(), block.telemetry, without_start)))
        return checksums

    def _add_subjects(self, blocks: Mapping[int, BlockSummary], hashes: Mapping[int, Hash]) -> None:
        planned: dict[int, list[str]] = {number: [] for number in blocks}
        everything: dict[int, list[object]] = {number: [] for number in blocks}
        for number, treatment, cell_order, opening, warmup, count, visits, state, open_s, opened, closed in rows(
            self._db,
            "SELECT block, treatment, cell_order, opening, warmup_batches, warmup_count, visits, state, open_s, opened,"  # noqa: S608
            f" closed FROM subject WHERE block IN {_placeholders(blocks)} ORDER BY block, cell_order, opening",
            tuple[int, int, int, int, int | None, int | None, int | None, str, _Seconds | None, int | None, int | None],
            *blocks,
        ):
            name = self._names[treatment]
            planned[number].append(name)
            place = [cell_order, opening, warmup, count, visits, state, open_s]
            shown: list[object] = [treatment, place, opened is None]
            sets = [which for which in (opened, closed) if which is not None]
            blocks[number].visited[name] = Visited(open_s=open_s)
            for which in sets:
                text, witnesses = self._witness_set(which)
                shown.append(text)
                if (treatment, which) not in self._shown:
                    self._shown.add((treatment, which))
                    blocks[number].witnesses.append((name, witnesses))
            everything[number].append(shown)
        for number, block in blocks.items():
            block.planned = tuple(planned[number])
            hashes[number].add(everything[number])

    def _witness_set(self, number: int) -> tuple[str, Witnesses]:
        witness_sets = self._witness_sets
        if number not in witness_sets:
            later = "SELECT number, witnesses FROM witness_set WHERE number > ?"
            for which, text in rows(self._db, later, tuple[int, str], max(witness_sets, default=0)):
                witness_sets[which] = text, msgspec.json.decode(text, type=Witnesses)
        return witness_sets[number]

    def _block_series(self, number: int) -> _Series:
        series = self._series
        if number not in series:
            later = "SELECT number, treatment, metric, unit, clock FROM series WHERE number > ?"
            series |= {
                row[0]: row for row in rows(self._db, later, tuple[int, int, str, str, str], max(series, default=0))
            }
        return series[number]

    def _add_observations(self, blocks: Mapping[int, BlockSummary], hashes: Mapping[int, Hash]) -> None:
        import numpy as np

        observations = self._db.execute(
            f"SELECT block, series, position, value, count FROM observation WHERE block IN {_placeholders(blocks)}"  # noqa: S608
            " ORDER BY block, series, round, position, number",
            tuple(blocks),
        )
        # Integers are exact as floats up to 2^53; rows with other types are refused here.
        everything = np.fromiter(chain.from_iterable(observations), np.dtype("<f8")).reshape(-1, 5)
        columns_by_block = {int(part[0, 0]): part[:, 1:] for part in _parts(everything)}
        for number, block in blocks.items():
            columns = columns_by_block.get(number, everything[:0, 1:])
            if not (np.abs(columns) <= LARGEST).all():
                raise RecordChanged(f"block {number} has an infinite value, which is never recorded")
            hashes[number].add_bytes(columns.tobytes())
            block_series: list[_Series] = []
            for part in _parts(columns):
                series = self._block_series(int(part[0, 0]))
                block_series.append(series)
                _, treatment, observed, *_ = series
                name = self._names[treatment]
                block.totals[name, observed] = totals(
                    part[:, 2].tolist(),
                    list(map(int, part[:, 3].tolist())),
                    with_median=observed in self._medians,
                    with_quotients=observed in self._tails,
                )
                if observed == self._batch:
                    block.batch_columns[name] = part[:, 1:]
            hashes[number].add(block_series)

    def _add_telemetry(self, blocks: Mapping[int, BlockSummary], hashes: Mapping[int, Hash]) -> None:
        # SQLite sums the rows in a quarter of the time that Python takes.
        names = rows(self._db, "SELECT name, column_name FROM telemetry ORDER BY name", tuple[str, str])
        # Without its table, SQLite could read a quoted name as text.
        sums = "".join(f", SUM(trial.{quoted(column)})" for _, column in names)
        counted: dict[int, list[tuple[int, ...]]] = {number: [] for number in blocks}
        for number, treatment, trials, rounds, positions, *values in self._db.execute(
            "SELECT block, treatment, COUNT(*), SUM(round), SUM(position)"  # noqa: S608
            f"{sums} FROM trial WHERE block IN {_placeholders(blocks)} GROUP BY block, treatment",
            tuple(blocks),
        ):
            counted[number].append((treatment, trials, rounds, positions))
            sums_by_name = {
                name: float(value) for (name, _), value in zip(names, values, strict=True) if value is not None
            }
            if not all(map(isfinite, sums_by_name.values())):
                raise RecordChanged(f"block {number} has infinite telemetry, which is never recorded")
            blocks[number].telemetry[self._names[treatment]] = sums_by_name
        for number in blocks:
            hashes[number].add(counted[number])

    def _add_visits(self, block: BlockSummary) -> None:
        for name, visited in block.visited.items():
            batches = block.totals.get((name, str(self._batch)))
            if batches is not None:
                block.visited[name] = visited._replace(
                    batches=batches.observations, operations=batches.count, elapsed_s=batches.value
                )


def add_batches(blocks: Sequence[BlockSummary]) -> None:
    """Set `batches` of the blocks from their `batch_columns`, and clear these."""
    import numpy as np

    batches_by_block = [(block, name, columns) for block in blocks for name, columns in block.batch_columns.items()]
    if not batches_by_block:
        return
    position, value, count = np.concatenate([columns for *_, columns in batches_by_block]).T
    times = np.divide(value, count, out=np.zeros_like(value), where=count != 0)
    by_subject = process_batches(times, position, [len(columns) for *_, columns in batches_by_block])
    for (block, name, _), batches in zip(batches_by_block, by_subject, strict=True):
        block.batches[name] = batches
    for block in blocks:
        block.batch_columns.clear()


def finished_blocks(db: sqlite3.Connection, reducer: BlockReducer) -> Iterator[BlockSummary]:
    """The finished blocks in order, checked against their checksums if present.

    Raises:
        Changed: a block is not what was recorded, is missing, or was never recorded.
    """
    finished = reducer.finished()
    checked = has_checksums(db)
    recorded = recorded_blocks(db) if checked else {}
    if checked and recorded.keys() != {number for number, _ in finished}:
        raise RecordChanged("the finished blocks are not those that were recorded")
    together = 1
    while finished:
        blocks = []
        for block, checksum in reducer.reduce(finished[:together]):
            if checked:
                checksum.check(block.number, recorded[block.number])
                block.telemetry = recorded[block.number].telemetry
            blocks.append(block)
        add_batches(blocks)
        yield from blocks
        finished = finished[together:]
        observations = sum(totals.observations for totals in blocks[-1].totals.values())
        together = max(1, min(TOGETHER, _ROWS // max(1, observations)))
