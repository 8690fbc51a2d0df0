"""The plan in words, printed before a run starts: what will be compared, how strictly, how long and at what price."""

from __future__ import annotations

from sectax.model.bill import Bill
from sectax.model.plan import DEFAULT_MAX_BLOCKS, ENOUGH_BLOCKS, FIRST_LOOK, Calibrated, Plan, Until, last_look, once_s
from sectax.model.treatment import CONTROLS, MEASURED, Standing
from sectax.model.why_not import WhyNot
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

# When a run ends, before its limits.
_UNTIL = {
    Until.DIRECTION: "stops when every direction is known",
    Until.VERDICT: "stops when all are decided and known to within 12 %",
    Until.PRECISE: "stops when every interval is narrow",
    Until.BUDGET: "runs to the end of the budget",
    Until.CONDITIONS: "stops when every limit is decided",
}


def plan(given: Plan) -> list[str]:
    """The plan as lines, before anything was measured."""
    lines = [f"{printable(given.experiment)}, {printable(given.preset)} preset: {printable(given.question)}"]
    lines.append(_matrix(given))
    lines += answered_by(given)
    lines.append(_errors(given))
    lines.append(_stopping(given))
    lines.append(f"random order, seed {given.seed}")
    return lines + _skipped(given)


def varied(given: Plan) -> list[str]:
    """What is compared with what, in a line or two: the levels that vary, and the commands or addresses behind them."""
    baselines = {given.treatment(cell.baseline).levels.get(given.control) for cell in given.cells}
    levels = "; ".join(
        f"{factor.name}: "
        + ", ".join(
            f"{level} (baseline)" if factor.name == given.control and level in baselines else level
            for level in factor.levels
        )
        for factor in given.factors
        if len(factor.levels) > 1
    )
    compared = [f"baseline={text}" for text in given.options.get("baseline", ())]
    lines = (levels, "; ".join([*compared, *given.options.get("treatment", ())]))
    return [printable(line) for line in lines if line]


def answered_by(given: Plan) -> list[str]:
    """Which metric answers, in a line: the experiment's own, or those of the limits that the run goes on for."""
    first = given.metrics[0].name
    asked = {condition.metric or first for condition in given.stopping.conditions}
    if given.stopping.until is Until.CONDITIONS and asked and first not in asked:
        # A bill, and what was counted, are figures that no metric has.
        known = [names.metric(given, metric.name) for metric in given.metrics if metric.name in asked]
        return [f"the limits are on {' and '.join(known or sorted(map(printable, asked)))}"]
    return [printable(given.answered_by)] if given.answered_by else []


def calibrated(given: Plan, frozen: Calibrated, block_s: float | None = None) -> list[str]:
    """What the pilot froze, as lines: batches, warm-up, rounds, processes; before the blocks, how long they may take.

    Args:
        block_s: about how long a block lasts; None where all of them were measured.
    """
    live = [
        treatment
        for treatment in given.treatments
        if treatment.id in frozen.calibrations and treatment.cell in frozen.rounds
    ]
    compared = [comparison for comparison in given.comparisons if comparison.standing not in CONTROLS]
    if not any(frozen.calibrations.keys() >= {comparison.treatment, comparison.baseline} for comparison in compared):
        return ["the pilot could measure nothing to compare"]
    tried = [frozen.calibrations[treatment.id] for treatment in live]
    lengths = [calibration.batch_s for calibration in tried]
    counts = [calibration.count for calibration in tried]
    rounds = [frozen.rounds[treatment.cell] for treatment in live]
    batches = units.between(units.seconds(min(lengths)), units.seconds(max(lengths)))
    parts = [f"batches of {batches} ({_range(min(counts), max(counts), 'operation')})"]
    if given.warms_up:
        warmup = [calibration.warmup for calibration in tried]
        parts.append(f"{_range(min(warmup), max(warmup), 'batch', 'batches')} of warm-up in every process")
    else:
        parts.append("no warm-up")
    parts.append(f"{_range(min(rounds), max(rounds), 'round')} per block")
    if given.warms_up:
        parts.append(f"{_count(len(live), 'process', 'processes')} per block")
    frozen_at = f"from the pilot: {', '.join(parts)}"
    return [frozen_at] if block_s is None else [frozen_at, _duration(given, frozen, block_s)]


def how_long(given: Plan) -> str:
    """What is known of the whole run's length before a pilot."""
    stopping = given.stopping
    if stopping.budget_s is None:
        return "how long it takes is known after the pilot: blocks are limited, not the time"
    longest = f"takes {'' if stopping.extends else 'at most '}about {units.seconds(stopping.budget_s)}"
    if stopping.fixed_blocks is None and not stopping.extends:
        longest += f" (refused after the pilot if {FIRST_LOOK} blocks do not fit)"
    return longest if stopping.until is Until.BUDGET else f"{longest}; ends sooner where that is enough for an answer"


