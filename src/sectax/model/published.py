"""A published study: its tables as printed, and how well each fact is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Known(StrEnum):
    """Source of a fact about a study."""

    STATED = "stated"  # the study states it
    INFERRED = "inferred"  # it follows from the study; the note says how
    UNKNOWN = "unknown"  # the study is silent


@dataclass(frozen=True)
class Fact:
    """One fact about a study, a level, a table or a cell.

    Raises:
        ValueError: `value` is not None exactly where it is unknown, or a note does not say what it is inferred from.
    """

    known: Known
    value: str | int | float | bool | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.known is Known.UNKNOWN):
            raise ValueError("a fact has a value exactly where it is stated or inferred")
        if self.known is Known.INFERRED and not self.note:
            raise ValueError("an inferred fact says in its note what it is inferred from")


Facts = dict[str, Fact]


@dataclass(frozen=True)
class PublishedLevel:
    """One level of a published factor under the label that the study printed."""

    label: str
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedFactor:
    name: str
    levels: tuple[PublishedLevel, ...]


@dataclass(frozen=True)
class PublishedTable:
    """One table in the study's own layout and unit.

    Attributes:
        id: unique in the study.
        metric: what was measured; `derived` where the study computed the figures from another table.
        unit, base_unit, per_unit: unit as printed, base unit of the same quantity, and base units per unit.
        rows, columns: what varies down and across: a factor, or the word under which the study printed figures.
        values: values as printed (43 is not 43.0), shape (rows, columns); None where the study has no figure.
        row_labels, column_labels: levels of a factor, where a study's file does not give them.
        fixed: levels of the whole table.
        facts: `statistic`, `trials_per_cell` and other facts about all its cells.
        row_facts: row label -> facts about that row only.
    """

    id: str
    metric: str
    unit: str
    base_unit: str
    per_unit: float
    rows: str
    columns: str
    values: tuple[tuple[int | float | None, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    fixed: dict[str, str] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    row_facts: dict[str, Facts] = field(default_factory=dict)
    derived: bool = False


@dataclass(frozen=True)
class Remark:
    """A remark that readers need before they use the study's labels or figures.

    `id` is stable and shared with the audit's checks; `subject` is the label or table concerned.
    """

    id: str
    subject: str
    text: str


@dataclass(frozen=True)
class Counterpart:
    """Mapping of the study's labels to those of sectax.

    Attributes:
        levels: our factor -> our level for the whole study.
        variants: our factor -> our levels that are all compared with the published figure, where the study is silent.
        factors: published factor -> our factor.
        labels: published factor -> published label -> our level.
        metrics: published table id -> our metric.
        columns: where a table's columns are statistics: the published label -> our metric.
        unlike_rows: whether rows are different kinds of work in other amounts than ours, so that only ratios within a
            row can be compared.
        differences: derived table id -> its source table and the two columns subtracted.
        designs: further figures of ours, of a run designed as the study's own.

    A level may refer to the run itself: `BASELINE` for the baseline of its control, `OTHERS` for every other level of
    it, and as a variant `EVERY` for all levels of a factor.
    """

    factors: dict[str, str]
    labels: dict[str, dict[str, str]]
    metrics: dict[str, str]
    levels: dict[str, str] = field(default_factory=dict)
    variants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    unlike_rows: bool = False
    differences: dict[str, ColumnDifference] = field(default_factory=dict)
    designs: tuple[CounterpartDesign, ...] = ()


# Levels of a counterpart whose names the user of a run chooses.
BASELINE, OTHERS, EVERY = "(baseline)", "(others)", "(every)"


@dataclass(frozen=True)
class ColumnDifference:
    """A difference computed by the study, row by row: column `of` minus column `less`."""

    table: str
    of: str
    less: str


@dataclass(frozen=True)
class CounterpartDesign:
    """Our figures in the study's own design; fields as those of `Counterpart`."""

    name: str
    metrics: dict[str, str]
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TestVector:
    """An input and the result that the study printed for it."""

    __test__ = False  # pytest collects every class whose name begins with Test

    given: dict[str, str]
    result: str


@dataclass(frozen=True)
class PublishedStudy:
    """A published study as data; `choices` are needed to repeat it where it is silent."""

    id: str
    title: str
    experiment: str
    facts: Facts
    factors: tuple[PublishedFactor, ...]
    tables: tuple[PublishedTable, ...]
    choices: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    counterpart: Counterpart | None = None
    commands: dict[str, str] = field(default_factory=dict)
    vectors: tuple[TestVector, ...] = ()

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(name for name, fact in self.facts.items() if fact.known is Known.UNKNOWN)
