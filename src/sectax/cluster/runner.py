"""Run on the hosts of a Dask cluster: choose the hosts, and send each its jobs."""

from __future__ import annotations

import gc
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatch
from itertools import chain
from typing import ClassVar, Self, TypeVar

from sectax import __version__
from sectax.calibration.pilot import Emit, Tick
from sectax.calibration.time_budget import block_s
from sectax.cluster import job
from sectax.cluster.agreement import abilities, different_hosts, pooled, promised, slower, software
from sectax.cluster.options import ClusterOptions
from sectax.cluster.session import ClusterSession
from sectax.engines.dask.cluster import PORT, Cluster
from sectax.engines.dask.engine import DaskEngine
from sectax.engines.dask.worker import JobFailure
from sectax.engines.engine import BlockReceived, Engine, EngineEvent
from sectax.experiments.interface import Bench, Experiment, Machine, RunRequest
from sectax.hosts.process.host import host_circumstances, host_identity
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import NothingMeasured, SessionOver, WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Witness, same
from sectax.model.trial import BlockEvent, Dropped, Opened, PlannedBlock, Trial
from sectax.record.plan_checks import check_calibrated
from sectax.run.environment import of_this_process, refuse_change
from sectax.run.execution import EventSink, LocalExecution
from sectax.run.local import LocalRunner
from sectax.run.progress import Progress
from sectax.run.session import Session

# A first job may build parts on first use; a pilot takes as long as the budget, and longer.
ASKED_S = 600.0
# A block may take this many times longer than announced, plus time for a network outage.
_LIMIT_TIMES, _LIMIT_S = 4.0, 60.0
# New objects between two garbage collections.
_OBJECTS = 100_000

_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?")

_A = TypeVar("_A", job.MachineResult, job.EnvironmentResult, job.PilotResult)


