"""Written data are read back unchanged."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.model.environment import Environment
from sectax.model.errors import SectaxError, WrongUse
from sectax.model.measured import BatchStatistics, Failure
from sectax.model.plan import Plan, Stopping, Until
from sectax.model.subject import Observation
from sectax.model.trial import Closed, Dropped, Opened, State, Trial
from sectax.record.errors import UnusableObservation
from sectax.record.plan_tables import decode_plan, encode_plan
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from tests.record import runs
from tests.record.runs import ENVIRONMENT, calibrated, create, plan, planned_block, read, record_block, rows


@pytest.fixture
def writer(path):
    with RunWriter.create(path, plan(), ENVIRONMENT, "00000000000000a1", "0.1.0") as writer:
        yield writer


def timed(seconds: float) -> Observation:
    return Observation("batch_time", seconds, "s", "hrtime", 1)


def test_the_plan_comes_back_exactly(writer, path):
    with RunReader.open(path) as reader:
        assert reader.plan() == plan()
        assert reader.run_id() == "00000000000000a1"


def test_old_plan_keeps_its_stopping_rule():
    old = json.loads(encode_plan(replace(plan(), stopping=Stopping(0.02, until=Until.VERDICT))))
    assert old["stopping"].pop("until") == "verdict"

    assert decode_plan(json.dumps(old)).stopping.until is Until.PRECISE


def has_non_finite_number(value) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if is_dataclass(value):
        return any(has_non_finite_number(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, dict):
        return any(map(has_non_finite_number, value.values()))
    return isinstance(value, tuple) and any(map(has_non_finite_number, value))


@given(st.builds(Plan, stopping=st.builds(Stopping, st.floats(0.001, 0.5)), seed=st.integers(0, 2**64 - 1)))
def test_any_plan_comes_back_exactly_but_for_numbers_that_json_does_not_have(any_plan):
    if has_non_finite_number(any_plan):
        with pytest.raises(ValueError, match="without loss"):
            encode_plan(any_plan)
    else:
        assert decode_plan(encode_plan(any_plan)) == any_plan


def test_invalid_text_in_an_option_is_wrong_use(path):
    with pytest.raises(WrongUse, match="UTF-8"):
        RunWriter.create(path, plan(options={"treatment": ("x=\udcff",)}), ENVIRONMENT, "00000000000000a1")
    assert not path.exists()


def test_calibration_is_read_back_exactly(writer, path):
    with RunReader.open(path) as reader:
        assert reader.calibrated() is None
    writer.calibrate(calibrated(plan()))
    with RunReader.open(path) as reader:
        assert reader.calibrated() == calibrated(plan())


def test_live_and_read_again_are_the_same(writer, path):
    writer.calibrate(calibrated(plan()))
    writer.note("the governor is powersave")
    for _ in range(3):
        record_block(writer)

    live = writer.measured()

    assert read(path) == live
    assert live.blocks == (1, 2, 3)
    assert live.state == "running"
    assert live.notes == ("the governor is powersave",)
    assert live.block_s == 1.5
    assert live.sessions == (ENVIRONMENT,)


def test_the_value_of_a_block_is_made_of_its_observations(writer, path):
    block = planned_block(plan(), 1)
    block_events = list(runs.events(block))
    runs.write(writer, block, block_events)
    writer.finish_block(1, 1.0)

    measured = read(path)
    trials = [event for event in block_events if isinstance(event, Trial) and event.treatment == "sign/ES256"]
    times = [observation.value for trial in trials for observation in trial.observations[:1]]

    assert measured.values["throughput"]["sign/ES256"][1] == 33 * 4 / sum(times)
    assert measured.values["memory"]["sign/ES256"][1] == max(trial.observations[1].value for trial in trials)
    assert measured.counts["throughput"]["sign/ES256"] == 4
    assert measured.counts["first"]["sign/ES256"] == 1
    assert measured.batches["sign/ES256"] == BatchStatistics(4, 4 * 33, min(times), 0.0)
    assert measured.telemetry["sign/ES256"]["run_delay_s"] == sum(trial.telemetry["run_delay_s"] for trial in trials)
    witnesses = {"key_bits": (2048,), "implementation": ("openssl",), "alg": ("ES256",)}
    assert measured.witnesses["sign/ES256"] == witnesses


def fail(writer, number, *failing):
    """A block in which one treatment's events are replaced from its first trial on."""
    block = planned_block(writer.plan, number)
    (name,) = {event.treatment for event in failing}
    block_events = [
        event
        for event in runs.events(block)
        if event.treatment != name or isinstance(event, Opened) or (isinstance(event, Trial) and event.round == 1)
    ]
    runs.write(writer, block, [*block_events, *failing])
    writer.finish_block(number, 1.0)


