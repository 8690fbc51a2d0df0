"""Compare a run with a published study or another run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from sectax.model.analysed import Analysed
from sectax.model.compared import (
    NOT_IN_RUN,
    AbsolutePair,
    ComparedTable,
    Difference,
    EffectPair,
    Figure,
    PublishedComparison,
    RunComparison,
    Shape,
    Side,
)
from sectax.model.errors import WrongUse
from sectax.model.finding import NO_CLAIM, Estimate, TreatmentResult, VerdictId
from sectax.model.metric import Better, Summary
from sectax.model.plan import Plan
from sectax.model.published import BASELINE, EVERY, OTHERS, Counterpart, PublishedStudy, PublishedTable
from sectax.model.treatment import MEASURED, Standing

# sectax and its libraries do not run the subjects: differences are listed but do not refuse ratios.
_OWN = "sectax"
# Options for how much is measured, not what.
_HOW_MUCH = {"runs"}
_ENDS = {Summary.WORST: "highest", Summary.LEAST: "lowest"}
_NO_FIGURE = "the study has no figure"
_COMPARED = {Standing.PRIMARY, Standing.SECONDARY}


def compare_with_published(analysed: Analysed, study: PublishedStudy) -> PublishedComparison:
    """Compare in the layout of the study's tables, with the ratios within each table.

    Raises:
        WrongUse: the run is of another experiment, or the study has no mapping of its labels to levels.
    """
    plan = analysed.measured.plan
    if study.counterpart is None:
        raise WrongUse(f"published:{study.id} has no mapping to sectax's levels")
    if plan.experiment != study.experiment:
        raise WrongUse(
            f"published:{study.id} is about {study.experiment}, this run is about {plan.experiment}",
            f"measure the study's levels with: sectax run {study.experiment} --published",
        )
    counterpart = resolve_counterpart(study.counterpart, plan)
    study = replace(study, counterpart=counterpart)
    tables, left_out = [], []
    for table in study.tables:
        if table.derived and table.id not in counterpart.differences:
            left_out.append(f"{table.id}: computed from another table of the study")
        elif table.id not in (*counterpart.metrics, *counterpart.differences):
            left_out.append(f"{table.id}: sectax has no counterpart of {table.metric}")
        else:
            tables.append(_compared_table(analysed, study, table))
    sessions = analysed.measured.sessions
    return PublishedComparison(
        study=study,
        plan=plan,
        run_id=analysed.measured.run_id,
        here=dict(sessions[-1].identity) if sessions else {},
        tables=tuple(tables),
        left_out=tuple(left_out),
        choices=plan.choices or study.choices,
        variants=counterpart.variants,
    )


def resolve_counterpart(counterpart: Counterpart, plan: Plan) -> Counterpart:
    """Replace the counterpart's placeholders by the levels of this plan.

    A label for several levels becomes several variants; a factor that the plan lacks has none.
    """
    levels = {factor.name: factor.levels for factor in plan.factors}
    variants = {
        name: levels[name] if EVERY in label else label
        for name, label in counterpart.variants.items()
        if name in levels or EVERY not in label
    }
    baselines = {plan.treatment(cell.baseline).levels[plan.control] for cell in plan.cells}
    labels: dict[str, dict[str, str]] = {}
    for factor, read in counterpart.labels.items():
        if OTHERS in read.values():
            variants[plan.control] = tuple(level for level in levels[plan.control] if level not in baselines)
        labels[factor] = {
            label: next(iter(baselines), level) if level == BASELINE else level for label, level in read.items()
        }
    return replace(counterpart, variants=variants, labels=labels)


def compare_runs(a: Analysed, b: Analysed) -> RunComparison:
    """Compare the effects of two runs, and absolute figures that both measured.

    Raises:
        WrongUse: the runs are of different experiments.
    """
    plan_a, plan_b = a.measured.plan, b.measured.plan
    if plan_a.experiment != plan_b.experiment:
        raise WrongUse(
            f"the first run is about {plan_a.experiment}, the second about {plan_b.experiment}",
            "compare runs of the same experiment",
        )
    differences = tuple(_differences(a, b))
    findings_a = {finding.comparison.id: finding for finding in a.findings if finding.comparison.standing in _COMPARED}
    findings_b = {finding.comparison.id: finding for finding in b.findings if finding.comparison.standing in _COMPARED}
    effects = tuple(
        EffectPair(name, plan_a.metric(finding.comparison.metric), finding, findings_b[name])
        for name, finding in findings_a.items()
        if name in findings_b
    )
    return RunComparison(
        a=a.measured.run_id,
        b=b.measured.run_id,
        started_a=a.measured.started,
        started_b=b.measured.started,
        experiment=plan_a.experiment,
        plans=(plan_a, plan_b),
        revisions=(a.measured.revision, b.measured.revision),
        differences=differences,
        effects=effects,
        absolute=tuple(_absolute_pairs(a, b, differences)),
        only_a=tuple(name for name in findings_a if name not in findings_b),
        only_b=tuple(name for name in findings_b if name not in findings_a),
    )


def _compared_table(analysed: Analysed, study: PublishedStudy, table: PublishedTable) -> ComparedTable:
    counterpart = study.counterpart
    assert counterpart is not None, "nothing is compared without one"
    printed = (tuple(Figure(value, _NO_FIGURE if value is None else "") for value in row) for row in table.values)
    there = Side("there", tuple(printed))
    names = tuple(counterpart.variants)
    metrics = {metric.name for metric in analysed.measured.plan.metrics}
    designs = {"": counterpart} | {
        design.name: replace(counterpart, metrics=design.metrics, columns=design.columns)
        for design in counterpart.designs
        if not metrics.isdisjoint((*design.metrics.values(), *design.columns.values()))
    }
    sides = tuple(
        Side(
            ", ".join(("here", *variant, *([design] if design else []))),
            _measured(analysed, replace(study, counterpart=read), table, dict(zip(names, variant, strict=True))),
        )
        for design, read in designs.items()
        for variant in itertools.product(*counterpart.variants.values())
    )
    base = _base_row(analysed, counterpart, table)
    used = {figure.metric for side in sides for row in side.figures for figure in row}
    ratios = _Ratios(analysed)
    down = tuple(
        _shape(table, row, base, column, there, sides, ratios)
        for column in range(len(table.column_labels))
        for row in range(len(table.row_labels))
        if row != base and not counterpart.unlike_rows
    )
    return ComparedTable(
        printed=table,
        row_base=table.row_labels[base],
        there=there,
        here=sides,
        down=down,
        across=tuple(_across(table, there, sides, ratios)),
        metrics=tuple(metric for metric in analysed.measured.plan.metrics if metric.name in used),
    )


class _Ratios:
    """Ratios of two figures of one run; from its findings if it compared the two."""

    def __init__(self, analysed: Analysed) -> None:
        self._metrics = {metric.name: metric for metric in analysed.measured.plan.metrics}
        self._findings = {
            (finding.comparison.treatment, finding.comparison.baseline, finding.comparison.metric): finding
            for finding in analysed.findings
            if finding.comparison.standing in _COMPARED
        }

    def __call__(self, over: Figure, under: Figure) -> Figure:
        quotient = ratio(over, under)
        if quotient.value is None or over.metric != under.metric:
            return quotient
        finding = self._findings.get((over.treatment, under.treatment, over.metric))
        turned = self._findings.get((under.treatment, over.treatment, over.metric))
        judged = finding or turned
        if judged is None or judged.effect is None:
            return quotient
        if judged.verdict in NO_CLAIM:
            return Figure(None, f"{judged.verdict.value.replace('-', ' ')} in this run", treatment=over.treatment)
        sign = (1 if finding else -1) * (1 if self._metrics[over.metric].better is Better.LOWER else -1)
        effect = judged.effect
        low, high = sorted((sign * effect.low, sign * effect.high))
        if not math.isfinite(high - low):
            return Figure(math.exp(sign * effect.log_ratio))
        undecided = judged.verdict is VerdictId.INCONCLUSIVE
        return Figure(math.exp(sign * effect.log_ratio), "", math.exp(low), math.exp(high), undecided=undecided)


def _measured(
    analysed: Analysed, study: PublishedStudy, table: PublishedTable, variant: Mapping[str, str]
) -> tuple[tuple[Figure, ...], ...]:
    """The run's figures in the table's layout and unit."""
    counterpart = study.counterpart
    assert counterpart is not None, "nothing is compared without one"
    between = counterpart.differences.get(table.id)
    if between is not None:
        source = next(table for table in study.tables if table.id == between.table)
        columns = (between.of, between.less)
        return tuple(
            (_difference(*(_figure(analysed, counterpart, source, variant, row, column) for column in columns)),)
            for row in table.row_labels
        )
    return tuple(
        tuple(_figure(analysed, counterpart, table, variant, row, column) for column in table.column_labels)
        for row in table.row_labels
    )


def _figure(
    analysed: Analysed,
    counterpart: Counterpart,
    table: PublishedTable,
    variant: Mapping[str, str],
    row: str,
    column: str,
) -> Figure:
    if table.id not in counterpart.metrics:
        return Figure(None, f"sectax has no counterpart of {table.metric}")
    metric = counterpart.metrics[table.id]
    if counterpart.columns and table.columns not in counterpart.factors:
        if column not in counterpart.columns:
            return Figure(None, f"sectax has no counterpart of {column}")
        metric = counterpart.columns[column]
    wanted = dict(counterpart.levels) | dict(variant)
    for factor, label in (*table.fixed.items(), (table.rows, row), (table.columns, column)):
        if factor not in counterpart.factors:
            continue
        level = counterpart.labels.get(factor, {}).get(label)
        if level is None:
            return Figure(None, f"sectax has no level for {label!r}")
        if level != OTHERS:  # otherwise the variant has the level
            wanted[counterpart.factors[factor]] = level
    matches = [
        treatment
        for treatment in analysed.treatments
        if treatment.role in MEASURED and _agrees(treatment.levels, wanted)
    ]
    if len(matches) > 1:
        return Figure(
            None, "several treatments of the run match: " + ", ".join(treatment.treatment for treatment in matches)
        )
    if not matches:
        skipped = [skip for skip in analysed.measured.plan.skipped if _agrees(skip.levels, wanted)]
        return Figure(None, f"skipped: {skipped[0].reason}" if skipped else NOT_IN_RUN)
    return _in_unit(matches[0], metric, table)


def _difference(more: Figure, less: Figure) -> Figure:
    """The difference of two figures; its interval is the widest that theirs allow."""
    if more.value is None or less.value is None:
        return Figure(None, more.missing or less.missing)
    if more.low is None or more.high is None or less.low is None or less.high is None:
        return Figure(more.value - less.value)
    return Figure(more.value - less.value, "", more.low - less.high, more.high - less.low)


def _in_unit(result: TreatmentResult, metric: str, table: PublishedTable) -> Figure:
    estimate = result.estimates.get(metric)
    if estimate is None:
        return Figure(None, result.reason or "not observed; use --published to measure it")
    if estimate.unit != table.base_unit:
        return Figure(None, f"measured in {estimate.unit}, published in {table.unit}")
    return replace(_scaled(estimate, table.per_unit), treatment=result.treatment, metric=metric)


def _scaled(estimate: Estimate, size: float) -> Figure:
    low = None if estimate.low is None else estimate.low / size
    high = None if estimate.high is None else estimate.high / size
    return Figure(estimate.point / size, "", low, high)


def _agrees(levels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Whether a treatment has all wanted levels of the run's own factors."""
    return all(levels[factor] == level for factor, level in wanted.items() if factor in levels)


