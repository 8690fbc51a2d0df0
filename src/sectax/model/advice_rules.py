"""The rules of an experiment for the decision between its treatments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sectax.model.bill import Usage
from sectax.model.finding import TreatmentResult


@dataclass(frozen=True)
class Choice:
    """How to decide between the levels of an experiment's control.

    Attributes:
        adds: whether every level does more than the baseline, so that a cheaper one is a surprise.
        picks: whether the levels are alternatives to choose from; otherwise only their costs are reported.
        in_time: whether costs are reported as added time, since the baseline has no meaning by itself.
        explained: metrics in seconds, or telemetry counters, that may explain a surprise, with their names.
        mixed: the factor whose levels are operations of one mix.
        usual: the default relative number of each operation.
        nouns: operation -> its noun.
        what: the plural noun of a rate.
        uses: billed usage for (operations, seconds each, result), by setup (empty for a single one); None if unknown.
        billed: the metric of these seconds; empty for the compared one.
        unasked: whether the cost of a month is reported without a given rate.
        timed: whether the price depends on the time, and so is known only for decided levels.
        caveats: level -> why it may not be usable, though it is the cheapest.
        weigh: what else to consider.
        changes: what could change the decision, after the word 'another'.
        parts: levels that are measured only to be subtracted from others, and are not a choice.
        by_calls: whether the experiment's rows depend on a number of calls and a TTL.
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
    month_by_default: bool = True
    timed: bool = True
    caveats: Mapping[str, str] = field(default_factory=dict)
    weigh: str = ""
    changes: str = ""
    parts: tuple[str, ...] = ()
    by_calls: bool = False


@dataclass(frozen=True)
class AdviceRules:
    """The metric of the advice, in seconds, and what there is to choose."""

    metric: str
    choice: Choice | None = None
