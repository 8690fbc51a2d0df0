"""Verdicts, summaries and plans in words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.model.finding import FASTER, SLOWER, AuditWarning, Finding, Severity, VerdictId
from sectax.model.plan import Calibrated, Stopping
from sectax.model.treatment import CONTROLS, SkippedTreatment, Standing
from sectax.reports import words
from tests.reports import situations
from tests.reports.findings import NOT_MEASURED, finding
from tests.reports.situations.commands import PEAK_MEMORY
from tests.reports.situations.signatures import simple
from tests.reports.situations.simulated import Case, calibrated


def judged(verdict: VerdictId, low: float, high: float, **more: object) -> Finding:
    """A finding with that verdict; of the verdicts that follow from an interval, with the one that follows."""
    made = finding(low, high, **more)  # type: ignore[arg-type]
    if verdict is VerdictId.WITHDRAWN:
        return replace(made, verdict=verdict, withheld=made.verdict)
    assert made.verdict is verdict
    return made


def claimed(verdict: VerdictId, low: float, high: float) -> Finding:
    """A finding with that verdict and interval, whatever follows from it, and however narrow it is."""
    made = finding(0.9, 1.2)
    assert made.effect is not None
    bounds = math.log(low), math.log(high)
    effect = replace(made.effect, log_ratio=sum(bounds) / 2, low=bounds[0], high=bounds[1])
    return replace(made, verdict=verdict, effect=effect)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (judged(VerdictId.SLOWER_MATERIAL, 1.031, 1.044), "3.7 % slower (3.1 to 4.4 %)"),
        (judged(VerdictId.FASTER_MATERIAL, 1 / 2.62, 1 / 2.55), "2.58 times faster (2.55 to 2.62)"),
        (judged(VerdictId.SLOWER_MATERIAL, 1.5, 2.5), "90 % slower (50 to 150 %)"),
        (judged(VerdictId.SLOWER_MATERIAL, 1.5, 40), "at least 50 % slower"),
        (judged(VerdictId.FASTER_MATERIAL, 1 / 400, 1 / 3), "at least 3.0 times faster"),
        (judged(VerdictId.SLOWER_WITHIN_MARGIN, 1.003, 1.012), "0.7 % slower (0.3 to 1.2 %), within the margin"),
        (judged(VerdictId.EQUIVALENT, 0.99, 1.01), "equal within ± 2 %"),
        (
            judged(VerdictId.INCONCLUSIVE, 0.98, 1.04, blocks_needed=(12, 30)),
            "undecided: about 39 to 99 s more; 3 % faster to 4 % slower",
        ),
        (judged(VerdictId.INCONCLUSIVE, 0.9, 1.2), "undecided; 12 % faster to 20 % slower"),
        (judged(VerdictId.INCONCLUSIVE, 0.2, 6), "too noisy: run longer"),
        (
            judged(VerdictId.INCONCLUSIVE, 1e-9, 5e5, blocks_needed=(12, 30)),
            "too noisy: run longer (about 39 to 99 s more)",
        ),
        (
            judged(VerdictId.SLOWER_MATERIALITY_OPEN, 1.01, 1.03, blocks_needed=(1, 1)),
            "2.0 % slower (1 to 3 %), perhaps within the margin: about 3.3 s more would tell",
        ),
        (judged(VerdictId.WITHDRAWN, 1.02, 1.03), "withdrawn"),
        (NOT_MEASURED, "not measured"),
    ],
)
def test_verdict_in_words(given_: Finding, expected: str) -> None:
    assert words.verdict(given_) == expected


def test_withdrawn_verdict_names_the_checks_that_took_it() -> None:
    warning = AuditWarning("mislabelled-level", Severity.FATAL, "a:throughput", "", "", "")
    withdrawn = replace(judged(VerdictId.WITHDRAWN, 1.02, 1.03), warnings=(warning,))

    assert words.verdict(withdrawn) == "withdrawn: mislabelled-level"


def test_more_memory_is_costlier_and_not_slower() -> None:
    costlier = judged(VerdictId.SLOWER_MATERIAL, 1.031, 1.044)

    assert words.verdict(costlier, PEAK_MEMORY) == "3.7 % costlier (3.1 to 4.4 %)"


def test_per_cent_mirrors_as_the_margin_does() -> None:
    slower = words.verdict(judged(VerdictId.SLOWER_MATERIAL, 1.25, 1.5))
    faster = words.verdict(judged(VerdictId.FASTER_MATERIAL, 1 / 1.5, 1 / 1.25))

    assert slower == "37 % slower (25 to 50 %)"
    assert faster == "37 % faster (25 to 50 %)"


@given(st.floats(1e-6, 3), st.floats(1e-6, 1), st.booleans())
def test_no_direction_is_ever_lost_in_words(near: float, width: float, slower: bool) -> None:
    bounds = (near, near + width) if slower else (-near - width, -near)
    verdict = VerdictId.SLOWER_MATERIAL if slower else VerdictId.FASTER_MATERIAL

    said = words.verdict(claimed(verdict, math.exp(bounds[0]), math.exp(bounds[1])))

    assert ("slower" in said) == slower
    assert ("faster" in said) != slower
    assert "−" not in said


def test_every_verdict_has_words_of_its_own() -> None:
    said = {
        words.verdict(claimed(verdict, 0.99 if verdict not in SLOWER | FASTER else 1.01, 1.02)) for verdict in VerdictId
    }

    # 'slower' and 'faster' are read off the interval, which is the same here, so the three grades coincide.
    assert len(said) == len(VerdictId) - len(FASTER)


def test_summary_says_who_does_what_how_much_faster() -> None:
    lines = words.summary(situations.signatures_in_php())

    assert lines[1] == "In PHP, EdDSA (Ed25519) signs 46.6 to 48.2 times faster than RS256 (RSA-2048)."


def test_what_is_not_answered_comes_with_a_budget_that_may_answer_it() -> None:
    open_ = judged(VerdictId.INCONCLUSIVE, 0.98, 1.04, blocks_needed=(12, 30))
    analysed = situations.commands()
    alone = replace(analysed, findings=(replace(open_, comparison=analysed.findings[0].comparison),))

    # 62 s of blocks, and at most 99 s more.
    assert words.summary(alone)[-1] == "Undecided; --budget 170s would probably decide it."


def test_summary_of_commands_needs_no_words_of_the_experiment() -> None:
    assert words.summary(situations.commands()) == ["with-tls is 2.5 to 5.2 % slower than baseline."]


def test_summary_tells_apart_what_varies() -> None:
    lines = words.summary(situations.published_preset())

    assert lines[0].endswith("than RS256 (RSA-2048), with a key parsed once.")
    assert not any("primitive" in line for line in lines)


def test_summary_of_many_counts_and_names_the_extremes() -> None:
    analysed = situations.two_hundred_treatments()
    findings = tuple(
        replace(each, comparison=replace(each.comparison, standing=Standing.PRIMARY))
        for each in analysed.findings
        if each.comparison.standing not in CONTROLS
    )

    lines = words.summary(replace(analysed, findings=findings))

    assert lines[0] == "Of 180 comparisons: 180 slower."
    assert len(lines) == 5


def test_summary_says_why_there_is_no_verdict() -> None:
    lines = words.summary(situations.negative_control_fired())

    assert lines == ["No comparison has a verdict: 4 withdrawn (negative-control)."]


def test_summary_of_an_interrupted_run_begins_with_that() -> None:
    lines = words.summary(situations.interrupted_after_four_blocks())

    assert lines[0] == "The run was interrupted after 4 of at most 40 blocks."


def test_level_in_braces_is_only_a_name() -> None:
    design = simple({"size": ("{treatment}", "b")}, "RS256", "{0}")
    case = Case(design, {})
    case.truth = {each.id: 0.001 for each in case.plan().treatments}

    assert words.summary(case.build())[0] == "{0} is as fast as RS256 (RSA-2048), within ± 2 %, size {treatment}."


def test_plan_says_how_strictly_and_how_long() -> None:
    plan = situations.signatures_in_php().measured.plan

    lines = words.plan(plan)

    assert lines == [
        "jwt, default preset: Which signature algorithm for a JWT, in my language?",
        "6 treatments in 2 cells, and 2 controls of the run itself; language php, key_use parsed-once, layer primitive",
        "4 comparisons answer the question, with a chance of 5 % to be wrong together; "
        "margin 2 %: smaller differences do not matter",
        "stops when every interval is narrow, at most 40 blocks; the first verdict is possible after block 6",
        "order drawn from seed 42",
    ]


def test_pilot_says_what_it_froze_and_how_long_a_block_lasts() -> None:
    plan = situations.signatures_in_php().measured.plan

    assert words.calibrated(plan, calibrated(plan), 2.97) == [
        "the pilot froze batches of 0.02 s (33 operations), 4 batches of warm-up in every process, 8 rounds per block, "
        "8 processes per block",
        "a block takes about 3 s, so the first verdict may come after about 18 s; the whole takes at most about 119 s",
    ]


def test_pilot_of_commands_says_that_nothing_warms_up() -> None:
    plan = replace(situations.commands().measured.plan, warms_up=False, stopping=Stopping(0.02, budget_s=9.0))

    lines = words.calibrated(plan, calibrated(plan), 1.0)

    assert lines[0].endswith("no warm-up, 8 rounds per block")
    assert lines[1].endswith("the whole takes at most about 9 s")


def test_pilot_that_tried_nothing_says_so() -> None:
    plan = situations.signatures_in_php().measured.plan

    assert words.calibrated(plan, Calibrated({}, {}), 0.0) == ["the pilot could try nothing"]


def test_summary_of_secondary_comparisons_tells_their_own_level() -> None:
    analysed = situations.signatures_in_php()
    findings = tuple(
        replace(each, comparison=replace(each.comparison, standing=Standing.SECONDARY, alpha=0.0125))
        for each in analysed.findings
    )

    lines = words.summary(replace(analysed, findings=findings))

    assert lines[-1] == "These are side results: each may be wrong with a chance of 1.3 % of its own."


def test_plan_gathers_what_is_skipped_for_one_reason() -> None:
    plan = situations.treatments_skipped().measured.plan

    assert words.plan(plan)[-2:] == [
        "skipped: 2 treatments, php/sign/parsed-once/primitive/ML-DSA the first: OpenSSL 3.0 has no ML-DSA",
        "skipped: 8 treatments, node/sign/parsed-once/primitive/RS256 the first: node is not installed "
        "(to fix it: sudo apt-get install -y nodejs)",
    ]


def test_plan_with_a_fixed_number_of_blocks_promises_nothing_before_the_end() -> None:
    plan = replace(situations.signatures_in_php().measured.plan, stopping=Stopping(0.02, fixed_blocks=9))

    assert words.plan(plan)[3] == "exactly 9 blocks, judged at the end"


def test_hostile_words_of_a_plan_are_escaped() -> None:
    plan = replace(
        situations.signatures_in_php().measured.plan,
        question="\x1b[2J",
        skipped=(SkippedTreatment("\x07", {}, "\x1b", "\x1b"),),
    )

    assert all(line.isprintable() for line in words.plan(plan))
