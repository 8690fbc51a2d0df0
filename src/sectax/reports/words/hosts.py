"""Sentences on a run on several hosts: claims, spread and outliers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sectax.model.analysed import Analysed
from sectax.model.finding import AcrossHosts, Estimate
from sectax.model.measured import Measured
from sectax.reports.words import names, summaries
from sectax.text import claims, units
from sectax.text.printable import printable

LIKE_THESE = "hosts like these"


def processor(measured: Measured, host: str) -> str:
    """The processor model of a host; empty if unknown."""
    return printable(measured.processor(host))


def hosts_label(measured: Measured) -> str:
    """'6 hosts (Intel Xeon 8375C, AMD EPYC 7R13)', or the processor of the only host."""
    hosts, workers = measured.machines, measured.hosts
    models = dict.fromkeys(filter(None, (processor(measured, host) for host in hosts)))
    processors = ", ".join(models) or "processor unknown"
    if len(hosts) > 1:
        return f"{len(hosts)} hosts ({processors})"
    return f"{len(workers)} workers of one machine ({processors})" if len(workers) > 1 else processors


def spread(estimate: Estimate | None) -> str:
    """'hosts differ by ± 6 % (2 to 19 %)', or no difference; empty if unknown."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    if estimate.low <= 0:
        return f"no difference between hosts detected (at most ± {units.upward(100 * estimate.high)} %)"
    return f"hosts differ by {_plus_minus(estimate)}"


def _plus_minus(estimate: Estimate) -> str:
    assert estimate.low is not None
    assert estimate.high is not None
    interval = units.span(100 * estimate.low, 100 * estimate.high)
    return f"± {units.roughly(100 * estimate.point)} % ({interval} %)"


def claim_on_hosts_like_these(analysed: Analysed, across: AcrossHosts) -> str:
    """The claim on hosts like these, or why there is none, with the spread."""
    if across.alike is None:
        claim = no_claim(across.refused).removesuffix(".")
    else:
        claim = f"{summaries.answer_sentence(analysed, across.alike).removesuffix('.')} on {LIKE_THESE}"
    spread_words = spread(across.spread)
    return f"{claim}; {spread_words}." if spread_words else f"{claim}."


def unseen(across: Sequence[AcrossHosts]) -> list[str]:
    """How common an unmeasured kind of host may be; empty without claims."""
    share = max((comparison.unseen for comparison in across if comparison.alike is not None), default=0.0)
    sentence = (
        f"Claims are about the kinds of hosts measured; a kind of up to {100 * share:.0f} % of a fleet may be missing."
    )
    return [sentence] if share else []


def refusals(analysed: Analysed, across: Sequence[AcrossHosts]) -> list[str]:
    """Why there are no claims about hosts like these."""
    reasons: dict[str, list[AcrossHosts]] = {}
    for comparison in across:
        if comparison.alike is None:
            reasons.setdefault(comparison.refused, []).append(comparison)
    sentences = []
    for reason, comparisons in reasons.items():
        if len(comparisons) == 1 < len(across):
            finding = comparisons[0].measured
            sides = (finding.comparison.treatment, finding.comparison.baseline)
            label = " against ".join(names.treatment(analysed.measured.plan, side) for side in sides)
            parts = filter(None, (summaries.comparison_context(analysed, finding), label))
            sentences.append(f"{', '.join(parts)}: {no_claim(reason, 'no')}")
        else:
            sentences.append(no_claim(reason))
    return sentences


def no_claim(reason: str, no: str = "No") -> str:
    return f"{no} claim about {LIKE_THESE}: {reason}."


def outliers(analysed: Analysed, across: Iterable[AcrossHosts]) -> list[str]:
    """'node7 differs from the other hosts: 8.1 times faster.', for every such host."""
    sentences = []
    for comparison in across:
        finding = next((host.finding for host in comparison.hosts if host.host == comparison.odd), None)
        if finding is None or finding.effect is None:
            continue
        metric = analysed.measured.plan.metric(finding.comparison.metric)
        place = summaries.comparison_context(analysed, finding)
        words = f"{printable(comparison.odd)} differs from the other hosts: {claims.effect(finding.effect, metric)}"
        sentences.append(f"{place}: {words}." if place else f"{words}.")
    return sentences


def short_claims(analysed: Analysed, shown: frozenset[str], most: int) -> list[str]:
    """Up to `most` claims on hosts like these; none for a single host."""
    across = [comparison for comparison in analysed.hosts if comparison.measured.comparison.id in shown]
    if not across:
        return []
    claimed = [comparison for comparison in across if comparison.alike is not None]
    sentences = [claim_on_hosts_like_these(analysed, comparison) for comparison in claimed[:most]]
    if len(claimed) > most:
        sentences.append(f"({len(claimed) - most} more with --all.)")
    sentences += unseen(claimed)
    sentences += refusals(analysed, across)[:most]
    spreads = [comparison.spread for comparison in across if comparison.spread is not None and comparison.spread.low]
    if spreads and not claimed:
        largest = max(spreads, key=lambda estimate: estimate.point)
        sentences.append(f"The hosts measured differ by {'up to ' if len(spreads) > 1 else ''}{_plus_minus(largest)}.")
    return [*sentences, *outliers(analysed, across)[:most]]
