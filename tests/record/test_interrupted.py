"""Ctrl-C at any time: file and memory stay consistent, and finished blocks stay."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from sectax.model.subject import Observation
from sectax.model.trial import Dropped, State, Trial
from sectax.record import writer as room
from sectax.record.writer import RunWriter
from tests.record.runs import calibrated, create, plan, planned_block, read, record_block, rows

ROOM = str(Path(room.__file__).parent)
PLAN = plan()
BLOCK = planned_block(PLAN, 2, rounds=1, live=["sign/RS256"])
TRIAL = Trial(
    "sign/RS256", 1, 0, State.OK, (Observation("batch_time", 0.25, "s", "hrtime", 1),), {"steal_s": 0.5, "new": 1.0}
)

Step = Callable[[RunWriter], None]


def begin(writer: RunWriter) -> None:
    writer.begin_block(BLOCK)


def tell(writer: RunWriter) -> None:
    writer.event(2, TRIAL)


def finish(writer: RunWriter) -> None:
    writer.finish_block(2, 1.5)


STEPS: dict[str, tuple[tuple[Step, ...], Step]] = {
    "begin": ((), begin),
    "event": ((begin,), tell),
    "finish": ((begin, tell), finish),
    "abandon": ((begin, tell), lambda writer: writer.abandon_block(2)),
    "pilot": ((), lambda writer: writer.event(0, Dropped("sign/RS256", State.FAILED, "pilot", "no"))),
    "note": ((), lambda writer: writer.note("hello")),
    "calibrate": ((), lambda writer: writer.calibrate(calibrated(PLAN))),
    "end": ((begin, tell), lambda writer: writer.finish("finished")),
}


def interrupted_at(line: int, step: Step, writer: RunWriter) -> bool:
    """Run a step with Ctrl-C before its nth line in this package; False if it has fewer lines."""
    lines = count(1)

    def _trace(frame, what, _):
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if what == "line" and next(lines) == line:
            raise KeyboardInterrupt
        return _trace

    before = sys.gettrace()
    sys.settrace(_trace)
    try:
        step(writer)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def block_states(path: Path) -> dict[int, str]:
    return dict(rows(path, "SELECT number, state FROM block WHERE number > 0"))


# All lines need some hundred files; every seventh line covers all parts of each step.
EACH_OR_SOME = pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.more)])


@EACH_OR_SOME
@pytest.mark.parametrize("name", STEPS)
def test_ctrl_c_in_any_line_of_a_step_leaves_file_and_memory_consistent(tmp_path, name, stride):
    before, step = STEPS[name]
    reached = set()
    for line in count(1, stride):
        path = tmp_path / f"{line}.sectax"
        with create(path) as writer:
            record_block(writer, rounds=1)
            for earlier in before:
                earlier(writer)
            interrupted = interrupted_at(line, step, writer)
            in_file = block_states(path).get(2)
            writer.finish("interrupted" if interrupted else "finished")
        measured = writer.measured()

        # Blocks finished before Ctrl-C stay finished; others are abandoned.
        assert block_states(path).get(2) == {"running": "abandoned"}.get(in_file, in_file)
        assert measured.blocks == ((1, 2) if in_file == "finished" else (1,))
        assert read(path) == measured
        reached.add(in_file)
        if not interrupted:
            break
    assert line > 5  # the step has lines, and Ctrl-C was pressed at them
    if name == "finish":
        assert reached == {"running", "finished"}


@EACH_OR_SOME
def test_run_can_be_read_and_continued_after_ctrl_c(tmp_path, stride):
    for line in count(1, stride):
        path = tmp_path / f"{line}.sectax"
        with create(path) as writer:
            begin(writer)
            tell(writer)
            interrupted = interrupted_at(line, finish, writer)
            measured = writer.measured()
            assert read(path) == measured
            if writer._running:  # Ctrl-C came first
                finish(writer)
            record_block(writer)
            assert read(path) == writer.measured()
        if not interrupted:
            break


def test_block_interrupted_by_ctrl_c_cannot_be_finished(tmp_path):
    with create(tmp_path / "run.sectax") as writer:
        begin(writer)
        written = writer._file.write

        def _interrupt(statements):
            written(statements)
            raise KeyboardInterrupt

        writer._file.write = _interrupt
        with pytest.raises(KeyboardInterrupt):
            tell(writer)
        writer._file.write = written

        with pytest.raises(ValueError, match="not running"):
            finish(writer)
        writer.finish("interrupted")

    assert block_states(tmp_path / "run.sectax") == {2: "abandoned"}
