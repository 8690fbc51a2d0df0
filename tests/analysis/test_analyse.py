import dataclasses

import pytest

from sectax.analysis.analyse import analyse, scope_sentence
from sectax.analysis.treatments import estimate, treatment_results
from sectax.model.analysed import Analysed
from sectax.model.environment import Environment
from sectax.model.finding import AuditWarning, Severity, VerdictId
from sectax.model.measured import Failure, Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated
from sectax.model.treatment import SkippedTreatment, Standing
from tests.analysis.runs import MEMORY, THROUGHPUT, around, run_of, with_metric, with_plan

FATAL, NOTE = Severity.FATAL, Severity.NOTE


def quiet_run() -> Measured:
    return run_of(
        {
            "baseline": around(1.0, 10),
            "slow": around(1.5, 10, shift=3),
            "same": around(1.0, 10, shift=4),
            "negative": around(1.0, 10, shift=2),
            "positive": around(1.04, 10, shift=1),
        }
    )


def doubt(subject: str, severity: Severity = FATAL) -> AuditWarning:
    return AuditWarning("check", severity, subject, "saw", "meaning")


def verdicts(analysed: Analysed) -> dict[str, VerdictId]:
    return {finding.comparison.id: finding.verdict for finding in analysed.findings}


WITHDRAWN = VerdictId.WITHDRAWN
JUDGED = {
    "slow": VerdictId.SLOWER_MATERIAL,
    "same": VerdictId.EQUIVALENT,
    "negative": VerdictId.EQUIVALENT,
    "positive": VerdictId.SLOWER_MATERIAL,
}


def test_without_doubt_the_verdicts_stand() -> None:
    analysed = analyse(quiet_run())

    assert verdicts(analysed) == JUDGED
    assert all(finding.withheld is None for finding in analysed.findings)


@pytest.mark.parametrize(
    ("subject", "fallen"),
    [
        ("slow", {"slow"}),
        ("baseline", {"slow", "same", "negative", "positive"}),  # both arms count
        ("cell", {"slow", "same", "negative", "positive"}),
        ("family", {"slow", "same", "negative", "positive"}),
        ("run", {"slow", "same"}),  # the controls show why
        ("positive", {"same"}),  # what leans on the control
        ("something else", set()),
    ],
)
def test_a_fatal_warning_takes_away_what_it_is_about(subject: str, fallen: set[str]) -> None:
    analysed = analyse(quiet_run(), [doubt(subject)])

    assert {name for name, verdict in verdicts(analysed).items() if verdict == WITHDRAWN} == fallen
    for finding in analysed.findings:
        if finding.verdict == WITHDRAWN:
            assert finding.withheld == JUDGED[finding.comparison.id]
            assert finding.warnings == (doubt(subject),)


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_a_lesser_warning_travels_with_the_finding(severity: Severity) -> None:
    analysed = analyse(quiet_run(), [doubt("slow", severity)])

    assert verdicts(analysed) == JUDGED
    assert analysed.findings[0].warnings == (doubt("slow", severity),)
    assert analysed.findings[1].warnings == ()
    assert analysed.warnings == (doubt("slow", severity),)


def test_what_was_not_measured_has_nothing_to_withdraw() -> None:
    measured = run_of({"baseline": around(1, 8), "broken": [None] * 8})

    assert verdicts(analyse(measured, [doubt("broken")])) == {"broken": VerdictId.NOT_MEASURED}


def test_memory_does_not_fall_with_a_control_of_times() -> None:
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "slow": around(1e6, 10, shift=1)}
    measured = with_metric(quiet_run(), metric, memory, Standing.SECONDARY)

    after = verdicts(analyse(measured, [doubt("positive")]))

    assert after["slow:memory"] == VerdictId.EQUIVALENT
    assert after["same"] == WITHDRAWN


def test_the_controls_say_what_the_run_could_see_and_without_them_nothing_is_known() -> None:
    (family,) = analyse(quiet_run()).controls
    (bare,) = analyse(run_of({"baseline": around(1, 8), "t": around(1, 8)})).controls

    assert family.family == "family"
    assert family.negative is not None
    assert family.positive is not None
    assert 0 < family.noise_floor < 0.02
    assert 0 < family.smallest_seen < 0.02
    assert (bare.negative, bare.positive, bare.noise_floor, bare.smallest_seen) == (None,) * 4


def test_a_treatment_is_the_geometric_mean_of_its_blocks() -> None:
    measured = run_of({"baseline": [1.0, 4.0], "t": [2.0, 2.0]})

    baseline, other = treatment_results(measured)

    time = baseline.estimates["time"]
    assert time.point == pytest.approx(2.0)
    assert time.low * time.high == pytest.approx(4.0)
    assert (time.count, time.unit, time.level) == (2, "s", 0.95)
    assert (other.state, other.blocks, other.reason) == ("ok", 2, "")


def test_memory_is_a_median_with_order_statistics() -> None:
    pages = [float(4096 * (10 + block)) for block in range(8)]
    times = run_of({"baseline": around(1, 8), "t": around(1, 8)})
    measured = with_metric(times, MEMORY, {"t": pages}, Standing.SECONDARY)

    peak = treatment_results(measured)[1].estimates["memory"]

    assert peak.point == 4096 * 13.5
    assert (peak.low, peak.high) == (pages[0], pages[7])
    assert peak.method == "median-order-statistics"