class ClusterRunner(LocalRunner):
    """The hosts of a cluster."""

    session: ClassVar[type[Session]] = ClusterSession

    def __init__(self, on: ClusterOptions, progress: Progress) -> None:
        """Raise `WrongUse` if the address is invalid."""
        self._on = on
        self._progress = progress
        self._kind, self._place = _address(on.on)
        self._chosen = False
        self._collecting = gc.get_threshold()

    def __enter__(self) -> Self:
        on = self._on
        # A block is thousands of small objects without cycles: with Python's default threshold, garbage collection is a
        # fifth of the coordinator's CPU time.
        gc.set_threshold(_OBJECTS)
        if self._kind == "local":
            with self._progress.waiting(f"starting {self._place} workers"):
                self._cluster = Cluster.local(int(self._place))
        else:
            self._cluster = Cluster.connect(
                self._place, ca=on.tls_ca, cert=on.tls_cert, key=on.tls_key, insecure=on.insecure
            )
        return self

    def __exit__(self, *_: object) -> None:
        gc.set_threshold(*self._collecting)
        self._cluster.close()

    def machine(self, experiment: Experiment, request: RunRequest, say: Callable[[str], None]) -> Machine:
        experiment.wants(request)  # refuses unknown levels here
        self._choose(request.seed)
        look = job.MachineJob(experiment.name, replace(request, secrets={}))
        machines = {host: answer.machine for host, answer in self._ask(look, job.MachineResult).items()}
        setup = f"run sectax setup {experiment.name} there"
        self._leave_out(different_hosts({host: abilities(machine) for host, machine in machines.items()}), setup)
        return machines[self._hosts()[0]]

    def environment(self, bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
        self._choose(bench.plan.seed)
        described = {
            host: answer.environment
            for host, answer in self._ask(job.EnvironmentJob(bench.plan), job.EnvironmentResult).items()
        }
        setup = f"install the same there, and run sectax setup {bench.plan.experiment}"
        of_hosts = {host: software(environment) for host, environment in described.items()}
        self._leave_out(different_hosts(of_hosts), setup)
        own = of_this_process(command_line, commit)
        # The coordinator measures nothing, so it may change.
        circumstances = host_identity() | host_circumstances() | own.circumstances
        hosts = {host: replace(described[host], hosts={}) for host in self._hosts()}
        self._progress.say(f"hosts: {', '.join(hosts)}")
        if self._kind == "local":
            self._progress.say(
                f"warning: {len(hosts)} workers share this machine and disturb each other: "
                "use this only to try --on; it shows nothing about differences between hosts"
            )
        return Environment(own.identity, circumstances, hosts)

    def refuse_other(self, before: Measured, now: Environment) -> None:
        if LOCAL_HOST in before.hosts:
            raise WrongUse("this run was measured on this machine alone", "leave out --on")
        refuse_changed_hosts(before, now)

    def execution(self, bench: Bench, inputs: Mapping[str, str], sink: EventSink) -> LocalExecution:
        return ClusterExecution(self._cluster, bench, inputs, sink)

    def _choose(self, seed: int) -> None:
        """Choose the hosts, once."""
        if self._chosen:
            return
        self._chosen = True
        wanted = int(self._place) if self._kind == "local" else self._on.hosts or 1
        with self._progress.waiting("waiting for workers"):
            self._cluster.find_hosts(wanted)
        for address in self._cluster.without_sectax:
            install = f"pip install 'sectax[dask]=={__version__}' there"
            self._progress.say(f"the worker at {address} has no sectax, and is left out: {install}")
        for host in self._cluster.hosts.values():
            fits = all(_fits(host.facts, condition) for condition in self._on.where)
            host.left_out = "" if fits else "it does not fit --where"
        other_versions = {
            host: f"has sectax {version}, but needs {__version__}"
            for host in self._cluster.present()
            if (version := self._cluster.hosts[host].facts.get("sectax", "?")) != __version__
        }
        self._leave_out(other_versions, f"pip install 'sectax[dask]=={__version__}' there")
        self._draw(seed)

    def _draw(self, seed: int) -> None:
        hosts = list(self._hosts())
        if self._on.hosts is None:
            return
        if len(hosts) < self._on.hosts:
            raise NothingMeasured(
                f"{len(hosts)} hosts of the cluster can take part, and --hosts asks for {self._on.hosts}",
                "start more workers, or ask for fewer hosts",
            )
        for host in random.Random(f"{seed} of the cluster").sample(hosts, len(hosts) - self._on.hosts):
            self._cluster.hosts[host].left_out = "--hosts asks for fewer"

    def _ask(self, request: job.Job, kind: type[_A]) -> dict[str, _A]:
        return ask(self._cluster, request, kind, self._progress.say, self._hosts())

    def _leave_out(self, different: Mapping[str, str], hint: str) -> None:
        for host, how in different.items():
            self._cluster.hosts[host].left_out = how
            self._progress.say(f"{host} is left out: {how}; {hint}")
        self._hosts()

    def _hosts(self) -> tuple[str, ...]:
        hosts = self._cluster.present()
        if not hosts:
            reasons = sorted({f"{host.name} ({host.left_out or 'gone'})" for host in self._cluster.hosts.values()})
            raise NothingMeasured(f"no host of the cluster can take part: {', '.join(reasons) or 'none has sectax'}")
        return hosts


class ClusterExecution(LocalExecution):
    """Runs a plan on the hosts of a cluster, with a bench there for each block."""

    def __init__(self, cluster: Cluster, bench: Bench, inputs: Mapping[str, str], sink: EventSink) -> None:
        super().__init__(bench, inputs, sink)
        self._cluster = cluster
        self._gaps: dict[str, float] = {}
        self._ready_s = 0.0
        self._promised: dict[tuple[str, str], Witness] = {}

    def start(self) -> None:
        """Nothing to start: every block starts its own services."""

    def release(self) -> None:
        """Nothing to release on this machine."""

    def pilot_size(self) -> int:
        return len(self._plan.treatments)

    def calibrate(self, emit: Emit, left_s: Callable[[], float], tick: Tick) -> Calibrated:
        """Run the pilot on all hosts at once, and pool the results.

        Raises:
            NothingMeasured: it failed on every host.
        """
        hosts = self._cluster.present()
        request = job.PilotJob(self._plan, dict(self._inputs), left_s())
        with self._sink.waiting(f"pilot on {len(hosts)} hosts"):
            answers = ask(self._cluster, request, job.PilotResult, self._sink.say, hosts)
        events: dict[str, list[BlockEvent]] = {}
        for host, answer in answers.items():
            try:
                events[host] = pilot_events(self._plan, answer)
            except ValueError as error:
                self._leave_out(host, f"in the pilot: {error}")
        if not events:
            raise NothingMeasured("no host measured the pilot as it was planned")
        answers = {host: answers[host] for host in events}
        able = {host: dict.fromkeys(answer.calibrated.calibrations, "measured") for host, answer in answers.items()}
        shown = {host: promised(self._plan, block_events) for host, block_events in events.items()}
        witnesses = {
            host: {" ".join(name): str(value) for name, value in by_name.items()} for host, by_name in shown.items()
        }
        for different in (different_hosts(able), different_hosts(witnesses)):
            for host, how in different.items():
                self._leave_out(host, f"in the pilot: {how}")
                answers.pop(host, None)
        first = next(iter(answers))
        for event in events[first]:
            emit(event)
        for host, answer in answers.items():
            for note in answer.notes:
                self._sink.note(f"{host}: {note}")
        self._promised, self._gaps = shown[first], answers[first].gaps
        self._ready_s = max(answer.ready_s for answer in answers.values())
        by_host = [answer.calibrated for answer in answers.values()]
        whole = pooled(self._plan, by_host)
        return replace(whole, pace=max(1.0, *(slower(whole, of_host) for of_host in by_host)))

    def block_s(self, calibrated: Calibrated, *, pace: float = 1.0) -> float:
        return self._one_block_s(calibrated, pace) / len(self.hosts())

    def _one_block_s(self, calibrated: Calibrated, pace: float) -> float:
        return self._ready_s + block_s(self._plan, calibrated, self._gaps, pace=pace)

    def hosts(self) -> tuple[str, ...]:
        """The hosts that can run a block now; waits for one if there is none.

        Raises:
            SessionOver: no host comes back.
        """
        if not self._cluster.present():
            try:
                self._cluster.find_hosts()
            except NothingMeasured as error:
                reasons = [f"{host.name}: {host.left_out or 'gone'}" for host in self._cluster.hosts.values()]
                raise SessionOver(f"no host is left ({'; '.join(reasons)})", "resume when there is one") from error
        return self._cluster.present()

    def engine(self, calibrated: Calibrated) -> Engine:
        for host in self._cluster.late():
            self._sink.say(f"{host} joined after the run had begun: it takes part when the run is resumed")
        expected_s = self._one_block_s(calibrated, calibrated.pace)

        def encode(block: PlannedBlock) -> bytes:
            return job.encode_job(job.BlockJob(self._plan, dict(self._inputs), calibrated, block))

        return DaskEngine(self._cluster, job.MODULE, encode, self._decode, longest_block_s(expected_s))

    def _decode(self, block: PlannedBlock, line: bytes) -> Iterable[EngineEvent]:
        """Decode a host's answer. Raises `ValueError` for an implausible one."""
        answer = job.decode_answer(line, job.largest_result(block))
        if isinstance(answer, job.JobRefused):
            raise ValueError(answer.reason)
        if not isinstance(answer, job.BlockResult) or answer.block != block.number:
            raise ValueError(f"it did not answer with block {block.number}")
        if answer.sectax != __version__:
            raise ValueError(f"the block was measured by sectax {answer.sectax}, but {__version__} is needed")
        events = list(job.unpack_events(answer))
        refuse_other_work(block, events)
        for (treatment, name), value in promised(self._plan, events).items():
            promised_value = self._promised.setdefault((treatment, name), value)
            if not same(promised_value, value):
                raise ValueError(f"{treatment} has {name} {value} there, and {promised_value} on other hosts")
        return [BlockReceived(block.number, tuple(events), answer.seconds)]

    def _leave_out(self, host: str, reason: str) -> None:
        self._cluster.hosts[host].left_out = reason
        self._sink.note(f"{host} was left out: {reason}")
        self._sink.say(f"{host} is left out: {reason}")


def ask(
    cluster: Cluster, request: job.Job, kind: type[_A], say: Callable[[str], None], hosts: Iterable[str]
) -> dict[str, _A]:
    """Send a job to several hosts; answers by name, without hosts that failed.

    Raises:
        NothingMeasured: none of them answers.
    """
    answers: dict[str, _A] = {}
    refused: dict[str, str] = {}
    line = job.encode_job(request)
    batches = cluster.do(dict.fromkeys(hosts, line), job.MODULE, ASKED_S)
    for host, reply in chain.from_iterable(batch.items() for batch in batches):
        try:
            answer = reply if isinstance(reply, JobFailure) else job.decode_answer(reply)
        except ValueError as error:
            answer = JobFailure(str(error))
        if isinstance(answer, kind):
            answers[host] = answer
        elif isinstance(answer, job.JobRefused):
            refused[host] = f"{answer.reason} ({answer.hint})" if answer.hint else answer.reason
        else:
            refused[host] = answer.reason if isinstance(answer, JobFailure) else "unexpected answer"
    for host, reason in sorted(refused.items()):
        cluster.hosts[host].left_out = reason
        say(f"{host} is left out: {reason}")
    if not answers:
        raise NothingMeasured(f"the job failed on every host: {next(iter(refused.values()), 'there is no host')}")
    return dict(sorted(answers.items()))


def longest_block_s(expected_s: float) -> float:
    """Seconds after which a block is given up."""
    return _LIMIT_S + _LIMIT_TIMES * expected_s


def refuse_changed_hosts(before: Measured, now: Environment) -> None:
    """Raise `WrongUse` if a host changed, or a new one has other software."""
    earlier = {host: environment for session in before.sessions for host, environment in session.hosts.items()}
    refuse_change(
        Environment(before.sessions[0].identity, hosts={host: earlier[host] for host in earlier if host in now.hosts}),
        Environment(
            now.identity, hosts={host: environment for host, environment in now.hosts.items() if host in earlier}
        ),
    )
    if earlier:
        right = Environment(software(next(iter(earlier.values()))))
        for host, environment in now.hosts.items():
            refuse_change(
                right, Environment(software(environment)), f"{host} has different software from the earlier hosts:"
            )


def pilot_events(plan: Plan, answer: job.PilotResult) -> list[BlockEvent]:
    """The events of a pilot. Raises `ValueError` for an implausible answer."""
    check_calibrated(plan, answer.calibrated)
    events, treatments = list(job.unpack_events(answer)), {treatment.id for treatment in plan.treatments}
    if not all(event.treatment in treatments for event in events):
        raise ValueError("it measured what is not planned")
    return events


def refuse_other_work(block: PlannedBlock, events: Iterable[BlockEvent]) -> None:
    """Raise `ValueError` for unplanned trials, or missing ones without a reason."""
    planned = {(visit.treatment, visit.round, visit.position) for cell in block.cells for visit in cell.visits}
    treatments = {treatment for cell in block.cells for treatment in cell.opening}
    visited: set[tuple[str, int, int]] = set()
    opened: set[str] = set()
    dropped: set[str] = set()
    for event in events:
        if event.treatment not in treatments:
            raise ValueError(f"it measured {event.treatment}, which is not planned in block {block.number}")
        if isinstance(event, Trial):
            visit = (event.treatment, event.round, event.position)
            if visit not in planned or visit in visited:
                raise ValueError(
                    f"it reported a visit of {event.treatment} that is not planned in block {block.number}"
                )
            visited.add(visit)
        elif isinstance(event, Opened):
            opened.add(event.treatment)
            if not 0 <= event.open_s <= job.LONGEST_S:
                raise ValueError(f"it was ready with {event.treatment} after {event.open_s} s")
        elif isinstance(event, Dropped):
            dropped.add(event.treatment)
    missing = {visit[0] for visit in planned - visited} | (treatments - opened)
    if unexplained := sorted(missing - dropped):
        raise ValueError(f"it left out visits of {unexplained[0]} in block {block.number} without a reason")


def _address(text: str) -> tuple[str, str]:
    """Parse an address: `local` and a number of workers, or `dask` and HOST:PORT."""
    kind, _, rest = text.partition(":")
    if kind == "local":
        if not rest.isdecimal() or not 1 <= int(rest) <= 64:
            raise WrongUse(f"--on {text}: local: takes a number of workers, 1 to 64", "write it as --on local:4")
        return kind, rest
    address = rest.removeprefix("//").rstrip("/")
    if kind != "dask" or not rest.startswith("//") or not _ADDRESS.fullmatch(address):
        raise WrongUse(
            f"--on {text} is not an address",
            "use --on dask://HOST:PORT of a scheduler, or --on local:4 to try it here",
        )
    has_port = re.search(r":\d+$", address) and not address.endswith("]")
    return kind, address if has_port else f"{address}:{PORT}"


def _fits(facts: Mapping[str, str], condition: str) -> bool:
    """Whether a host matches `--where NAME=PATTERN`. Raises `WrongUse`."""
    name, given, pattern = condition.partition("=")
    if not given or not name:
        raise WrongUse(f"--where {condition}: this is not NAME=PATTERN", "write it as --where cpu_model='*EPYC*'")
    value = facts.get(name, facts.get(f"host.{name}"))
    if value is None:
        names_there = ", ".join(sorted(key.removeprefix("host.") for key in facts if key.startswith("host.")))
        raise WrongUse(f"hosts do not report {name}", f"they report: {names_there}")
    return fnmatch(value.lower(), pattern.lower())
