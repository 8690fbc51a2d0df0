"""Factors and levels, the treatments they make, and the cells that compare them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from sectax.model.why_not import WhyNot


class Role(StrEnum):
    """Purpose of a treatment; the last two are the run's own controls."""

    BASELINE = "baseline"
    TREATMENT = "treatment"
    NEGATIVE = "negative-control"  # the baseline once more: must show no cost
    POSITIVE = "positive-control"  # the baseline with a known extra cost: must be found


# Roles other than the run's own controls; texts in results.
MEASURED = frozenset({Role.BASELINE, Role.TREATMENT})


@dataclass(frozen=True)
class Factor:
    """Something that varies, with the levels of this run in display order."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Treatment:
    """One combination of levels.

    Attributes:
        id: id made of the levels, unique in the run and stable between runs.
        cell: id of the cell in which it is compared.
        extra: share of extra operations that are run and timed but not counted (0.04 is 4 % slower by design).
        declares: promises of the levels, by the names of the witnesses that must confirm them.
        at_once: whether it is visited at the same time as others of its round: a small quota makes it wait most of the
            time, and they work meanwhile.
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
    """One combination of the factors other than the control's, with one baseline.

    Attributes:
        family: name shared by cells with the same kind of subject and the same controls.
        once: whether it is measured in one block only, as a published study did.
        batch_s: target seconds of its batches; None for the plan's default.
    """

    id: str
    levels: dict[str, str]
    family: str
    baseline: str
    once: bool = False
    batch_s: float | None = None


class Standing(StrEnum):
    """How a comparison may be quoted, and which error budget it uses."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    NEGATIVE = "negative-control"
    POSITIVE = "positive-control"


# Comparisons of the run with itself.
CONTROLS = frozenset({Standing.NEGATIVE, Standing.POSITIVE})


@dataclass(frozen=True)
class Comparison:
    """One treatment against its cell's baseline in one metric, at error level `alpha`."""

    id: str
    cell: str
    treatment: str
    baseline: str
    metric: str
    standing: Standing
    alpha: float


class SkippedTreatment(msgspec.Struct, frozen=True):
    """A treatment that was requested and is not available here.

    Attributes:
        treatment: its id; it is not among the plan's treatments.
        reason, hint: the fields of `WhyNot`.
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
