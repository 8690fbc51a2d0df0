"""The interface of an experiment, built-in or third-party.

1. `wants` names the facts about the machine that the design needs; sectax takes a snapshot of them.
2. `design` says what varies and what is measured; it starts no process and reads no file. sectax plans the run from it.
3. `bench` opens the services of a run and creates the subject of each treatment, on the machine that measures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from sectax.design.matrix import Rules
from sectax.design.planning import Design, RunRequest, make_plan
from sectax.hosts.places import ClientHost
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, Usage
from sectax.model.machine import Machine, Wanted
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment

if TYPE_CHECKING:
    import click

    from sectax.experiments.on_probe.conformance import Case

__all__ = [
    "Bench",
    "Billable",
    "CommandLine",
    "Design",
    "Experiment",
    "HasCommandLines",
    "HasCommands",
    "HasProbeCases",
    "HasSecrets",
    "Hidden",
    "Machine",
    "MeasuresFolders",
    "Option",
    "Rules",
    "RunRequest",
    "SetsUpLevels",
    "TakesArguments",
    "Wanted",
]


@dataclass(frozen=True)
class Option:
    """A command-line option of one experiment.

    Attributes:
        short: one-letter form, as in `-L`.
        prints: whether this flag lets subjects print to the terminal; no progress line is drawn then.
        hidden: whether sectax sets it itself, so that `--help` omits it.
    """

    name: str
    help: str
    metavar: str = "TEXT"
    multiple: bool = False
    flag: bool = False
    short: str = ""
    prints: bool = False
    hidden: bool = False


class Bench(ExitStack):
    """The services and subjects of one plan, for one session of a run.

        with experiment.bench(plan) as bench:
            bench.start(inputs)
            specs = bench.specs(inputs, calibrated)

    The constructor reads the plan's options and the files that they name, nothing else; it raises `WrongUse` if a file
    is missing. `identity` and `inputs` are called next, before the run file exists and before any service starts.
    `start` starts the services. Register each with `self.enter_context(server)` or `self.callback(server.stop)`: they
    are closed in reverse order when the session ends for any reason, also if `start` fails half-way.

    Specs are made after `start`, on the machine that measures, and do not outlive the bench. They are plain data, plus
    a handle of a service if the subject needs one. A remote machine receives the plan and the inputs and opens a bench
    of its own.

    Attributes:
        min_open_s: lower bound of the seconds until a subject is ready; a shorter budget is rejected at once.
        may_idle: whether a subject may idle between operations; a batch may then be a single short operation.
        places: the hosts of clients that share a load, one per client; empty for this machine.
    """

    min_open_s: float = 0.0
    may_idle: bool = False
    places: Sequence[ClientHost] = ()

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan

    def identity(self) -> dict[str, str]:
        """Return the names and versions of software that must not change within a run."""
        return {}

    def circumstances(self) -> dict[str, dict[str, str]]:
        """Return other facts of each host, which may change between sessions."""
        return {}

    def inputs(self) -> dict[str, str]:
        """Return secrets made once per run for all subjects; never recorded."""
        return {}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Start the services. Raises `SectaxError` if one cannot run here."""

    def specs(self, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        """Return each treatment's subject, by id; `calibrated` is None in the pilot."""
        return {treatment.id: self.spec(treatment, inputs, calibrated) for treatment in self.plan.treatments}

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        """Return the subject of one treatment. Implement this or `specs`."""
        raise NotImplementedError

    def empties(self) -> dict[str, SubjectSpec]:
        """Return, by family, a subject whose operation does nothing."""
        return {}


class Experiment(ABC):
    """A question about a control, as factors, metrics and subjects.

    Attributes:
        name: the name of the entry point.
        title: the question that it answers.
        presets: names of sets of levels; must contain `default`.
        options: its own command-line options.
        instead: option of another tool -> the hint to show if a user tries it.
        budgets_s: preset -> default budget in seconds, if it differs from the general one.
    """

    name: str
    title: str
    presets: tuple[str, ...] = ("default",)
    options: tuple[Option, ...] = ()
    instead: Mapping[str, str] = MappingProxyType({})
    budgets_s: Mapping[str, float] = MappingProxyType({})

    @property
    @abstractmethod
    def factors(self) -> tuple[Factor, ...]:
        """Everything that can vary, with levels; `…` if users may name others."""

    def wants(self, request: RunRequest) -> Wanted:
        """Return the facts that the design needs, such as parts, or `WrongUse`."""
        return Wanted(parts=self.requirements())

    @abstractmethod
    def design(self, request: RunRequest, machine: Machine) -> Design:
        """Design a run on this machine. A pure function.

        Raises:
            WrongUse: a level or option does not exist, or contradicts another.
        """

    @abstractmethod
    def bench(self, plan: Plan) -> Bench:
        """Create the bench of a plan, without starting anything."""

    def plan(self, request: RunRequest, machine: Machine) -> Plan:
        """Plan a run. Raises `WrongUse` as `design` does, and if the baseline is missing."""
        return make_plan(self.name, self.title, self.design(request, machine), request)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """Return how `sectax advise` compares the treatments."""
        return AdviceRules(plan.metrics[0].name, Choice())

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterable[AdviceRow]:
        """Yield this experiment's own figures for `sectax advise`; pure."""
        return ()

    def requirements(self) -> tuple[str, ...]:
        """Return what `setup` installs and `doctor` checks, by name."""
        return ()


@runtime_checkable
class Billable(Protocol):
    """Optional: implement if a run can incur charges.

    Attributes:
        assumes: one sentence: the assumptions behind `usage`.
    """

    assumes: str

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        """Return an upper bound of a run's use, as of a paid service."""

    def is_billed(self, options: Mapping[str, tuple[str, ...]]) -> bool:
        """Return whether a run with these options may incur charges."""


@runtime_checkable
class HasCommands(Protocol):
    """Optional: implement to add commands of its own, as `sectax NAME …`."""

    def commands(self) -> click.Group:
        """Import and return the command group: only if needed, for a fast start."""


@runtime_checkable
class TakesArguments(Protocol):
    """Optional: arguments without options, as in `sectax run NAME A B`.

    Attributes:
        word: the placeholder of an argument in `--help`, in capital letters.
    """

    word: str

    def add_arguments(self, bare: Sequence[str], options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Return the options with these arguments added. Raises `WrongUse`."""


@runtime_checkable
class MeasuresFolders(Protocol):
    """Optional: compare one subject in two folders, such as two checkouts.

    Attributes:
        planted_metrics: the metrics that an added known cost changes.
    """

    @property
    def planted_metrics(self) -> tuple[str, ...]: ...

    def in_folders(
        self, options: Mapping[str, tuple[str, ...]], folders: Mapping[str, str], added: float
    ) -> dict[str, tuple[str, ...]] | None:
        """Return the options with one subject on both sides; None if they name two.

        Args:
            folders: name of the side -> its folder, the baseline first.
            added: known cost to add to the second side, as a share of the first; 0 for none.
        """


@runtime_checkable
class Counts(Protocol):
    """Optional: exact counts on request, as witnesses, that a limit may be about.

    Attributes:
        countable: name of a count -> the option that asks for it.
    """

    @property
    def countable(self) -> Mapping[str, str]: ...

    def count_names(self, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the names of the witnesses that a run with these options has."""


@dataclass(frozen=True)
class Hidden:
    """Options without their secrets.

    Attributes:
        options: the values that may be recorded and shown.
        secrets: the removed values, added to the run's inputs; names must differ from those of `Bench.inputs`.
        replaced: a text as typed -> the text that is shown.
    """

    options: dict[str, tuple[str, ...]]
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    replaced: dict[str, str] = field(default_factory=dict, repr=False)


@runtime_checkable
class HasSecrets(Protocol):
    """Optional: implement if values of options may contain secrets."""

    def hidden(self, options: Mapping[str, tuple[str, ...]]) -> Hidden:
        """Separate the secrets, which `Bench.start` gets, from the options."""


class CommandLine(NamedTuple):
    """A command as typed, its name (empty without one), the values of its scans, and the variables that are set."""

    text: str
    name: str
    values: Mapping[str, str]
    env: Mapping[str, str] = MappingProxyType({})


@runtime_checkable
class HasCommandLines(TakesArguments, Protocol):
    """Optional: treatments are commands, which hyperfine's format can hold.

    The experiment must observe `wall` and `cpu` in seconds, and `peak_memory` in bytes.
    """

    def arguments(self, typed: Sequence[str]) -> list[str]:
        """Translate hyperfine's options into sectax's. Raises `WrongUse`."""

    def command_lines(self, plan: Plan) -> dict[str, CommandLine]:
        """Return each treatment's command, by id; `WrongUse` if its file is gone."""


@runtime_checkable
class SetsUpLevels(Protocol):
    """Optional: implement if only some levels need certain parts."""

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return `requirements` for these levels; `WrongUse` for an unknown one."""


@runtime_checkable
class HasProbeCases(Protocol):
    """Optional: probes do the operations; `sectax probe check` tests them.

    Attributes:
        operations: names of operations in the probe protocol.
    """

    operations: tuple[str, ...]

    def probe_cases(self) -> Sequence[Case]:
        """Return each operation with parameters, inputs and referee."""
