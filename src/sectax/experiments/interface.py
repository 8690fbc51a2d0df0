"""What an experiment is to the rest of the house. Built-in ones and those of others look the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from sectax.model.advice import AdviceRules
from sectax.model.bill import Usage
from sectax.model.plan import Calibrated, Plan, Stopping
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor


@dataclass(frozen=True)
class Option:
    """An option of an experiment's own on the command line."""

    name: str
    help: str
    metavar: str = "TEXT"
    multiple: bool = False
    flag: bool = False


@dataclass(frozen=True)
class Request:
    """What the user asked of an experiment.

    Attributes:
        preset: `default`, `quick` or `published`.
        levels: factor -> the levels asked for; a factor that is not here keeps the preset's levels.
        stopping: margin, blocks, budget.
        seed: of the order.
        options: the experiment's own options, every one with all its values.
        simultaneous: put all comparisons under one error level.
    """

    preset: str
    levels: Mapping[str, tuple[str, ...]]
    stopping: Stopping
    seed: int
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    simultaneous: bool = False


class Experiment(Protocol):
    """A question about a control, as factors, metrics and subjects."""

    name: str
    title: str
    presets: tuple[str, ...]
    factors: tuple[Factor, ...]
    options: tuple[Option, ...]

    def plan(self, request: Request) -> Plan:
        """The plan of a run. Raises `WrongUse` for what does not exist or contradicts itself."""

    def inputs(self, plan: Plan) -> dict[str, str]:
        """What is made once per run and handed to every subject alike. Secret: it is never recorded."""

    def specs(self, plan: Plan, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        """The subject of every treatment of the plan; `calibrated` is None for the pilot itself."""

    def empties(self, plan: Plan) -> dict[str, SubjectSpec]:
        """By family, a subject whose operation does nothing, where the subject times itself."""

    def identity(self, plan: Plan) -> dict[str, str]:
        """What of the subjects' software must not change within a run, as names and versions."""

    def set_up(self, plan: Plan) -> None:
        """What is done once before the first block of a session."""

    def clean_up(self, plan: Plan) -> None:
        """What is done once after the last block of a session, whatever ended it."""

    def requirements(self) -> tuple[str, ...]:
        """What the experiment can use, for `setup` and `doctor`: probes by name, or parts as in `toolchain.parts`."""


@runtime_checkable
class PaidFor(Protocol):
    """What an experiment has besides where a service that it can use is paid for.

    Attributes:
        assumes: one sentence on what the usage supposes.
    """

    assumes: str

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        """The most that a run uses of the service, whether this plan would use the paid one or a local one."""


@runtime_checkable
class HasBudgets(Protocol):
    """What an experiment has besides where its presets take another time than most.

    Attributes:
        budgets_s: seconds by preset, where the user gives neither a budget nor a number of blocks.
    """

    budgets_s: Mapping[str, float]


@runtime_checkable
class Advises(Protocol):
    """What an experiment has besides where its runs can be turned into advice (`sectax advise`)."""

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """What it knows of its treatments: which do a part of the work, which levels are sizes."""
