"""The same tests on several hosts; rounds are interleaved over hosts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sectax.design.matrix import Levels
from sectax.experiments.confidential.advice import pair_rows
from sectax.experiments.confidential.parts import PROBE as OWN_PROBE
from sectax.experiments.confidential.subject import CPU_TIME, TOTAL_TIME, SysbenchSpec
from sectax.experiments.confidential.sysbench_tests import PUBLISHED_TESTS, SYSBENCH, SYSBENCH_BATCH_S, TESTS
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Option, Rules, RunRequest, Wanted
from sectax.experiments.levels import choose, option_seconds
from sectax.experiments.on_host.places import HOST, PAIR, HostPairs, declares, read_places, scope
from sectax.hosts.registry import host, host_facts
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.environment import LOCAL_HOST
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan, Stopping
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment
from sectax.model.why_not import WhyNot

# Hosts by default: this machine, and isolation on it.
PLAIN = "plain"
DEFAULT = {
    PLAIN: LOCAL_HOST,
    "runc": "oci:runc",
    "runc-seccomp": "oci:runc+seccomp",
    "runc-apparmor": "oci:runc+apparmor",
    "gvisor": "oci:runsc",
}
# By preset; the study compared one pair.
HOSTS = {
    "default": DEFAULT,
    "quick": {name: DEFAULT[name] for name in (PLAIN, "runc", "gvisor")},
    "published": {name: DEFAULT[name] for name in (PLAIN, "gvisor")},
}

TEST, COMMANDS = "test", "commands"
# With --published: our tests by a fixed count, and the study's own commands.
BY_COUNT, AS_PUBLISHED = "by-count", "as-published"

_QUICK_TESTS = ("cpu", "memory-write", "fileio", "threads", "mutex")
_DEFAULT_TESTS = (
    *("cpu", "memory-write", "memory-read", "fileio", "fileio-sync", "threads", "mutex"),
    *("syscalls", "context-switch", "page-fault", "memory-latency", "loopback", "process-start"),
)
PRESETS: dict[str, tuple[str, ...]] = {
    "quick": _QUICK_TESTS,
    "default": _DEFAULT_TESTS,
    "published": tuple(PUBLISHED_TESTS),
}

# The first tests, one of each kind, are primary comparisons if not all can be.
_FIRST = ("cpu", "memory-latency", "syscalls", "fileio")
ORDER = (*_FIRST, *(name for name in TESTS if name not in _FIRST))

WORDS = {f"{TEST}={name}": f"in {name}" for name in TESTS} | {
    f"{COMMANDS}={BY_COUNT}": "with a fixed count",
    f"{COMMANDS}={AS_PUBLISHED}": "with the study's command",
    "metric=time": "time",
    "metric=cpu": "CPU time",
}

PUBLISHED_CHOICES = (
    "the study does not name its machine type: the hosts are yours",
    "the study shows one trial of each command: each runs once on every host, which gives a ratio without an interval",
    "the study's commands run unchanged, with each host's sysbench, which still accepts their old options",
    "for each of them there is a test of the same kind with a fixed number of operations, in blocks",
    "the study's memory test writes blocks of 1 KiB; ours, memory-write, uses blocks larger than the cache",
)


# Long compared with requesting a batch from a container, short compared with changes of the machine.
_TURN_S = 0.005
# Enough rounds to make up for opening subjects; batches of sysbench are long, and each is a process.
_ROUNDS, _SYSBENCH_ROUNDS = (24, 64), (2, 24)

TIME = Metric("time", "s", Better.LOWER, Summary.MEAN, observed=TOTAL_TIME)
# Linux counts CPU time in microseconds; gVisor in steps of 10 ms.
CPU = Metric("cpu", "s", Better.LOWER, Summary.MEAN, observed=CPU_TIME, resolution=1e-6, cpu=True)

# Recorded for resumed runs.
BLOCK = "memory-block"
TIMEOUT = "timeout"
_USUAL_TIMEOUT_S = 60
# The study's longest command takes 300 s on a fast machine.
_PUBLISHED_TIMEOUT_S = 900
# Time to create the study's files of 5 GB, and for ten blocks of our test with its pilot.
_FILES_S, _BY_COUNT_S = 30.0, 15.0
_LEAST_BLOCK, _MOST_BLOCK = 64 * 2**20, 2**30


class ConfidentialExperiment(Experiment):
    """Tests by sysbench and our probe on VMs, containers and this machine."""

    name = "confidential"
    title = "What does a confidential VM, or any other isolation, cost?"
    presets = ("default", "quick", "published")
    budgets_s: Mapping[str, float] = {"quick": 150.0, "default": 900.0, "published": 930.0}
    options = (
        Option(
            HOST,
            "a host and its name; the first is the baseline. WHERE is local, ssh://user@host[:port] or oci:RUNTIME",
            "NAME=WHERE",
            multiple=True,
        ),
        Option(PAIR, "another pair of hosts, like the two of --host", "A=B", multiple=True),
        Option(TIMEOUT, "the time limit of one execution of a test, as in 90s (default: 60s)", "TIME"),
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (Factor(TEST, ORDER), Factor(HOST, (*DEFAULT, "…")))

    def requirements(self) -> tuple[str, ...]:
        return ("system:sysbench", "system:runc", "runsc", "system:cc")

    def wants(self, request: RunRequest) -> Wanted:
        places = read_places(request.options, HOSTS[request.preset])
        return Wanted(parts=(OWN_PROBE,), hosts=places.hosts, programs=(SYSBENCH,))

    def design(self, request: RunRequest, machine: Machine) -> Design:
        as_published = request.preset == "published"
        places = read_places(request.options, HOSTS[request.preset])
        several = len(places.pairs) > 1
        available = (
            *((Factor(PAIR, tuple(str(number + 1) for number in range(len(places.pairs)))),) if several else ()),
            *((Factor(COMMANDS, (BY_COUNT, AS_PUBLISHED)),) if as_published else ()),
            Factor(TEST, tuple(PUBLISHED_TESTS) if as_published else ORDER),
            Factor(HOST, places.names),
        )
        factors = choose(available, {TEST: PRESETS[request.preset]}, request.levels)
        used = [where for where in places.hosts if machine.host_lacks(where) is None]
        block, choice = _block([machine.host(where).facts for where in used])
        has_probe = machine.lacks(OWN_PROBE) is None
        tests = next(factor.levels for factor in factors if factor.name == TEST)
        default_s = _PUBLISHED_TIMEOUT_S if as_published else _USUAL_TIMEOUT_S
        timeout = math.ceil(option_seconds(request.options, TIMEOUT, default_s, (0.001, 86400), f"--{TIMEOUT} 60"))
        return Design(
            factors=factors,
            control=HOST,
            baseline=places.baseline,
            metrics=(TIME, CPU) if has_probe else (TIME,),
            rules=Rules(
                family=lambda levels: f"pair {levels[PAIR]}" if several else "hosts",
                lacks=lambda levels: (_host_lacks(machine, places, levels),),
                declares=lambda levels: declares(levels[HOST], places.where(levels)),
                primary={COMMANDS: (BY_COUNT,)},
                once=lambda levels: levels.get(COMMANDS) == AS_PUBLISHED,
                batch_s=lambda levels: SYSBENCH_BATCH_S if _is_sysbench(levels[TEST]) else None,
            ),
            stopping=_with_study_budget(request.stopping, factors, len(places.pairs)) if as_published else None,
            transfers=_transfers(places),
            batch_s=_TURN_S,
            rounds_range=_SYSBENCH_ROUNDS if any(map(_is_sysbench, tests)) else _ROUNDS,
            choices=(
                *((choice,) if any("memory" in name for name in tests) else ()),
                *(PUBLISHED_CHOICES if as_published else ()),
            ),
            options=dict(request.options)
            | {
                HOST: tuple(f"{name}={where}" for name, where in places.pairs[0].items()),
                BLOCK: (str(block),),
                TIMEOUT: (str(timeout),),
            },
            answered_by="the answer is the time of one operation, by the test's own clock on its host",
            beside=(CPU.name,) if has_probe else (),
            equal_witnesses=("tool", "environment"),
            words=WORDS,
            hosts=tuple(where for where in used if where != LOCAL_HOST),
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        choice = Choice(
            adds=True,
            picks=False,
            explained=((CPU.name, "CPU time"),),
            weigh="a real program mixes these kinds of work: measure yours with sectax run command --host",
            changes="kernel, hypervisor or processor",
        )
        return AdviceRules(TIME.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        return pair_rows(analysed, TIME.name, PAIR, {COMMANDS: AS_PUBLISHED})


class _Bench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._places = read_places(plan.options, DEFAULT)
        self._block = int(plan.options[BLOCK][0])
        self._timeout_s = int(plan.options.get(TIMEOUT, (str(_USUAL_TIMEOUT_S),))[0])

    def identity(self) -> dict[str, str]:
        """Additional facts about this machine, if it is one of the hosts."""
        if LOCAL_HOST not in self._places.hosts:
            return {}
        recorded = host().identity()
        return {name: value for name, value in host_facts(LOCAL_HOST).items() if name not in recorded}

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        return SysbenchSpec(
            self._places.where(treatment.levels),
            treatment.levels[TEST],
            self._block,
            self._timeout_s,
            as_published=treatment.levels.get(COMMANDS) == AS_PUBLISHED,
        )


def _is_sysbench(test: str) -> bool:
    return TESTS[test].program == SYSBENCH


def _host_lacks(machine: Machine, places: HostPairs, levels: Levels) -> WhyNot | None:
    where = places.where(levels)
    if levels.get(COMMANDS) == AS_PUBLISHED or _is_sysbench(levels[TEST]):
        return machine.host_lacks(where, SYSBENCH)
    return machine.host_lacks(where) or machine.lacks(OWN_PROBE)


def _with_study_budget(stopping: Stopping, factors: tuple[Factor, ...], pairs: int) -> Stopping:
    """A budget for each study command once, and ten blocks of our tests."""
    if not stopping.extends:
        return stopping
    levels = {factor.name: factor.levels for factor in factors}
    hosts = pairs * len(levels[HOST])
    once = [PUBLISHED_TESTS[name] for name in levels[TEST]] if AS_PUBLISHED in levels[COMMANDS] else []
    once_s = sum((test.known_s or 0.0) + (_FILES_S if test.prepare else 0.0) for test in once)
    by_count_s = _BY_COUNT_S * len(levels[TEST]) if BY_COUNT in levels[COMMANDS] else 0.0
    return replace(stopping, budget_s=math.ceil(hosts * (once_s + by_count_s) / 30) * 30.0)


def _transfers(places: HostPairs) -> str:
    if len(places.pairs) > 1:
        return (
            f"It applies to these {len(places.pairs)} pairs of hosts; each pair has its own verdicts, and sectax "
            "advise combines them. Five pairs allow a general claim."
        )
    return scope(places)


def _block(hosts: list[Mapping[str, str]]) -> tuple[int, str]:
    """Bytes of a memory test, larger than every host's cache, and a note."""
    caches = [size for size in map(_cache, hosts) if size is not None]
    block = _LEAST_BLOCK
    while block < _MOST_BLOCK and caches and block <= max(caches):
        block *= 2
    message = f"memory is measured in blocks of {block >> 20} MiB"
    if not caches:
        return block, f"{message}: no host reports the size of its last-level cache"
    largest = max(caches)
    relation = "which fits in" if block <= largest else "larger than"
    return block, f"{message}, {relation} the last-level cache of {largest >> 20} MiB"


def _cache(facts: Mapping[str, str]) -> int | None:
    match = re.fullmatch(r"([0-9]{1,9})([KM])", facts.get("host.last_level_cache", ""))
    return None if match is None else int(match[1]) << {"K": 10, "M": 20}[match[2]]