def test_a_treatment_that_failed_in_a_block_has_no_value_there_and_is_listed_once(writer, path):
    record_block(writer)
    trial = Trial("sign/EdDSA", 2, 0, State.FAILED, reason="exit status 137", hint="raise --memory")
    fail(writer, 2, trial, Dropped("sign/EdDSA", State.FAILED, "visit", "exit status 137", "raise --memory"))

    measured = read(path)

    assert set(measured.values["throughput"]["sign/EdDSA"]) == {1}
    assert set(measured.values["first"]["sign/EdDSA"]) == {1}
    assert set(measured.values["throughput"]["sign/ES256"]) == {1, 2}
    assert measured.visited["sign/EdDSA"] == (1, 2)
    assert measured.counts["throughput"]["sign/EdDSA"] == 4
    assert measured.batches["sign/EdDSA"].batches == 4
    assert measured.failures == (Failure(2, "sign/EdDSA", "visit", "failed", "exit status 137", "raise --memory"),)
    assert measured == writer.measured()


def test_treatment_that_fails_while_closing_has_no_value(writer, path):
    fail(writer, 1, Dropped("sign/EdDSA", State.FAILED, "close", "it accepts a tampered token"))

    measured = read(path)

    assert "sign/EdDSA" not in measured.values["throughput"]
    assert measured.failures[0].stage == "close"
    assert measured == writer.measured()


def test_pilot_failures_are_block_0_also_for_other_subjects(writer, path):
    writer.event(0, Dropped("php: empty", State.FAILED, "pilot", "no such operation"))
    for _ in range(2):  # a pilot may repeat itself
        first = Observation("first", 1.0, "s", "hrtime", 1)
        writer.event(0, Opened("sign/RS256", {"key_bits": 2048}, (first,), 0.1))
        writer.event(0, Trial("sign/RS256", 1, 0, State.OK, (timed(9.0),), {"steal_s": 1.0}))
    writer.event(0, Dropped("sign/EdDSA", State.SKIPPED, "pilot", "no sodium", "apt install php-sodium"))
    writer.event(0, Closed("sign/RS256", {}))
    record_block(writer)

    measured = read(path)

    assert measured.failures == (
        Failure(0, "php: empty", "pilot", "failed", "no such operation"),
        Failure(0, "sign/EdDSA", "pilot", "skipped", "no sodium", "apt install php-sodium"),
    )
    assert measured.counts["throughput"]["sign/RS256"] == 4
    assert measured.telemetry["sign/RS256"]["steal_s"] == 0.0
    assert measured == writer.measured()


def test_every_different_witness_is_kept_in_order_of_appearance(writer, path):
    for number, bits in ((1, 2048), (2, 4096), (3, 2048), (4, 2048.0), (5, True)):
        opened = Opened("sign/RS256", {"key_bits": bits}, (), 0.1)
        runs.write(writer, planned_block(plan(), number, live=["sign/RS256"]), [opened])
        writer.finish_block(number, 1.0)

    key_bits = read(path).witnesses["sign/RS256"]["key_bits"]

    assert [(type(value), value) for value in key_bits] == [(int, 2048), (int, 4096), (float, 2048.0), (bool, True)]
    assert read(path) == writer.measured()


def test_missing_telemetry_is_missing_and_not_zero(writer, path):
    block = planned_block(plan(), 1, rounds=2, live=["sign/RS256", "sign/ES256"])
    writer.begin_block(block)
    writer.event(1, Trial("sign/RS256", 1, 0, State.OK, (), {"steal_s": 0.5, "frequency_hz": math.nan}))
    writer.event(1, Trial("sign/RS256", 2, 0, State.OK, (), {"steal_s": 0.25, "Steal_S": 4.0, "run delay": 2.0}))
    writer.event(1, Trial("sign/ES256", 1, 1, State.OK))
    writer.finish_block(1, 1.0)

    measured = read(path)

    assert measured.telemetry == {"sign/RS256": {"steal_s": 0.75, "Steal_S": 4.0, "run delay": 2.0}}
    assert measured == writer.measured()


