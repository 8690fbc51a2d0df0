"""A run beside a published study or another run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published, ratio
from sectax.design.planning import Design
from sectax.model.analysed import Analysed
from sectax.model.compared import ComparedTable, Figure, RunComparison, Shape
from sectax.model.errors import WrongUse
from sectax.model.finding import VerdictId
from sectax.model.metric import Better, Metric, Summary
from sectax.model.published import PublishedStudy
from sectax.model.treatment import CONTROLS, Factor, SkippedTreatment
from tests.analysis import runs
from tests.reports import situations
from tests.reports.situations.signatures import simple
from tests.reports.situations.simulated import Case

STUDY = published.load("jwt-php")


def value(figure: Figure) -> float:
    assert figure.value is not None
    return figure.value


def ours(place: str, algorithm: str) -> float:
    """The figure of a treatment of the published preset."""
    results = {treatment.treatment: treatment for treatment in situations.published_preset().treatments}
    return results[f"php/{place}/primitive/{algorithm}"].estimates["throughput"].point


def shape(shapes: tuple[Shape, ...], name: str) -> Shape:
    return next(shape for shape in shapes if shape.name == name)


def test_both_tables_stand_in_the_studys_own_layout() -> None:
    (table,) = compare_with_published(situations.published_preset(), STUDY).tables

    assert table.printed.row_labels == ("RSA 2048bit", "EdDSA", "ECDSA 384bit (prime256v1)")
    assert table.printed.column_labels == ("sign", "verify")
    assert [side.name for side in table.here] == ["here, parsed-once", "here, parsed-per-call"]
    assert value(table.there.figures[1][0]) == 54611.9
    assert value(table.here[0].figures[1][0]) == ours("sign/parsed-once", "EdDSA")
    assert value(table.here[1].figures[0][0]) == ours("sign/parsed-per-call", "RS256")
    # Of the mislabelled curve what it really is.
    assert value(table.here[0].figures[2][1]) == ours("verify/parsed-once", "ES256")
    # Shapes are ratios of one table only.
    down = shape(table.down, "EdDSA : RSA 2048bit, sign")
    across = shape(table.across, "sign : verify, EdDSA")

    assert value(down.there) == pytest.approx(54611.9 / 1153.4)
    eddsa, rsa = (ours("sign/parsed-per-call", text) for text in ("EdDSA", "RS256"))
    assert value(down.here[1]) == pytest.approx(eddsa / rsa)
    assert value(across.there) == pytest.approx(54611.9 / 20373.0)
    assert len(table.down) == 4
    assert len(table.across) == 3


def test_ratio_that_the_run_compared_has_the_interval_of_its_finding() -> None:
    analysed = situations.published_preset()
    (table,) = compare_with_published(analysed, STUDY).tables

    wanted = ("php/sign/parsed-once/primitive/EdDSA", "throughput")
    findings = {(one.comparison.treatment, one.comparison.metric): one for one in analysed.findings}
    finding = findings[wanted]
    down = shape(table.down, "EdDSA : RSA 2048bit, sign").here[0]

    assert (down.low, down.high) == pytest.approx((math.exp(-finding.effect.high), math.exp(-finding.effect.low)))
    across = shape(table.across, "sign : verify, EdDSA").here[0]
    sign, verify = table.here[0].figures[1]
    ends = [end or math.nan for end in (sign.low, sign.high, verify.low, verify.high)]
    assert (across.low, across.high) == pytest.approx((ends[0] / ends[3], ends[1] / ends[2]))


@pytest.mark.parametrize(
    ("verdict", "undecided", "missing"),
    [(VerdictId.INCONCLUSIVE, True, ""), (VerdictId.WITHDRAWN, False, "withdrawn in this run")],
)
def test_ratio_that_the_run_does_not_answer_is_no_finding(verdict: VerdictId, undecided: bool, missing: str) -> None:
    analysed = situations.published_preset()
    findings = tuple(replace(finding, verdict=verdict) for finding in analysed.findings)
    (table,) = compare_with_published(replace(analysed, findings=findings), STUDY).tables

    for down in table.down:
        assert [figure.undecided for figure in down.here] == [undecided] * 2
        assert [figure.missing for figure in down.here] == [missing] * 2


def test_cell_that_was_not_measured_is_missing_with_the_reason(agreed) -> None:
    (table,) = compare_with_published(situations.treatment_failed_in_the_pilot(), STUDY).tables

    assert table.here[0].figures[1][1] == Figure(None, "the tampered token was accepted")
    agreed(table.here[1].figures[0][0])
    assert shape(table.down, "EdDSA : RSA 2048bit, verify").here[0].missing == "the tampered token was accepted"


def test_skipped_cell_says_why_it_was_skipped() -> None:
    analysed = situations.signatures_in_php()
    levels = {"language": "php", "operation": "sign", "key_use": "parsed-per-call"}
    levels |= {"layer": "primitive", "algorithm": "EdDSA"}
    analysed = with_plan(analysed, skipped=(SkippedTreatment("x", levels, "no sodium"),))

    (table,) = compare_with_published(analysed, STUDY).tables

    assert table.here[1].figures[1][0] == Figure(None, "skipped: no sodium")


def beside_table(**changed: object) -> ComparedTable:
    """The published preset beside the study's table, changed."""
    table = replace(STUDY.tables[0], **changed)  # type: ignore[arg-type]
    return compare_with_published(situations.published_preset(), replace(STUDY, tables=(table,))).tables[0]


