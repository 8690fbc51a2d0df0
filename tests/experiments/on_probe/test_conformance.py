"""The conformance suite passes an honest probe and names what is wrong with each liar."""

from __future__ import annotations

from typing import Any

import pytest

from sectax.experiments.on_probe.checks.clock import TIMED
from sectax.experiments.on_probe.conformance import Case, CheckResult, CheckStatus, Vectors, check_probe
from tests.fakes.probe import MODES
from tests.fakes.toy import SECRET, ToyReferee, fake, inputs, spoiled_inputs

SIGN = Case("sign", {"algorithm": "TOY"}, inputs(), ToyReferee(expects_artefact=True))
VERIFY = Case("verify", {}, inputs(), ToyReferee(), spoiled_inputs())

GREETING = ["hello-answers", "seq-echoed", "empty-offered"]
PROTOCOL = [
    "version-refused", "unknown-members-ignored", "unprepared-refused", "unknown-operation-answered",
    "unknown-command-answered", "malformed-line-survived", "long-line-read", "counts-honoured", "stdout-clean",
    "stops-in-time", "eof-exits",
]  # fmt: skip
CPU = ["cpu-plausible", "cpu-without-settling", "cpu-stands-still"]
CLOCK = ["elapsed-plausible", "clock-plausible", "count-scales"]
WORK = [
    "prepare-answers", "witness-answers", "genuine-accepted", "tampered-refused", "artefact-sound",
    "elapsed-plausible", "count-scales", "costs-more-than-empty", "sound-afterwards",
]  # fmt: skip
UNTIMED_WORK = {*WORK, "failures-reported"} - TIMED

# What fails of the greeting and the protocol checks; every other check of these passes.
PROTOCOL_FAILURES = {
    "dies": {"counts-honoured"},
    "killed": {"counts-honoured"},
    "garbage": {"stdout-clean"},
    "floods": {"empty-offered"},
    "wrong-version": {"hello-answers"},
    "any-version": {"version-refused"},
    "silent": {"hello-answers"},
    "mute-measure": {"empty-offered"},
    "wrong-seq": {"seq-echoed"},
    "own-seq": {"seq-echoed"},
    "stays": {"stops-in-time"},
    "bad-exit": {"stops-in-time"},
    "wrong-count": {"counts-honoured", "stdout-clean"},
    "half-fails": {"counts-honoured"},
    "brittle": {"unknown-command-answered", "malformed-line-survived"},
    "short-lines": {"long-line-read"},
    "no-empty": {"empty-offered"},
    "fails": {"empty-offered"},
    "unprepared": {"unprepared-refused"},
}
# What fails of the work, with signing and verifying to try.
IDLE = {
    "accepts-tampered": {"tampered-refused", "failures-reported"},
    "refuses-genuine": {"genuine-accepted"},
    "wrong-artefact": {"artefact-sound"},
    "no-artefact": {"artefact-sound"},
    "hides-failures": {"failures-reported"},
}
WRONG_CLOCKS = {
    "dead-code": {"count-scales"},
    "microseconds": {"elapsed-plausible"},
    "picoseconds": {"elapsed-plausible"},
    "coarse-clock": {"clock-plausible"},
}
WRONG_CPU_CLOCKS = {
    "cpu-missing": {*CPU},
    # Four times what was used is within what several processors can give, and above what the kernel counted.
    "cpu-above-wall": {"cpu-plausible"},
    "cpu-zero": {"cpu-plausible"},
    "cpu-settles": {"cpu-without-settling"},
    "cpu-wall": {"cpu-stands-still"},
}
ODD = {mode: set[str]() for mode in ("slow", "late", "noisy", "skips", "escapes", "indiscreet")}


def checked(argv: list[str], **how: Any) -> list[CheckResult]:
    return list(check_probe(argv, **how))


def work(mode: str) -> list[CheckResult]:
    return checked(fake(mode), cases=[SIGN, VERIFY], only=UNTIMED_WORK, patience_s=5.0)


def failed(results: list[CheckResult]) -> set[str]:
    return {result.id for result in results if result.status is CheckStatus.FAILED}


def test_every_fake_has_its_place() -> None:
    assert {*PROTOCOL_FAILURES, *IDLE, *WRONG_CLOCKS, *WRONG_CPU_CLOCKS, *ODD, "honest", "old"} == MODES.keys()


def test_an_honest_probe_passes_every_check_that_holds_no_time_against_another() -> None:
    untimed = {*GREETING, *PROTOCOL, *UNTIMED_WORK}
    results = checked(fake("honest"), cases=[SIGN, VERIFY], only=untimed, patience_s=10.0)

    assert {result.status for result in results} == {CheckStatus.PASSED}
    assert {result.id for result in results} == untimed


