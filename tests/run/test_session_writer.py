"""The ledger of a run: the file and the session know the same, and nonsense fails its treatment, not the run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from sectax.model.measured import Measured
from sectax.model.subject import Observation
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, State, Trial
from sectax.record.reader import RunReader
from sectax.run.writer import SessionWriter
from tests.record.runs import ENVIRONMENT, calibrated, events, plan, planned_block

PLAN = plan()
ODD = "sign/ES256"
KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sectax"


@pytest.fixture
def ledger(path: Path) -> Iterator[SessionWriter]:
    kept = SessionWriter.create(path, PLAN, ENVIRONMENT, "00000000000000a1")
    yield kept
    kept.close()


def read(path: Path) -> Measured:
    with RunReader.open(path) as reader:
        return reader.measured()


def keep_block(ledger: SessionWriter) -> int:
    block = planned_block(PLAN, ledger.next_block_number())
    ledger.begin_block(block)
    for event in events(block):
        assert ledger.keep(block.number, event) is event
    ledger.finish_block(block.number, 1.5)
    return block.number


def test_the_session_knows_what_the_file_says(ledger: SessionWriter, path: Path) -> None:
    ledger.keep(0, Dropped(ODD, State.FAILED, "pilot", f"cannot parse {KEY}", "a \udcff hint"))
    ledger.calibrate(calibrated(PLAN))
    ledger.note(f"it said {KEY}")
    keep_block(ledger)
    keep_block(ledger)

    assert ledger.measured() == read(path)
    assert ledger.measured().counts["throughput"]["sign/RS256"] == 8  # two blocks of four rounds, each once
    assert ledger.measured().block_s is not None
    assert "MIGHAgEA" not in repr(ledger.measured())
    ledger.end("finished")
    assert ledger.measured() == read(path)


def test_another_session_goes_on_with_what_the_first_one_knew(ledger: SessionWriter, path: Path) -> None:
    ledger.calibrate(calibrated(PLAN))
    ledger.note("hello")
    keep_block(ledger)
    ledger.end("interrupted")
    before = ledger.measured()

    again = SessionWriter.reopen(path, ENVIRONMENT)
    assert (again.path, again.run_id, again.next_block_number()) == (path, "00000000000000a1", 2)
    assert again.calibrated == before.calibrated == calibrated(PLAN)
    assert (again.measured().started, again.measured().notes) == (before.started, ("hello",))
    assert keep_block(again) == 2
    again.end("finished")
    assert again.measured() == read(path)


def trial(observation: Observation) -> Trial:
    return Trial(ODD, 1, 1, State.OK, (observation,))


@pytest.mark.parametrize(
    ("event", "stage"),
    [
        (trial(Observation("batch_time", 1.0, "ms", "hrtime", 1)), "visit"),
        (trial(Observation("batch_time", 1.0, "s", "sundial", 1)), "visit"),
        (trial(Observation("batch_time", math.nan, "s", "hrtime", 1)), "visit"),
        (trial(Observation("batch_time", 1.0, "s", "hrtime", -1)), "visit"),
        (Opened(ODD, {"speed": math.inf}, (), 0.1), "open"),
        (Opened(ODD, {}, (Observation("first", math.inf, "s", "hrtime", 1),), 0.1), "open"),
        (Closed(ODD, {"pem": KEY}), "close"),
        (Closed(ODD, {"text": "\udcff"}), "close"),
    ],
)
def test_what_cannot_be_recorded_fails_its_treatment_alone(
    ledger: SessionWriter, path, event: BlockEvent, stage: str
) -> None:
    keep_block(ledger)
    block = planned_block(PLAN, 2)
    ledger.begin_block(block)
    dropped = ledger.keep(2, event)
    left = [ledger.keep(2, event) for event in events(block) if event.treatment == ODD]
    for item in events(block):
        if item.treatment != ODD:
            ledger.keep(2, item)
    ledger.finish_block(2, 1.5)

    assert (dropped.treatment, dropped.state, dropped.stage) == (ODD, State.FAILED, stage)
    assert "MIGHAgEA" not in dropped.reason
    assert set(left) == {None}
    (failure,) = ledger.measured().failures
    assert (failure.block, failure.treatment, failure.reason) == (2, ODD, dropped.reason)
    assert list(ledger.measured().values["throughput"][ODD]) == [1]
    assert list(ledger.measured().values["throughput"]["sign/RS256"]) == [1, 2]
    assert ledger.measured() == read(path)
    assert keep_block(ledger) == 3
    assert list(ledger.measured().values["throughput"][ODD]) == [1, 3]


def test_nonsense_in_the_pilot_fails_there(ledger: SessionWriter, path: Path) -> None:
    dropped = ledger.keep(0, Opened(ODD, {"speed": math.nan}, (), 0.1))

    assert dropped.stage == "pilot"
    assert [failure.block for failure in ledger.measured().failures] == [0]
    assert ledger.measured() == read(path)
