"""Blocks and observations that should be there: what failed is told as failed, and never as taken away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sectax.model.measured import Measured
from sectax.model.trial import Dropped, Opened, State, Trial
from sectax.record.writer import RunWriter
from tests.audit.checked_runs import said
from tests.record.runs import ENVIRONMENT, calibrated, events, plan, planned_block, read, record_block


@pytest.fixture
def writer(tmp_path: Path) -> RunWriter:
    writer = RunWriter.create(tmp_path / "run.sectax", plan(), ENVIRONMENT, "run-1")
    writer.calibrate(calibrated(plan()))
    return writer


def finished(writer: RunWriter) -> Measured:
    writer.finish("finished")
    writer.close()
    return read(writer.path)


def audited(writer: RunWriter) -> list[tuple[str, str]]:
    return said(finished(writer), "not-as-planned")


def test_a_whole_run_is_as_planned(writer: RunWriter) -> None:
    for _ in range(6):
        record_block(writer)

    assert audited(writer) == []


def test_where_every_treatment_failed_nothing_was_taken_away(writer: RunWriter) -> None:
    for _ in range(6):
        block = planned_block(writer.plan, writer.next_block_number())
        writer.begin_block(block)
        for event in events(block):
            if isinstance(event, Opened):
                writer.event(block.number, event)
            elif isinstance(event, Trial) and event.round == 1:
                writer.event(block.number, replace(event, state=State.FAILED, observations=(), reason="exit status 3"))
                writer.event(block.number, Dropped(event.treatment, State.FAILED, "visit", "exit status 3"))
        writer.finish_block(block.number, 1.0)

    assert audited(writer) == []


def test_observations_that_are_missing_where_nothing_failed_are_fatal(writer: RunWriter) -> None:
    for number in range(1, 7):
        block = planned_block(writer.plan, writer.next_block_number())
        writer.begin_block(block)
        for event in events(block):
            if not (number == 3 and isinstance(event, Trial) and event.treatment == "sign/EdDSA" and event.round == 2):
                writer.event(block.number, event)
        writer.finish_block(block.number, 1.0)

    assert audited(writer) == [("F", "sign/EdDSA")]


def test_a_block_that_no_interruption_explains_is_fatal(writer: RunWriter) -> None:
    for _ in range(6):
        record_block(writer)
    measured = finished(writer)

    without = {number: block for number, block in measured.record.items() if number != 4}

    assert said(replace(measured, record=without), "not-as-planned") == [("F", "run")]
