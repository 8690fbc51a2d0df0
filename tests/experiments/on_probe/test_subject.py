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

Make = Callable[..., ProbeSubject]


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


def is_running(subject: ProbeSubject) -> bool:
    return Path(f"/proc/{subject.pid}").exists()


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
    assert opened["key_bits"] == 256
    assert opened["alg"] == "TOY"
    assert opened["runtime"] == "Python 3"
    assert opened["library_toy"] == "3"
    assert opened["clock_granularity_s"] == pytest.approx(50e-9)
    assert opened["clock_read_s"] == pytest.approx(40e-9)
    assert (opened["cpu_clock"], opened["cpu_clock_granularity_s"]) == ("process_time_ns", pytest.approx(100e-9))
    assert closed == {"alg": "TOY", "exit_status": 0}
    assert not is_running(subject)


def test_the_peak_memory_of_a_fresh_process_is_observed_where_it_is_wanted(make: Make) -> None:
    subject = make(peak_memory=True)
    subject.open()

    (peak,) = (observation for observation in subject.first if observation.metric == "first.peak_bytes")
    assert (peak.unit, peak.clock) == ("B", "VmHWM")
    assert 4e6 < peak.value < 1e9


@pytest.mark.parametrize("operation", ["empty", "verify"])
def test_operations_that_make_nothing_are_measured_too(make: Make, operation: str) -> None:
    subject = make(operation=operation)
    subject.open()

    assert subject.visit(Work(count=5)).observations[0].value > 0
    assert subject.close()["exit_status"] == 0


def test_the_first_operation_of_the_process_is_observed_by_itself(make: Make) -> None:
    subject = make()
    assert subject.first == ()
    subject.open()

    (first,) = subject.first
    assert (first.metric, first.count, first.unit) == ("first", 1, "s")
    assert first.value > 0


def test_the_first_operation_may_be_left_alone(make: Make) -> None:
    subject = make(first=False)
    subject.open()

    assert subject.first == ()


def test_single_operations_are_observed_one_by_one(make: Make) -> None:
    subject = make()
    subject.open()

    observations = subject.visit(Work(count=7, each=True)).observations

    assert len(observations) == 7
    assert {observation.count for observation in observations} == {1}


def test_extra_operations_are_timed_and_not_counted(make: Make) -> None:
    subject = make("slow")
    subject.open()
    longer = subject.visit(Work(count=10, extra=10)).observations[0]

    assert longer.count == 10
    assert longer.value >= 20 * 0.002  # each sleeps for 2 ms


def test_a_probe_of_protocol_1_0_gives_wall_time_alone(make: Make) -> None:
    subject = make("old")
    opened = subject.open()

    (observation,) = subject.visit(Work(count=5)).observations
    assert observation.metric == "batch_time"
    assert "cpu_clock" not in opened


@pytest.mark.parametrize(
    ("mode", "words"), [("cpu-missing", "reported no cpu_ns"), ("cpu-zero", "CPU times that cannot be")]
)
def test_a_cpu_clock_that_lies_ends_the_subject(make: Make, mode: str, words: str) -> None:
    subject = make(mode)
    subject.open()

    with pytest.raises(SubjectFailed, match=words):
        _ = [subject.visit(Work(count=20_000)) for _ in range(200)]


def test_extra_operations_do_not_go_with_single_ones(make: Make) -> None:
    subject = make()
    subject.open()

    with pytest.raises(ValueError, match="extra"):
        subject.visit(Work(count=5, each=True, extra=1))


def test_telemetry_rides_with_a_visit(make: Make) -> None:
    subject = make()
    subject.open()
    telemetry = subject.visit(Work(count=10_000)).telemetry

    assert telemetry["cpu_time_s"] > 0
    assert {"run_queue_delay_s", "voluntary_switches"} <= telemetry.keys()


