"""What experiments share that measure functions on Lambda: memory, pace, metrics, and what a run of them would cost."""

from __future__ import annotations

import math
import platform

from sectax.design.matrix import Levels
from sectax.model.bill import Usage
from sectax.model.errors import WrongUse
from sectax.model.metric import FIRST as FIRST_OBSERVED
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import SETTLING_SHARE, Plan
from sectax.model.subject import Witness
from sectax.model.treatment import Role

BACK_TO_BACK, SPACED = "back-to-back", "spaced"
_LEAST_MB, _MOST_MB = 128, 10_240

FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed=FIRST_OBSERVED)
# Lambda tells it in whole MB.
MAX_MEMORY = Metric("max_memory_used", "B", Better.LOWER, Summary.MAXIMUM, observed="max_memory_used", resolution=2**20)
REPORT_STEP_S = 1e-5

# By whether the functions run on AWS.
TRANSFERS = {
    False: (
        "The share of a processor is Lambda's, the processor is this machine's: ratios carry over to Lambda as far as "
        "its processors are like this one, absolute times do not."
    ),
    True: "It holds for this region and the processors that AWS gave these functions meanwhile.",
}

# What the estimated bill supposes.
_WARM_UP_BATCHES = 10
_PILOT_BATCHES = 25
_BILLING_MB = 1024  # the GB of a GB-second


def memory_levels(asked: tuple[str, ...], there_are: tuple[str, ...]) -> tuple[str, ...]:
    """The memory sizes asked for, in their order of size; `all` are those that *there_are*.

    Raises:
        WrongUse: what is no memory size of Lambda's.
    """
    if asked == ("all",):
        asked = there_are
    for text in asked:
        if not (text.isdecimal() and text.isascii() and _LEAST_MB <= int(text) <= _MOST_MB):
            raise WrongUse(
                f"the factor memory has no level {text!r}", f"Lambda has {_LEAST_MB} to {_MOST_MB} MB, in whole MB"
            )
    return tuple(sorted({str(int(text)) for text in asked}, key=int))


def declares(endpoint: str | None, levels: Levels) -> dict[str, Witness]:
    """What a memory size promises of the limits in force."""
    from sectax.subjects.function.promises import promised

    return promised(int(levels["memory"]), endpoint)


def usage(plan: Plan, assumed_s: float) -> tuple[Usage, ...]:
    """What the whole run would use, if every invocation took *assumed_s* seconds."""
    count = max(1, round(plan.batch_s / assumed_s))
    blocks = plan.stopping.fixed_blocks or plan.stopping.max_blocks
    visits = plan.rounds_range[1] * (count + math.ceil(count * SETTLING_SHARE)) + _WARM_UP_BATCHES * count
    architecture = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    requests, gb_s = 0, 0.0
    for treatment in plan.treatments:
        tried = 0 if treatment.role is Role.NEGATIVE else _PILOT_BATCHES * count
        number = blocks * (1 + visits) + tried
        requests += number
        gb_s += number * assumed_s * int(treatment.levels["memory"]) / _BILLING_MB
    return Usage("lambda.requests", requests), Usage(f"lambda.{architecture}", gb_s)
