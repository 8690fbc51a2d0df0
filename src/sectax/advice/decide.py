"""The decision: which level to take, the cost of a month, and surprises.

It uses decided findings only, and propagates their intervals end by end.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sectax.model.advice import MILLION, Between, Cheapest, Decision, Outlay, Surprise, Turn
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import Bill, PriceList, Usage
from sectax.model.finding import FASTER, UNSETTLED, Effect, Finding, TreatmentResult, is_decided
from sectax.model.measured import Measured
from sectax.model.metric import Better
from sectax.model.treatment import Comparison, Standing
from sectax.stats.student import mean_interval
from sectax.text import units

RATE_S = 1000.0  # the default, operations per second
_HOURS_OF_A_MONTH = 730
# A cause must explain at least this share of the saved time.
_ENOUGH = 0.5
# The audit check that finds skipped work in the subjects' witnesses.
_LESS_WORK = "less-work"

_Levels = tuple[tuple[str, str], ...]


class _Span(NamedTuple):
    """A figure with its interval."""

    point: float
    low: float
    high: float

    def times(self, factor: float) -> _Span:
        return _Span(self.point * factor, self.low * factor, self.high * factor)

    def plus(self, other: _Span) -> _Span:
        return _Span(self.point + other.point, self.low + other.low, self.high + other.high)

    def minus(self, other: _Span) -> _Span:
        return _Span(self.point - other.point, self.low - other.high, self.high - other.low)

    def overlaps(self, other: _Span) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class _Setting:
    """The levels of all other factors, for which one level of the control is chosen.

    Attributes:
        costs: level of the control -> operation of the mix -> its cost, if decided.
        results: level -> operation -> the treatment's own figures.
    """

    levels: _Levels
    baseline: str
    metric: str
    costs: dict[str, dict[str, _Span]] = field(default_factory=dict)
    results: dict[str, dict[str, TreatmentResult]] = field(default_factory=dict)

    @property
    def operations(self) -> list[str]:
        return list(self.costs.get(self.baseline, {}))

    def cost(self, level: str, operation: str) -> _Span:
        return self.costs[level][operation]

    def with_mix(self, per: Mapping[str, float]) -> _Setting:
        """The same with the mix as its only operation, for levels with all its parts."""
        needed = {operation: number for operation, number in per.items() if number and operation in self.operations}
        parts = {
            level: [costs[operation].times(number) for operation, number in needed.items()]
            for level, costs in self.costs.items()
            if costs.keys() >= needed.keys()
        }
        totals = {level: {"": functools.reduce(_Span.plus, spans)} for level, spans in parts.items() if spans}
        return replace(self, costs=totals)


def decide(
    analysed: Analysed,
    rules: AdviceRules,
    prices: PriceList,
    mix: Mapping[str, float] | None = None,
    rate_s: float | None = None,
) -> Decision | None:
    """The decision of a run; None if there is no choice, or nothing was compared.

    Args:
        mix: relative number of each operation; None for the usual mix.
        rate_s: operations per second; None for `RATE_S`.
    Raises:
        WrongUse: the price list lacks an item.
    """
    choice, plan = rules.choice, analysed.measured.plan
    if choice is None:
        return None
    findings = [
        finding
        for finding in main_findings(analysed)
        if plan.treatment(finding.comparison.treatment).levels[plan.control] not in choice.parts
    ]
    if not findings:
        return None
    settings = list(_settings(analysed, choice, findings))
    per = dict(mix or choice.usual)
    several = any(len(setting.operations) > 1 for setting in settings)
    mixed_settings = [setting.with_mix(per) for setting in settings] if mix and several else []
    cheapest, at_mix = (
        tuple(best for setting in group if choice.picks and setting.costs for best in _cheapest(setting, choice))
        for group in (settings, mixed_settings)
    )
    paid = settings if choice.month_by_default or rate_s is not None else []
    outlays = [outlay for setting in paid for outlay in _outlays(setting, choice, prices, per, rate_s or RATE_S)]
    return Decision(
        choice=choice,
        findings=tuple(findings),
        cheapest=cheapest,
        at_mix=at_mix,
        outlays=tuple(outlays),
        surprises=tuple(_surprises(analysed, choice, findings)) if choice.adds else (),
        mix=per if several else {},
        rate_s=rate_s or RATE_S,
    )


def main_findings(analysed: Analysed) -> list[Finding]:
    """The primary findings, or else those of the first metric."""
    primary = [finding for finding in analysed.findings if finding.comparison.standing is Standing.PRIMARY]
    first = analysed.measured.plan.metrics[0].name
    return primary or [
        finding
        for finding in analysed.findings
        if finding.comparison.standing is Standing.SECONDARY and finding.comparison.metric == first
    ]


def _settings(analysed: Analysed, choice: Choice, findings: list[Finding]) -> Iterator[_Setting]:
    plan = analysed.measured.plan
    results = {result.treatment: result for result in analysed.treatments}
    settings: dict[_Levels, _Setting] = {}
    for finding in findings:
        compared = finding.comparison
        cell = plan.cell(compared.cell)
        base = results[compared.baseline].estimates.get(compared.metric)
        if base is None or base.point <= 0:
            continue
        fixed_levels = tuple((name, level) for name, level in cell.levels.items() if name != choice.mixed)
        baseline = plan.treatment(compared.baseline).levels[plan.control]
        level = plan.treatment(compared.treatment).levels[plan.control]
        setting = settings.setdefault(fixed_levels, _Setting(fixed_levels, baseline, compared.metric))
        operation = cell.levels.get(choice.mixed, "")
        once = base.point if plan.metric(compared.metric).better is Better.LOWER else 1 / base.point
        setting.costs.setdefault(baseline, {})[operation] = _Span(once, once, once)
        setting.results.setdefault(baseline, {})[operation] = results[compared.baseline]
        setting.results.setdefault(level, {})[operation] = results[compared.treatment]
        if is_decided(finding) and finding.effect is not None:
            setting.costs.setdefault(level, {})[operation] = _ratio(finding.effect).times(once)
    return iter(settings.values())


def _ratio(effect: Effect) -> _Span:
    return _Span(math.exp(effect.log_ratio), math.exp(effect.low), math.exp(effect.high))


def _cheapest(setting: _Setting, choice: Choice) -> Iterator[Cheapest]:
    """The cheapest levels; if one of them has a caveat, also the cheapest without."""
    measured_levels = [level for level, costs in setting.costs.items() if len(costs) == len(setting.operations)]
    first = _least(setting, measured_levels)
    yield first
    without_caveat = [level for level in measured_levels if level not in choice.caveats]
    if without_caveat and {first.level, *(turn.then for turn in first.turns)} & choice.caveats.keys():
        yield _least(setting, without_caveat)


def _least(setting: _Setting, candidates: list[str]) -> Cheapest:
    """The cheapest level, for two operations as a function of their ratio.

    The cost of a level is linear in the number of second operations per first one. Where two lines cross, another
    level becomes the cheapest.
    """
    operations = setting.operations
    first, *rest = operations
    level = current = min(
        candidates, key=lambda candidate: [setting.cost(candidate, operation).point for operation in operations]
    )
    turns: list[Turn] = []
    while len(rest) == 1 and (crossing := min(_crossings(setting, current, candidates, first, rest[0]), default=None)):
        _, current, at = crossing
        turns.append(Turn(current, at))
    tied = [
        candidate
        for candidate in candidates
        if candidate != level
        and all(setting.cost(candidate, operation).overlaps(setting.cost(level, operation)) for operation in operations)
    ]
    return Cheapest(
        dict(setting.levels), setting.baseline, level, tuple(turns), tuple(tied), tuple(operations), len(candidates) > 1
    )


def _crossings(
    setting: _Setting, current: str, candidates: list[str], first: str, second: str
) -> Iterator[tuple[float, str, Between]]:
    """Levels that become cheaper than *current*, as *second* per *first* grows."""
    for candidate in candidates:
        extra = setting.cost(candidate, first).minus(setting.cost(current, first))
        saved = setting.cost(current, second).minus(setting.cost(candidate, second))
        if saved.point > 0 and extra.point > 0:
            high = extra.high / saved.low if saved.low > 0 else None
            at = Between(extra.point / saved.point, max(0.0, extra.low) / saved.high, high)
            yield at.point, candidate, at


def _outlays(
    setting: _Setting, choice: Choice, prices: PriceList, per: Mapping[str, float], rate_s: float
) -> Iterator[Outlay]:
    """The cost of a million operations and of a month with every decided level."""
    if choice.uses is None or not setting.operations:
        return
    shares = {
        operation: per.get(operation, 0.0) if len(setting.operations) > 1 else 1.0 for operation in setting.operations
    }
    needed = {operation: share / sum(shares.values()) for operation, share in shares.items() if share}
    for level, results in setting.results.items():
        billed = {operation: _billed(setting, choice, level, operation) for operation in needed if operation in results}
        if not needed or None in billed.values() or billed.keys() != needed.keys():
            continue
        bills: dict[str, list[Bill]] = defaultdict(list)
        for end in range(3):
            usages: dict[str, list[Usage]] = defaultdict(list)
            for operation, span in billed.items():
                seconds = max(0.0, span[end]) if span else 0.0
                used = choice.uses(round(MILLION * needed[operation]), seconds, results[operation])
                for way, usage in used.items():
                    usages[way] += usage
            for way, total_usage in usages.items():
                bills[way].append(prices.bill(total_usage))
        months, is_baseline = rate_s * 3600 * _HOURS_OF_A_MONTH / MILLION, level == setting.baseline
        for way, (point, low, high) in bills.items():
            yield Outlay(dict(setting.levels), level, way, is_baseline, point, low.total, high.total, months)


def _billed(setting: _Setting, choice: Choice, level: str, operation: str) -> _Span | None:
    """The billed seconds of an operation; None if their interval is unknown."""
    if not choice.timed:
        return _Span(0.0, 0.0, 0.0)
    decided = setting.costs.get(level, {}).get(operation)
    metric = choice.billed or (setting.metric if level == setting.baseline else "")
    if decided is None or not metric:
        return decided
    estimate = setting.results[level][operation].estimates.get(metric)
    if estimate is not None and estimate.unit != "s":
        return decided  # the time of one operation is known from the rate
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return _Span(estimate.point, estimate.low, estimate.high)


def _surprises(analysed: Analysed, choice: Choice, findings: list[Finding]) -> Iterator[Surprise]:
    """Treatments that do more than their baseline but take less time."""
    for finding in findings:
        if finding.verdict in FASTER - UNSETTLED and finding.effect is not None:
            skipped_work = (f"it {warning.saw}" for warning in finding.warnings if warning.check == _LESS_WORK)
            causes = _causes(analysed, choice, finding.comparison, finding.effect)
            yield Surprise(finding, next(itertools.chain(skipped_work, causes), ""))


def _causes(analysed: Analysed, choice: Choice, compared: Comparison, effect: Effect) -> Iterator[str]:
    """Parts or counts per operation that fell enough to explain the saved time."""
    measured = analysed.measured
    saved_s = _saved_s(measured, compared)
    for name, words in choice.explained:
        values = measured.values.get(name, {})
        own, base = values.get(compared.treatment, {}), values.get(compared.baseline, {})
        # A part that a treatment never has counts as zero seconds.
        blocks = [block for block in measured.blocks if block in base and (block in own or not own)]
        less = [base[block] - own.get(block, 0.0) for block in blocks]
        if len(less) > 1:
            excess = mean_interval(less, 1 - measured.plan.stopping.alpha)
            if excess.low is not None and excess.low > 0 and excess.point >= _ENOUGH * saved_s > 0:
                saved_ms = f"{units.digits(1e3 * excess.point, 3)} ms"
                yield f"{words} takes {saved_ms} less" if own else f"it has no {words} ({saved_ms})"
            continue
        treatment_count, baseline_count = (
            _per_operation(analysed, treatment, name) for treatment in (compared.treatment, compared.baseline)
        )
        saved = -math.expm1(effect.log_ratio)
        if treatment_count is not None and baseline_count and 1 - treatment_count / baseline_count >= _ENOUGH * saved:
            counts = (units.digits(number, 3) for number in (treatment_count, baseline_count))
            yield f"{words}: {' per operation instead of '.join(counts)}"


def _saved_s(measured: Measured, compared: Comparison) -> float:
    """The mean saved time over blocks, in seconds; 0 for other units."""
    values = measured.values.get(compared.metric, {})
    own, base = values.get(compared.treatment, {}), values.get(compared.baseline, {})
    both = own.keys() & base.keys()
    timed = measured.plan.metric(compared.metric).unit == "s"
    return statistics.fmean(base[block] - own[block] for block in both) if timed and both else 0.0


def _per_operation(analysed: Analysed, treatment: str, name: str) -> float | None:
    """A counter of a treatment's batches, per operation."""
    operations = analysed.measured.batches.get(treatment)
    total = analysed.measured.telemetry.get(treatment, {}).get(name)
    return None if total is None or not operations else total / operations.operations