def bill(given: Bill, service: str = "") -> list[str]:
    """One line for each charge, then the total and where the prices come from.

    Args:
        service: what stands in for the one that is paid for; empty where the run pays.
    """
    lines = [
        f"{printable(charge.words)}: {_amount(charge.amount)} {printable(charge.unit)}, "
        f"{_money(charge.cost, given.currency)}"
        for charge in given.charges
    ]
    on = f"here it costs nothing ({service}); estimated bill on AWS" if service else "estimated bill"
    total = f"{on}: about {_money(given.total, given.currency)}, before tax and free allowances"
    return [*lines, total, prices(given)]


def prices(given: Bill) -> str:
    """Where the prices of a bill come from."""
    return f"prices of {printable(given.day)} for {printable(given.place)}: {printable(given.source)}"


def _amount(value: float) -> str:
    """Whole ones; of fewer than ten two digits."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _duration(given: Plan, frozen: Calibrated, block_s: float) -> str:
    stopping = given.stopping
    words = f"a block takes about {units.seconds(block_s)}"
    once = once_s(given, frozen)
    if once:
        words += f", and what is measured once {units.seconds(once)} more"
    if stopping.fixed_blocks is None:
        words += f", so the first verdict may come after about {units.seconds(once + FIRST_LOOK * block_s)}"
    latest = once + last_look(given, frozen) * block_s
    if stopping.budget_s is not None:
        latest = min(latest, max(stopping.budget_s, once + ENOUGH_BLOCKS * block_s if stopping.extends else 0.0))
    return f"{words}; the whole takes at most about {units.seconds(latest)}"


def _matrix(given: Plan) -> str:
    compared = [treatment for treatment in given.treatments if treatment.role in MEASURED]
    controls = len(given.treatments) - len(compared)
    words = f"{_count(len(compared), 'treatment')} in {_count(len(given.cells), 'cell')}"
    once = sum(cell.once for cell in given.cells)
    if once:
        words += f", {once} of them measured in one block alone"
    if controls:
        words += f", and {_count(controls, 'control')} of the run itself"
    fixed = names.constants(given)
    return f"{words}; {fixed}" if fixed else words


def _errors(given: Plan) -> str:
    primary = [comparison for comparison in given.comparisons if comparison.standing is Standing.PRIMARY]
    secondary = [comparison for comparison in given.comparisons if comparison.standing is Standing.SECONDARY]
    parts: list[str] = []
    if primary:
        level = _level(sum(comparison.alpha for comparison in primary))
        wrong = "that any is wrong" if len(primary) > 1 else "that it is wrong"
        parts.append(f"{_count(len(primary), 'main comparison')} ({level} chance {wrong})")
    if secondary:
        parts.append(f"{len(secondary):,} secondary ({_level(secondary[0].alpha)} each)")
    parts.append(f"differences under {units.margin(given.stopping.margin)} do not matter (--margin)")
    return "; ".join(parts)


def _stopping(given: Plan) -> str:
    stopping = given.stopping
    if stopping.fixed_blocks is not None:
        return f"exactly {stopping.fixed_blocks} blocks, judged at the end"
    limits = [f"at most {stopping.max_blocks} blocks"] if stopping.max_blocks is not None else []
    if stopping.budget_s is not None:
        longer = f", longer only where {ENOUGH_BLOCKS} blocks do not fit" if stopping.extends else ""
        limits.append(f"about {units.seconds(stopping.budget_s)}{longer}")
    limit = " or ".join(limits) or f"at most {DEFAULT_MAX_BLOCKS} blocks"
    return f"{_UNTIL[stopping.until]}, {limit}; the first verdict is possible after block {FIRST_LOOK}"


def _skipped(given: Plan) -> list[str]:
    """Those that are skipped for the same reason in one line."""
    reasons: dict[WhyNot, list[str]] = {}
    for skipped in given.skipped:
        reasons.setdefault(skipped.why_not, []).append(skipped.treatment)
    lines = []
    for why_not, ids in reasons.items():
        hint = f" (to fix it: {printable(why_not.hint)})" if why_not.hint else ""
        lines.append(f"skipped: {', '.join(names.together(given, tuple(ids)))}: {printable(why_not.reason)}{hint}")
    return lines


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def _range(low: int, high: int, noun: str, several: str = "") -> str:
    return _count(high, noun, several) if low == high else f"{low:,} to {_count(high, noun, several)}"


def _level(alpha: float) -> str:
    return f"{alpha * 100:.2g} %"


def _money(amount: float, currency: str) -> str:
    return f"{amount:,.2f} {currency}" if amount >= 1 or amount == 0 else f"{amount:.2g} {currency}"