def test_waiting_is_no_cpu_time_and_what_settles_is_in_the_span(make: Make) -> None:
    subject = make("slow")  # every operation sleeps 2 ms
    subject.open()
    visit = subject.visit(Work(count=10, settle=30))

    wall, cpu = visit.observations
    assert cpu.value < wall.value / 2
    assert visit.telemetry["spanned_s"] >= wall.value + 30 * 0.002


def test_processes_start_side_by_side(make: Make) -> None:
    subjects = [make() for _ in range(4)]
    for subject in subjects:
        subject.start()

    assert len({subject.pid for subject in subjects}) == 4
    for subject in subjects:
        subject.open()
        subject.close()


def test_it_is_a_subject_and_its_spec_travels() -> None:
    spec: SubjectSpec = ProbeSpec("fake", fake("honest"), ".", "sign", {}, inputs(), ToyReferee())
    subject: Subject = pickle.loads(pickle.dumps(spec)).subject()  # noqa: S301 - our own bytes
    subject.open()

    assert subject.close()["exit_status"] == 0


def test_secrets_are_not_in_the_text_of_a_spec() -> None:
    assert SECRET not in repr(ProbeSpec("fake", fake("honest"), ".", "sign", {}, inputs(), ToyReferee()))


def test_killing_is_possible_at_any_time(make: Make) -> None:
    subject = make()
    subject.kill()
    subject.open()
    subject.kill()
    subject.kill()

    assert not is_running(subject)
    with pytest.raises(SubjectFailed):
        subject.visit(Work(count=1))


# What a liar makes of it


def run(subject: ProbeSubject) -> None:
    subject.open()
    subject.visit(Work(count=10))
    subject.close()


@pytest.mark.parametrize(
    ("mode", "stage", "message"),
    [
        ("dies", "visit", "stopped replying to measure: exit status 3; last on its stderr: Fatal: out of cheese"),
        ("killed", "visit", "stopped replying to measure: exit status 137, killed by SIGKILL"),
        ("garbage", "open", "broke the protocol in its reply to prepare: no valid reply"),
        ("floods", "open", "flooded its stdout in its reply to prepare"),
        ("wrong-version", "open", "the probe speaks protocol 2, 1 was asked for"),
        ("wrong-seq", "open", "the reply carries seq 0, the request had 1"),
        ("no-empty", "open", "offers no operation 'empty'"),
        ("accepts-tampered", "open", "it accepted 2 of 2 tampered artefacts"),
        ("refuses-genuine", "open", "it refused 1 of 1 genuine artefacts"),
        ("wrong-artefact", "open", "what it made is not sound: the MAC is wrong"),
        ("no-artefact", "open", "it showed nothing that sign has made"),
        ("wrong-count", "visit", "10 operations were asked for, 9 were run"),
        ("half-fails", "visit", "got 5 wrong results in 10 operations"),
        ("bad-exit", "close", "stopped with exit status 7 instead of 0"),
        ("fails", "open", "refused prepare: cannot parse"),
    ],
)
def test_a_liar_fails_with_its_name_and_what_it_did(make: Make, mode: str, stage: str, message: str) -> None:
    subject = make(mode)

    with pytest.raises(SubjectFailed) as caught:
        run(subject)
    assert caught.value.message.startswith("probe fake (algorithm=TOY, operation=sign) ")
    assert message in caught.value.message
    assert caught.value.stage == stage
    assert caught.value.hint
    assert not is_running(subject)


def test_times_a_thousand_times_too_long_are_noticed(make: Make) -> None:
    subject = make("picoseconds", first=False)
    subject.open()

    # So long a batch that no wait for a processor hides a factor of 1000.
    with pytest.raises(SubjectFailed, match="by sectax's clock") as caught:
        subject.visit(Work(count=20_000))
    assert caught.value.stage == "visit"
    assert not is_running(subject)


