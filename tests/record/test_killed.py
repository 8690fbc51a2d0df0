"""SIGKILL at any time: finished blocks stay, nothing counts twice, and the run can continue."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from pathlib import Path

import pytest

from sectax.model.errors import BadRecord
from sectax.model.measured import Measured
from sectax.model.trial import BlockEvent, Trial
from sectax.record.writer import RunWriter
from tests.record.conftest import MEMORY_FOLDER
from tests.record.runs import ENVIRONMENT, calibrated, create, events, plan, planned_block, read, rows, write

PLAN = plan()
ROUNDS = 6


def session(path: Path, report: int) -> None:
    """Write blocks forever, and report acknowledged events (a byte) and blocks (a line)."""
    try:
        writer = RunWriter.reopen(path, ENVIRONMENT)
    except BadRecord:  # killed before anything was recorded; checked by `check_remnant`
        remove(path)
        writer = create(path)
    os.write(report, b"+")
    if writer.measured().calibrated is None:
        writer.calibrate(calibrated(PLAN, ROUNDS))
    while True:
        number = writer.next_block_number()
        block = planned_block(PLAN, number, ROUNDS)
        writer.begin_block(block)
        os.write(report, f"b{number}".encode())
        for event in events(block):
            writer.event(number, event)
            os.write(report, b".")
        writer.finish_block(number, float(number))
        os.write(report, f"f{number}\n".encode())
        if number % 7 == 0:  # include the end of a run
            writer.finish("interrupted")
            writer.close()
            writer = RunWriter.reopen(path, ENVIRONMENT)


def killed_session(path: Path, after: int, later_s: float) -> str:
    """Run a session that is killed `later_s` after `after` bytes of its report; return the report."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            session(path, theirs)
        finally:
            os._exit(1)  # it never ends by itself
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        reported = pipe.read(after)
        time.sleep(later_s)
        os.kill(child, signal.SIGKILL)
        reported = (reported + pipe.read()).decode()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"the session ended by itself after {reported[-80:]!r}"
    return reported


def remove(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal", "-lock"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def check_remnant(path: Path) -> None:
    """Check the result of an early kill: no file, an empty one, or a run without blocks."""
    try:
        assert read(path).blocks == ()
    except BadRecord as error:
        assert not path.exists() or "is empty" in error.message  # noqa: PT017


def check(path: Path, reported: str, before: tuple[int, ...]) -> tuple[int, ...]:
    """Check that the file has all acknowledged blocks, and at most one more that was being finished."""
    acknowledged = [int(line.rpartition("f")[2]) for line in reported.splitlines() if "f" in line]
    measured = read(path)
    surplus = set(measured.blocks) - set(before) - set(acknowledged)

    assert set(before) | set(acknowledged) <= set(measured.blocks)
    assert len(surplus) <= 1
    assert measured.state == "interrupted"
    expected = recount(measured.blocks)
    assert measured.values == expected.values
    assert measured.counts == expected.counts
    assert measured.visited == expected.visited
    check_last_block(path, reported, measured)
    return measured.blocks


def recount(blocks: tuple[int, ...]) -> Measured:
    """The same blocks recorded without a kill."""
    with tempfile.TemporaryDirectory(dir=MEMORY_FOLDER) as folder, create(Path(folder, "run.sectax")) as writer:
        for number in blocks:
            write(writer, planned_block(PLAN, number, ROUNDS))
            writer.finish_block(number, float(number))
        return writer.measured()


def check_last_block(path: Path, reported: str, measured: Measured) -> None:
    """Check that the trials of the last block have no gap, except for queued ones at its end."""
    last = reported.splitlines()[-1] if reported.splitlines() else ""
    if not last.startswith("b") or "f" in last:
        return
    number, dots = int(last[1:].rstrip(".")), last.count(".")
    if number in measured.blocks:
        return
    block_events: list[BlockEvent] = list(events(planned_block(PLAN, number, ROUNDS)))
    trials_of = "SELECT t.id, r.round, r.position FROM trial r JOIN treatment t ON t.number = r.treatment"
    recorded = rows(path, f"{trials_of} WHERE r.block = {number}")
    trials = [(e.treatment, e.round, e.position) for e in block_events[: dots + 1] if isinstance(e, Trial)]

    assert set(recorded) == set(trials[: len(recorded)])


def kill_again_and_again(path: Path, times: int, seed: int, fresh_every: int) -> int:
    rng = random.Random(seed)
    blocks: tuple[int, ...] = ()
    finished = 0
    for kill in range(times):
        if kill % fresh_every == 0:
            remove(path)
            blocks = ()
        # Some kills hit the creation of the file, most the middle of a block.
        after = rng.choice([0, rng.randrange(1, 60), rng.randrange(1, 400)])
        reported = killed_session(path, after, rng.uniform(0.0, 0.005))
        if "+" in reported or blocks:
            blocks = check(path, reported, blocks)
        else:
            check_remnant(path)
        finished += reported.count("\n")
    return finished


@pytest.mark.parametrize(
    ("times", "seed", "fresh_every", "least"),
    [
        (12, 1, 6, 2),
        pytest.param(50, 2, 10, 10, marks=pytest.mark.more),
        pytest.param(1000, 3, 25, 200, marks=pytest.mark.full),
    ],
)
def test_nothing_is_lost_or_counted_twice_when_killed_at_random_instants(tmp_path, times, seed, fresh_every, least):
    finished = kill_again_and_again(tmp_path / "run.sectax", times, seed, fresh_every)

    assert finished > least  # the kills fell into running sessions, not only into their beginnings