def test_missing_figure_of_the_study_is_missing_and_not_zero(agreed) -> None:
    compared = beside_table(values=((None, 37790.9), *STUDY.tables[0].values[1:]))

    agreed(compared.there.figures[0][0])


def test_figure_is_scaled_to_the_unit_that_the_study_printed() -> None:
    figure = beside_table(unit="1000 operations/s", per_unit=1000.0).here[0].figures[1][0]

    assert value(figure) == pytest.approx(ours("sign/parsed-once", "EdDSA") / 1000)
    assert figure.low < value(figure)


def test_figure_in_another_kind_of_unit_is_not_compared() -> None:
    figure = beside_table(unit="ms", base_unit="s", per_unit=0.001).here[0].figures[0][0]

    assert figure.value is None
    assert "operations/s" in figure.missing


def test_remark_silence_and_choices_come_along() -> None:
    comparison = compare_with_published(situations.signatures_in_php(), STUDY)

    assert [remark.id for remark in comparison.study.remarks] == ["mislabelled-level"]
    assert "hash" in comparison.study.unknowns
    assert comparison.choices == STUDY.choices
    assert compare_with_published(situations.published_preset(), STUDY).choices != STUDY.choices


def test_run_of_another_experiment_is_refused() -> None:
    with pytest.raises(WrongUse) as refused:
        compare_with_published(situations.two_commands(), STUDY)

    assert "sectax run jwt --published" in refused.value.hint


def test_study_without_a_counterpart_is_refused() -> None:
    silent: PublishedStudy = replace(STUDY, counterpart=None)

    for analysed in (situations.signatures_in_php(), situations.two_commands()):
        with pytest.raises(WrongUse) as refused:
            compare_with_published(analysed, silent)
        # There is no command that would help.
        assert refused.value.hint == ""


def test_table_that_the_study_computed_is_left_out() -> None:
    (table,) = STUDY.tables
    twice = replace(STUDY, tables=(table, replace(table, id="again", derived=True)))

    comparison = compare_with_published(situations.signatures_in_php(), twice)

    (left_out,) = comparison.left_out
    assert left_out.startswith("again: ")


