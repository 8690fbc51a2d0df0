"""What an experiment knows of the decision between its treatments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sectax.model.bill import Usage
from sectax.model.finding import TreatmentResult


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
        parts: levels that are measured only to be subtracted from others, and are not to choose.
        by_calls: whether the experiment's rows answer for a number of calls and a TTL.
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
    parts: tuple[str, ...] = ()
    by_calls: bool = False


@dataclass(frozen=True)
class AdviceRules:
    """The metric in seconds that advice is about, and the decision; without a `choice` there is nothing to decide."""

    metric: str
    choice: Choice | None = None