def _base_row(analysed: Analysed, counterpart: Counterpart, table: PublishedTable) -> int:
    """The row of the baseline if rows are levels of the control, else the first."""
    plan = analysed.measured.plan
    if counterpart.factors.get(table.rows) != plan.control:
        return 0
    baselines = {plan.treatment(cell.baseline).levels[plan.control] for cell in plan.cells}
    labels = counterpart.labels.get(table.rows, {})
    return next((row for row, label in enumerate(table.row_labels) if labels.get(label) in baselines), 0)


def ratio(over: Figure, under: Figure) -> Figure:
    """The ratio of two figures with the widest interval, or why it is missing.

    A published figure has no interval and counts as exact.
    """
    if over.value is None or under.value is None:
        return Figure(None, over.missing or under.missing)
    if under.value == 0:
        return Figure(None, "division by zero")
    value = over.value / under.value
    if over.low is None or over.high is None or (under.treatment and under.low is None):
        return Figure(value)
    least, most = under.low or under.value, under.high or under.value
    return Figure(value, "", over.low / most, over.high / least) if least > 0 else Figure(value)


def _shape(
    table: PublishedTable, row: int, base: int, column: int, there: Side, sides: tuple[Side, ...], ratios: _Ratios
) -> Shape:
    """One row over another, in one column."""
    return Shape(
        f"{table.row_labels[row]} : {table.row_labels[base]}, {table.column_labels[column]}",
        ratio(there.figures[row][column], there.figures[base][column]),
        tuple(ratios(side.figures[row][column], side.figures[base][column]) for side in sides),
    )