@pytest.mark.more
@pytest.mark.parametrize(
    ("mode", "stage", "message", "patience"),
    [
        ("silent", "open", "did not reply to hello within", {"deadline_s": 0.2}),
        # Long enough for an interpreter to start and say hello while others use the processors.
        ("mute-measure", "open", "did not reply to measure within", {"deadline_s": 2.0}),
        ("stays", "close", "said that it stops, and still ran 0.2 s later", {"stop_grace_s": 0.2}),
    ],
)
def test_a_probe_that_hangs_fails_at_the_deadline(
    make: Make, mode: str, stage: str, message: str, patience: dict[str, float]
) -> None:
    subject = make(mode, **{"deadline_s": 30.0, "stop_grace_s": 30.0} | patience)
    began = time.monotonic()

    with pytest.raises(SubjectFailed) as caught:
        run(subject)
    assert time.monotonic() - began < 15
    assert message in caught.value.message
    assert caught.value.stage == stage
    assert not is_running(subject)


def test_microseconds_for_nanoseconds_are_found_out_after_a_few_batches(make: Make) -> None:
    subject = make("microseconds")
    subject.open()

    def _visit_on() -> None:
        for _ in range(100):
            subject.visit(Work(count=20_000))

    with pytest.raises(SubjectFailed, match=r"is its clock in nanoseconds\?"):
        _visit_on()


@pytest.mark.parametrize("mode", ["honest", "slow", "late", "noisy", "escapes", "coarse-clock"])
def test_a_probe_that_is_only_slow_noisy_or_odd_is_measured(make: Make, mode: str) -> None:
    subject = make(mode)
    subject.open()
    for _ in range(3):
        subject.visit(Work(count=5, settle=5))

    assert subject.close()["exit_status"] == 0


def test_a_verification_that_says_no_is_thrown_away(make: Make) -> None:
    subject = make(operation="verify", inputs=spoiled_inputs())

    with pytest.raises(SubjectFailed, match="got 1 wrong results in 1 operations") as caught:
        subject.open()
    assert caught.value.stage == "open"


def test_a_probe_that_turns_bad_is_found_out_at_the_end(make: Make) -> None:
    class Fickle(ToyReferee):
        def __init__(self) -> None:
            super().__init__()
            object.__setattr__(self, "asked", 0)

        def judge(self, artefact: str) -> str | None:
            object.__setattr__(self, "asked", self.asked + 1)  # type: ignore[attr-defined]
            return None if self.asked == 1 else "the MAC is wrong"  # type: ignore[attr-defined]

    subject = make(referee=Fickle())
    subject.open()
    subject.visit(Work(count=5))

    with pytest.raises(SubjectFailed, match="not sound") as caught:
        subject.close()
    assert caught.value.stage == "close"


def test_what_a_probe_skips_is_skipped_with_reason_and_hint(make: Make) -> None:
    subject = make("skips")

    with pytest.raises(SubjectSkipped) as caught:
        subject.open()
    assert (caught.value.message, caught.value.hint) == ("the library toy is missing", "apt install toy")
    assert not is_running(subject)


def test_a_command_that_is_not_found_says_so(make: Make) -> None:
    subject = make(argv=("no-such-php",))

    with pytest.raises(SubjectFailed, match="could not be started: no-such-php: command not found") as caught:
        subject.start()
    assert caught.value.hint == "sectax doctor says what is missing"
    assert subject.pid is None


def test_a_secret_that_a_probe_quotes_is_not_passed_on(make: Make) -> None:
    with pytest.raises(SubjectFailed) as caught:
        make("fails").open()
    assert SECRET not in caught.value.message
    assert "[input]" in caught.value.message


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


def test_no_file_stays_open_after_a_block(make: Make) -> None:
    make().open()  # the guardian, and whatever is loaded on first use
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        subject = make()
        subject.open()
        subject.visit(Work(count=1))
        subject.close()

    assert len(os.listdir("/proc/self/fd")) == before
