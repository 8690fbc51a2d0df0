"""The plan in words, printed before a run."""

from __future__ import annotations

from sectax.formats.time_stops import compared_texts, find_time_stop
from sectax.model.bill import Bill
from sectax.model.plan import DEFAULT_MAX_BLOCKS, ENOUGH_BLOCKS, FIRST_LOOK, Calibrated, Plan, Until
from sectax.model.treatment import CONTROLS, MEASURED, Standing
from sectax.model.why_not import WhyNot
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

# When a run stops, apart from its limits.
_UNTIL = {
    Until.DIRECTION: "stops when every direction is known",
    Until.VERDICT: "stops when all are decided and known to within 12 %",
    Until.PRECISE: "stops when every interval is narrow",
    Until.BUDGET: "runs to the end of the budget",
    Until.CONDITIONS: "stops when every limit is decided",
}


def plan(plan: Plan) -> list[str]:
    """The plan as lines."""
    lines = [f"{printable(plan.experiment)}, {printable(plan.preset)} preset: {printable(plan.question)}"]
    lines.append(_matrix(plan))
    lines += deciding_metric(plan)
    lines += _stopped_by_time(plan)
    lines.append(_errors(plan))
    lines.append(_stopping(plan))
    lines.append(f"random order, seed {plan.seed}")
    return lines + _skipped(plan)


def varied(plan: Plan) -> list[str]:
    """The levels that vary, and their commands or addresses, in a line or two."""
    baselines = {plan.treatment(cell.baseline).levels.get(plan.control) for cell in plan.cells}
    levels = "; ".join(
        f"{factor.name}: "
        + ", ".join(
            f"{level} (baseline)" if factor.name == plan.control and level in baselines else level
            for level in factor.levels
        )
        for factor in plan.factors
        if len(factor.levels) > 1
    )
    return [printable(line) for line in (levels, "; ".join(sides(plan))) if line]


def sides(plan: Plan) -> tuple[str, ...]:
    """Compared commands or addresses as 'NAME=TEXT'; empty for most experiments."""
    options = plan.options
    if not options.get("treatment"):  # the baseline is a level, and named as such everywhere
        levels = next((factor.levels for factor in plan.factors if factor.name == plan.control), ())
        if set(options.get("baseline", ())) <= set(levels):
            return ()
    return (*(f"baseline={text}" for text in options.get("baseline", ())), *options.get("treatment", ()))


def deciding_metric(plan: Plan) -> list[str]:
    """The deciding metric in a line: the experiment's, or those of the limits."""
    first = plan.metrics[0].name
    limited = {condition.metric or first for condition in plan.stopping.conditions}
    if plan.stopping.until is Until.CONDITIONS and limited and first not in limited:
        # Limits on a bill or a count have no metric.
        metric_names = [names.metric(plan, metric.name) for metric in plan.metrics if metric.name in limited]
        return [f"the limits are on {' and '.join(metric_names or sorted(map(printable, limited)))}"]
    return [printable(plan.answered_by)] if plan.answered_by else []


def _stopped_by_time(plan: Plan) -> list[str]:
    """A warning for each compared command whose duration is configured."""
    lines = []
    for name, text in compared_texts(plan).items():
        if (stop := find_time_stop(text)) is not None:
            how = (
                f"may be stopped by time ({stop.words}); then" if stop.is_limit else f"stops by time ({stop.words}), so"
            )
            says = "its duration says nothing: give it a fixed amount of work, or compare what it counts"
            lines.append(printable(f"warning: {name} {how} {says}"))
    return lines


def calibrated(plan: Plan, frozen: Calibrated, block_s: float | None = None) -> list[str]:
    """The calibration and the expected duration as lines.

    Args:
        block_s: about how long a block takes; None after the run.
    """
    live = {
        treatment.id: treatment
        for treatment in plan.treatments
        if treatment.id in frozen.calibrations and treatment.cell in frozen.rounds
    }
    compared = [comparison for comparison in plan.comparisons if comparison.standing not in CONTROLS]
    if not any(live.keys() >= {comparison.treatment, comparison.baseline} for comparison in compared):
        return ["the pilot measured nothing that can be compared"]
    calibrations = [frozen.calibrations[name] for name in live]
    lengths = [calibration.batch_s for calibration in calibrations]
    counts = [calibration.count for calibration in calibrations]
    rounds = [frozen.rounds[treatment.cell] for treatment in live.values()]
    batches = units.between(units.seconds(min(lengths)), units.seconds(max(lengths)))
    parts = [f"batches of {batches} ({_range(min(counts), max(counts), 'operation')})"]
    if plan.warms_up:
        warmup = [calibration.warmup for calibration in calibrations]
        parts.append(f"{_range(min(warmup), max(warmup), 'batch', 'batches')} of warm-up in every process")
    else:
        parts.append("no warm-up")
    parts.append(f"{_range(min(rounds), max(rounds), 'round')} per block")
    if plan.warms_up:
        parts.append(f"{_count(len(live), 'process', 'processes')} per block")
    calibration = f"from the pilot: {', '.join(parts)}"
    return [calibration] if block_s is None else [calibration, _duration(plan, frozen, block_s)]


