"""Runs on several hosts: every comparison by host, and claims about similar hosts.

Computed once after the run, so it never influences when the run stops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sectax.analysis.effect import STUDENT, margin_needed
from sectax.analysis.pairs import Pairs, pair
from sectax.analysis.verdict import verdict
from sectax.model.finding import NO_CLAIM, AcrossHosts, Effect, Estimate, Finding, OfOneHost
from sectax.model.measured import Measured
from sectax.model.treatment import CONTROLS
from sectax.stats import hosts as stats
from sectax.stats.confidence_sequence import UNSEEN

RANDOM_EFFECTS = "student-t-over-hosts"
BETWEEN_HOSTS = "deviation-between-hosts"


def across_hosts(measured: Measured, findings: Sequence[Finding]) -> tuple[AcrossHosts, ...]:
    """Analyse every effect across hosts; empty for a run on one host.

    Args:
        findings: of all comparisons in the order of the plan, after the audit.
    """
    pairs = pair(measured)
    if pairs.host is None:
        return ()
    names = tuple(measured.machines)
    return tuple(
        _across(measured, pairs, row, finding, names)
        for row, finding in enumerate(findings)
        if finding.comparison.standing not in CONTROLS and finding.effect is not None
    )


def _across(measured: Measured, pairs: Pairs, row: int, finding: Finding, names: tuple[str, ...]) -> AcrossHosts:
    assert pairs.host is not None
    assert finding.effect is not None
    differences = pairs.logs[row : row + 1]
    plain = stats.summarize_hosts(differences, pairs.host)
    reference = stats.summarize_hosts(
        np.where(np.isfinite(differences), pairs.reference[row : row + 1], np.nan), pairs.host
    )
    count, mean, noise = plain.count[0], plain.mean[0], np.fmax(plain.noise, reference.noise)[0]
    ended = measured.state != "running"
    level = measured.plan.stopping.alpha
    half = stats.own_half_widths(stats.HostSummaries(count, mean, noise), level, UNSEEN) + finding.effect.widened

    def own(host: int) -> Finding:
        half_width = float(half[host]) if ended else math.inf
        blocks = int(count[host])
        spread = math.sqrt(noise[host] * blocks) if blocks >= stats.LEAST_BLOCKS else 0.0
        return _finding(finding, float(mean[host]), half_width, level, blocks, spread, STUDENT)

    enough_blocks = count >= stats.LEAST_BLOCKS
    judged = [name for name, is_enough in zip(names, enough_blocks, strict=True) if is_enough]
    hosts = stats.HostSummaries(count[enough_blocks], mean[enough_blocks], noise[enough_blocks])
    odd = stats.find_outlier(hosts, level) if ended else None
    if odd is not None and abs(_distance_from_others(hosts, odd)) < math.log1p(finding.margin):
        odd = None
    claim, refused = None, "the run has not ended"
    if ended:
        claim, refused = _similar_hosts(finding, hosts)
        if claim is not None and (why := _kinds_reason(measured, hosts, judged, level, math.log1p(finding.margin))):
            claim, refused = None, why
    return AcrossHosts(
        measured=finding,
        hosts=tuple(OfOneHost(name, own(host)) for host, name in enumerate(names) if count[host]),
        odd="" if odd is None else judged[odd],
        left_out=tuple(name for host, name in enumerate(names) if not enough_blocks[host]),
        spread=_spread(hosts, level),
        alike=claim,
        refused=refused,
        unseen=stats.unseen_share(hosts.mean.size, level) if claim is not None else 0.0,
    )


def _distance_from_others(hosts: stats.HostSummaries, host: int) -> float:
    return float(hosts.mean[host] - np.delete(hosts.mean, host).mean())


def _similar_hosts(finding: Finding, hosts: stats.HostSummaries) -> tuple[Finding | None, str]:
    """The claim about similar hosts, or the reason why there is none."""
    effect = finding.effect
    assert effect is not None
    if finding.verdict in NO_CLAIM:
        return None, "there is no verdict for the measured hosts"
    if hosts.mean.size < stats.LEAST_HOSTS:
        needed = f"needs at least {stats.LEAST_HOSTS} hosts with {stats.LEAST_BLOCKS} blocks each"
        return None, f"{needed}; this run has {hosts.mean.size}"
    alpha = finding.comparison.alpha
    interval = stats.population_mean(hosts.mean, alpha, UNSEEN, (effect.high - effect.low) / 2 - effect.widened)
    assert interval.high is not None
    half = interval.high - interval.point + effect.widened
    spread = float(hosts.mean.std(ddof=1))
    return _finding(finding, interval.point, half, alpha, effect.blocks, spread, RANDOM_EFFECTS), ""


def _kinds_reason(
    measured: Measured, hosts: stats.HostSummaries, names: Sequence[str], level: float, least: float
) -> str:
    """Why one claim cannot hold for all hosts (different kinds); empty if it can."""
    hint = "measure each kind in a separate run, for example with --where cpu_model=PATTERN"
    models = [measured.processor(name) for name in names]
    kinds = sorted(set(models))
    if stats.kinds_differ(hosts, np.array([kinds.index(model) for model in models]), level, least):
        return f"the effect differs by processor ({', '.join(kinds)}); {hint}"
    higher = stats.two_kinds(hosts, least)
    if higher is None:
        return ""
    fewer = higher if 2 * higher.sum() <= higher.size else ~higher
    share = math.expm1(abs(float(hosts.mean[fewer].mean() - hosts.mean[~fewer].mean())))
    rarer = ", ".join(name for name, is_rare in zip(names, fewer, strict=True) if is_rare)
    difference = f"{100 * share:.0f} %" if share < 1 else f"a factor of {1 + share:.1f}"
    return f"there are two kinds of hosts that differ by {difference} ({rarer}, and the others); {hint}"


def _finding(
    measured: Finding, point: float, half: float, alpha: float, blocks: int, spread: float, method: str
) -> Finding:
    """The same comparison with another interval."""
    low, high = point - half, point + half
    effect = Effect(
        log_ratio=point,
        low=low,
        high=high,
        level=1 - alpha,
        blocks=blocks,
        method=method,
        spread=spread,
        floor=0.0,
        widened=0.0 if measured.effect is None else measured.effect.widened,
        margin_needed=margin_needed(low, high),
    )
    claimed = measured.verdict if measured.verdict in NO_CLAIM else verdict(low, high, measured.margin)
    return Finding(measured.comparison, claimed, effect, measured.margin)


def _spread(hosts: stats.HostSummaries, level: float) -> Estimate | None:
    spread = stats.between_host_deviation(hosts, 1 - level)
    if spread.low is None or spread.high is None:
        return None
    point, low, high = map(math.expm1, (spread.point, spread.low, spread.high))
    return Estimate(point, low, high, 1 - level, BETWEEN_HOSTS, spread.count, "share")
