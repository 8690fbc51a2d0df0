"""What to do after a run, what it costs in money, and the experiment's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sectax.model.advice_rules import Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import Bill
from sectax.model.finding import Estimate, Finding
from sectax.model.plan import Plan

# So many requests, operations or invocations a bill is of.
MILLION = 1_000_000


@dataclass(frozen=True)
class Asked:
    """The user's own workload; None where it is not given.

    Attributes:
        counts: operation -> how many of it there are in the mix.
        rate_s: operations a second.
        calls: in each invocation; ttl_s: for which a cache uses what it has.
    """

    counts: Mapping[str, float] = field(default_factory=dict)
    rate_s: float | None = None
    calls: int | None = None
    ttl_s: float | None = None


NOTHING = Asked()


@dataclass(frozen=True)
class AdviceRow:
    """One figure of an experiment's own advice.

    Attributes:
        group: the title of its table.
        levels: factor -> level of what the figure is about.
        name: what the figure is; empty if the title says it.
        value: None if it is undecided or not known.
        sentence: what to make of it, or why there is no value; may be empty.
    """

    group: str
    levels: Mapping[str, str]
    name: str
    value: Estimate | None
    sentence: str = ""


@dataclass(frozen=True)
class Between:
    """A figure with the ends that the intervals of what it is made of allow; None where they have none."""

    point: float
    low: float | None
    high: float | None


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
class Decision:
    """What to do.

    `findings` are those that answer the question, decided or not. `at_mix` is the cheapest at a mix of operations that
    somebody asked for. `mix` says how many of each operation the outlays are of, empty where there is one operation;
    `rate_s` how many operations a second.
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
    """The decision, and the figures that stand beside it."""

    analysed: Analysed
    decision: Decision | None
    rows: tuple[AdviceRow, ...]

    @property
    def run_id(self) -> str:
        return self.analysed.measured.run_id

    @property
    def plan(self) -> Plan:
        return self.analysed.measured.plan