def _across(table: PublishedTable, there: Side, sides: tuple[Side, ...], ratios: _Ratios) -> Iterator[Shape]:
    for row, row_label in enumerate(table.row_labels):
        for column, column_label in enumerate(table.column_labels[1:], start=1):
            yield Shape(
                f"{table.column_labels[0]} : {column_label}, {row_label}",
                ratio(there.figures[row][0], there.figures[row][column]),
                tuple(ratios(side.figures[row][0], side.figures[row][column]) for side in sides),
            )


def _differences(a: Analysed, b: Analysed) -> Iterator[Difference]:
    identity_a, identity_b = a.measured.identity, b.measured.identity
    if not identity_a or not identity_b:
        recorded = ["recorded" if identity else None for identity in (identity_a, identity_b)]
        yield Difference("run", "environment", recorded[0], recorded[1], refuses=True)
    levels_a, levels_b = (
        {level for treatment in run.treatments for level in treatment.levels.values()} for run in (a, b)
    )
    levels, shared = levels_a | levels_b, levels_a & levels_b
    for name in sorted(identity_a.keys() | identity_b.keys()):
        value_a, value_b = identity_a.get(name), identity_b.get(name)
        if value_a != value_b and identity_a and identity_b:
            # 'php.runtime' concerns the treatments of PHP, 'command.new' the command named 'new'.
            kind, _, rest = name.partition(".")
            subject = next((level for level in (rest, kind) if level in levels), "run")
            if subject != "run" and subject not in shared:
                continue
            yield Difference(subject, name, value_a, value_b, refuses=kind != _OWN)
    for result_a, result_b in _common_results(a, b):
        treatment, witnesses_a, witnesses_b = result_a.treatment, result_a.witnesses, result_b.witnesses
        for name in sorted(witnesses_a.keys() & witnesses_b.keys()):
            if witnesses_a[name] != witnesses_b[name] and not any(_is_measured(run, treatment, name) for run in (a, b)):
                yield Difference(treatment, name, str(witnesses_a[name]), str(witnesses_b[name]), refuses=True)
    yield from _option_differences(a.measured.plan, b.measured.plan, levels)
    # Effects stay comparable with other presets, batches or margins; only verdicts depend on the margin.
    for name, pair in {
        "preset": (a.measured.plan.preset, b.measured.plan.preset),
        "batch length": (f"{a.measured.plan.batch_s:g} s", f"{b.measured.plan.batch_s:g} s"),
        "until": (a.measured.plan.stopping.until.value, b.measured.plan.stopping.until.value),
        "margin": (f"{a.measured.plan.stopping.margin:g}", f"{b.measured.plan.stopping.margin:g}"),
    }.items():
        if pair[0] != pair[1]:
            yield Difference("run", name, *pair, refuses=False)