def expected_duration(plan: Plan) -> str:
    """The duration of the whole run, as far as it is known before the pilot."""
    stopping = plan.stopping
    if stopping.budget_s is None:
        return "duration unknown until the pilot: the number of blocks is limited, not the time"
    longest = f"takes {'' if stopping.extends else 'at most '}about {units.seconds(stopping.budget_s)}"
    if stopping.fixed_blocks is None and not stopping.extends:
        longest += f" (refused after the pilot if {FIRST_LOOK} blocks do not fit)"
    return longest if stopping.until is Until.BUDGET else f"{longest}; stops earlier when all are decided"


def bill(bill: Bill, service: str = "") -> list[str]:
    """One line for each charge, then the total and the source of the prices.

    Args:
        service: the free replacement for the paid service; empty if the run is billed.
    """
    lines = []
    for charge in bill.charges:
        exact = charge.amount >= 10 or charge.amount == int(charge.amount)
        amount = f"{charge.amount:,.0f}" if exact else units.digits(charge.amount, 2)
        cost = _money(charge.cost, bill.currency)
        lines.append(f"{printable(charge.words)}: {amount} {printable(charge.unit)}, {cost}")
    on = f"free here ({service}); estimated bill on AWS" if service else "estimated bill"
    total = f"{on}: about {_money(bill.total, bill.currency)}, before tax and free allowances"
    return [*lines, total, prices(bill)]


def prices(bill: Bill) -> str:
    """The source of the prices of a bill."""
    return f"prices of {printable(bill.day)} for {printable(bill.place)}: {printable(bill.source)}"


def _duration(plan: Plan, frozen: Calibrated, block_s: float) -> str:
    stopping = plan.stopping
    words = f"a block takes about {units.seconds(block_s)}"
    once = plan.once_s(frozen)
    if once:
        words += f", treatments measured once {units.seconds(once)} more"
    if stopping.fixed_blocks is None:
        words += f", so the first verdict may come after about {units.seconds(once + FIRST_LOOK * block_s)}"
    latest = once + plan.last_look(frozen) * block_s
    if stopping.budget_s is not None:
        latest = min(latest, max(stopping.budget_s, once + ENOUGH_BLOCKS * block_s if stopping.extends else 0.0))
    return f"{words}; the run takes at most about {units.seconds(latest)}"


def _matrix(plan: Plan) -> str:
    compared = [treatment for treatment in plan.treatments if treatment.role in MEASURED]
    controls = len(plan.treatments) - len(compared)
    words = f"{_count(len(compared), 'treatment')} in {_count(len(plan.cells), 'cell')}"
    once = sum(cell.once for cell in plan.cells)
    if once:
        words += f", {once} of them measured in one block only"
    if controls:
        words += f", and {_count(controls, 'self-check')}"
    fixed = names.constants(plan)
    return f"{words}; {fixed}" if fixed else words


def _errors(plan: Plan) -> str:
    primary = [comparison for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY]
    secondary = [comparison for comparison in plan.comparisons if comparison.standing is Standing.SECONDARY]
    parts: list[str] = []
    if primary:
        level = _level(sum(comparison.alpha for comparison in primary))
        wrong = "that any is wrong" if len(primary) > 1 else "that it is wrong"
        parts.append(f"{_count(len(primary), 'main comparison')} ({level} chance {wrong})")
    if secondary:
        parts.append(f"{len(secondary):,} secondary ({_level(secondary[0].alpha)} each)")
    parts.append(f"differences under {units.margin(plan.stopping.margin)} do not matter (--margin)")
    return "; ".join(parts)


def _stopping(plan: Plan) -> str:
    stopping = plan.stopping
    if stopping.fixed_blocks is not None:
        return f"exactly {stopping.fixed_blocks} blocks, judged at the end"
    limits = [f"at most {stopping.max_blocks} blocks"] if stopping.max_blocks is not None else []
    if stopping.budget_s is not None:
        longer = f", longer only if {ENOUGH_BLOCKS} blocks do not fit" if stopping.extends else ""
        limits.append(f"about {units.seconds(stopping.budget_s)}{longer}")
    limit = " or ".join(limits) or f"at most {DEFAULT_MAX_BLOCKS} blocks"
    return f"{_UNTIL[stopping.until]}, {limit}; the first verdict is possible after block {FIRST_LOOK}"


def _skipped(plan: Plan) -> list[str]:
    reasons: dict[WhyNot, list[str]] = {}
    for skipped in plan.skipped:
        reasons.setdefault(skipped.why_not, []).append(skipped.treatment)
    lines = []
    for why_not, ids in reasons.items():
        hint = f" (try: {printable(why_not.hint)})" if why_not.hint else ""
        lines.append(f"skipped: {', '.join(names.group_labels(plan, tuple(ids)))}: {printable(why_not.reason)}{hint}")
    return lines


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def _range(low: int, high: int, noun: str, several: str = "") -> str:
    return _count(high, noun, several) if low == high else f"{low:,} to {_count(high, noun, several)}"


def _level(alpha: float) -> str:
    return f"{units.digits(alpha * 100, 2)} %"


def _money(amount: float, currency: str) -> str:
    return f"{amount:,.2f} {currency}" if amount >= 1 or amount == 0 else f"{units.digits(amount, 2)} {currency}"