@pytest.mark.full  # its times are real: beside a load of 20 it failed in three of four runs
def test_an_honest_probe_passes_every_check() -> None:
    results = checked(fake("honest"), cases=[SIGN, VERIFY], patience_s=5.0)

    assert {result.status for result in results} == {CheckStatus.PASSED}
    assert [result.id for result in results if not result.case] == [*GREETING, *PROTOCOL, *CLOCK, *CPU]
    assert [result.id for result in results if result.case == "sign algorithm=TOY"] == WORK
    assert "failures-reported" in [result.id for result in results if result.case == "verify"]


@pytest.mark.more
@pytest.mark.parametrize(("mode", "expected"), PROTOCOL_FAILURES.items())
def test_only_the_violated_rules_of_the_protocol_fail(mode: str, expected: set[str]) -> None:
    # Only a probe that hangs takes all of it; the others need time to start while others use the processors.
    patience_s = 2.0 if mode in {"silent", "mute-measure", "stays"} else 10.0
    results = checked(fake(mode), only={*GREETING, *PROTOCOL}, patience_s=patience_s)

    assert failed(results) == expected
    assert all(result.message for result in results)
    assert all(result.hint for result in results if result.status is CheckStatus.FAILED)
    assert all((result.message + result.hint).isprintable() for result in results)


@pytest.mark.parametrize(("mode", "expected"), (IDLE | ODD).items())
def test_work_that_is_not_done_is_named_and_nothing_else(mode: str, expected: set[str]) -> None:
    assert failed(work(mode)) == expected


@pytest.mark.parametrize(
    ("mode", "numbers"), [("honest", []), ("accepts-tampered", [12, 34]), ("refuses-genuine", [5])]
)
def test_vectors_that_are_judged_wrongly_are_named_by_their_numbers(mode: str, numbers: list[int]) -> None:
    invalid = ToyReferee().tampered()
    vectors = ((5, ToyReferee().genuine()[0], True), (12, invalid[0], False), (34, invalid[1], False))
    case = Case("verify", {}, inputs(), vectors=Vectors("Others' vectors", vectors))

    results = [result for result in checked(fake(mode), cases=[case], only={"vectors-judged"}) if result.case]

    assert [result.id for result in results] == ["prepare-answers", "vectors-judged"]
    assert failed(results) == ({"vectors-judged"} if numbers else set())
    assert [number for number in (5, 12, 34) if str(number) in results[1].message] == numbers


@pytest.mark.full  # real times too: beside a load of 24, by chance, batches never grew with their length
@pytest.mark.parametrize(("mode", "expected"), WRONG_CLOCKS.items())
def test_a_wrong_clock_fails_exactly_what_is_wrong_with_it(mode: str, expected: set[str]) -> None:
    found: set[str] = set()
    for _ in range(3):  # on a busy machine the time of batches may grow with their length by chance, or not grow
        found = failed(checked(fake(mode), only=TIMED - {*CPU}, patience_s=2.0))
        if expected <= found:
            break

    assert expected <= found <= expected | {"count-scales"}


@pytest.mark.full
@pytest.mark.parametrize(("mode", "expected"), WRONG_CPU_CLOCKS.items())
def test_a_wrong_cpu_clock_is_named(mode: str, expected: set[str]) -> None:
    results = checked(fake(mode), only=CPU, patience_s=5.0)
    failures_shown = failed(results)

    # Where others use the processors, wall time is far above CPU time, which other checks see as well, or before.
    assert expected <= failures_shown or (mode == "cpu-wall" and "cpu-plausible" in failures_shown)
    assert failures_shown <= {*CPU}
    assert all(result.hint for result in results if result.status is CheckStatus.FAILED)


def test_a_probe_that_knows_no_cpu_time_is_a_good_probe() -> None:
    results = checked(fake("old"), only=CPU, patience_s=5.0)

    assert {result.status for result in results if result.id in CPU} == {CheckStatus.SKIPPED}
    assert "cpu_ns" in results[-1].hint


def test_work_that_costs_nothing_is_named() -> None:
    # The empty operation under another name.
    results = checked(fake("honest"), cases=[Case("empty"), SIGN], only={"costs-more-than-empty"}, patience_s=5.0)

    assert [result.case for result in results if result.id == "costs-more-than-empty"] == [SIGN.name]


def test_inputs_are_not_quoted() -> None:
    results = checked(fake("fails"), cases=[SIGN], only={"prepare-answers"}, patience_s=1.0)

    assert SECRET not in "".join(result.message + result.hint for result in results)
