"""The schema of a study's file (`studies/ID.toml`). Unknown members, wrong types and wrong shapes are refused."""

from __future__ import annotations

from typing import Literal

import msgspec

VERSION = 1

# Every study must say how well these are known, be it 'unknown'.
REQUIRED_FACTS = (
    "author", "published", "language_of_source", "environment", "trials_per_cell", "statistic", "warm_up",
)  # fmt: skip


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Fact(_Strict, frozen=True, kw_only=True):
    known: Literal["stated", "inferred", "unknown"]
    value: str | int | float | bool | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.known == "unknown"):
            raise ValueError("a fact has a value exactly where it is stated or inferred")
        if self.known == "inferred" and not self.note:
            raise ValueError("an inferred fact says in its note what it is inferred from")


Facts = dict[str, Fact]


class Level(_Strict, frozen=True, kw_only=True):
    label: str
    facts: Facts = {}


class Factor(_Strict, frozen=True, kw_only=True):
    name: str
    levels: list[Level]


class Table(_Strict, frozen=True, kw_only=True):
    id: str
    metric: str
    unit: str
    base_unit: str
    per_unit: float
    rows: str
    columns: str
    values: list[list[int | float | None]]  # as printed, so 43 is not 43.0
    row_labels: list[str] = []  # where they are not all levels of the factor `rows`
    column_labels: list[str] = []
    fixed: dict[str, str] = {}
    facts: Facts = {}
    row_facts: dict[str, Facts] = {}
    derived: bool = False


class Counterpart(_Strict, frozen=True, kw_only=True):
    levels: dict[str, str] = {}
    variants: dict[str, list[str]] = {}
    factors: dict[str, str]
    labels: dict[str, dict[str, str]]
    metrics: dict[str, str]
    columns: dict[str, str] = {}
    unlike_rows: bool = False
    differences: dict[str, Difference] = {}
    designs: list[Design] = []


class Difference(_Strict, frozen=True, kw_only=True):
    table: str
    of: str
    less: str


class Design(_Strict, frozen=True, kw_only=True):
    name: str
    metrics: dict[str, str]
    columns: dict[str, str] = {}


class Vector(_Strict, frozen=True, kw_only=True):
    given: dict[str, str]
    result: str


class Study(_Strict, frozen=True, kw_only=True):
    schema: Literal[1]
    id: str
    title: str
    experiment: str
    facts: Facts
    factors: list[Factor]
    tables: list[Table]
    choices: list[str] = []
    counterpart: Counterpart | None = None
    commands: dict[str, str] = {}
    vectors: list[Vector] = []

    def __post_init__(self) -> None:
        lacking = [name for name in REQUIRED_FACTS if name not in self.facts]
        if lacking:
            raise ValueError(f"nothing is said of {', '.join(lacking)}")