def secrets_run(*, designed: bool) -> Analysed:
    """A run of the study's cells: misses of 60 ms at 128 MB and 10 ms at 1769, single ones of twice that."""
    metric = Metric("access", "s", Better.LOWER, Summary.MEAN, "access")
    single = Metric("first_access", "s", Better.LOWER, Summary.MEAN, "first.access", compared=False)
    levels = {"situation": ("miss",), "size": ("32B",), "memory": ("128", "1769"), "pace": ("back-to-back",)}
    access = Factor("access", ("dictionary", "sidecar", "direct-new"))
    design = Design(
        transfers="",
        control="access",
        baseline="dictionary",
        factors=(*(Factor(name, item) for name, item in levels.items()), access),
        metrics=(metric, single) if designed else (metric,),
        batch_s=0.02,
    )
    case = Case(design, {}, experiment="secrets", blocks=6)
    for treatment in case.plan().treatments:
        case.truth[treatment.id] = {"128": 0.060, "1769": 0.010}[treatment.levels["memory"]]
        case.truth[f"{treatment.id}:first.access"] = 2 * case.truth[treatment.id]
    return case.build()


def test_column_that_the_study_computed_is_computed_of_our_figures_too(agreed) -> None:
    run = secrets_run(designed=True)
    comparison = compare_with_published(run, published.load("secrets-extension-2022"))
    table = next(table for table in comparison.tables if table.printed.id == "miss-improvement")

    assert comparison.left_out == ()
    assert [value(row[0]) for row in table.there.figures] == [579.0, 274.6]
    here, designed = table.here
    (figure, _) = (row[0] for row in here.figures)
    own = {treatment.treatment: treatment.estimates["access"] for treatment in run.treatments}
    slow, fast = (own[f"miss/32B/{memory}/back-to-back/sidecar"] for memory in ("128", "1769"))
    assert value(figure) == pytest.approx(1e3 * (slow.point - fast.point)) == pytest.approx(50.0, rel=0.02)
    # The widest that both intervals allow.
    assert figure.low == pytest.approx(1e3 * (slow.low - fast.high))
    assert figure.low < value(figure)
    agreed(designed.name)
    assert value(designed.figures[0][0]) == pytest.approx(100.0, rel=0.02)


def test_design_of_the_study_is_set_beside_where_the_run_has_it() -> None:
    def misses(*, designed: bool) -> dict[str, float]:
        comparison = compare_with_published(secrets_run(designed=designed), published.load("secrets-extension-2022"))
        table = next(table for table in comparison.tables if table.printed.id == "miss")
        return {side.name: value(side.figures[0][1]) for side in table.here}

    assert misses(designed=False).keys() == {"here"}
    both = pytest.approx({"here": 10.0, "here, designed as the study": 20.0}, rel=0.02)
    assert misses(designed=True) == both


def moved(analysed: Analysed, **identity: str) -> Analysed:
    session = analysed.measured.sessions[0]
    changed = {name.replace("__", "."): item for name, item in identity.items()}
    session = replace(session, identity=session.identity | changed)
    return replace(analysed, measured=replace(analysed.measured, sessions=(session,)))


def with_plan(analysed: Analysed, **changed: Any) -> Analysed:
    return replace(analysed, measured=runs.with_plan(analysed.measured, **changed))


def with_witnesses(analysed: Analysed, name: str, witnesses: dict[str, Any]) -> Analysed:
    """The same, where this treatment has other witnesses."""
    treatments = (replace(one, witnesses=witnesses) if one.treatment == name else one for one in analysed.treatments)
    return replace(analysed, treatments=tuple(treatments))


def ratios(comparison: RunComparison) -> dict[str, float | None]:
    return {pair.treatment: pair.ratio.value for pair in comparison.absolute}


def test_effects_of_two_runs_stand_side_by_side_each_against_its_own_baseline() -> None:
    a, b = situations.signatures_in_php(), situations.verdict_withdrawn()

    comparison = compare_runs(a, b)

    asked = [finding.comparison for finding in a.findings if finding.comparison.standing not in CONTROLS]
    assert [effect.comparison for effect in comparison.effects] == [item.id for item in asked]
    assert comparison.effects[0].b.verdict.value == "withdrawn"
    assert (comparison.only_a, comparison.only_b) == ((), ())


