"""Whether the treatments of a run of ours did their work, by its figures."""

from __future__ import annotations

import dataclasses
from array import array

import numpy as np
import pytest

from benchmarks.simulations.scenarios import SCENARIOS, batch_times
from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.analysis.treatments import treatment_results
from sectax.audit.checks.growth import interval
from sectax.audit.form import Moves, Quantity, Series
from sectax.audit.own.evidence import RunEvidence
from sectax.audit.own.registry import review
from sectax.audit.own.registry import run as audit
from sectax.experiments.hmac.experiment import EXPERIMENT as HMAC
from sectax.experiments.hmac.levels import CONTENTS, IMMEDIATE, NONE
from sectax.model.finding import AuditWarning, Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.metric import Metric
from tests.audit.authorizers import DURATION, HIGHEST, LARGE, P99, PUBLISHED, SMALL, WORST, Authorizers, honest

FATAL = Severity.FATAL
CHECKS = ("flat-with-size", "contained-work", "faster-than-physics")


def authorizers(**how: object) -> Authorizers:
    return Authorizers(np.random.default_rng(1), **how)  # type: ignore[arg-type]


def warnings(measured: Measured, check: str) -> list[AuditWarning]:
    return [warning for warning in audit(measured, judge(measured)) if warning.check == check]


def told(measured: Measured, check: str) -> list[tuple[Severity, str]]:
    return [(warning.severity, warning.subject) for warning in warnings(measured, check)]


def withdrawn(measured: Measured) -> set[str]:
    analysed = analyse(measured, audit(measured, judge(measured)))
    return {finding.comparison.id for finding in analysed.findings if finding.verdict is VerdictId.WITHDRAWN}


def figures(measured: Measured) -> tuple[Series, ...]:
    return RunEvidence(measured, judge(measured)).series


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.1])
def test_a_run_that_did_its_work_gets_no_warning(noise: float) -> None:
    run = authorizers(levels=(NONE, IMMEDIATE, PUBLISHED), sizes=(SMALL, "100KiB", LARGE), noise=noise)
    outcomes = {outcome.check: outcome for outcome in review(RunEvidence(run.measured(), judge(run.measured())))}

    assert [outcomes[check].warnings for check in CHECKS] == [(), (), ()]
    assert [outcomes[check].applies for check in CHECKS] == [True, True, True]
    assert withdrawn(run.measured()) == set()


def test_a_check_that_was_never_done_loses_its_verdicts_at_every_size() -> None:
    run = authorizers(seconds={(PUBLISHED, size): 1.01 * honest(NONE, size) for size in (SMALL, LARGE)})
    measured = run.measured()

    assert told(measured, "flat-with-size") == [(FATAL, f"{size}/{PUBLISHED}") for size in (SMALL, LARGE)]
    seen = warnings(measured, "flat-with-size")[0].saw
    assert all(figure in seen for figure in ("307 times", "10 GB/s", "314 µs"))
    assert withdrawn(measured) == {f"{SMALL}/{PUBLISHED}:duration", f"{LARGE}/{PUBLISHED}:duration"}


def test_an_interval_that_leaves_room_for_the_check_is_not_a_fault() -> None:
    """Of 8 ms with 20 % of noise, 0.3 ms more or less do not show."""
    run = authorizers(seconds={(PUBLISHED, size): honest(NONE, size) for size in (SMALL, LARGE)}, noise=0.2)

    assert told(run.measured(), "flat-with-size") == [(Severity.NOTE, f"{LARGE}/{PUBLISHED}")]


def test_fewer_blocks_than_a_verdict_needs_show_no_growth() -> None:
    run = authorizers(blocks=5, seconds={(PUBLISHED, size): honest(NONE, size) for size in (SMALL, LARGE)})

    assert told(run.measured(), "flat-with-size") == [(Severity.NOTE, "run")]


def test_without_the_baseline_beside_it_the_whole_time_must_grow() -> None:
    levels = (PUBLISHED, "raw-digests")
    flat = authorizers(levels=levels, seconds={("raw-digests", size): 4e-4 for size in (SMALL, LARGE)})

    assert told(flat.measured(), "flat-with-size") == [(FATAL, f"{size}/raw-digests") for size in (SMALL, LARGE)]
    assert told(authorizers(levels=levels).measured(), "flat-with-size") == []


def test_an_answer_at_once_does_less_than_the_baseline_and_may() -> None:
    """It takes ever less time than `none`, the larger the body: that is no check that was left out."""
    run = authorizers(levels=(NONE, IMMEDIATE))

    assert told(run.measured(), "flat-with-size") == told(run.measured(), "contained-work") == []


