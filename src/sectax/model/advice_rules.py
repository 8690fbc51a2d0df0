"""What an experiment knows of its treatments, as rules that turn runs into advice, each with words of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sectax.model.bill import Usage
from sectax.model.finding import TreatmentResult


@dataclass(frozen=True)
class Steps:
    """Steps that a treatment times itself.

    Attributes:
        level: the level of the stages' factor that does.
        parts: the metrics that hold them, in seconds, and what each does.
        whole: the metric that holds all from the first step to the last; rest: what of that is in no step. What is not
            in that whole is the first stage.
    """

    level: str
    parts: tuple[tuple[str, str], ...]
    whole: str
    rest: str


@dataclass(frozen=True)
class Stages:
    """Where the time goes, by difference to treatments that do less of the work.

    Attributes:
        factor: the factor whose levels do more and more of it.
        levels: those levels, and what each does beyond the one before.
        rest: what a treatment that is no stage does beyond the last of them.
    """

    factor: str
    levels: tuple[tuple[str, str], ...]
    rest: str
    steps: Steps | None = None


@dataclass(frozen=True)
class GrowsWithSize:
    """How an operation grows with the sizes of the plan's contents; `control` is what the baseline leaves out."""

    control: str


@dataclass(frozen=True)
class Places:
    """Where a cost sits: what a treatment takes beyond its baseline, in each of several metrics.

    Attributes:
        metrics: name of the metric, and what is counted there, in words.
    """

    metrics: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Longer:
    """How many times longer the same takes at one level of a factor than at another.

    Attributes:
        title: as in 'How long a new connection is'. factor: not the control. level, than: of it.
        words: what one or several of are as long, as in 'request over a connection that stays open'.
    """

    title: str
    factor: str
    level: str
    than: str
    words: str


@dataclass(frozen=True)
class Requests:
    """Which quota the calls of an operation meet.

    Attributes:
        uses: what so many operations with these levels use, by the way in which they are set up; the way is empty where
            there is only one.
        rate: operations per second that a measured treatment made; None where that is not known.
        limited: the item of the price list whose quota is looked at.
        assumes: what the figures hold for.
    """

    uses: Callable[[int, Mapping[str, str]], Mapping[str, tuple[Usage, ...]]]
    rate: Callable[[TreatmentResult], float | None]
    limited: str
    assumes: str


@dataclass(frozen=True)
class Repeats:
    """What repetitions of the whole with other machines say together.

    Attributes:
        factor: its levels are the pieces of work that are timed.
        repeats: the factor whose levels are the repetitions; a run need not have it.
        left_out: levels of other factors that say nothing here.
    """

    factor: str
    repeats: str
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnParts:
    """Parts of an operation that every treatment times itself.

    Attributes:
        parts: the metrics that hold them, in seconds, and what each does. rest: what is in none of them.
    """

    parts: tuple[tuple[str, str], ...]
    rest: str


@dataclass(frozen=True)
class ByRate:
    """Which level of the control is fastest and cheapest at a rate of calls, from figures of two situations.

    Attributes:
        factor: of the situations; again: in which what is kept is used; fetching: in which it is not, the best first.
        first: the metric of a subject's first operation, which stands for `fetching` where no level of it was measured.
        memory: the factor whose levels are MB.
        asks: how often a treatment asks the service, by its levels.
        uses: what an amount of seconds and of the service's calls uses, of a treatment.
        assumes: what the figures hold for.
    """

    factor: str
    again: str
    fetching: tuple[str, ...]
    first: str
    memory: str
    asks: Callable[[Mapping[str, str]], int]
    uses: Callable[[float, float, TreatmentResult], tuple[Usage, ...]]
    assumes: str


@dataclass(frozen=True)
class Connections:
    """What setting a connection up costs, beside a request over an open one.

    Attributes:
        new, request: metrics of both, in seconds. client_cpu, server_cpu: of CPU time for a new connection.
        sent, received: metrics of a new connection's bytes. Without a name there is no such metric.
        among: the factor and the level of the treatments whose connections are new; None for all.
    """

    new: str
    request: str
    client_cpu: str
    server_cpu: str
    sent: str = ""
    received: str = ""
    among: tuple[str, str] | None = None


@dataclass(frozen=True)
class Choice:
    """What an experiment knows of the decision between the levels of its control.

    Attributes:
        adds: whether every level does all that the baseline does, and more, so that one that is cheaper is a surprise.
        picks: whether the levels are alternatives, and the question is which to take; otherwise it is what they cost.
        in_time: whether a cost is said as the time that it adds, since the baseline by itself means little; only where
            nothing is picked.
        explained: metrics in seconds, or counts of the telemetry, that may show the reason of a surprise, in words.
        mixed: the factor whose levels are operations of one mix; usual: how many of each, where nobody says.
        nouns: what one of each is called.
        what: what is counted by a rate, in words.
        uses: what a number of operations of so many seconds each use that has a price, for every way to set them up
            (empty: there is only one); None where that is not known.
        billed: the metric of those seconds; empty for the one that is compared.
        unasked: whether it says what a month costs where nobody named a rate.
        timed: whether the price depends on the time, so that it is known only where that is decided.
        caveats: level -> why somebody may not be able to take it, though it is the cheapest.
        weigh: what else to weigh.
        changes: what would change the decision, to stand behind 'another'.
    """

    adds: bool = False
    picks: bool = True
    in_time: bool = False
    explained: tuple[tuple[str, str], ...] = ()
    mixed: str = ""
    usual: Mapping[str, float] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)
    what: str = "operations"
    uses: Callable[[int, float, TreatmentResult], Mapping[str, tuple[Usage, ...]]] | None = None
    billed: str = ""
    unasked: bool = True
    timed: bool = True
    caveats: Mapping[str, str] = field(default_factory=dict)
    weigh: str = ""
    changes: str = ""


@dataclass(frozen=True)
class AdviceRules:
    """The rules that an experiment uses; `metric` is the one, in seconds, that all of them but prices are about.

    Without a `choice` there is nothing to decide.
    """

    metric: str
    choice: Choice | None = None
    stages: Stages | None = None
    growth: GrowsWithSize | None = None
    repeats: Repeats | None = None
    parts: OwnParts | None = None
    by_rate: ByRate | None = None
    places: Places | None = None
    longer: Longer | None = None
    connections: Connections | None = None
    requests: Requests | None = None

    @property
    def steps(self) -> Steps | None:
        return self.stages.steps if self.stages else None

    def is_stage(self, levels: Mapping[str, str]) -> bool:
        """Whether a treatment is only there to be subtracted from others."""
        return self.stages is not None and levels.get(self.stages.factor) in dict(self.stages.levels)
