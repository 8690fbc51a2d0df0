"""From factors to treatments and comparisons."""

from __future__ import annotations

import pytest

from sectax.design.matrix import MOST_PRIMARY, Rules, build
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Stopping
from sectax.model.treatment import Factor, Role, Standing
from sectax.model.why_not import WhyNot

TIME = Metric("time", "s", Better.LOWER, Summary.MEAN, "time")
MEMORY = Metric("memory", "B", Better.LOWER, Summary.MAXIMUM, "memory")
FACTORS = (
    Factor("language", ("php", "python")),
    Factor("operation", ("sign", "verify")),
    Factor("algorithm", ("RS256", "ES256", "EdDSA")),
)
NO_PHP = WhyNot("php is not installed", "apt-get install php-cli")
BY_LANGUAGE = Rules(family=lambda levels: levels["language"])


def matrix(rules=BY_LANGUAGE, metrics=(TIME,), factors=FACTORS, **more):
    return build(factors, "algorithm", "RS256", metrics, Stopping(margin=0.02), rules, **more)


def test_every_treatment_meets_the_baseline_of_its_own_cell():
    planned = matrix()

    by_id = {treatment.id: treatment for treatment in planned.treatments}
    for comparison in planned.comparisons:
        treatment, baseline = by_id[comparison.treatment], by_id[comparison.baseline]
        assert baseline.role is Role.BASELINE
        assert treatment.cell == baseline.cell == comparison.cell
        differing = {name for name in treatment.levels if treatment.levels[name] != baseline.levels[name]}
        assert differing <= {"algorithm"}
    assert len(planned.cells) == 4
    assert sum(c.standing is Standing.PRIMARY for c in planned.comparisons) == 8


def test_cells_that_one_block_alone_measures_are_those_that_the_rules_name():
    planned = matrix(Rules(family=BY_LANGUAGE.family, once=lambda levels: levels["operation"] == "sign"))

    assert {cell.once for cell in planned.cells if cell.levels["operation"] == "sign"} == {True}
    assert {cell.once for cell in planned.cells if cell.levels["operation"] == "verify"} == {False}


def test_each_family_has_one_negative_and_one_positive_control():
    planned = matrix()

    for language in ("php", "python"):
        controls = [t for t in planned.treatments if "#" in t.id and t.levels["language"] == language]
        assert sorted(t.role for t in controls) == [Role.NEGATIVE, Role.POSITIVE]
        assert {t.levels["algorithm"] for t in controls} == {"RS256"}
        assert [t.extra for t in controls if t.role is Role.POSITIVE] == [0.04]


def test_primary_comparisons_share_one_error_level_and_secondary_ones_do_not():
    planned = matrix(metrics=(TIME, MEMORY))

    alphas = {c.standing: c.alpha for c in planned.comparisons}
    assert alphas[Standing.PRIMARY] == pytest.approx(0.05 / 8)
    assert alphas[Standing.SECONDARY] == 0.05
    assert alphas[Standing.NEGATIVE] == pytest.approx(0.05 / 2)
    assert {c.metric for c in planned.comparisons if c.standing is Standing.PRIMARY} == {"time"}


def test_no_more_than_a_dozen_comparisons_are_primary():
    many = Factor("operation", tuple(f"operation{number}" for number in range(10)))

    planned = matrix(factors=(FACTORS[0], many, FACTORS[2]))

    primary = [c for c in planned.comparisons if c.standing is Standing.PRIMARY]
    assert len(primary) == MOST_PRIMARY
    assert len({c.cell for c in primary}) == MOST_PRIMARY // 2


def without_php(levels):
    yield None
    yield NO_PHP if levels["language"] == "php" else None
    yield WhyNot("a later reason") if levels["language"] == "php" else None


def test_what_is_unavailable_is_skipped_with_its_first_reason_and_its_hint():
    planned = matrix(Rules(family=lambda levels: levels["language"], lacks=without_php))

    assert {t.levels["language"] for t in planned.treatments} == {"python"}
    assert {s.why_not for s in planned.skipped} == {NO_PHP}
    assert len(planned.skipped) == 6


def test_a_cell_without_its_baseline_is_skipped_whole():
    def no_rsa(levels):
        return [WhyNot("no RSA here")] if levels["algorithm"] == "RS256" else []

    made = matrix(Rules(family=lambda levels: levels["language"], lacks=no_rsa))

    assert made.treatments == ()
    assert made.comparisons == ()
    assert any("baseline" in skip.reason for skip in made.skipped)


def test_what_is_reported_by_itself_is_in_no_comparison():
    told = Metric("told", "s", Better.LOWER, Summary.MEAN, "told", compared=False)

    assert {comparison.metric for comparison in matrix(metrics=(TIME, told, MEMORY)).comparisons} == {"time", "memory"}


@pytest.mark.parametrize(
    "metrics",
    [
        (Metric("told", "s", Better.LOWER, Summary.MEAN, "told", compared=False), TIME),
        (TIME, Metric("p99", "s", Better.LOWER, Summary.P99, "time")),
    ],
)
def test_a_primary_metric_that_is_not_compared_and_a_tail_that_is_are_refused(metrics):
    with pytest.raises(ValueError, match="compared"):
        matrix(metrics=metrics)


def test_cells_may_have_baselines_of_their_own():
    made = build(
        FACTORS,
        "algorithm",
        lambda cell: "RS256" if cell["operation"] == "sign" else "EdDSA",
        (TIME,),
        Stopping(margin=0.02),
        BY_LANGUAGE,
    )

    assert {(cell.levels["operation"], cell.baseline.rpartition("/")[2]) for cell in made.cells} == {
        ("sign", "RS256"),
        ("verify", "EdDSA"),
    }


def test_levels_that_do_not_belong_together_are_neither_treatments_nor_skipped():
    planned = matrix(Rules(exists=lambda levels: (levels["operation"], levels["language"]) != ("sign", "php")))

    assert "php/sign" not in {cell.id for cell in planned.cells}
    assert not planned.skipped
    assert len(planned.cells) == 3