def _is_measured(run: Analysed, treatment: str, name: str) -> bool:
    """Whether a witness is a measurement (such as the clock's resolution) and not a property of the work.

    These are fractions that no level declares, and numbers that differ between blocks of one run.
    """
    if name in run.measured.plan.treatment(treatment).declares:
        return False
    values = run.measured.witnesses.get(treatment, {}).get(name, ())
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return len(numbers) == len(values) > 0 and (len(values) > 1 or isinstance(values[0], float))


def _option_differences(a: Plan, b: Plan, levels: Set[str]) -> Iterator[Difference]:
    """Options that differ, of the level that they name or else of the run."""
    for name in dict.fromkeys((*a.options, *b.options)):
        options_a, options_b = (_by_level(name, plan.options.get(name, ()), levels) for plan in (a, b))
        for subject in dict.fromkeys((*options_a, *options_b)):
            if options_a.get(subject) != options_b.get(subject):
                yield Difference(
                    subject, f"option {name}", options_a.get(subject), options_b.get(subject), name not in _HOW_MUCH
                )


def _by_level(option: str, texts: tuple[str, ...], levels: Set[str]) -> dict[str, str]:
    """An option's values by level, or 'run': 'new=CMD' belongs to the level 'new'."""
    values: dict[str, list[str]] = {}
    for text in texts:
        level, separator, rest = text.partition("=")
        if separator and level in levels:
            values.setdefault(level, []).append(rest)
        else:
            values.setdefault(option if option in levels else "run", []).append(text)
    return {subject: "; ".join(texts) for subject, texts in values.items()}


