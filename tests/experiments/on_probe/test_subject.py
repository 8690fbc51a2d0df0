"""A probe as a subject: what it measures, and what it says of a probe that lies, dies or hangs."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.on_probe.subject import ProbeSpec, ProbeSubject
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Subject, SubjectSpec, Work
from tests.fakes.toy import SECRET, ToyReferee, fake, inputs, spoiled_inputs
from tests.golden import failed_as_agreed
from tests.hosts.processes import is_running

Make = Callable[..., ProbeSubject]


FAILURES = Path(__file__).with_name("failures.txt")


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[ProbeSubject] = []

    def _make(mode: str = "honest", operation: str = "sign", **changes: object) -> ProbeSubject:
        spec = ProbeSpec(
            name="fake",
            argv=fake(mode),
            cwd=".",
            operation=operation,
            parameters={"algorithm": "TOY"} if operation != "empty" else {},
            inputs=inputs() if operation != "empty" else {},
            referee=ToyReferee(expects_artefact=operation == "sign") if operation != "empty" else None,
            deadline_s=5.0,
            stop_grace_s=2.0,
        )
        made.append(replace(spec, **changes).subject())  # type: ignore[arg-type]
        return made[-1]

    yield _make
    for subject in made:
        subject.kill()


@pytest.fixture
def opened(make: Make) -> Make:
    def _opened(mode: str = "honest", operation: str = "sign", **changes: object) -> ProbeSubject:
        subject = make(mode, operation, **changes)
        subject.open()
        return subject

    return _opened


# What a subject does


def test_an_honest_probe_is_measured_from_start_to_end(make: Make) -> None:
    subject = make()
    opened = subject.open()
    visit = subject.visit(Work(count=50, settle=10))
    closed = subject.close()

    observation, cpu = visit.observations
    assert (observation.metric, observation.unit, observation.count) == ("batch_time", "s", 50)
    assert observation.clock == "perf_counter_ns"
    assert 0 < observation.value < 1
    assert (cpu.metric, cpu.unit, cpu.clock, cpu.count) == ("batch_cpu", "s", "process_time_ns", 50)
    assert 0 < cpu.value < 1
    assert (opened["key_bits"], opened["alg"]) == (256, "TOY")
    assert (opened["runtime"], opened["library_toy"]) == ("Python 3", "3")
    assert opened["clock_granularity_s"] == pytest.approx(50e-9)
    assert opened["clock_read_s"] == pytest.approx(40e-9)
    assert (opened["cpu_clock"], opened["cpu_clock_granularity_s"]) == ("process_time_ns", pytest.approx(100e-9))
    assert closed == {"alg": "TOY", "exit_status": 0}
    assert not is_running(subject.pid)


def test_the_peak_memory_of_a_fresh_process_is_observed_on_request(opened: Make) -> None:
    (peak,) = (one for one in opened(peak_memory=True).first if one.metric == "first.peak_bytes")

    assert (peak.unit, peak.clock) == ("B", "VmHWM")
    assert 4e6 < peak.value < 1e9


@pytest.mark.parametrize("operation", ["empty", "verify"])
def test_operations_that_make_nothing_are_measured_too(opened: Make, operation: str) -> None:
    subject = opened(operation=operation)

    assert subject.visit(Work(count=5)).observations[0].value > 0
    assert subject.close()["exit_status"] == 0


def test_the_first_operation_of_the_process_is_observed_by_itself_or_left_out(make: Make, opened: Make) -> None:
    assert make().first == ()
    assert opened(first=False).first == ()
    (first,) = opened().first
    assert (first.metric, first.count, first.unit) == ("first", 1, "s")
    assert first.value > 0


def test_single_operations_are_observed_one_by_one(opened: Make) -> None:
    observations = opened().visit(Work(count=7, each=True)).observations

    assert [observation.count for observation in observations] == [1] * 7


def test_extra_operations_are_timed_and_not_counted(opened: Make) -> None:
    longer = opened("slow").visit(Work(count=10, extra=10)).observations[0]

    assert longer.count == 10
    assert longer.value >= 20 * 0.002  # each sleeps for 2 ms


def test_a_probe_of_protocol_1_0_gives_wall_time_alone(make: Make) -> None:
    subject = make("old")

    assert "cpu_clock" not in subject.open()
    assert [one.metric for one in subject.visit(Work(count=5)).observations] == ["batch_time"]


def test_a_visit_has_telemetry(opened: Make) -> None:
    telemetry = opened().visit(Work(count=10_000)).telemetry

    assert telemetry["cpu_time_s"] > 0
    assert {"run_queue_delay_s", "voluntary_switches"} <= telemetry.keys()


def test_waiting_is_no_cpu_time_and_what_settles_is_in_the_span(opened: Make) -> None:
    visit = opened("slow").visit(Work(count=10, settle=30))  # every operation sleeps 2 ms

    wall, cpu = visit.observations
    assert cpu.value < wall.value / 2
    assert visit.telemetry["spanned_s"] >= wall.value + 30 * 0.002


def test_it_is_a_subject_and_its_spec_travels_without_showing_its_secret() -> None:
    spec: SubjectSpec = ProbeSpec("fake", fake("honest"), ".", "sign", {}, inputs(), ToyReferee())
    subject: Subject = pickle.loads(pickle.dumps(spec)).subject()  # noqa: S301 - our own bytes
    subject.open()

    assert subject.close()["exit_status"] == 0
    assert SECRET not in repr(spec)


def test_killing_is_possible_at_any_time(make: Make) -> None:
    subject = make()
    subject.kill()
    subject.open()
    subject.kill()
    subject.kill()

    assert not is_running(subject.pid)
    with pytest.raises(SubjectFailed):
        subject.visit(Work(count=1))


# Probes that lie, die or hang


def failure(subject: ProbeSubject, count: int = 10, visits: int = 1) -> SubjectFailed:
    with pytest.raises(SubjectFailed) as caught:  # noqa: PT012 - at any stage
        subject.open()
        for _ in range(visits):
            subject.visit(Work(count=count))
        subject.close()
    assert subject.pid is None or not is_running(subject.pid)
    return caught.value


LIARS = [
    "dies", "killed", "garbage", "floods", "wrong-version", "wrong-seq", "no-empty", "accepts-tampered",
    "refuses-genuine", "wrong-artefact", "no-artefact", "wrong-count", "half-fails", "bad-exit", "fails",
]  # fmt: skip


@pytest.mark.parametrize("mode", LIARS)
def test_a_liar_fails_with_its_name_and_what_it_did(make: Make, mode: str) -> None:
    failed_as_agreed(FAILURES, mode, failure(make(mode)))


@pytest.mark.more
@pytest.mark.parametrize(
    ("mode", "patience"),
    [
        ("silent", {"deadline_s": 0.2}),
        # Long enough for an interpreter to start and say hello while others use the processors.
        ("mute-measure", {"deadline_s": 2.0}),
        ("stays", {"stop_grace_s": 0.2}),
    ],
)
def test_a_probe_that_hangs_fails_at_the_deadline(make: Make, mode: str, patience: dict[str, float]) -> None:
    began = time.monotonic()
    failed = failure(make(mode, **{"deadline_s": 30.0, "stop_grace_s": 30.0} | patience))

    assert time.monotonic() - began < 15
    failed_as_agreed(FAILURES, mode, failed)


@pytest.mark.parametrize(
    ("mode", "visits", "word"),
    [
        # So long a batch that no wait for a processor hides a factor of 1000.
        ("picoseconds", 1, "times"),
        ("microseconds", 100, "nanoseconds"),
        ("cpu-missing", 200, "cpu_ns"),
        ("cpu-zero", 200, "CPU"),
    ],
)
def test_a_clock_that_lies_is_found_out_after_a_few_batches(make: Make, mode: str, visits: int, word: str) -> None:
    failed = failure(make(mode, first=False), 20_000, visits)

    assert word in failed.message
    assert failed.stage == "visit"


@pytest.mark.parametrize("mode", ["honest", "slow", "late", "noisy", "escapes", "coarse-clock"])
def test_a_probe_that_is_only_slow_noisy_or_odd_is_measured(opened: Make, mode: str) -> None:
    subject = opened(mode)
    for _ in range(3):
        subject.visit(Work(count=5, settle=5))

    assert subject.close()["exit_status"] == 0


def test_a_verification_that_says_no_is_thrown_away(make: Make) -> None:
    failed = failure(make(operation="verify", inputs=spoiled_inputs()))

    failed_as_agreed(FAILURES, "a verification says no", failed)


def test_a_probe_that_turns_bad_is_found_out_at_the_end(make: Make) -> None:
    class Fickle(ToyReferee):
        def __init__(self) -> None:
            super().__init__()
            object.__setattr__(self, "asked", 0)

        def judge(self, artefact: str) -> str | None:
            object.__setattr__(self, "asked", self.asked + 1)  # type: ignore[attr-defined]
            return None if self.asked == 1 else "the MAC is wrong"  # type: ignore[attr-defined]

    failed_as_agreed(FAILURES, "the last artefact is wrong", failure(make(referee=Fickle())))


def test_what_a_probe_skips_is_skipped_with_reason_and_hint(make: Make) -> None:
    subject = make("skips")

    with pytest.raises(SubjectSkipped) as caught:
        subject.open()
    assert (caught.value.message, caught.value.hint) == ("the library toy is missing", "apt install toy")
    assert not is_running(subject.pid)


def test_a_command_that_is_not_found_says_so(make: Make) -> None:
    subject = make(argv=("no-such-php",))

    failed_as_agreed(FAILURES, "no such program", failure(subject))
    assert subject.pid is None


def test_a_secret_that_a_probe_quotes_is_not_passed_on(make: Make) -> None:
    message = failure(make("fails")).message

    assert SECRET not in message
    assert "[input]" in message


def test_inputs_that_a_probe_witnesses_are_not_passed_on(make: Make) -> None:
    subject = make("indiscreet")
    opened = subject.open()
    closed = subject.close()

    said = f"{opened} {closed}"
    token = inputs()["token"]
    assert not [piece for piece in (SECRET, SECRET[4:20], token) if piece in said]
    assert opened["secret"] == opened["token"] == closed["piece"] == "[input]"
    assert opened["quoted"] == "the key [input] is fine"
    assert opened["key_bits"] == 256
    assert opened["[input]"] == "a name"


def test_terminal_escapes_do_not_come_through(make: Make) -> None:
    opened = make("escapes").open()

    assert opened["runtime"] == r"Python\x1b[31m 3"
    assert opened["note"] == r"\x1b]0;title\x07"


def test_no_file_stays_open_after_a_block(opened: Make) -> None:
    opened()  # the guardian, and whatever is loaded on first use
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        subject = opened()
        subject.visit(Work(count=1))
        subject.close()

    assert len(os.listdir("/proc/self/fd")) == before