def test_a_frequency_is_recorded_and_never_added_up(writer, path):
    writer.begin_block(planned_block(plan(), 1, rounds=2, live=["sign/RS256"]))
    for round_ in (1, 2):
        writer.event(1, Trial("sign/RS256", round_, 0, State.OK, (), {"steal_s": 0.5, "frequency_hz": 2e9}))
    writer.finish_block(1, 1.0)

    assert read(path).telemetry == {"sign/RS256": {"steal_s": 1.0}}
    assert read(path) == writer.measured()
    assert rows(path, "SELECT frequency_hz FROM trials") == [(2e9,), (2e9,)]


@pytest.mark.parametrize(
    "event",
    [Opened("sign/RS256", {"speed": value}, (), 0.1) for value in (math.nan, math.inf, "\udcff")]
    + [Trial("sign/RS256", 1, 0, State.OK, (timed(value),)) for value in (math.nan, math.inf, -math.inf)],
)
def test_unusable_values_are_rejected_before_writing(writer, path, event):
    writer.begin_block(planned_block(plan(), 1))

    with pytest.raises(UnusableObservation):
        writer.event(1, event)
    writer.event(1, Dropped("sign/RS256", State.FAILED, "visit", "gave no number"))
    writer.finish_block(1, 1.0)

    assert read(path) == writer.measured()


@pytest.mark.parametrize(("unit", "clock"), [("ms", "hrtime"), ("s", "gettimeofday")])
def test_a_metric_that_changes_its_unit_or_clock_is_refused(writer, unit, clock):
    record_block(writer)
    writer.begin_block(planned_block(plan(), 2))

    with pytest.raises(SectaxError, match="batch_time"):
        writer.event(2, Trial("sign/RS256", 1, 0, State.OK, (Observation("batch_time", 1.0, unit, clock, 1),)))


def test_a_trial_cannot_be_recorded_twice(writer, path):
    writer.begin_block(planned_block(plan(), 1))
    trial = Trial("sign/RS256", 1, 0, State.OK, (timed(1.0),))
    writer.event(1, trial)

    with pytest.raises(ValueError, match="already"):
        writer.event(1, trial)
    writer.finish_block(1, 1.0)

    assert read(path).counts["throughput"] == {"sign/RS256": 1}
    assert read(path) == writer.measured()


def test_an_opening_and_the_first_visit_may_observe_the_same_metric(writer, path):
    # The first visit of a block is round 0, position 0.
    writer.begin_block(planned_block(plan(), 1, live=["sign/RS256"]))
    writer.event(1, Opened("sign/RS256", {}, (timed(0.5),), 0.1))
    writer.event(1, Trial("sign/RS256", 0, 0, State.OK, (timed(0.25),)))
    writer.finish_block(1, 1.0)

    assert read(path).counts["throughput"] == {"sign/RS256": 2}
    assert read(path) == writer.measured()
    assert rows(path, "SELECT round, value FROM observations") == [(-1, 0.5), (0, 0.25)]


def test_events_outside_the_plan_raise_value_error(writer):
    with pytest.raises(ValueError, match="not running"):
        writer.event(1, Closed("sign/RS256", {}))
    writer.begin_block(planned_block(plan(), 1, live=["sign/RS256"]))
    with pytest.raises(ValueError, match="not planned"):
        writer.event(1, Closed("sign/ES256", {}))
    with pytest.raises(ValueError, match="within block"):
        writer.begin_block(planned_block(plan(), 2))
    with pytest.raises(ValueError, match="not running"):
        writer.finish_block(2, 1.0)
    with pytest.raises(ValueError, match="state ok"):
        writer.event(1, Dropped("sign/RS256", State.OK, "visit", ""))
    writer.finish_block(1, 1.0)
    with pytest.raises(ValueError, match="comes after"):
        writer.begin_block(planned_block(plan(), 1))


def test_the_environment_keeps_its_order(path):
    with create(path, Environment({"b": "1", "a": "2"}, {"d": "3", "c": "4"})):
        (back,) = read(path).sessions

    assert [*back.identity, *back.circumstances] == ["b", "a", "d", "c"]


def test_text_from_anywhere_can_be_recorded(writer, path):
    for text in ("Größe 1 %", "\x00\x01", "line\nline", "\udcff from stderr", "'; DROP TABLE trial; --"):
        writer.note(text)

    assert read(path).notes == writer.measured().notes
    assert read(path).notes[0] == "Größe 1 %"
    assert read(path).notes[3] == "? from stderr"