@pytest.mark.parametrize(
    ("unit", "summary", "resolution", "method"),
    [
        ("B", Summary.MEDIAN, 0.0, "median-order-statistics"),
        ("B", Summary.MAXIMUM, 0.0, "median-order-statistics"),
        ("s", Summary.MEAN, 1e-3, "median-order-statistics"),
        ("B", Summary.MEAN, 0.0, "student-t-of-logs"),
        ("s", Summary.MEDIAN, 0.0, "student-t-of-logs"),
    ],
)
def test_what_ties_or_jumps_is_not_averaged(unit: str, summary: Summary, resolution: float, method: str) -> None:
    metric = Metric("m", unit, Better.LOWER, summary, "m", resolution)

    made = estimate(metric, [1.0, 1.0, 2.0, 9.0], 0.95)

    assert made.method == method
    assert made.point == pytest.approx(1.5 if method.startswith("median") else 18**0.25)


def test_a_treatment_that_failed_says_why() -> None:
    failure = Failure(3, "broken", "open", "skipped", "no such library")
    measured = run_of({"baseline": around(1, 8), "broken": [None] * 8}, failures=(failure,))

    result = treatment_results(measured)[1]

    assert (result.state, result.reason, result.blocks, result.estimates) == ("skipped", "no such library", 0, {})


def test_what_the_plan_skipped_is_listed_too() -> None:
    measured = quiet_run()
    skipped = SkippedTreatment("go", {"language": "go"}, "go is not installed", "apt install golang")
    measured = with_plan(measured, skipped=(skipped,))

    result = treatment_results(measured)[-1]

    assert (result.treatment, result.state, result.reason) == ("go", "skipped", "go is not installed")


def test_witnesses_that_changed_are_all_shown() -> None:
    measured = dataclasses.replace(quiet_run(), witnesses={"slow": {"key_bits": (2048,), "curve": ("a", "b")}})

    assert treatment_results(measured)[1].witnesses == {"key_bits": 2048, "curve": "a | b"}


def test_the_empty_loop_is_a_share_of_an_operation() -> None:
    measured = run_of({"baseline": [1e6] * 6, "t": [1e6] * 6}, metric=THROUGHPUT)
    own = measured.calibrated.calibrations
    calibrations = {name: dataclasses.replace(one, empty_s=2e-8) for name, one in own.items()}

    result = treatment_results(dataclasses.replace(measured, calibrated=Calibrated(calibrations, {})))[0]

    assert result.empty_share == pytest.approx(0.02)


def test_the_scope_names_the_host_and_the_session() -> None:
    measured = quiet_run()

    one = scope_sentence(measured)
    two = scope_sentence(dataclasses.replace(measured, sessions=(Environment({}), Environment({}))))

    assert "Abacus 3" in one
    assert two.startswith("2 sessions")


def test_wrong_claims_are_expected_only_of_secondary_comparisons() -> None:
    memory = {"baseline": around(1e6, 10), "slow": around(1e6, 10), "same": around(1e6, 10)}

    assert analyse(quiet_run()).wrong_expected == 0
    measured = with_metric(quiet_run(), MEMORY, memory, Standing.SECONDARY)
    assert analyse(measured).wrong_expected == pytest.approx(0.1)


def test_inconclusive_at_the_end_names_the_margin_that_the_blocks_resolve() -> None:
    wobbling = [1.0, 1.05, 0.97, 1.04, 0.96, 1.02, 1.03, 0.98, 1.0, 1.01]
    (finding,) = analyse(run_of({"baseline": around(1, 10), "t": wobbling})).findings

    assert finding.verdict == VerdictId.INCONCLUSIVE
    margin = finding.effect.margin_needed * 1.01
    (wider,) = analyse(run_of({"baseline": around(1, 10), "t": wobbling}, margin=margin)).findings
    assert wider.verdict == VerdictId.EQUIVALENT


def test_a_warning_about_a_metric_is_about_the_small_claims_in_it() -> None:
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "slow": around(2e6, 10), "same": around(1e6, 10, shift=1)}
    measured = with_metric(quiet_run(), metric, memory, Standing.SECONDARY)

    analysed = analyse(measured, [doubt("memory", Severity.WARNING)])

    assert [finding.comparison.id for finding in analysed.findings if finding.warnings] == ["same:memory"]


def test_the_known_cost_is_what_whole_operations_made_it() -> None:
    measured = run_of({"baseline": around(1, 8), "positive": around(1.1, 8, shift=1)}, count=3)

    (family,) = analyse(measured).controls

    assert family.known_cost == pytest.approx(1 / 24)  # of 3 operations in 8 rounds, for a nominal 4 %


def test_a_subject_that_adds_the_known_cost_itself_adds_twice_the_margin() -> None:
    measured = quiet_run()
    treatments = tuple(dataclasses.replace(one, extra=0.0) for one in measured.plan.treatments)
    unknown = dataclasses.replace(measured, calibrated=None)

    (family,) = analyse(with_plan(unknown, treatments=treatments)).controls

    assert family.known_cost == 0.04
    assert analyse(unknown).controls[0].known_cost is None  # without a calibration nobody knows