def test_a_check_that_is_quicker_than_none_loses_its_verdict() -> None:
    run = authorizers(seconds={(PUBLISHED, SMALL): 0.9 * honest(NONE, SMALL)})
    measured = run.measured()

    assert told(measured, "contained-work") == [(FATAL, f"{SMALL}/{PUBLISHED}")]
    assert "8.4 to 11.6 %" in warnings(measured, "contained-work")[0].saw
    assert withdrawn(measured) == {f"{SMALL}/{PUBLISHED}:duration"}


@pytest.mark.parametrize(("share", "noise"), [(0.99, 0.001), (0.9, 0.15)])
def test_quicker_within_the_margin_or_the_interval_is_not_a_fault(share: float, noise: float) -> None:
    run = authorizers(seconds={(PUBLISHED, SMALL): share * honest(NONE, SMALL)}, noise=noise)

    assert told(run.measured(), "contained-work") == []


@pytest.mark.parametrize(("margin", "share", "accused"), [(0.005, 0.985, False), (0.02, 0.9, True), (0.1, 0.84, True)])
def test_an_accusation_allows_for_an_unseen_mode(margin: float, share: float, accused: bool) -> None:
    """5.5 % off, whatever margin was asked for: ten blocks rule out no mode that makes 1.5 % of it.

    Guarded by so many margins instead, the first was accused, and the last was not.
    """
    run = authorizers(blocks=10, noise=0.001, seconds={(PUBLISHED, SMALL): share * honest(NONE, SMALL)})
    measured = run.measured()
    stopping = dataclasses.replace(measured.plan.stopping, margin=margin)
    measured = dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, stopping=stopping))

    assert bool(told(measured, "contained-work")) == accused


def test_a_baseline_quicker_than_its_part_leaves_the_other_treatments_their_verdicts() -> None:
    run = authorizers(levels=(NONE, IMMEDIATE, PUBLISHED), seconds={(IMMEDIATE, SMALL): 1.05 * honest(NONE, SMALL)})

    assert told(run.measured(), "contained-work") == [(FATAL, f"{SMALL}/{IMMEDIATE}")]


def test_no_check_passes_ten_gigabytes_a_second_at_one_size_either() -> None:
    run = authorizers(sizes=(LARGE,), blocks=3, seconds={(PUBLISHED, LARGE): 3e-4})

    assert told(run.measured(), "faster-than-physics") == [(FATAL, f"{LARGE}/{PUBLISHED}")]


def test_one_block_that_is_possible_makes_the_speed_possible() -> None:
    run = authorizers(sizes=(LARGE,), seconds={(PUBLISHED, LARGE): 3e-4})
    measured = run.measured()
    values = measured.values["duration"]
    slower = values | {f"{LARGE}/{PUBLISHED}": values[f"{LARGE}/{PUBLISHED}"] | {1: 4e-4}}

    assert told(dataclasses.replace(measured, values={"duration": slower}), "faster-than-physics") == []


def test_of_an_experiment_whose_work_is_not_known_nothing_is_held() -> None:
    run = authorizers(contents=None, seconds={(PUBLISHED, size): 3e-4 for size in (SMALL, LARGE)})

    assert [told(run.measured(), check) for check in CHECKS] == [[], [], []]


def test_a_quantile_of_few_calls_is_reported_with_the_number_that_it_needs() -> None:
    run = authorizers(blocks=40, calls=2, metrics=(DURATION, P99), process=0.0)

    (warning,) = warnings(run.measured(), "unsupported-quantile")

    assert (warning.severity, warning.subject) == (Severity.NOTE, "p99_duration")
    assert all(figure in warning.saw for figure in ("p99 of 80", "368", "3 more"))
    assert withdrawn(run.measured()) == set()


def alike(rng: np.random.Generator, blocks: int, calls: int) -> Measured:
    """A run in which the calls of a block are all alike, so that each block is one observation."""
    measured = Authorizers(rng, blocks=blocks, calls=calls, metrics=(DURATION, P99)).measured()
    same = {
        arm: {block: array("d", [of[0]] * len(of)) for block, of in by_block.items()}
        for arm, by_block in measured.samples["duration"].items()
    }
    return dataclasses.replace(measured, samples={"duration": same})


def test_calls_of_a_block_that_are_all_alike_count_as_few() -> None:
    (warning,) = warnings(alike(np.random.default_rng(3), 40, 20), "unsupported-quantile")

    assert warning.saw.startswith("p99 of 800, ")


def clustered(rng: np.random.Generator, calls: int, slow: int) -> Measured:
    """A run whose slow calls, a fifth of a block each, lie in two blocks."""
    measured = Authorizers(rng, blocks=40, calls=calls, process=0.0, metrics=(DURATION, P99)).measured()
    samples = {
        arm: {
            block: array("d", sorted([*of[: calls - slow], *(3 * item for item in of[calls - slow :])]))
            if block in (7, 23)
            else of
            for block, of in by_block.items()
        }
        for arm, by_block in measured.samples["duration"].items()
    }
    return dataclasses.replace(measured, samples={"duration": samples})


