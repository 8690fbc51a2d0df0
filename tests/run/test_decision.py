"""What to do after a run: the cheapest level, from when on another, what a month costs, and what surprises."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.advice.decide import decide
from sectax.analysis.analyse import analyse
from sectax.experiments import registry
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.finding import AuditWarning, Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.prices import load
from sectax.reports import result_tables
from sectax.reports.words import decisions, summaries
from sectax.run.advice import experiment_rules
from tests.fakes.measured import measured as measured_run
from tests.golden import as_agreed
from tests.machines import plan_of, planned, request_for

GOLDEN = Path(__file__).with_name("golden")
BLOCKS = tuple(range(1, 13))
# Seconds by operation and algorithm.
SECONDS = {
    "sign": {"RS256": 300e-6, "HS256": 2e-6, "ES256": 30e-6, "EdDSA": 20e-6},
    "verify": {"RS256": 20e-6, "HS256": 2e-6, "ES256": 80e-6, "EdDSA": 60e-6},
}


def judged(
    algorithms: tuple[str, ...] = tuple(SECONDS["sign"]), operations: tuple[str, ...] = ("sign", "verify")
) -> Analysed:
    """A run in which every block is right to a thousandth."""
    jwt = registry.load("jwt")
    levels = {"language": ("python",), "key_use": ("parsed-once",), "layer": ("primitive",), "algorithm": algorithms}
    plan = planned(jwt, request_for("default", levels | {"operation": operations}))
    return analyse(measured(plan, lambda of: SECONDS[of["operation"]][of["algorithm"]], "cpu_time"))


def measured(plan: Plan, seconds, metric: str) -> Measured:
    places = {treatment.id: place for place, treatment in enumerate(plan.treatments)}
    values = {metric: lambda of, block: seconds(of.levels) * (1 + 1e-3 * math.sin(block * (places[of.id] + 1.7)))}
    return measured_run(plan, values, BLOCKS)


def undecided(analysed: Analysed, level: str) -> Analysed:
    """The same, where what has this level is not decided."""
    findings = (
        replace(finding, verdict=VerdictId.INCONCLUSIVE) if level in finding.comparison.treatment else finding
        for finding in analysed.findings
    )
    return replace(analysed, findings=tuple(findings))


def decision_of(analysed: Analysed, **asked):
    return decide(analysed, experiment_rules(analysed), load(), **asked)


def test_the_cheapest_for_all_comes_first_and_then_the_cheapest_without_its_caveat() -> None:
    first, otherwise = decision_of(judged()).cheapest

    assert (first.level, first.turns) == ("HS256", ())
    assert otherwise.level == "EdDSA"
    (turn,) = otherwise.turns
    # 280 µs are lost once, and 40 µs saved with every verification.
    assert turn.then == "RS256"
    assert turn.at.point == pytest.approx(7.0, rel=0.01)
    assert turn.at.low < 7 < turn.at.high


def test_a_level_that_is_never_the_cheapest_is_in_no_turn() -> None:
    decision = decision_of(judged(("RS256", "ES256", "EdDSA")))

    assert [(item.level, [turn.then for turn in item.turns]) for item in decision.cheapest] == [("EdDSA", ["RS256"])]


def test_a_month_is_that_of_the_mix_at_the_rate() -> None:
    decision = decision_of(judged(), mix={"sign": 1, "verify": 3}, rate_s=100.0)

    totals = {outlay.level: outlay.bill.total for outlay in decision.outlays}
    hours = 1e6 * (300e-6 + 3 * 20e-6) / 4 / 3600
    assert totals["RS256"] == pytest.approx(hours * load().items["vcpu.hours"].price, rel=0.01)
    assert {outlay.months for outlay in decision.outlays} == {100 * 3600 * 730 / 1e6}


@pytest.mark.parametrize("mix", [(1, 20), (1, 6), (0, 1)], ids=str)
def test_one_sentence_names_the_answer_at_the_mix_that_was_asked_for(mix: tuple[int, int]) -> None:
    analysed = judged()
    decision = decision_of(analysed, mix=dict(zip(("sign", "verify"), mix, strict=True)))

    first, second = decision.at_mix
    cheapest = min(
        ("RS256", "ES256", "EdDSA"),
        key=lambda name: sum(part * SECONDS[of][name] for part, of in zip(mix, SECONDS, strict=True)),
    )
    assert (first.level, second.level) == ("HS256", cheapest)
    sentences = decisions.answers(analysed.measured.plan, decision)
    as_agreed(GOLDEN / f"mix-{mix[0]}-{mix[1]}.txt", "\n".join(sentences) + "\n")


def test_what_is_not_decided_is_not_advised_on() -> None:
    analysed = judged()
    decision = decision_of(undecided(analysed, "HS256"))

    assert "HS256" not in {item.level for item in (*decision.cheapest, *decision.outlays)}
    assert any("2 of 6" in line or "4 of 6" in line for line in decisions.decision(analysed, decision))


def test_where_one_place_is_not_decided_the_answer_names_those_that_are() -> None:
    levels = {"language": ("php", "python"), "key_use": ("parsed-once",), "layer": ("primitive",)}
    levels |= {"algorithm": ("RS256", "ES256"), "operation": ("verify",)}
    plan = plan_of("jwt", "default", levels)
    analysed = analyse(measured(plan, lambda of: SECONDS["verify"][of["algorithm"]], "cpu_time"))
    (everywhere,) = decisions.answers(plan, decision_of(analysed))
    (one,) = decisions.answers(plan, decision_of(undecided(analysed, "php")))

    assert "ython" not in everywhere
    assert one.lower().startswith("python: ")


def _faster(**others: dict[str, dict[str, dict[int, float]]]) -> tuple[Analysed, AdviceRules]:
    """ES256 as a control that adds work to RS256, and signs ten times faster all the same."""
    analysed = judged(("RS256", "ES256"))
    extended = replace(analysed, measured=replace(analysed.measured, values=analysed.measured.values | others))
    return extended, AdviceRules("cpu_time", Choice(adds=True, picks=False, explained=(("waiting", "the wait"),)))


def _waiting(seconds: dict[str, float]) -> dict[str, dict[int, float]]:
    prefix = "python/sign/parsed-once/primitive"
    return {f"{prefix}/{name}": {block: value + 1e-9 * block for block in BLOCKS} for name, value in seconds.items()}


@pytest.mark.parametrize(
    ("waits", "explained"),
    [
        ({"RS256": 280e-6, "ES256": 10e-6}, True),
        ({"RS256": 30e-6, "ES256": 10e-6}, False),
        ({"RS256": 280e-6}, True),
        ({"ES256": 10e-6}, False),
        ({}, False),
    ],
)
def test_a_surprise_is_explained_by_what_fell_by_enough_or_by_nothing(waits: dict[str, float], explained: bool) -> None:
    analysed, rules = _faster(waiting=_waiting(waits))

    decision = decide(analysed, rules, load())

    (surprise,) = decision.surprises
    assert surprise.finding.effect.log_ratio == pytest.approx(math.log(0.1), abs=0.01)
    assert bool(surprise.cause) is explained


def test_work_that_a_witness_shows_to_be_left_out_explains_a_surprise() -> None:
    analysed, rules = _faster()
    warning = AuditWarning("less-work", Severity.WARNING, "x", "computes no MD5", "")
    findings = tuple(replace(finding, warnings=(*finding.warnings, warning)) for finding in analysed.findings)

    decision = decide(replace(analysed, findings=findings), rules, load())

    (surprise,) = decision.surprises
    assert "computes no MD5" in surprise.cause


def test_an_undecided_run_says_so_first_and_gives_no_answer(agreed) -> None:
    analysed, rules = _faster()
    wide = tuple(
        replace(
            finding,
            verdict=VerdictId.INCONCLUSIVE,
            effect=finding.effect and replace(finding.effect, log_ratio=0.0, low=-0.5, high=0.5),
        )
        for finding in analysed.findings
    )

    unknown = replace(analysed, findings=wide)
    decision = decide(unknown, replace(rules, choice=replace(rules.choice, picks=False)), load())

    agreed(decisions.decision(unknown, decision)[0])
    assert decisions.answers(analysed.measured.plan, decision) == []


@pytest.mark.parametrize(("sha256_s", "least"), [(19e-6, ["hmac-sha256"]), (33e-6, [])])
def test_the_part_that_surely_takes_the_least_is_named(sha256_s: float, least: list[str]) -> None:
    seconds = {"none": 0.0, "hmac-sha512": 33e-6, "hmac-sha256": sha256_s}
    levels = {"authentication": tuple(seconds), "payload": ("10KiB",)}
    plan = plan_of("hmac", "quick", levels)
    checked = measured(plan, lambda of: seconds[of["authentication"]], "check_cpu")

    said = summaries.part_sentences(analyse(checked))

    assert len(said) == 2
    assert [line.partition(":")[0] for line in said if "less than" in line] == least


def test_of_two_levels_the_two_cheapest_are_not_named_so() -> None:
    levels = {"language": ("php", "python", "go"), "key_use": ("parsed-once",), "layer": ("primitive",)}
    plan = plan_of("jwt", "default", levels | {"algorithm": ("RS256", "EdDSA"), "operation": ("verify",)})
    factors = {"php": 1.0, "python": 2.0, "go": 3.0}
    analysed = analyse(
        measured(plan, lambda of: factors[of["language"]] * SECONDS["verify"][of["algorithm"]], "cpu_time")
    )
    (month,) = (line for line in decisions.decision(analysed, decision_of(analysed)) if line.startswith("A month"))

    assert "cheapest first" in month


def test_thousands_of_times_have_their_amount_beside_them() -> None:
    plan = plan_of("jwt", "default", {"language": ("php",), "layer": ("primitive",), "algorithm": ("HS256", "RS256")})
    analysed = analyse(measured(plan, lambda of: {"RS256": 2e-6, "HS256": 0.05}[of["algorithm"]], "cpu_time"))
    shown = result_tables.answers(analysed, result_tables.visible(analysed, show_all=False))

    assert [row.cells[-1] for row in shown.rows if "times slower" in row.cells[-1] and " ms (" in row.cells[-1]]
