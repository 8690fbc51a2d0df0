"""What an experiment is to the rest of the house. Built-in ones and those of others look the same.

An experiment answers a request with a *design*: what varies, what is measured, in which words. It names first what it
wants to know of the machine, and is given a snapshot of that: planning itself starts no process and reads no file.
The house makes the plan of the design. Where the plan is measured, the experiment opens a *bench*: it has the services
that a run needs, and the subject of every treatment.
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
    "TakesWords",
    "Wanted",
]


@dataclass(frozen=True)
class Option:
    """An option of an experiment's own on the command line.

    Attributes:
        short: one letter that stands for it too, as in `-L`.
        prints: a flag with which subjects print to the terminal, where then no live line is drawn.
        hidden: the program itself gives it; `--help` leaves it out.
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
    """Where one plan is measured: its options, its services, its subjects. One is opened for every session of a run.

        with experiment.bench(plan) as bench:
            bench.start(inputs)
            specs = bench.specs(inputs, calibrated)

    A bench that was made has read the plan's options and the files that they name, and no more; it raises `WrongUse`
    for what is not there. `identity` and `inputs` are asked of it then: before the run file exists, and before anything
    is started. `start` begins the services. What it enters
    (`self.enter_context(server)`) or calls back (`self.callback(server.stop)`) ends in reverse order when the bench is
    closed, whatever ended the session, also where `start` itself failed half-way.

    Specs are made after `start`, on the machine that measures, and live no longer than the bench: they are plain data,
    beside a handle of the bench's service where the subject needs one. What travels to another machine is the plan and
    its inputs, of which a bench is opened there.

    Attributes:
        least_open_s: seconds within which no subject of the bench can be ready: by it a budget that is too short is
            refused before anything is started.
        may_idle: whether idle time may lie between operations of a subject; a batch may then be one operation, however
            short.
        places: where the clients that share a load run, one for each; empty for this machine.
    """

    least_open_s: float = 0.0
    may_idle: bool = False
    places: Sequence[ClientHost] = ()

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan

    def identity(self) -> dict[str, str]:
        """What of the subjects' software must not change within a run, as names and versions."""
        return {}

    def circumstances(self) -> dict[str, dict[str, str]]:
        """What else is recorded of hosts in every session, by their names; it may change from one to the next."""
        return {}

    def inputs(self) -> dict[str, str]:
        """What is made once per run and handed to every subject alike. Secret: it is never recorded."""
        return {}

    def start(self, inputs: Mapping[str, str]) -> None:
        """Start the services, with the run's inputs. Raises `SectaxError` where one cannot run here."""

    def specs(self, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        """The subject of every treatment of the plan, by its id; `calibrated` is None for the pilot itself."""
        return {treatment.id: self.spec(treatment, inputs, calibrated) for treatment in self.plan.treatments}

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        """The subject of one treatment. Every bench has this, or `specs`."""
        raise NotImplementedError

    def empties(self) -> dict[str, SubjectSpec]:
        """By family, a subject whose operation does nothing, where the subject times itself."""
        return {}


class Experiment(ABC):
    """A question about a control, as factors, metrics and subjects.

    Attributes:
        name: as in the entry point.
        title: the question.
        presets: names of sets of levels; `default` is always among them.
        options: of its own on the command line.
        instead: by options of other tools that people try, what to write for them.
        budgets_s: by preset, seconds where the user gives neither a budget nor a number of blocks; of those alone that
            take another time than most.
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
        """What varies, with all levels that exist; `…` for those that the user names. An attribute does too."""

    def wants(self, request: RunRequest) -> Wanted:
        """What the design must know of the machine: by default of its parts. Raises `WrongUse` as `design` does."""
        return Wanted(parts=self.requirements())

    @abstractmethod
    def design(self, request: RunRequest, machine: Machine) -> Design:
        """What a run on this machine is to be: a pure function.

        Raises:
            WrongUse: a level or an option does not exist, or contradicts another.
        """

    @abstractmethod
    def bench(self, plan: Plan) -> Bench:
        """Where a plan of this experiment is measured; nothing is started yet."""

    def plan(self, request: RunRequest, machine: Machine) -> Plan:
        """The plan of a run. Raises `WrongUse` as `design` does, and where the baseline was left out."""
        return make_plan(self.name, self.title, self.design(request, machine), request)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """What it knows of the decision between its treatments."""
        return AdviceRules(plan.metrics[0].name, Choice())

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterable[AdviceRow]:
        """Its own figures for `sectax advise`: a pure function. Helpers are in `experiments/advice.py`."""
        return ()

    def requirements(self) -> tuple[str, ...]:
        """What the experiment can use, for `setup` and `doctor`: probes by name, or parts as in `sectax.parts`."""
        return ()


@runtime_checkable
class Billable(Protocol):
    """What an experiment has besides where a service that it can use is paid for.

    Attributes:
        assumes: one sentence on what the usage supposes.
    """

    assumes: str

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        """The most that a run uses of the service, whether this plan would use the paid one or a local one."""

    def is_billed(self, options: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether somebody may have to pay for a run with these options."""


@runtime_checkable
class HasCommands(Protocol):
    """What an experiment has besides where it brings commands of its own: `sectax NAME …`."""

    def commands(self) -> click.Group:
        """The group of them, imported when it is asked for: most calls of the program need none."""


@runtime_checkable
class TakesWords(Protocol):
    """What an experiment has besides where `sectax run NAME A B` names what is compared, without options.

    Attributes:
        word: what each of them is, in capital letters, for `--help`.
    """

    word: str

    def with_words(self, bare: Sequence[str], options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """The experiment's own options with these words among them. Raises `WrongUse`."""


@runtime_checkable
class MeasuresFolders(Protocol):
    """What an experiment has besides where one thing can be measured in two folders, as of two checkouts.

    Attributes:
        planted_metrics: the metrics that a planted cost changes.
    """

    @property
    def planted_metrics(self) -> tuple[str, ...]: ...

    def in_folders(
        self, options: Mapping[str, tuple[str, ...]], folders: Mapping[str, str], added: float
    ) -> dict[str, tuple[str, ...]] | None:
        """The options with that one thing on both sides; None where they name two already.

        Args:
            folders: what a side is called -> its folder, the baseline first.
            added: what is planted into the second side, as a share of the first; 0 for nothing.
        """


@dataclass(frozen=True)
class Hidden:
    """Options without their secrets.

    Attributes:
        options: what may be recorded and shown.
        secrets: what was left out, to be among the run's inputs. Its names are in no `Bench.inputs`.
        replaced: a text as it was typed -> what is shown of it.
    """

    options: dict[str, tuple[str, ...]]
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    replaced: dict[str, str] = field(default_factory=dict, repr=False)


@runtime_checkable
class HasSecrets(Protocol):
    """What an experiment has besides where values of its options may hold secrets."""

    def hidden(self, options: Mapping[str, tuple[str, ...]]) -> Hidden:
        """The options without them: what the plan is made of. The bench is given them among its inputs, at `start`."""


class CommandLine(NamedTuple):
    """A command as it was typed, the name that it was given (empty without one), and the values of its scans."""

    text: str
    name: str
    values: Mapping[str, str]


@runtime_checkable
class HasCommandLines(TakesWords, Protocol):
    """What an experiment has besides where treatments are commands: its runs can be exported as hyperfine's are.

    It observes `wall` and `cpu` in seconds, and `peak_memory` in bytes.
    """

    def arguments(self, typed: Sequence[str]) -> list[str]:
        """A command line as hyperfine's users type it, in our own options. Raises `WrongUse`."""

    def command_lines(self, plan: Plan) -> dict[str, CommandLine]:
        """The command of every treatment and baseline, by its id. Raises `WrongUse` where it is not there any more."""


@runtime_checkable
class SetsUpLevels(Protocol):
    """What an experiment has besides where some of its levels need parts that the others do without."""

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """As `requirements`, for these levels. Raises `WrongUse` where one does not exist."""


@runtime_checkable
class HasProbeCases(Protocol):
    """What an experiment has besides where probes do its operations: `sectax probe check` tries them.

    Attributes:
        operations: their names in the probe protocol.
    """

    operations: tuple[str, ...]

    def probe_cases(self) -> Sequence[Case]:
        """Every combination of operation and parameters, with inputs and the referee that judges it."""
