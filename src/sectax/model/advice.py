"""What a run says to those who must decide: where the time goes, how it grows, and what it costs in money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import Bill
from sectax.model.finding import Estimate, Finding
from sectax.model.plan import Plan

# So many requests, operations or invocations a bill is of.
MILLION = 1_000_000


@dataclass(frozen=True)
class AnatomyPart:
    """One part of an operation: seconds, and its share of the whole."""

    words: str
    seconds: Estimate
    share: Estimate


@dataclass(frozen=True)
class Anatomy:
    """Where the time of a treatment goes, in one cell."""

    cell: str
    treatment: str
    parts: tuple[AnatomyPart, ...]


@dataclass(frozen=True)
class Growth:
    """An operation as `fixed` seconds and `per_byte` seconds for every byte, at the levels of all other factors.

    `step` names one of its steps, and is empty for the whole. `extra_per_byte` is what of a whole the
    baseline does not take; None for the baseline itself and for a step. `missed` has the levels of the size that surely
    take other than the line says, with what they take as a ratio to it: where there is one, it is no law.
    """

    levels: Mapping[str, str]
    step: str
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Estimate | None
    missed: tuple[tuple[str, Estimate], ...] = ()


@dataclass(frozen=True)
class Breakdown:
    """Of one metric in seconds: where the time goes."""

    metric: str
    anatomies: tuple[Anatomy, ...]


@dataclass(frozen=True)
class Placed:
    """What a treatment takes beyond its baseline, in each metric: what is counted there, and how much more of it.

    None where that is not decided; nothing where all that was found of it is withdrawn.
    """

    cell: str
    treatment: str
    parts: tuple[tuple[str, Estimate | None], ...]


@dataclass(frozen=True)
class Worth:
    """How many of another level of a factor are as long as one of a treatment."""

    cell: str
    treatment: str
    times: Estimate


@dataclass(frozen=True)
class QuotaUse:
    """How much of a service's quota a treatment takes, set up in one `way` (empty: there is only one).

    `limited_s` are the requests per second that the rate, asked for or else measured, makes to the service.
    """

    cell: str
    treatment: str
    way: str
    limited_s: float
    quota_s: float


@dataclass(frozen=True)
class Throttled:
    """How many of the periods of its quota a treatment ran out of, all blocks together."""

    cell: str
    treatment: str
    throttled_periods: int
    periods: int


@dataclass(frozen=True)
class Rate:
    """How often something is asked for.

    Attributes:
        calls: in each invocation. ttl_s: for which a cache uses what it has.
        per_s: invocations of an instance a second.
    """

    calls: int
    ttl_s: float
    per_s: float

    @property
    def expired(self) -> float:
        """The share of invocations that find the TTL over."""
        return min(1.0, 1.0 / (self.per_s * self.ttl_s))


@dataclass(frozen=True)
class Between:
    """A figure with the ends that the intervals of what it is made of allow; None where they have none."""

    point: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class AtRate:
    """What a treatment takes of an invocation at a rate: seconds, and money for a million of them."""

    levels: Mapping[str, str]
    rate: Rate
    seconds: Between
    money: Between
    currency: str


@dataclass(frozen=True)
class RateAdvice:
    """All that is said of rates; `instead` are treatments whose first operation stands for one that fetches again."""

    at: tuple[AtRate, ...] = ()
    instead: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Turn:
    """Where another level becomes the cheapest: from so many of the second operation to one of the first on."""

    then: str
    at: Between


@dataclass(frozen=True)
class Cheapest:
    """The cheapest level of the control at the levels of all other factors, for only the first of the operations.

    `turns` say what is cheapest for more and more of the second one; `tied` levels cannot be told apart from it.
    `decided` is whether any other level was decided.
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
    """What the operations of one level of the control cost at the levels of all other factors, set up in one `way`.

    `bill` is of a million operations of the mix, `least` and `most` its totals at the ends of the interval of what is
    billed; `months` how many millions there are in a month at the rate.
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
    """A treatment that does more than its baseline and costs less; `cause` is what shows why, empty for nothing."""

    finding: Finding
    cause: str


@dataclass(frozen=True)
class Connection:
    """What a new connection of a treatment costs, without a request over one that is open.

    `new` in seconds; `requests` over an open connection that take as long, None where none were sent; the CPU time of
    both ends in seconds; the bytes each way until it is set up, None where there are none to set it up.
    """

    cell: str
    treatment: str
    new: Estimate
    requests: Estimate | None
    client_cpu: Estimate
    server_cpu: Estimate
    sent: Estimate | None
    received: Estimate | None


@dataclass(frozen=True)
class Decision:
    """What to do.

    `findings` are those that answer the question, decided or not. `at_mix` is the cheapest at a mix of operations that
    somebody asked for. `mix` says how many of each operation the outlays are of, empty where there is one operation;
    `rate_s` how many operations a second. `connections` is empty where none are set up.
    """

    choice: Choice
    findings: tuple[Finding, ...]
    cheapest: tuple[Cheapest, ...]
    at_mix: tuple[Cheapest, ...]
    outlays: tuple[Outlay, ...]
    surprises: tuple[Surprise, ...]
    mix: Mapping[str, float]
    rate_s: float
    connections: tuple[Connection, ...] = ()


@dataclass(frozen=True)
class Pooled:
    """What all repetitions say together: each is one value, the mean of its blocks. `ratio` counts repetitions."""

    levels: Mapping[str, str]
    words: str
    ratio: Estimate


@dataclass(frozen=True)
class Advice:
    """All of it."""

    run_id: str
    plan: Plan
    rules: AdviceRules
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    throttled: tuple[Throttled, ...]
    rates: RateAdvice = RateAdvice()
    pooled: tuple[Pooled, ...] = ()
    placed: tuple[Placed, ...] = ()
    worths: tuple[Worth, ...] = ()
    quotas: tuple[QuotaUse, ...] = ()
    decision: Decision | None = None
    analysed: Analysed | None = None
    asked_rate_s: float | None = None