def with_metric(analysed: Analysed, **changed: object) -> Analysed:
    metrics = tuple(replace(metric, **changed) for metric in analysed.measured.plan.metrics)  # type: ignore[arg-type]
    return with_plan(analysed, metrics=metrics)


@pytest.mark.parametrize("changed", [{"summary": Summary.MEDIAN}, {"observed": "something else"}])
def test_different_statistics_of_one_name_are_refused_a_ratio(changed: dict[str, object]) -> None:
    a = situations.signatures_in_php()

    comparison = compare_runs(a, with_metric(a, **changed))

    assert set(ratios(comparison).values()) == {None}
    assert all(pair.refused for pair in comparison.absolute)


def test_two_highest_values_are_no_ratio() -> None:
    a = with_metric(situations.signatures_in_php(), summary=Summary.WORST)

    assert set(ratios(compare_runs(a, a)).values()) == {None}


@pytest.mark.parametrize("name", ["host__cpu_model", "host__kernel", "host__cpu_quota"])
def test_other_host_refuses_every_ratio_and_leaves_the_effects(name: str) -> None:
    a = situations.signatures_in_php()

    comparison = compare_runs(a, moved(a, **{name: "something else"}))

    assert set(ratios(comparison).values()) == {None}
    assert {pair.refused for pair in comparison.absolute} == {f"{name.replace('__', '.')} differs"}
    assert len(comparison.effects) == 4


def run_in(*languages: str) -> Analysed:
    case = Case(simple({"language": languages, "operation": ("sign",)}, "RS256", "ES256"), {})
    case.truth = {treatment.id: 0.001 for treatment in case.plan().treatments}
    return case.build()


def test_other_runtime_refuses_what_runs_in_it_alone() -> None:
    a = run_in("php", "python")

    comparison = compare_runs(a, moved(a, probe__php="PHP 8.4"))

    assert ratios(comparison)["php/sign/RS256"] is None
    assert ratios(comparison)["python/sign/RS256"] == 1.0


def test_runtime_that_one_of_the_runs_did_not_use_is_no_difference() -> None:
    both = moved(run_in("php", "python"), php__runtime="PHP 8.2", python__runtime="3.11")

    comparison = compare_runs(both, moved(run_in("php"), php__runtime="PHP 8.2"))

    assert comparison.differences == ()
    assert set(ratios(comparison).values()) == {1.0}


def test_other_version_of_sectax_is_listed_and_refuses_nothing() -> None:
    a = situations.signatures_in_php()

    comparison = compare_runs(a, moved(a, sectax="0.2.0", sectax__numpy="3.0"))

    assert [difference.name for difference in comparison.differences] == ["sectax", "sectax.numpy"]
    assert set(ratios(comparison).values()) == {1.0}


def test_other_key_refuses_the_treatment_that_had_it() -> None:
    a = situations.signatures_in_php()
    name = a.findings[0].comparison.treatment

    comparison = compare_runs(*(with_witnesses(a, name, {"key_bits": bits}) for bits in (256, 384)))

    refused = [pair for pair in comparison.absolute if pair.refused]
    assert [(pair.treatment, pair.refused) for pair in refused] == [(name, "key_bits differs")]


def test_witness_called_after_a_metric_refuses_that_metric_alone() -> None:
    def with_floor(floor: int) -> Analysed:
        analysed = situations.two_commands()
        witnesses = {"peak_memory_floor_bytes": floor}
        return replace(analysed, treatments=tuple(replace(one, witnesses=witnesses) for one in analysed.treatments))

    comparison = compare_runs(with_floor(1024), with_floor(2048))

    refused = {pair.metric.name for pair in comparison.absolute if "peak_memory_floor_bytes" in pair.refused}
    assert refused == {"peak_memory"}
    assert {pair.metric.name for pair in comparison.absolute} > refused


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        (((0.0012,), (0.0013,)), False),  # measured anew in every session
        (((4096, 8192), (4096, 12288)), False),  # not the same in all blocks of one run
        (((256,), (384,)), True),  # a fact about the work
        ((("a",), ("b",)), True),
    ],
)
def test_what_a_session_measures_anew_is_no_difference_of_the_plan(values, differs: bool) -> None:  # type: ignore[no-untyped-def]
    a = situations.signatures_in_php()
    name = a.findings[0].comparison.treatment

    def with_witness(seen: tuple[int | float | str, ...]) -> Analysed:
        shown = seen[0] if len(seen) == 1 else " | ".join(map(str, seen))
        measured = replace(a.measured, witnesses={name: {"launch_cost_s": seen}})
        return replace(with_witnesses(a, name, {"launch_cost_s": shown}), measured=measured)

    comparison = compare_runs(*map(with_witness, values))

    assert [difference.name for difference in comparison.differences] == (["launch_cost_s"] if differs else [])
    assert (ratios(comparison)[name] is None) is differs


