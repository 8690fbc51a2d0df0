"""Verdicts, summaries and plans in words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.model.analysed import Analysed
from sectax.model.condition import Condition
from sectax.model.finding import AuditWarning, Finding, Severity, VerdictId
from sectax.model.plan import Calibrated, Stopping, Until
from sectax.model.treatment import CONTROLS, SkippedTreatment, Standing
from sectax.reports import distrust
from sectax.reports.words import plans, summaries
from sectax.text import claims
from tests.reports import situations
from tests.reports.findings import NOT_MEASURED, finding
from tests.reports.situations.commands import PEAK_MEMORY, WALL
from tests.reports.situations.signatures import simple
from tests.reports.situations.simulated import Case, calibrated


def judged(verdict: VerdictId, low: float, high: float, **more: object) -> Finding:
    """A finding with this interval, which must give that verdict unless it is withdrawn."""
    made = finding(low, high, **more)  # type: ignore[arg-type]
    if verdict is VerdictId.WITHDRAWN:
        return replace(made, verdict=verdict, withheld=made.verdict)
    assert made.verdict is verdict
    return made


def claimed(verdict: VerdictId, low: float, high: float) -> Finding:
    """A finding with that verdict and interval, even if they contradict."""
    made = finding(0.9, 1.2)
    bounds = math.log(low), math.log(high)
    effect = replace(made.effect, log_ratio=sum(bounds) / 2, low=bounds[0], high=bounds[1])
    return replace(made, verdict=verdict, effect=effect)


WITHDRAWN = replace(
    judged(VerdictId.WITHDRAWN, 1.02, 1.03),
    warnings=(AuditWarning("mislabelled-level", Severity.FATAL, "a:throughput", "", "", ""),),
)
SLOWER_STILL = judged(VerdictId.SLOWER_MATERIAL, 1.031, 1.044)
FINDINGS = {
    "slower by 3.1 to 4.4 %": SLOWER_STILL,
    "faster by 2.55 to 2.62 times": judged(VerdictId.FASTER_MATERIAL, 1 / 2.62, 1 / 2.55),
    "slower by 25 to 50 %": judged(VerdictId.SLOWER_MATERIAL, 1.25, 1.5),
    "the same, faster": judged(VerdictId.FASTER_MATERIAL, 1 / 1.5, 1 / 1.25),
    "slower by 50 to 3900 %": judged(VerdictId.SLOWER_MATERIAL, 1.5, 40),
    "faster by 3 to 400 times": judged(VerdictId.FASTER_MATERIAL, 1 / 400, 1 / 3),
    "slower within the margin": judged(VerdictId.SLOWER_WITHIN_MARGIN, 1.003, 1.012),
    "equivalent": judged(VerdictId.EQUIVALENT, 0.99, 1.01),
    "undecided, and it is known how long it takes": judged(VerdictId.INCONCLUSIVE, 0.98, 1.04, blocks_needed=(12, 30)),
    "undecided": judged(VerdictId.INCONCLUSIVE, 0.9, 1.2),
    "undecided and wide": judged(VerdictId.INCONCLUSIVE, 0.2, 6),
    "undecided and endless": judged(VerdictId.INCONCLUSIVE, 1e-9, 5e5, blocks_needed=(12, 30)),
    "slower, perhaps within the margin": judged(VerdictId.SLOWER_MATERIALITY_OPEN, 1.01, 1.03, blocks_needed=(1, 1)),
    "withdrawn": WITHDRAWN,
    "not measured": NOT_MEASURED,
}


def test_verdicts_are_as_agreed(golden) -> None:
    lines = [f"{name}: {claims.verdict(found)}" for name, found in FINDINGS.items()]
    lines.append(f"more memory: {claims.verdict(SLOWER_STILL, PEAK_MEMORY)}")

    golden("words/verdicts.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("found", FINDINGS.values(), ids=FINDINGS)
def test_every_form_of_a_verdict_says_the_same(found: Finding) -> None:
    """The narrow table, the wide one and a sentence agree on what is undecided and what is within the margin."""
    forms = [claims.in_short(found), claims.answer(found), claims.verdict(found)]

    for said in ("perhaps within the margin", "within the margin", "withdrawn", "equal", "not measured"):
        assert len({said in form for form in forms}) == 1, (said, forms)
    assert len({"undecided" in form or "too noisy" in form for form in forms}) == 1, forms


def test_a_direction_before_the_last_of_fixed_blocks_is_so_far_and_not_undecided(agreed) -> None:
    pending = replace(
        SLOWER_STILL,
        verdict=VerdictId.INCONCLUSIVE,
        effect=SLOWER_STILL.effect and replace(SLOWER_STILL.effect, blocks_needed=(3, 3)),
    )

    agreed(claims.in_short(pending), claims.answer(pending), claims.verdict(pending))


def test_a_limit_adds_digits_to_an_interval_and_changes_none() -> None:
    found = finding(1.0601, 1.14)
    own = claims.effect(found.effect)

    assert claims.beside_limit(found.effect, WALL, 0.06).startswith(f"{own}; more exactly ")
    assert claims.beside_limit(found.effect, WALL, 0.30) == own


def test_beside_a_limit_a_wide_interval_has_its_ends() -> None:
    noisy = finding(0.17, 1.22).effect
    assert claims.effect(noisy, WALL) == "too noisy"
    assert claims.beside_limit(noisy, WALL, 1.0).endswith("% slower")


def test_a_range_over_several_settings_has_the_ends_of_their_own_intervals() -> None:
    effects = [found.effect for found in (finding(7600, 9300), finding(20000, 22700)) if found.effect is not None]

    intervals = [claims.interval(effect) for effect in effects]
    assert [interval.partition(" times")[0] for interval in (*intervals, claims.over_all(effects))] == [
        "7,600 to 9,300",
        "20,000 to 22,700",
        "7,600 to 22,700",
    ]


@given(st.floats(1e-6, 3), st.floats(1e-6, 1), st.booleans())
def test_no_direction_is_ever_lost_in_words(near: float, width: float, slower: bool) -> None:
    bounds = (near, near + width) if slower else (-near - width, -near)
    verdict = VerdictId.SLOWER_MATERIAL if slower else VerdictId.FASTER_MATERIAL

    said = claims.verdict(claimed(verdict, math.exp(bounds[0]), math.exp(bounds[1])))

    assert ("slower" in said) == slower
    assert ("faster" in said) != slower
    assert "−" not in said


def known_summaries() -> dict[str, list[str]]:
    """What no report of a situation has: its summary is in the golden file of its report."""
    open_ = judged(VerdictId.INCONCLUSIVE, 0.98, 1.04, blocks_needed=(12, 30))
    commands, many = situations.two_commands(), situations.two_hundred_treatments()
    signed = situations.signatures_in_php()
    braces = Case(simple({"size": ("{treatment}", "b")}, "RS256", "{0}"), {})
    braces.truth = {treatment.id: 0.001 for treatment in braces.plan().treatments}
    undecided = replace(open_, comparison=commands.findings[0].comparison)
    runs = {
        "undecided": replace(commands, findings=(undecided,)),
        "many": replace(many, findings=standing_as(many, Standing.PRIMARY)),
        "secondary alone": replace(signed, findings=standing_as(signed, Standing.SECONDARY, alpha=0.0125)),
        "levels in braces": braces.build(),
    }
    return {name: summaries.summary(run) for name, run in runs.items()}


def standing_as(analysed: Analysed, standing: Standing, **changes: float) -> tuple[Finding, ...]:
    return tuple(
        replace(finding, comparison=replace(finding.comparison, standing=standing, **changes))  # type: ignore[arg-type]
        for finding in analysed.findings
        if finding.comparison.standing not in CONTROLS
    )


def known_plans() -> dict[str, list[str]]:
    signed, commands = situations.signatures_in_php().measured.plan, situations.two_commands().measured.plan
    on_cpu = Condition(True, 0.05, "cpu", "cpu:slower>5%")
    limited = Stopping(0.02, budget_s=9.0, until=Until.CONDITIONS, conditions=(on_cpu,))
    short = replace(commands, warms_up=False, stopping=Stopping(0.02, budget_s=9.0))
    return {
        "until the end": plans.plan(signed),
        "before the pilot": [plans.expected_duration(replace(signed, stopping=Stopping(0.02, budget_s=60.0)))],
        "with a limit on another metric": plans.plan(replace(commands, stopping=limited)),
        "a fixed number of blocks": plans.plan(replace(signed, stopping=Stopping(0.02, fixed_blocks=9))),
        "with what is skipped": plans.plan(situations.treatments_skipped().measured.plan),
        "after the pilot": plans.calibrated(signed, calibrated(signed), 2.97),
        "after the pilot of commands": plans.calibrated(short, calibrated(short), 1.0),
        "after a pilot that tried nothing": plans.calibrated(signed, Calibrated({}, {}), 0.0),
    }


@pytest.mark.parametrize(("name", "made"), [("summaries", known_summaries), ("plans", known_plans)])
def test_summaries_and_plans_are_as_agreed(name: str, made: Callable[[], dict[str, list[str]]], golden) -> None:
    text = "\n".join("\n".join([f"{case}:", *(f"  {line}" for line in lines), ""]) for case, lines in made().items())

    golden(f"words/{name}.txt", text)


def test_a_pilot_without_rounds_measured_nothing() -> None:
    plan = situations.signatures_in_php().measured.plan

    assert plans.calibrated(plan, replace(calibrated(plan), rounds={})) == plans.calibrated(plan, Calibrated({}, {}))


def test_hostile_words_of_a_plan_are_escaped() -> None:
    plan = replace(
        situations.signatures_in_php().measured.plan,
        question="\x1b[2J",
        skipped=(SkippedTreatment("\x07", {}, "\x1b", "\x1b"),),
    )

    assert all(line.isprintable() for line in plans.plan(plan))


def test_missed_cost_gives_the_same_limit_in_every_form() -> None:
    analysed = situations.ALL["positive-control-missed"]()
    (brief,) = distrust.self_check(analysed.measured.plan, analysed.controls)
    (family,) = analysed.controls

    least = re.findall(r"[\d.]+ %", brief)[-1]
    assert distrust.control_line(analysed.measured.plan, family).endswith(f" {least}")
