"""Resuming a run in another session."""

from __future__ import annotations

from sectax.model.environment import Environment
from sectax.model.trial import Dropped, State
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, calibrated, create, plan, planned_block, read, record_block, write


def test_abandoned_block_does_not_count(path):
    with create(path) as writer:
        write(writer, planned_block(plan(), 1))
        writer.event(1, Dropped("sign/RS256", State.FAILED, "close", "gone"))
        writer.abandon_block(1)

        assert record_block(writer) == 2
        assert read(path) == writer.measured()
        assert read(path).blocks == (2,)
        assert read(path).failures == ()


def test_a_finish_in_the_middle_of_a_block_abandons_it(path):
    with create(path) as writer:
        record_block(writer)
        writer.begin_block(planned_block(plan(), 2))
        writer.finish("interrupted")

    assert read(path).state == "interrupted"
    assert read(path).blocks == (1,)
    assert read(path) == writer.measured()
    with RunReader.open(path) as reader:
        assert reader.next_block_number() == 3


def test_interrupted_pilot_is_repeated(path):
    with create(path) as writer:
        writer.event(0, Dropped("sign/EdDSA", State.FAILED, "pilot", "in the first pilot"))

    with RunWriter.reopen(path, ENVIRONMENT) as writer:
        assert writer.measured().failures == ()
        writer.event(0, Dropped("sign/EdDSA", State.FAILED, "pilot", "in the second pilot"))
        assert record_block(writer) == 1
        assert [failure.reason for failure in read(path).failures] == ["in the second pilot"]
        assert read(path) == writer.measured()


def test_a_pilot_that_ended_keeps_its_failures(path):
    with create(path) as writer:
        writer.event(0, Dropped("sign/EdDSA", State.FAILED, "pilot", "no sodium"))
        writer.calibrate(calibrated(plan()))

    with RunWriter.reopen(path, ENVIRONMENT) as writer:
        assert [failure.reason for failure in writer.measured().failures] == ["no sodium"]


def test_second_session_uses_the_names_of_the_first(path):
    with create(path) as writer:
        record_block(writer)
    later = Environment(ENVIRONMENT.identity, {"load": "3.00"})
    with RunWriter.reopen(path, later) as writer:
        record_block(writer)
        writer.finish("finished")

    measured = read(path)
    assert measured == writer.measured()
    assert measured.blocks == (1, 2)
    assert measured.sessions == (ENVIRONMENT, later)
    assert measured.witnesses["sign/RS256"]["key_bits"] == (2048,)