def _common_results(a: Analysed, b: Analysed) -> list[tuple[TreatmentResult, TreatmentResult]]:
    results = {result.treatment: result for result in b.treatments}
    return [(result, results[result.treatment]) for result in a.treatments if result.treatment in results]


def _absolute_pairs(a: Analysed, b: Analysed, differences: tuple[Difference, ...]) -> Iterator[AbsolutePair]:
    metrics_b = {metric.name: metric for metric in b.measured.plan.metrics}
    metric_names = [metric.name for metric in a.measured.plan.metrics]
    for result_a, result_b in _common_results(a, b):
        if result_a.role not in MEASURED:
            continue
        concerned = {"run", result_a.treatment, *result_a.levels.values()}
        refused_by = [
            difference.name for difference in differences if difference.refuses and difference.subject in concerned
        ]
        for metric in a.measured.plan.metrics:
            figures = [
                replace(_scaled(result.estimates[metric.name], 1.0), treatment=result.treatment)
                if metric.name in result.estimates
                else Figure(None, result.reason or "not observed")
                for result in (result_a, result_b)
            ]
            # A witness named after a metric concerns that metric only.
            refusing = [
                name
                for name in refused_by
                if name.startswith(f"{metric.name}_") or not any(name.startswith(f"{other}_") for other in metric_names)
            ]
            quotient = ratio(figures[1], figures[0])
            metric_b = metrics_b.get(metric.name, metric)
            if (metric_b.summary, metric_b.observed) != (metric.summary, metric.observed):
                refused = "the two runs define it differently"
            elif metric.summary in _ENDS:
                refused = f"no ratio: the {_ENDS[metric.summary]} value depends on the number of observations"
            elif refusing:
                refused = f"{', '.join(dict.fromkeys(refusing))} differ{'s' if len(refusing) == 1 else ''}"
            else:
                refused = quotient.missing
            quotient = Figure(None, refused) if refused else quotient
            yield AbsolutePair(result_a.treatment, metric, figures[0], figures[1], quotient, refused)