def test_run_without_a_recorded_environment_refuses_every_ratio() -> None:
    a = situations.signatures_in_php()
    nowhere = replace(a, measured=replace(a.measured, sessions=()))

    comparison = compare_runs(a, nowhere)

    assert set(ratios(comparison).values()) == {None}


def with_options(**options: tuple[str, ...]) -> Analysed:
    return with_plan(situations.two_commands(), options=options)


def options_that_differ(a: Analysed, b: Analysed) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    differences = compare_runs(a, b).differences
    assert all(difference.refuses for difference in differences)
    return {(difference.subject, difference.name): (difference.a, difference.b) for difference in differences}


@pytest.mark.parametrize(
    ("a", "b", "differ", "refused"),
    [
        (
            {"treatment": ("with-tls=1",)},
            {"treatment": ("with-tls=2",)},
            ("with-tls", "treatment", *"12"),
            {"with-tls"},
        ),
        ({"baseline": ("1",)}, {"baseline": ("2",)}, ("baseline", "baseline", "1", "2"), {"baseline"}),
        ({"setup": ("1", "2")}, {}, ("run", "setup", "1; 2", None), {"with-tls", "baseline"}),
        ({"treatment": ("with-tls=x", "baseline=y")}, {"treatment": ("baseline=y", "with-tls=x")}, None, set()),
    ],
)
def test_other_option_refuses_what_it_is_of(a, b, differ, refused) -> None:  # type: ignore[no-untyped-def]
    both = [with_options(**({"baseline": ("old",), "treatment": ("with-tls=new",)} | options)) for options in (a, b)]

    expected = {(differ[0], f"option {differ[1]}"): differ[2:]} if differ else {}
    assert options_that_differ(*both) == expected
    assert {name[4:] for name, ratio in ratios(compare_runs(*both)).items() if ratio is None} == refused


def test_other_preset_batch_length_and_margin_are_listed_and_refuse_nothing() -> None:
    a = situations.signatures_in_php()
    stopping = replace(a.measured.plan.stopping, margin=0.05)

    comparison = compare_runs(a, with_plan(a, preset="quick", batch_s=0.005, stopping=stopping))

    assert {(shown.name, shown.a, shown.b, shown.refuses) for shown in comparison.differences} == {
        ("margin", "0.02", "0.05", False),
        ("preset", "default", "quick", False),
        ("batch length", "0.02 s", "0.005 s", False),
    }
    assert set(ratios(comparison).values()) == {1.0}


def test_comparison_that_one_run_lacks_is_named() -> None:
    comparison = compare_runs(situations.published_preset(), situations.signatures_in_php())

    assert len(comparison.effects) == 4
    assert len(comparison.only_a) == 12
    assert comparison.only_b == ()


def test_runs_of_different_experiments_have_nothing_in_common() -> None:
    with pytest.raises(WrongUse):
        compare_runs(situations.signatures_in_php(), situations.two_commands())


def test_zero_below_the_line_gives_no_ratio() -> None:
    assert ratio(Figure(1.0), Figure(0.0)).value is None
    assert math.isclose(value(ratio(Figure(1.0), Figure(4.0))), 0.25)