@pytest.mark.parametrize("calls", [4, 9, 15, 40, 50])
def test_a_quantile_is_warned_of_exactly_where_it_is_printed_without_an_interval(calls: int) -> None:
    sound = authorizers(blocks=40, calls=calls, process=0.0, metrics=(DURATION, P99)).measured()
    together = clustered(np.random.default_rng(5), calls, calls // 5)
    for measured in (sound, alike(np.random.default_rng(4), 40, calls), together):
        printed = [
            treatment_result.estimates.get("p99_duration")
            for treatment_result in treatment_results(measured)
            if "#" not in treatment_result.treatment
        ]
        bare = any(item is not None and item.low is None for item in printed)

        assert bool(warnings(measured, "unsupported-quantile")) == bare


def test_a_quantile_of_many_independent_calls_gets_no_warning() -> None:
    run = authorizers(blocks=40, calls=40, process=0.0, metrics=(DURATION, P99))

    assert warnings(run.measured(), "unsupported-quantile") == []


@pytest.mark.parametrize(
    ("blocks", "calls", "metric", "needs", "meaning"),
    [(40, 4, WORST, "needs 14", "about 16 % of all calls"), (28, 1, HIGHEST, "needs 59", "only 90 % of all calls")],
    ids=["of a block", "of a run"],
)
def test_a_worst_value_states_the_share_of_calls_below_it(
    blocks: int, calls: int, metric: Metric, needs: str, meaning: str
) -> None:
    run = authorizers(blocks=blocks, calls=calls, metrics=(DURATION, metric))

    (warning,) = warnings(run.measured(), "unsupported-quantile")

    assert needs in warning.saw
    assert meaning in warning.meaning


def test_that_share_is_what_independent_calls_give() -> None:
    calls = np.random.default_rng(2).lognormal(0, 1, (20_000, 4))
    figure = np.median(calls.max(axis=1))

    assert np.mean(calls > figure) == pytest.approx(1 - 0.5 ** (1 / 4), abs=0.005)


def test_figures_are_of_treatments_that_somebody_quotes() -> None:
    run = authorizers(blocks=7, metrics=(DURATION, P99))
    measured = run.measured()
    made = {figure.id: figure for figure in figures(measured)}
    large = made[f"{LARGE}/{PUBLISHED}:duration"]

    assert not any("negative" in name for name in made)
    assert (large.quantity, large.count) == (Quantity.TIME, 7 * 16)
    assert large.block_seconds == measured.values["duration"][f"{LARGE}/{PUBLISHED}"]
    assert large.work.size_bytes == 3 * 2**20
    assert large.work.moves is Moves.BODY
    assert made[f"{LARGE}/{PUBLISHED}:p99_duration"].values == ()


def test_what_the_plan_says_of_its_contents_names_levels_that_there_are() -> None:
    levels = {factor.name: set(factor.levels) for factor in HMAC.factors}
    named = {*CONTENTS.parts, *CONTENTS.bytes_s, *(part for parts in CONTENTS.parts.values() for part in parts)}

    assert CONTENTS.sizes.keys() == levels[CONTENTS.size_factor]
    assert named <= levels["authentication"]
    assert NONE not in CONTENTS.bytes_s


def test_an_interval_needs_blocks_that_agree_on_something() -> None:
    assert interval([1.0] * 5, 0.05) == (-np.inf, np.inf)
    low, high = interval([1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02, 0.98], 0.05)
    assert 0.8 < low < 1.0 < high < 1.2


@pytest.mark.full
@pytest.mark.parametrize("blocks", [10, 40])
@pytest.mark.parametrize("machine", range(len(SCENARIOS)), ids=lambda index: SCENARIOS[index].name)
def test_no_noise_makes_honest_work_look_left_out(machine: int, blocks: int) -> None:
    """A whole just as quick as its part, and a hash of 3.3 GB/s, on machines with modes, spikes, drift and tails."""
    runs, margin = 400, 0.02
    seconds = batch_times(
        SCENARIOS[machine], np.random.default_rng(machine), runs=runs, blocks=blocks, rounds=16, effect=0.0
    )
    logs = np.log(seconds.sum(axis=2))
    of_none, of_check, of_small = (np.exp(logs[:, :, arm] - logs.mean(axis=(1, 2))[:, None]) for arm in range(3))
    quicker = flat = 0
    for none, check, small in zip(of_none, of_check, of_small, strict=True):
        quicker += interval(list(np.log(check / none)), 0.005)[1] < -margin
        growth = (honest(NONE, LARGE) + 1.3e-3) * check - honest(NONE, LARGE) * none - 3e-5 * small
        flat += interval(list(growth), 0.005, honest(PUBLISHED, LARGE))[1] < 3e-4

    assert (quicker, flat) == (0, 0)
