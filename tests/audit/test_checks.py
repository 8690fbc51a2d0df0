"""Every check fires where it must, and is silent on the clean twin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.simulations.audited_runs import TREATMENT
from benchmarks.simulations.audited_runs import healthy as healthy_draft
from benchmarks.simulations.run_files import CHECKS as FORGED
from benchmarks.simulations.run_files import FORGERIES
from sectax.analysis.analyse import analyse, withhold
from sectax.analysis.findings import judge
from sectax.audit import checks, run
from sectax.audit.evidence import Evidence
from sectax.audit.own_run import evidence_of
from sectax.audit.registry import examine
from sectax.model.audited import Tally
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics, Measured
from sectax.model.plan import Calibrated, Contents, Shortcut
from sectax.model.subject import Witness
from sectax.model.treatment import Standing
from sectax.workflow.audit import comparisons
from tests.analysis.runs import MEMORY, TIME, around, run_of, with_metric
from tests.audit.clock_scenarios import CPU_TIME
from tests.audit.fixtures import registered

NOISY = [1.0, 1.3, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9, 1.0, 1.2]


def healthy(**columns: list[float | None]) -> Measured:
    values: dict[str, list[float | None]] = {
        "baseline": list(around(1.0, 10)),
        "slow": list(around(1.5, 10, shift=3)),
        "same": list(around(1.0, 10, shift=4)),
        "negative": list(around(1.0, 10, shift=2)),
        "positive": list(around(1.04, 10, shift=1)),
    }
    return run_of(values | columns)


def said(measured: Measured, check: str | None = None) -> list[tuple[str, str]]:
    """(severity, subject) of every warning of a check."""
    return [
        (warning.severity.value, warning.subject)
        for warning in run(measured, judge(measured))
        if check in (None, warning.check)
    ]


def declaring(measured: Measured, **declares: Witness) -> Measured:
    treatments = tuple(
        dataclasses.replace(one, declares=declares) if one.id == "slow" else one for one in measured.plan.treatments
    )
    return dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, treatments=treatments))


def witnessing(measured: Measured, **names: dict[str, tuple[Witness, ...]]) -> Measured:
    return dataclasses.replace(measured, witnesses=names)


def batches(measured: Measured, **changes: object) -> Measured:
    changed = dataclasses.replace(measured.batches["slow"], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(measured, batches=measured.batches | {"slow": changed})


def telemetry(measured: Measured, **changes: dict[str, float]) -> Measured:
    return dataclasses.replace(measured, telemetry=measured.telemetry | changes)


def equal_output(measured: Measured, slow: tuple[Witness, ...] | None, baseline: tuple[Witness, ...]) -> Measured:
    plan = dataclasses.replace(measured.plan, equal_witnesses=("bytes",))
    every = {name: {"bytes": baseline} for name in measured.values["time"]}
    if slow is None:
        del every["slow"]
    else:
        every["slow"] = {"bytes": slow}
    return dataclasses.replace(measured, plan=plan, witnesses=every)


def test_a_healthy_run_is_left_in_peace() -> None:
    assert said(healthy()) == []


def test_a_warning_of_the_whole_run_is_counted_by_the_comparisons_that_lose_their_verdict() -> None:
    measured = healthy(negative=list(around(1.1, 10, shift=2)))
    findings = judge(measured)

    counted = comparisons(withhold(measured.plan, findings, run(measured, findings)))

    assert [subject for severity, subject in said(measured) if severity == "F"] == ["run"]
    # All but the run's two controls.
    assert counted == Tally(fatal=len(findings) - 2, warned=0)


def test_every_check_has_an_identifier_of_its_own_and_a_rule() -> None:
    assert len({check.id for check in checks}) == len(checks)
    assert all(check.rule for check in checks)


def witnessing_equal(told: dict[str, str], *names: str) -> Measured:
    """A healthy run of a plan that expects these witnesses to be equal, told by these treatments."""
    measured = healthy()
    plan = dataclasses.replace(measured.plan, equal_witnesses=names)
    witnesses: dict[str, dict[str, tuple[Witness, ...]]] = {
        treatment: dict.fromkeys(names, (value,)) for treatment, value in told.items()
    }
    return dataclasses.replace(measured, plan=plan, witnesses=witnesses)


def unsettled(*names: str) -> Measured:
    measured = healthy()
    assert measured.calibrated is not None
    calibrations = {
        name: dataclasses.replace(one, settled=name not in names)
        for name, one in measured.calibrated.calibrations.items()
    }
    return dataclasses.replace(measured, calibrated=dataclasses.replace(measured.calibrated, calibrations=calibrations))


def counting(count: int, rounds: int = 8) -> Measured:
    """A healthy run whose batches have so many operations."""
    measured = healthy()
    assert measured.calibrated is not None
    calibrations = {
        name: dataclasses.replace(one, count=count) for name, one in measured.calibrated.calibrations.items()
    }
    return dataclasses.replace(measured, calibrated=Calibrated(calibrations, {"cell": rounds}))


def settling(measured: Measured, settle: bool) -> Measured:
    assert measured.calibrated is not None
    calibrations = {
        name: dataclasses.replace(one, settle=settle) for name, one in measured.calibrated.calibrations.items()
    }
    return dataclasses.replace(measured, calibrated=dataclasses.replace(measured.calibrated, calibrations=calibrations))


def in_memory(of_same: float) -> Measured:
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "same": around(of_same, 10, shift=1), "slow": around(1e6, 10, shift=2)}
    if of_same > 1e6:
        memory["slow"] = around(3e6, 10, shift=2)
    return with_metric(healthy(), metric, memory, Standing.SECONDARY)


EVERYONE = dict.fromkeys(("baseline", "slow", "same", "negative", "positive"), "c0ffee")


def without_bodies(measured: Measured) -> Measured:
    """The same times, of operations that move metadata alone."""
    plan = measured.plan
    levels = {each.levels[plan.control] for each in plan.treatments}
    contents = Contents(plan.control, dict.fromkeys(levels, 1), metadata=tuple(levels))
    return dataclasses.replace(measured, plan=dataclasses.replace(plan, contents=contents))


def leaving_out(measured: Measured, slow: str) -> Measured:
    """Of a plan that knows how some work is left out; the treatment says `whole`, as its baseline does, or not."""
    operations = tuple({each.levels[measured.plan.control] for each in measured.plan.treatments})
    plan = dataclasses.replace(measured.plan, shortcuts=(Shortcut(operations, "work", "a part is left out", ""),))
    seen: dict[str, dict[str, tuple[Witness, ...]]] = {
        arm: {"work": ("whole",)} for arm in measured.values[plan.metrics[0].name]
    }
    return dataclasses.replace(measured, plan=plan, witnesses=seen | {"slow": {"work": (slow,)}})


FIRES: dict[str, tuple[str, Callable[[], Measured], list[tuple[str, str]]]] = {
    "a copy of the baseline that differs": (
        "negative-control",
        lambda: healthy(negative=list(around(1.1, 10, shift=2))),
        [("F", "run")],
    ),
    "a copy of the baseline that differs as one in twenty does": (
        "negative-control",
        lambda: healthy(
            negative=[
                value * (1.0039 + 0.001 * step)
                for value, step in zip(around(1.0, 10), (3, -3, 1, -1, 4, -4, 2, -2, 4, -4), strict=True)
            ]
        ),
        [("W", "family")],
    ),
    "no copy of the baseline": (
        "negative-control",
        lambda: run_of({"baseline": around(1, 10), "t": around(1.5, 10, shift=1)}),
        [("W", "family")],
    ),
    "a copy of the baseline that failed in every block": (
        "negative-control",
        lambda: healthy(negative=[None] * 10),
        [("W", "family"), ("F", "same")],
    ),
    "a copy of the baseline with five pairs": (
        "negative-control",
        lambda: healthy(negative=[*around(1.0, 5, shift=2), *[None] * 5]),
        [("W", "family"), ("F", "same")],
    ),
    "a known cost that was never measured": (
        "positive-control",
        lambda: healthy(positive=[None] * 10),
        [("F", "positive")],
    ),
    "a known cost that is three times what it should be": (
        "positive-control",
        lambda: counting(1),
        [("F", "positive")],
    ),
    "memory as equal, of which there is no control": ("uncontrolled", lambda: in_memory(1e6), [("W", "memory")]),
    "a pilot that never settled": ("warm-up", lambda: unsettled("slow", "positive"), [("W", "slow")]),
    "other claims than the baseline": (
        "unequal-work",
        lambda: witnessing_equal(EVERYONE | {"slow": "decade"}, "claims_sha256"),
        [("F", "slow")],
    ),
    "a known cost that was not found": (
        "positive-control",
        lambda: healthy(positive=list(NOISY)),
        [("F", "positive")],
    ),
    "a key that is smaller than declared": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), curve="P-384"), slow={"curve": ("P-256",)}),
        [("F", "slow")],
    ),
    "a witness that changes on the way": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048, 1024)}),
        [("F", "slow")],
    ),
    "other bytes than the baseline": (
        "unequal-work",
        lambda: equal_output(healthy(), slow=(100,), baseline=(120,)),
        [("F", "slow")],
    ),
    "one operation in a hundred fails": (
        "unequal-work",
        lambda: telemetry(batches(healthy(), operations=1000), slow={"errors": 10.0, "throttled_s": 0.0}),
        [("F", "slow")],
    ),
    "failures on one side only": (
        "unequal-work",
        lambda: telemetry(
            dataclasses.replace(
                healthy(), batches=dict.fromkeys(healthy().batches, BatchStatistics(80, 1_000_000, 0.02, 0.0))
            ),
            slow={"errors": 500.0, "throttled_s": 0.0},
            baseline={"errors": 0.0, "throttled_s": 0.0},
        ),
        [("F", "slow")],
    ),
    "a batch of fifty steps of the clock": (
        "timer",
        lambda: batches(healthy(), shortest_s=50e-9),
        [("F", "slow")],
    ),
    "a batch of five hundred steps": ("timer", lambda: batches(healthy(), shortest_s=500e-9), [("W", "slow")]),
    "times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.3), [("F", "slow")]),
    "times that repeat on a coarse clock": (
        "timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-3),
        [("F", "slow")],
    ),
    "a quota that held it back": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.5}),
        [("F", "slow")],
    ),
    "a quota that held it back for 2 % of the time that was watched": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.08, "spanned_s": 4.0}),
        [("F", "slow")],
    ),
    "a quota that held it back for 0.8 % of the time that was watched": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.08, "spanned_s": 10.0}),
        [("W", "slow")],
    ),
    "the same share of batches, half of which are not counted": (
        "throttling",
        lambda: telemetry(settling(healthy(), settle=True), slow={"throttled_s": 0.02}),
        [("W", "slow")],
    ),
    "the same share of batches, all of which are counted": (
        "throttling",
        lambda: telemetry(settling(healthy(), settle=False), slow={"throttled_s": 0.02}),
        [("F", "slow")],
    ),
    "a quota that hardly held it back": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.001}),
        [("W", "slow")],
    ),
    "a cost that was just found": (
        "barely-found",
        lambda: healthy(slow=list(around(1.018, 10, shift=3))),
        [("W", "slow")],
    ),
    "a cost of an operation that moves no body": (
        "metadata-cost",
        lambda: without_bodies(healthy()),
        [("W", "slow")],
    ),
    "a treatment that is faster since it leaves work out": (
        "less-work",
        lambda: leaving_out(healthy(slow=list(around(0.8, 10, shift=3))), slow="short"),
        [("W", "slow")],
    ),
    "a fifth of the blocks lost": (
        "lost-blocks",
        lambda: healthy(slow=[None, *around(1.5, 8, shift=3), None]),
        [("W", "slow")],
    ),
}

CLEAN: dict[str, tuple[str, Callable[[], Measured]]] = {
    "a cost that is far from nothing": ("barely-found", healthy),
    "a cost that was not found": ("barely-found", lambda: healthy(slow=[1 + 0.01 * value for value in NOISY])),
    "a copy of the baseline with six pairs": (
        "negative-control",
        lambda: healthy(negative=[*around(1.0, 6, shift=2), *[None] * 4]),
    ),
    "a known cost a quarter more than it should be": ("positive-control", lambda: counting(5, rounds=4)),
    "memory as larger, of which there is no control": ("uncontrolled", lambda: in_memory(2e6)),
    "times as equal, of which there is one": ("uncontrolled", healthy),
    "a pilot that settled": ("warm-up", healthy),
    "equal claims": ("unequal-work", lambda: witnessing_equal(EVERYONE, "claims_sha256")),
    "a copy of the baseline that wobbles": ("negative-control", lambda: healthy(negative=list(NOISY))),
    "a known cost that was found": ("positive-control", healthy),
    "a key as declared": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048,)}),
    ),
    "the same number as text": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": ("2048",)}),
    ),
    "equal bytes": ("unequal-work", lambda: equal_output(healthy(), slow=(120,), baseline=(120,))),
    "one failure in a million on either side": (
        "unequal-work",
        lambda: telemetry(
            dataclasses.replace(
                healthy(), batches=dict.fromkeys(healthy().batches, BatchStatistics(80, 1_000_000, 0.02, 0.0))
            ),
            slow={"errors": 1.0, "throttled_s": 0.0},
            baseline={"errors": 0.0, "throttled_s": 0.0},
        ),
    ),
    "a batch of a thousand steps": ("timer", lambda: batches(healthy(), shortest_s=1001e-9)),
    "a few times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.1)),
    "times that repeat on a clock that is fine enough": (
        "timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-6),
    ),
    "two equal times of ten": ("timer", lambda: batches(healthy(), duplicate_share=0.2, batches=10)),
    "a cost of one that moves a body": ("metadata-cost", healthy),
    "operations that move no body, and cost nothing": (
        "metadata-cost",
        lambda: without_bodies(healthy(slow=list(around(1.0, 10, shift=3)))),
    ),
    "a treatment that is faster and does the same": (
        "less-work",
        lambda: leaving_out(healthy(slow=list(around(0.8, 10, shift=3))), slow="whole"),
    ),
    "a treatment that leaves work out and is slower": ("less-work", lambda: leaving_out(healthy(), slow="short")),
    "no throttling": ("throttling", healthy),
    "one block of ten lost": ("lost-blocks", lambda: healthy(slow=[None, *around(1.5, 9, shift=3)])),
}


@pytest.mark.parametrize("situation", FIRES)
def test_it_fires(situation: str) -> None:
    check, make, expected = FIRES[situation]

    assert said(make(), check) == expected


@pytest.mark.parametrize("situation", CLEAN)
def test_it_is_silent_on_the_clean_twin(situation: str) -> None:
    check, make = CLEAN[situation]

    assert said(make(), check) == []


@pytest.mark.parametrize(
    ("operations", "told", "expected"),
    [
        (4, {"run_queue_delay_s": 0.3, "spanned_s": 3.0}, ["F"]),
        (4, {"run_queue_delay_s": 0.3}, ["F"]),  # the time of the batches is known without it
        (4, {"run_queue_delay_s": 0.1, "spanned_s": 3.0}, []),
        (1, {"run_queue_delay_s": 0.9, "spanned_s": 3.0}, []),
        (4, {}, ["note"]),
        (0.001, {"run_queue_delay_s": 0.3, "spanned_s": 3.0}, ["F"]),
    ],
)
def test_unequal_batches_are_fatal_where_subjects_wait(
    operations: float, told: dict[str, float], expected: list[str]
) -> None:
    measured = healthy_draft(np.random.default_rng(1), blocks=10).measured()
    longer = dataclasses.replace(
        measured.batches[TREATMENT], operations=round(operations * measured.batches[TREATMENT].operations)
    )
    measured = dataclasses.replace(
        measured,
        batches=measured.batches | {TREATMENT: longer},
        telemetry={arm: {"throttled_s": 0.0, **told} for arm in measured.telemetry},
    )

    assert [severity for severity, _ in said(measured, "unequal-batches")] == expected


def in_cpu_time(operations: float, waited: float | None, batches: int = 1000) -> Measured:
    """A run that is answered in CPU time, with so many times the operations in each of the treatment's batches.

    Of `run_of`'s columns no shapes are known, as where blocks have fewer than four batches.
    """
    alike = {"baseline": around(1e-6, 10), "slow": around(1e-6, 10, shift=3), "negative": around(1e-6, 10, shift=2)}
    both = with_metric(run_of(alike, metric=CPU_TIME), TIME, alike, Standing.SECONDARY)
    counted = {arm: BatchStatistics(batches, 1000 * batches, 1e-3, 0.0) for arm in alike}
    counted["slow"] = dataclasses.replace(counted["slow"], operations=round(1000 * batches * operations))
    told = {} if waited is None else {"run_queue_delay_s": waited, "spanned_s": 1.0}
    return dataclasses.replace(both, batches=counted, telemetry={arm: {"throttled_s": 0.0, **told} for arm in alike})


@pytest.mark.parametrize(
    ("operations", "waited", "expected"),
    [
        (4, 0.1, ["F", "F"]),
        (0.25, 0.1, ["F", "F"]),
        (4, 0.01, []),
        (1.2, 0.1, []),
        (4, None, ["note", "note"]),
    ],
)
def test_batches_of_unequal_cpu_length_are_seen_however_few_a_block_has(
    operations: float, waited: float | None, expected: list[str]
) -> None:
    measured = in_cpu_time(operations, waited)

    assert measured.shapes == {}
    assert [severity for severity, _ in said(measured, "unequal-batches")] == expected


def test_a_batch_that_only_waited_longer_is_no_longer_batch() -> None:
    measured = in_cpu_time(1, 0.4)
    waited = {block: 2 * value for block, value in measured.values["time"]["slow"].items()}
    times = measured.values["time"] | {"slow": waited}

    assert said(dataclasses.replace(measured, values=measured.values | {"time": times}), "unequal-batches") == []


def test_batches_of_unknown_length_beside_waiting_cannot_be_checked() -> None:
    measured = dataclasses.replace(in_cpu_time(4, 0.1), batches={})

    assert said(measured, "unequal-batches") == [("note", each) for each in ("slow", "negative", "slow:time")]


def test_single_operations_of_unequal_length_are_warned_of() -> None:
    """Nobody can make one process that takes twice as long shorter."""
    measured = healthy_draft(np.random.default_rng(1), cost=1.0, blocks=10).measured()
    one_each = {arm: dataclasses.replace(of, operations=of.batches) for arm, of in measured.batches.items()}
    told = {arm: {"run_queue_delay_s": 2.0, "spanned_s": 3.0, "throttled_s": 0.0} for arm in measured.telemetry}

    assert said(dataclasses.replace(measured, batches=one_each, telemetry=told), "unequal-batches") == [
        ("W", f"{TREATMENT}:throughput")
    ]


def test_every_check_is_tried_both_ways() -> None:
    every = {check.id for check in checks}
    made_up = {scenario.check for scenario in registered()}

    forged = {check for _, found_by, _ in FORGERIES for check in found_by} - {"refused"}
    sealed = {"seal"}  # tests/workflow/test_seal.py

    assert {check for check, _, _ in FIRES.values()} | made_up | forged | sealed == every
    assert {check for check, _ in CLEAN.values()} | made_up | {*FORGED} | sealed == every


UNKNOWN: dict[str, tuple[str, Callable[[], Measured], list[str]]] = {
    "a level that nothing witnessed": ("mislabelled-level", lambda: declaring(healthy(), curve="P-256"), ["slow"]),
    "work that nothing witnessed": (
        "unequal-work",
        lambda: equal_output(healthy(), slow=None, baseline=(120,)),
        ["slow"],
    ),
    "a clock that does not tell its step": (
        "timer",
        lambda: dataclasses.replace(healthy(), calibrated=None),
        ["baseline", "slow", "same", "negative", "positive"],
    ),
    "batches that are not reported": (
        "timer",
        lambda: dataclasses.replace(
            healthy(), batches={name: of for name, of in healthy().batches.items() if name != "slow"}
        ),
        ["slow"],
    ),
    "throttling that is not reported": ("throttling", lambda: dataclasses.replace(healthy(), telemetry={}), ["run"]),
    "no negative control, and no verdict either": (
        "negative-control",
        lambda: run_of({"baseline": around(1, 10), "t": list(NOISY)}),
        ["family"],
    ),
    "a negative control of two blocks, and no verdict either": (
        "negative-control",
        lambda: healthy(negative=[1.0, 1.01, *[None] * 8], slow=list(NOISY), same=list(NOISY[::-1])),
        ["family"],
    ),
    "a positive control that was not measured, on which nothing leans": (
        "positive-control",
        lambda: healthy(positive=[None] * 10, same=list(around(1.4, 10, shift=4))),
        ["positive"],
    ),
    "a positive control too large, on which nothing leans": (
        "positive-control",
        lambda: dataclasses.replace(healthy(same=list(around(1.4, 10, shift=4))), calibrated=counting(1).calibrated),
        ["positive"],
    ),
    "two witnesses that no subject tells": (
        "unequal-work",
        lambda: witnessing_equal({}, "claims_sha256", "bytes"),
        ["run"],
    ),
    "a witness that one subject alone does not tell": (
        "unequal-work",
        lambda: witnessing_equal({name: "c0ffee" for name in EVERYONE if name != "baseline"}, "claims_sha256"),
        ["baseline"],
    ),
}


@pytest.mark.parametrize("situation", UNKNOWN)
def test_what_lacks_data_is_never_passed_in_silence(situation: str) -> None:
    check, make, subjects = UNKNOWN[situation]
    measured = make()

    answers = [warning for warning in run(measured, judge(measured)) if warning.check == check]

    assert [answer.subject for answer in answers] == subjects
    assert all(answer.severity is Severity.NOTE for answer in answers)
    assert all(answer.saw.startswith("cannot be checked") for answer in answers)


def test_a_missed_control_on_which_nothing_leans_is_only_noted() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))

    assert said(measured, "positive-control") == [("note", "positive")]


def test_a_missed_control_of_times_does_not_lean_on_memory() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "same": around(1e6, 10, shift=1)}

    assert said(with_metric(measured, metric, memory, Standing.SECONDARY), "positive-control") == [("note", "positive")]


def after_the_audit(measured: Measured) -> dict[str, str]:
    findings = judge(measured)
    return {one.comparison.id: one.verdict.value for one in analyse(measured, run(measured, findings)).findings}


def test_without_a_negative_control_large_effects_stand_with_a_warning() -> None:
    measured = healthy(negative=[None] * 10)

    findings = analyse(measured, run(measured, judge(measured))).findings
    (slow,) = [one for one in findings if one.comparison.id == "slow"]

    assert slow.verdict == "slower-material"
    assert [warning.saw for warning in slow.warnings] == [
        "not controlled: 0 blocks of the negative control are too few"
    ]
    assert after_the_audit(measured)["same"] == "withdrawn"


def test_a_known_cost_that_is_seen_as_less_than_the_margin_was_not_seen() -> None:
    measured = run_of(
        {
            "baseline": around(1.0, 40),
            "same": around(1.0, 40, shift=4),
            "negative": around(1.0, 40, shift=2),
            "positive": around(1.008, 40, shift=1),
        }
    )
    positive = next(one for one in judge(measured) if one.comparison.treatment == "positive")

    assert positive.verdict == "slower-within-margin"
    assert said(measured, "positive-control") == [("F", "positive")]


@pytest.mark.parametrize("measured", [healthy(positive=[None] * 10), counting(1)], ids=["failed", "too large"])
def test_without_a_positive_control_only_small_claims_fall(measured: Measured) -> None:
    verdicts = after_the_audit(measured)

    assert (verdicts["slow"], verdicts["same"]) == ("slower-material", "withdrawn")


def test_without_a_control_of_its_metric_a_small_claim_stands_with_one_warning() -> None:
    measured = in_memory(1e6)
    warnings = [warning for warning in run(measured, judge(measured)) if warning.check == "uncontrolled"]

    findings = analyse(measured, warnings).findings

    assert len(warnings) == 1
    assert {one.comparison.id for one in findings if one.warnings} == {"same:memory", "slow:memory"}
    assert not any(one.withheld for one in findings)


def test_true_is_not_one() -> None:
    measured = witnessing(declaring(healthy(), encrypted=True), slow={"encrypted": (1,)})

    assert said(measured, "mislabelled-level") == [("F", "slow")]


def test_a_declared_quota_is_part_of_what_was_measured() -> None:
    measured = witnessing(declaring(healthy(), cpu_quota=0.5), slow={"cpu_quota": (0.5,)})

    assert said(telemetry(measured, slow={"throttled_s": 0.5}), "throttling") == [("note", "slow")]


def test_a_run_that_measured_nothing_is_not_accused() -> None:
    assert said(run_of({"baseline": [1.0] * 6, "t": [None] * 6})) == []


def test_numbers_from_elsewhere_are_not_asked_for_controls() -> None:
    measured = run_of({"baseline": around(1, 10), "t": around(1.5, 10, shift=1)})

    answers = {answer.check for answer in examine(Evidence(evidence_of(measured, judge(measured)).figures))}

    assert "unequal-work" in answers  # whether operations failed is not reported
    assert not answers & {"negative-control", "positive-control", "uncontrolled"}
