"""Advice after a run: the decision, prices, and the experiment's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sectax.model.advice_rules import Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import Bill
from sectax.model.finding import Estimate, Finding
from sectax.model.plan import Plan

# Bills are for this many requests, operations or invocations.
MILLION = 1_000_000


@dataclass(frozen=True)
class UserWorkload:
    """The user's workload; None for values that are not given.

    Attributes:
        counts: operation -> its relative number in the mix.
        rate_s: operations per second.
        calls: calls per invocation.
        ttl_s: lifetime of cache entries.
    """

    counts: Mapping[str, float] = field(default_factory=dict)
    rate_s: float | None = None
    calls: int | None = None
    ttl_s: float | None = None


NO_WORKLOAD = UserWorkload()


@dataclass(frozen=True)
class AdviceRow:
    """One figure of an experiment's own advice.

    Attributes:
        group: the title of its table.
        levels: factor -> level.
        name: the label of the figure; empty if the title says it.
        value: None if it is undecided or unknown.
        sentence: an explanation, or why there is no value; may be empty.
    """

    group: str
    levels: Mapping[str, str]
    name: str
    value: Estimate | None
    sentence: str = ""


@dataclass(frozen=True)
class Between:
    """A figure with the range that the intervals of its inputs allow."""

    point: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Turn:
    """The ratio of operations at which another level becomes the cheapest."""

    then: str
    at: Between


@dataclass(frozen=True)
class Cheapest:
    """The cheapest level of the control at fixed levels of all other factors.

    Attributes:
        level: the cheapest for only the first operation.
        turns: the cheapest levels as the share of the second operation grows.
        tied: levels whose cost is not distinguishable from it.
        decided: whether any other level was decided.
    """

    levels: Mapping[str, str]
    baseline: str
    level: str
    turns: tuple[Turn, ...]
    tied: tuple[str, ...]
    operations: tuple[str, ...]
    decided: bool


@dataclass(frozen=True)
class Outlay:
    """The price of one level of the control at fixed levels of all other factors.

    Attributes:
        way: the setup of the service.
        bill: for a million operations of the mix.
        least, most: its totals at the ends of the billed interval.
        months: millions of operations per month at the rate.
    """

    levels: Mapping[str, str]
    level: str
    way: str
    is_baseline: bool
    bill: Bill
    least: float
    most: float
    months: float


@dataclass(frozen=True)
class Surprise:
    """A treatment that does more than its baseline but costs less."""

    finding: Finding
    cause: str


@dataclass(frozen=True)
class Decision:
    """What to do.

    Attributes:
        findings: the main findings, decided or not.
        at_mix: the cheapest levels for the user's mix of operations.
        mix: relative number of each operation in the outlays; empty for a single operation.
        rate_s: operations per second.
    """

    choice: Choice
    findings: tuple[Finding, ...]
    cheapest: tuple[Cheapest, ...]
    at_mix: tuple[Cheapest, ...]
    outlays: tuple[Outlay, ...]
    surprises: tuple[Surprise, ...]
    mix: Mapping[str, float]
    rate_s: float


@dataclass(frozen=True)
class Advice:
    """The decision, and the experiment's own figures."""

    analysed: Analysed
    decision: Decision | None
    rows: tuple[AdviceRow, ...]

    @property
    def run_id(self) -> str:
        return self.analysed.measured.run_id

    @property
    def plan(self) -> Plan:
        return self.analysed.measured.plan
