"""Whole run files of runs that never happened, and a forger who makes every checksum good again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.audited_runs import TREATMENT, Draft, healthy, of_scenario
from benchmarks.simulations.scenarios import BATCH_S, SCENARIOS
from benchmarks.simulations.whole_runs import COUNT
from sectax.calibration.freeze import resize_note
from sectax.design.order import plan_block
from sectax.model.environment import Environment
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration
from sectax.model.subject import Observation
from sectax.model.trial import Closed, Dropped, Opened, State, Trial
from sectax.record.checksums import BlockChecksum, frame_checksum
from sectax.record.errors import RecordChanged
from sectax.record.finished_blocks import BlockReducer
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter

CPU = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, "batch_cpu", compared=False, cpu=True)
HOST = Environment({"host.cpus": "2", "host.cpu_model": "simulated"})

Edit = tuple[str, tuple[object, ...]]


def draft(rng: Generator, blocks: int | None = None, rounds: int | None = None) -> Draft:
    """A healthy run of any length on any kind of machine that is simulated here."""
    blocks = blocks or int(rng.integers(6, 41))
    rounds = rounds or 2 * int(rng.integers(1, 9))
    made = (
        healthy(rng, cost=float(rng.choice([-0.2, 0.0, 0.05, 0.5])), blocks=blocks, rounds=rounds)
        if rng.random() < 0.5
        else of_scenario(int(rng.integers(len(SCENARIOS))), rng, blocks, rounds)
    )
    made.plan = replace(made.plan, metrics=(*made.plan.metrics, CPU), seed=int(rng.integers(2**63)))
    return made


def write(made: Draft, path: Path, rng: Generator, *, eventful: bool = True) -> None:
    """Record a draft as a session would, with its ordinary events where it is *eventful*.

    These are: a treatment that leaves the later blocks, one that fails in a block, batches that are sized again, and
    a session that is interrupted and gone on with.
    """
    names = list(made.logs)
    rounds = next(iter(made.logs.values())).shape[1]
    sizes = dict.fromkeys(names, COUNT)
    event = rng.choice(["none", "leaves", "fails", "sized", "resumed"]) if eventful else "none"
    when = int(rng.integers(1, made.blocks))
    with ExitStack() as stack:
        writer = stack.enter_context(RunWriter.create(path, made.plan, HOST, "0123456789abcdef"))
        writer.calibrate(calibrated(sizes, rounds))
        for index in range(made.blocks):
            live = [name for name in names if not (event == "leaves" and name == TREATMENT and index > when)]
            fails = TREATMENT if event == "fails" and index == when else ""
            record_block(writer, made, index, live, sizes, rng, fails)
            if event == "sized" and index + 1 == when:
                sizes[TREATMENT] = 2 * COUNT
                writer.calibrate(calibrated(sizes, rounds))
                writer.note(resize_note(writer.next_block_number() - 1))
            if event == "resumed" and index + 1 == when:
                frozen = calibrated(sizes, rounds)
                writer.begin_block(plan_block(made.plan, frozen, writer.next_block_number(), live))
                writer.finish("interrupted")
                writer.close()
                writer = stack.enter_context(RunWriter.reopen(path, HOST))
        writer.finish("finished")
    forge(path, dated(path))


def dated(path: Path) -> list[Edit]:
    """Times of day as a run has them that takes as long as its blocks say: all of it was written at once."""
    began = datetime(2026, 3, 2, 9, 14, 5, tzinfo=UTC)
    with closing(sqlite3.connect(path)) as db:
        blocks = db.execute(
            "SELECT number, COALESCE(seconds, 0.5) FROM block WHERE number > 0 ORDER BY number"
        ).fetchall()
    edits: list[Edit] = []
    for number, seconds in blocks:
        edits.append(("UPDATE block SET started = ? WHERE number = ?", (began.isoformat(), number)))
        began += timedelta(seconds=seconds + 0.02)
    return edits


def calibrated(sizes: dict[str, int], rounds: int) -> Calibrated:
    """What the pilot of such a run would have found, for batches of these sizes."""
    return Calibrated(
        {name: Calibration(name, size, 0, BATCH_S, 0.01, 1e-9, 1e-9) for name, size in sizes.items()}, {"cell0": rounds}
    )


def record_block(
    writer: RunWriter, made: Draft, index: int, live: Sequence[str], sizes: dict[str, int], rng: Generator, fails: str
) -> None:
    """Record the next block, of the draft's block *index*; the treatment *fails* fails in its middle."""
    rounds = next(iter(made.logs.values())).shape[1]
    block = plan_block(made.plan, calibrated(sizes, rounds), writer.next_block_number(), live)
    writer.begin_block(block)
    spent = 0.0
    for cell in block.cells:
        for name in cell.opening:
            said = {"runtime": "PHP 8.2.36", "requests": int(rng.integers(3)), "clock_read_s": float(rng.normal())}
            writer.event(block.number, Opened(name, said, (), 0.01))
        gone = set()
        for visit in cell.visits:
            name = visit.treatment
            if name in gone:
                continue
            if name == fails and visit.round == rounds // 2:
                writer.event(block.number, Dropped(name, State.FAILED, "visit", "it was killed"))
                gone.add(name)
                continue
            batch_s = round(BATCH_S * float(np.exp(made.logs[name][index, visit.round])) * sizes[name] / COUNT, 9)
            spent += batch_s
            observed = (
                Observation("batch_time", batch_s, "s", "hrtime", sizes[name]),
                Observation("batch_cpu", round(0.98 * batch_s, 6), "s", "getrusage", sizes[name]),
            )
            # With as many operations that settle before them, or with none.
            spanned_s = (1.02 if made.plan.seed % 2 else 2.05) * batch_s + 2e-4
            telemetry = {"spanned_s": spanned_s, "throttled_s": 0.0}
            writer.event(block.number, Trial(name, visit.round, visit.position, State.OK, observed, telemetry))
        for name in cell.opening:
            if name not in gone:
                writer.event(block.number, Closed(name, {"exit_status": 0}))
    writer.finish_block(block.number, 1.6 * spent + 0.1)


def forge(path: Path, edits: Iterable[Edit]) -> None:
    """Change a run file, and make its checksums good again as anybody can who reads this program."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for sql, parameters in edits:
            db.execute(sql, parameters)
        with RunReader(path, db, ExitStack()) as reader:
            reducer = BlockReducer(db, reader.plan())
            db.execute("DELETE FROM checksum")
            for number, seconds in reducer.finished():
                of = BlockChecksum("", {})
                with suppress(RecordChanged):  # no digest of this block is ever looked at
                    ((_, of),) = reducer.reduce([(number, seconds)])
                db.execute(*of.row(number))
            for sql, parameters in frame_checksum(db):
                db.execute(sql, parameters)
