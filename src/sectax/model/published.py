"""A study that engineers published: its tables as printed, and how well each fact about it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Known(StrEnum):
    """Where a fact about a study comes from."""

    STATED = "stated"  # the study says so
    INFERRED = "inferred"  # it follows from what the study says; the note says how
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
        unit, base_unit, per_unit: as printed, the base unit of the same quantity, and how many base units one is.
        rows, columns: what varies down and across: a factor, or the word under which the study printed figures.
        values: as printed (43 is not 43.0), shape (rows, columns); None where the study has no figure.
        row_labels, column_labels: the levels of a factor, where a study's file does not give them.
        fixed: levels that hold for the whole table.
        facts: `statistic`, `trials_per_cell` and whatever else is known of all its cells.
        row_facts: row label -> facts that hold for that row only.
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
    """Something that a reader must know before the study's labels or figures are used.

    `id` is stable and shared with the audit's checks; `subject` is the label or table that it is about.
    """

    id: str
    subject: str
    text: str


@dataclass(frozen=True)
class Counterpart:
    """How the study's labels read in sectax.

    Attributes:
        levels: our factor -> our level that holds for the whole study.
        variants: our factor -> our levels that all stand beside the published figure, where the study is silent.
        factors: published factor -> our factor.
        labels: published factor -> published label -> our level.
        metrics: published table id -> our metric.
        columns: where a table's columns are statistics: the published label -> our metric.
        unlike_rows: the rows of its tables are unlike work, and ours are another amount of it: only ratios within a
            row can be set beside each other.
        differences: derived table id -> of which table it is, and between which two of that one's columns.
        designs: further figures of ours, of a run that was designed as the study's own.

    A level may stand for what the run itself says: `BASELINE` for the baseline of its control, `OTHERS` for every other
    level of it, and as a variant `EVERY` for all levels of a factor.
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
    """What a study computed of one of its tables, row by row: the column `of` less the column `less`."""

    table: str
    of: str
    less: str


@dataclass(frozen=True)
class CounterpartDesign:
    """Figures of ours that are made as the study made its own; `metrics` and `columns` as those of `Counterpart`."""

    name: str
    metrics: dict[str, str]
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TestVector:
    """An input and the result that the study printed for it."""

    __test__ = False  # pytest takes every class whose name begins so

    given: dict[str, str]
    result: str


@dataclass(frozen=True)
class PublishedStudy:
    """A published study as data. `choices` is what must be chosen to run it again, because it does not say."""

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
