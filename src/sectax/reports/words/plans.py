"""The plan in words, printed before a run starts: what will be compared, how strictly, and when it can answer."""

from __future__ import annotations

from sectax.model.plan import FIRST_LOOK, Calibrated, Plan
from sectax.model.printable import printable
from sectax.model.treatment import Role, Standing
from sectax.reports import units
from sectax.reports.words import names


def plan(given: Plan, calibrated: Calibrated | None = None, *, block_s: float | None = None) -> list[str]:
    """The plan as lines.

    Args:
        given: the plan.
        calibrated: the pilot's result, once there is one.
        block_s: about how long a block will take, in seconds; None where nobody knows yet.
    """
    lines = [f"{printable(given.experiment)}, {printable(given.preset)} preset: {printable(given.question)}"]
    lines.append(_matrix(given))
    lines.append(_errors(given))
    lines.append(_stopping(given, block_s))
    lines.append(f"order drawn from seed {given.seed}")
    if calibrated is not None:
        lines.append(_calibrated(given, calibrated))
    return lines + _skipped(given)


def first_verdict(given: Plan) -> int | None:
    """The first number of blocks at which every primary comparison can have a verdict; None: not in this plan."""
    alphas = [each.alpha for each in given.comparisons if each.standing is Standing.PRIMARY]
    alphas = alphas or [each.alpha for each in given.comparisons]
    if given.stopping.fixed_blocks is not None:
        return given.stopping.fixed_blocks
    if not alphas:
        return None
    import math

    from sectax.stats.confidence_sequence import multiplier  # numpy: only once a run starts

    # At so small an error level the sequence may be infinite for longer than the first look.
    looks = range(FIRST_LOOK, given.stopping.max_blocks + 1)
    return next((n for n in looks if math.isfinite(float(multiplier(n, min(alphas))))), None)


def _matrix(given: Plan) -> str:
    compared = [each for each in given.treatments if each.role in {Role.BASELINE, Role.TREATMENT}]
    controls = len(given.treatments) - len(compared)
    words = f"{_count(len(compared), 'treatment')} in {_count(len(given.cells), 'cell')}"
    if controls:
        words += f", and {_count(controls, 'control')} of the run itself"
    fixed = names.constants(given)
    return f"{words}; {fixed}" if fixed else words


def _errors(given: Plan) -> str:
    primary = [each for each in given.comparisons if each.standing is Standing.PRIMARY]
    secondary = [each for each in given.comparisons if each.standing is Standing.SECONDARY]
    parts: list[str] = []
    if primary:
        shared = f" ({_level(primary[0].alpha)} each)" if len(primary) > 1 else ""
        verb = "share" if len(primary) > 1 else "has"
        parts.append(
            f"{_count(len(primary), 'primary comparison')} {verb} an error level of "
            f"{_level(sum(each.alpha for each in primary))}{shared}"
        )
    if secondary:
        parts.append(f"{_count(len(secondary), 'secondary one')} at {_level(secondary[0].alpha)} each")
    parts.append(f"margin {units.margin(given.stopping.margin)}, the smallest cost that matters")
    return "; ".join(parts)


def _stopping(given: Plan, block_s: float | None) -> str:
    stopping = given.stopping
    if stopping.fixed_blocks is not None:
        words = f"exactly {stopping.fixed_blocks} blocks, judged at the end"
        end = stopping.fixed_blocks
    else:
        first = first_verdict(given)
        words = f"at most {stopping.max_blocks} blocks"
        if stopping.budget_s is not None:
            words += f" or {units.seconds(stopping.budget_s)}"
        if first is None:
            words += "; so few blocks allow no verdict at this error level: raise --blocks or compare less"
        else:
            words += f"; the first verdict is possible after block {first}"
            if block_s is not None:
                words += f", in about {units.seconds(first * block_s)}"
        end = stopping.max_blocks
    if block_s is not None:
        latest = end * block_s
        if stopping.budget_s is not None:
            latest = min(latest, stopping.budget_s)
        words += f"; a block takes about {units.seconds(block_s)}, the whole at most about {units.seconds(latest)}"
    return words


def _calibrated(given: Plan, calibrated: Calibrated) -> str:
    rounds = calibrated.rounds.values()
    counts = [each.count for each in calibrated.calibrations.values()]
    parts: list[str] = []
    if rounds:
        parts.append(f"{_range(min(rounds), max(rounds))} rounds per block")
    if counts:
        parts.append(f"{_range(min(counts), max(counts))} operations per batch")
    return "the pilot froze " + " and ".join(parts) if parts else "the pilot froze nothing"


def _skipped(given: Plan) -> list[str]:
    """Those that are skipped for the same reason in one line."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for each in given.skipped:
        reasons.setdefault((each.reason, each.mend), []).append(each.treatment)
    lines = []
    for (reason, mend), ids in reasons.items():
        what = printable(ids[0]) if len(ids) == 1 else f"{len(ids)} treatments, {printable(ids[0])} the first"
        lines.append(f"skipped: {what}: {printable(reason)}{f' (mend it with: {printable(mend)})' if mend else ''}")
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _level(alpha: float) -> str:
    return f"{alpha * 100:.2g} %"
