"""The file, the running session and a simple recount of any run agree."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from array import array
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sectax.model.metric import Summary
from sectax.model.subject import Observation
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, PlannedBlock, State, Trial
from sectax.record.writer import RunWriter
from tests.record.conftest import MEMORY_FOLDER
from tests.record.runs import ENVIRONMENT, METRICS, create, plan, planned_block, read, write

PLAN = plan()
NAMES = [treatment.id for treatment in PLAN.treatments]
# Sums of these are exact in any order and by any method.
DYADIC = st.integers(1, 1 << 12).map(lambda n: n / (1 << 16))


@st.composite
def trials(draw, name, round_, position):
    state = draw(st.sampled_from([State.OK] * 9 + [State.FAILED, State.SKIPPED]))
    if state is not State.OK:
        return Trial(name, round_, position, state, reason=draw(st.text(max_size=5)), hint=draw(st.text(max_size=5)))
    times = draw(st.lists(st.tuples(DYADIC, st.integers(0, 40)), max_size=4))
    observations = [Observation("batch_time", time, "s", "hrtime", count) for time, count in times]
    if draw(st.booleans()):
        observations.append(Observation("memory", draw(DYADIC), "B", "getrusage", 1))
    if draw(st.booleans()):
        observations.append(Observation("unheard of", draw(DYADIC), "furlong", "sundial", 1))
    telemetry = draw(st.dictionaries(st.sampled_from(["steal_s", "STEAL_S", "value", 'a "b"', "é"]), DYADIC))
    return Trial(name, round_, position, state, tuple(observations), telemetry)


WITNESSES = st.dictionaries(
    st.sampled_from(["key_bits", "alg"]), st.sampled_from([1, 1.0, True, "1", "", 2048, "a'\"\n"]), max_size=2
)


@st.composite
def blocks(draw, number):
    live = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    block = planned_block(PLAN, number, draw(st.integers(0, 4)), live)
    block_events: list[BlockEvent] = []
    for cell in block.cells:
        for name in cell.opening:
            first = draw(st.just(()) | DYADIC.map(lambda time: (Observation("first", time, "s", "hrtime", 1),)))
            block_events.append(Opened(name, draw(WITNESSES), first, draw(DYADIC)))
        block_events += [draw(trials(visit.treatment, visit.round, visit.position)) for visit in cell.visits]
        for name in cell.opening:
            dropped = Dropped(name, draw(st.sampled_from([State.FAILED, State.SKIPPED])), "close", "x", "y")
            block_events.append(draw(st.sampled_from([Closed(name, {"alg": "x"})] * 4 + [dropped])))
    return block, block_events, draw(st.sampled_from(["finished"] * 4 + ["abandoned", "killed"]))


RUNS = st.integers(0, 5).flatmap(lambda count: st.tuples(*(blocks(number) for number in range(1, count + 1))))


@settings(deadline=None)
@given(RUNS)
def test_file_and_running_session_agree(run):
    with tempfile.TemporaryDirectory(dir=MEMORY_FOLDER) as folder:
        path = Path(folder, "run.sectax")
        writer = create(path)
        expected = Recount()
        try:
            for block, block_events, end in run:
                write(writer, block, block_events)
                if end == "finished":
                    writer.finish_block(block.number, 1.0)
                    expected.add(block, block_events)
                elif end == "abandoned":
                    writer.abandon_block(block.number)
                else:
                    writer = resume_after_sigkill(writer)
                assert writer.measured() == read(writer.path)

            measured = read(writer.path)
        finally:
            writer.close()

        assert measured.values == expected.values
        assert measured.counts == expected.counts
        assert measured.samples == {"batch_time": expected.samples}
        assert measured.telemetry == expected.telemetry
        assert {f.treatment: f.reason for f in measured.failures} == expected.failures
        assert measured.visited == expected.visited
        assert read(writer.path) == writer.measured()


def resume_after_sigkill(writer: RunWriter) -> RunWriter:
    copy = writer.path.with_name(f"{writer.path.name}x")
    for end in ("", "-wal"):
        shutil.copyfile(f"{writer.path}{end}", f"{copy}{end}")
    writer.close()
    return RunWriter.reopen(copy, ENVIRONMENT)


@dataclass
class Recount:
    """A simple recount of a run."""

    values: dict = field(default_factory=lambda: {metric.name: {} for metric in METRICS})
    counts: dict = field(default_factory=lambda: {metric.name: {} for metric in METRICS})
    telemetry: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    samples: dict = field(default_factory=dict)
    visited: dict = field(default_factory=lambda: dict.fromkeys(NAMES, ()))

    def add(self, block: PlannedBlock, block_events: list[BlockEvent]) -> None:
        for name in [name for cell in block.cells for name in cell.opening]:
            treatment_events = [event for event in block_events if event.treatment == name]
            self.visited[name] += (block.number,)
            failed = [
                e
                for e in treatment_events
                if isinstance(e, Dropped) or (isinstance(e, Trial) and e.state is not State.OK)
            ]
            if failed:
                self.failures[name] = failed[0].reason
                continue
            for metric in METRICS:
                self.add_metric(metric, name, block.number, treatment_events)
            for event in treatment_events:
                for key, value in getattr(event, "telemetry", {}).items():
                    sums = self.telemetry.setdefault(name, {})
                    sums[key] = sums.get(key, 0.0) + value

    def add_metric(self, metric, name, number, treatment_events) -> None:
        observations = [
            o for event in treatment_events for o in getattr(event, "observations", ()) if o.metric == metric.observed
        ]
        if metric.observed == "first":
            observations = [first for event in treatment_events if isinstance(event, Opened) for first in event.first]
        if not observations:
            return
        self.counts[metric.name][name] = self.counts[metric.name].get(name, 0) + len(observations)
        count, value = sum(o.count for o in observations), sum(o.value for o in observations)
        ratios = [o.value / o.count for o in observations if o.count]
        match metric.summary:
            case Summary.RATE:
                theta = count / value
            case Summary.MEAN:
                theta = value / count
            case Summary.MEDIAN:
                theta = statistics.median(ratios) if ratios else None
            case Summary.MAXIMUM:
                theta = max(o.value for o in observations)
            case Summary.P99:
                theta = None
                if ratios:
                    self.samples.setdefault(name, {})[number] = array("d", sorted(ratios))
        if theta is not None:
            self.values[metric.name].setdefault(name, {})[number] = theta
