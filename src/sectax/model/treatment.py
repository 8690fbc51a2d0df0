"""What varies: factors and levels, the treatments they make, and the cells in which treatments are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from sectax.model.why_not import WhyNot


class Role(StrEnum):
    """What a treatment is there for. The two last are the run's own controls of itself."""

    BASELINE = "baseline"
    TREATMENT = "treatment"
    NEGATIVE = "negative-control"  # the baseline once more: must show no cost
    POSITIVE = "positive-control"  # the baseline with a known extra cost: must be found


# All but the run's own controls: roles in a plan, and (as texts) in results.
MEASURED = frozenset({Role.BASELINE, Role.TREATMENT})


@dataclass(frozen=True)
class Factor:
    """Something that varies, with the levels of this run in the order in which they are shown."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Treatment:
    """One combination of levels.

    Attributes:
        id: unique in the run, made of the levels; stable between runs.
        cell: id of the cell in which it is compared.
        extra: share of extra operations that are run and timed but not counted (0.04 is 4 % slower by design).
        declares: what the levels promise of the real thing, by the names of the witnesses that must confirm it.
        at_once: it is visited at the same moment as the others of its round that are: a small quota makes it wait most
            of the time, and they work meanwhile.
    """

    id: str
    cell: str
    levels: dict[str, str]
    role: Role
    extra: float = 0.0
    declares: dict[str, str | int | float | bool] = field(default_factory=dict)
    at_once: bool = False


@dataclass(frozen=True)
class Cell:
    """One combination of the factors other than the control's; its treatments meet the same baseline.

    Attributes:
        family: names the cells that share a kind of subject, and with it their negative and positive control.
        once: it is measured in one block and no other, as a published study did once what it did.
        batch_s: seconds that its batches should last; None where the plan's own length holds.
    """

    id: str
    levels: dict[str, str]
    family: str
    baseline: str
    once: bool = False
    batch_s: float | None = None


class Standing(StrEnum):
    """How a comparison may be quoted, and which error budget it draws on."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    NEGATIVE = "negative-control"
    POSITIVE = "positive-control"


# The run's comparisons of itself with itself.
CONTROLS = frozenset({Standing.NEGATIVE, Standing.POSITIVE})


@dataclass(frozen=True)
class Comparison:
    """One treatment against the baseline of its cell in one metric, at its own error level `alpha`."""

    id: str
    cell: str
    treatment: str
    baseline: str
    metric: str
    standing: Standing
    alpha: float


class SkippedTreatment(msgspec.Struct, frozen=True):
    """A treatment that was asked for and is not available here.

    Attributes:
        treatment: its id; it is not among the plan's treatments.
        reason, hint: the parts of `why_not`.
    """

    treatment: str
    levels: dict[str, str]
    reason: str
    hint: str = ""

    @classmethod
    def because(cls, treatment: str, levels: dict[str, str], why_not: WhyNot) -> SkippedTreatment:
        return cls(treatment, levels, why_not.reason, why_not.hint)

    @property
    def why_not(self) -> WhyNot:
        return WhyNot(self.reason, self.hint)
