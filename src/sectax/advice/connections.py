"""What a new connection costs beside a request over an open one: time, CPU time of both ends, bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.advice.anatomy import over_blocks
from sectax.model.advice import Connection
from sectax.model.advice_rules import Connections
from sectax.model.analysed import Analysed
from sectax.model.finding import Estimate
from sectax.model.treatment import MEASURED


def connections(analysed: Analysed, rule: Connections) -> Iterator[Connection]:
    """Every treatment of which all was measured, in the order of the plan."""
    measured = analysed.measured
    level = 1 - measured.plan.stopping.alpha
    for result in analysed.treatments:
        estimates = result.estimates
        columns = [measured.values.get(name, {}).get(result.treatment, {}) for name in (rule.new, rule.request)]
        new, request = columns
        both = [block for block in measured.blocks if new.get(block, 0.0) > 0 and request.get(block, 0.0) > 0]
        if result.role not in MEASURED or not {rule.new, rule.client_cpu, rule.server_cpu} <= estimates.keys():
            continue
        treatment = measured.plan.treatment(result.treatment)
        if (rule.request and not both) or (rule.among and treatment.levels[rule.among[0]] != rule.among[1]):
            continue
        ratios = over_blocks([math.log(new[block] / request[block]) for block in both], level, "") if both else None
        yield Connection(
            cell=treatment.cell,
            treatment=result.treatment,
            new=estimates[rule.new],
            requests=_out_of_logs(ratios) if ratios else None,
            client_cpu=estimates[rule.client_cpu],
            server_cpu=estimates[rule.server_cpu],
            sent=estimates.get(rule.sent),
            received=estimates.get(rule.received),
        )


def _out_of_logs(logs: Estimate) -> Estimate:
    low, high = (None if end is None else math.exp(end) for end in (logs.low, logs.high))
    return Estimate(math.exp(logs.point), low, high, logs.level, logs.method, logs.count, "requests")
