"""Whole run files of runs that never happened, and what a forger does to them, with every checksum made good again.

    python -m benchmarks.simulations.run_files [--runs 1000] [--forged 50]

counts how often each check that looks for forgeries speaks of healthy files, and how often each forgery is found.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.audited_runs import TREATMENT, Draft, healthy, of_scenario
from benchmarks.simulations.figures import Share
from benchmarks.simulations.scenarios import BATCH_S, SCENARIOS
from benchmarks.simulations.whole_runs import COUNT
from sectax.analysis.findings import judge
from sectax.audit.own.registry import run as audit
from sectax.design.order import plan_block
from sectax.model.environment import Environment
from sectax.model.errors import BadRecord
from sectax.model.finding import Severity
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, sized_again_note
from sectax.model.subject import Observation
from sectax.model.trial import Closed, Dropped, Opened, State, Trial
from sectax.record.checksums import BlockChecksum, frame_checksum
from sectax.record.errors import Changed
from sectax.record.finished_blocks import BlockReducer
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter

CPU = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, "batch_cpu", compared=False, cpu=True)
HOST = Environment({"host.cpus": "2", "host.cpu_model": "simulated"})

# The checks of a run of ours that a forger is to be found by.
CHECKS = ("not-as-planned", "changed-witness")

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
                writer.note(sized_again_note(writer.next_block_number() - 1))
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
                with suppress(Changed):  # no digest of this block is ever looked at
                    _, of = reducer.reduce(number, seconds)
                db.execute(*of.row(number))
            for sql, parameters in frame_checksum(db):
                db.execute(sql, parameters)


# What an edit is made of: parts of SQL, in which only the names above stand.
# ruff: noqa: S608
def _number(treatment: str) -> str:
    return f"(SELECT number FROM treatment WHERE id = '{treatment}')"


def _series(condition: str) -> str:
    return f"series IN (SELECT number FROM series WHERE {condition})"


_NUMBER = _number(TREATMENT)
_OF_TREATMENT = _series(f"treatment = {_NUMBER}")


_BY_BLOCK = ("observation", "trial", "subject", "failure")


def keeps(blocks: int, how: str) -> list[Edit]:
    """Every second block of the run and no other: with gaps, renumbered, or with the others marked as abandoned."""
    gone = range(2, blocks + 1, 2)
    if how == "abandoned":
        return [("UPDATE block SET state = 'abandoned' WHERE number = ?", (number,)) for number in gone]
    edits: list[Edit] = [
        (f"DELETE FROM {table} WHERE {'number' if table == 'block' else 'block'} = ?", (number,))
        for number in gone
        for table in (*_BY_BLOCK, "block")
    ]
    if how == "renumbered":
        for new, old in enumerate(range(1, blocks + 1, 2), start=1):
            edits += [(f"UPDATE {table} SET block = ? WHERE block = ?", (new, old)) for table in _BY_BLOCK]
            edits.append(("UPDATE block SET number = ? WHERE number = ?", (new, old)))
    return edits


def infinite(where: str) -> list[Edit]:
    """Batch times that no clock shows."""
    of = "series IN (SELECT number FROM series WHERE metric = 'batch_time')"
    return [(f"UPDATE observation SET value = ? WHERE block > 0 AND {of} AND {where}", (float("inf"),))]


def other_witness(blocks: int) -> list[Edit]:
    """Another version of the runtime from the middle of the run on, in the treatment."""
    said = json.dumps({"runtime": "PHP 8.3.0", "requests": 1, "clock_read_s": 0.5}, separators=(",", ":"))
    return [
        ("INSERT INTO witness_set SELECT MAX(number) + 1, ? FROM witness_set", (said,)),
        (
            "UPDATE subject SET opened = (SELECT MAX(number) FROM witness_set)"
            f" WHERE block > ? AND treatment = {_NUMBER}",
            (blocks // 2,),
        ),
    ]


def without(control: str) -> list[Edit]:
    """A control of the run, taken out of its plan with all that was measured of it."""
    number, numbered = _number(control), ("trial", "subject", "series")
    kept = (
        "SELECT json_group_array(json(each.value)) FROM json_each(run.plan, '$.{}') each"
        " WHERE json_extract(each.value, '$.{}') <> ?"
    )
    return [
        (f"DELETE FROM observation WHERE {_series(f'treatment = {number}')}", ()),
        *((f"DELETE FROM {table} WHERE treatment = {number}", ()) for table in numbered),
        *((f"UPDATE {table} SET treatment = treatment - 1 WHERE treatment > {number}", ()) for table in numbered),
        *(
            (f"UPDATE run SET plan = json_set(plan, '$.{part}', ({kept.format(part, id)}))", (control,))
            for part, id in (("treatments", "id"), ("comparisons", "treatment"))
        ),
        ("DELETE FROM calibration WHERE treatment = ?", (control,)),
    ]


# Name, who must find it, and how it is made of a run of so many blocks.
FORGERIES: tuple[tuple[str, tuple[str, ...], Callable[[int], list[Edit]]], ...] = (
    ("the best half, gaps left", ("not-as-planned",), lambda n: keeps(n, "gaps")),
    ("the best half, the others abandoned", ("not-as-planned",), lambda n: keeps(n, "abandoned")),
    ("an infinite time", ("refused",), lambda n: infinite(f"block = {n} AND round = 0")),
    ("another version half-way", ("changed-witness",), other_witness),
    ("all observations deleted", ("not-as-planned",), lambda _: [("DELETE FROM observation", ())]),
    (
        "the slowest batches deleted",
        ("not-as-planned",),
        lambda _: [
            (
                f"DELETE FROM observation WHERE block > 0 AND {_OF_TREATMENT} AND value >"
                f" (SELECT 0.999 * MAX(value) FROM observation WHERE block > 0 AND {_OF_TREATMENT})",
                (),
            )
        ],
    ),
    (
        "the slowest visits deleted",
        ("not-as-planned",),
        lambda _: [(f"DELETE FROM {table} WHERE block = 3 AND round = 0", ()) for table in ("observation", "trial")],
    ),
)


def said(path: Path) -> set[tuple[str, str]]:
    """(check, severity) of what is said of a run file, notes left out; 'refused' where it cannot be read."""
    try:
        with RunReader.open(path) as reader:
            measured = reader.measured()
    except BadRecord:
        return {("refused", Severity.FATAL.value)}
    return {
        (warning.check, warning.severity.value)
        for warning in audit(measured, judge(measured))
        if warning.severity is not Severity.NOTE
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="healthy files")
    parser.add_argument("--forged", type=int, default=50, help="files of each forgery")
    parser.add_argument("--seed", type=int, default=0, help="another one makes other files (0)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.sectax")
        accused: Counter[str] = Counter()
        for number in range(given.runs):
            rng = np.random.default_rng([1 + 2 * given.seed, number])
            write(draft(rng), path, rng)
            accused.update({check for check, _ in said(path)} & {*CHECKS, "refused"})
            path.unlink()
        print(f"of {given.runs} healthy run files (seed {given.seed}), warned of or refused by")
        for check in (*CHECKS, "refused"):
            print(f"    {check:24} {accused[check]:4}   {Share(accused[check], given.runs)}")
        print(f"of {given.forged} forged run files, found")
        for name, checks, edits in FORGERIES:
            found = 0
            for number in range(given.forged):
                rng = np.random.default_rng([2 + 2 * given.seed, number])
                made = draft(rng)
                write(made, path, rng, eventful=False)
                forge(path, edits(made.blocks))
                found += bool({check for check, _ in said(path)} & set(checks))
                path.unlink()
            print(f"    {name:44} {found:4}   by {' or '.join(checks)}", flush=True)


if __name__ == "__main__":
    main()
