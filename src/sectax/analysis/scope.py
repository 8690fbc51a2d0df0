"""How far a run's verdicts reach, in words."""

from __future__ import annotations

from sectax.model.measured import Measured
from sectax.model.treatment import Standing


def scope_sentence(measured: Measured) -> str:
    """What the verdicts of this run hold for. What of them holds elsewhere, the plan says."""
    sessions = len(measured.sessions)
    host = measured.sessions[0].identity.get("host.cpu_model", "") if measured.sessions else ""
    where = f"one host ({host})" if host else "one host"
    if sessions > 1:
        return f"{sessions} sessions of one run on {where}: the verdicts hold for that host in those sessions."
    return f"One session on {where}: the verdicts hold for that host in that session."


def wrong_expected(measured: Measured) -> float:
    """How many wrong claims to expect among the secondary comparisons, which do not share their error level."""
    total = 0.0
    for comparison in measured.plan.comparisons:
        seen = measured.values.get(comparison.metric, {})
        if comparison.standing == Standing.SECONDARY and seen.keys() >= {comparison.treatment, comparison.baseline}:
            total += comparison.alpha
    return total
