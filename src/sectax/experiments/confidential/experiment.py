"""The experiment: one factor is the host, the other the test; rounds are interleaved over hosts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sectax.design.matrix import Asked
from sectax.experiments.confidential.places import DEFAULT, HOST, PAIR, QUICK, NeedsHost, Places, declares, read_places
from sectax.experiments.interface import Bench, Design, Experiment, Option, Request, Rules
from sectax.experiments.levels import choose
from sectax.model.environment import LOCAL_HOST
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment
from sectax.sandboxes.hosts import host
from sectax.subjects.sysbench import TESTS, SysbenchSpec
from sectax.subjects.sysbench.subject import TOTAL_TIME, local_facts

TIME = Metric("time", "s", Better.LOWER, Summary.MEAN, observed=TOTAL_TIME)

# Recorded, so that a resumed run measures the same.
BLOCK = "memory-block"
_TEST = "test"
_QUICK_TESTS = ("cpu", "memory-write", "fileio", "threads", "mutex")
_DEFAULT_TESTS = ("cpu", "memory-write", "memory-read", "fileio", "fileio-sync", "threads", "mutex")
_LEAST_BLOCK, _MOST_BLOCK = 64 * 2**20, 2**30

_ISOLATION = "containers and gVisor isolate and encrypt no memory: their cost says nothing of a confidential VM"


class ConfidentialExperiment(Experiment):
    """Five tests of sysbench on two or more hosts: VMs over ssh, containers, a sandbox, this machine."""

    name = "confidential"
    title = "What does a confidential VM, or any other isolation, cost?"
    presets = ("default", "quick")
    budgets_s: Mapping[str, float] = {"quick": 150.0, "default": 600.0}
    options = (
        Option(
            HOST,
            "a place to run and its name; the first is the baseline. WHERE is local, ssh://user@host[:port] or "
            "oci:RUNTIME",
            "NAME=WHERE",
            multiple=True,
        ),
        Option(PAIR, "two more hosts in the places of the two that --host names", "A=B", multiple=True),
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (Factor(_TEST, tuple(TESTS)), Factor(HOST, (*DEFAULT, "…")))

    def requirements(self) -> tuple[str, ...]:
        return ("system:sysbench", "system:runc", "runsc")

    def design(self, request: Request) -> Design:
        quick = request.preset == "quick"
        places = read_places(request.options, QUICK if quick else DEFAULT)
        several = len(places.pairs) > 1
        known = (
            *((Factor(PAIR, tuple(str(number + 1) for number in range(len(places.pairs)))),) if several else ()),
            Factor(_TEST, tuple(TESTS)),
            Factor(HOST, places.names),
        )
        factors = choose(known, {_TEST: _QUICK_TESTS if quick else _DEFAULT_TESTS}, request.levels)
        asked = Asked()
        used = [where for where in places.hosts if asked.why_not(NeedsHost(where)) is None]
        block, choice = _block(used)
        return Design(
            factors=factors,
            control=HOST,
            baseline=places.baseline,
            metrics=(TIME,),
            rules=Rules(
                family=lambda levels: f"pair {levels[PAIR]}" if several else "hosts",
                requires=lambda levels: (NeedsHost(places.where(levels)),),
                asked=asked,
                declares=lambda levels: declares(levels[HOST], places.where(levels)),
            ),
            transfers=_transfers(places),
            batch_s=0.1 if quick else 0.3,
            rounds_range=(2, 2) if quick else (2, 8),
            warms_up=False,
            settles=False,
            choices=(choice,),
            options=dict(request.options)
            | {HOST: tuple(f"{name}={where}" for name, where in places.pairs[0].items()), BLOCK: (str(block),)},
            answered_by="the answer is the time of one operation, by sysbench's own clock on the host that did it",
            equal_witnesses=("sysbench",),
            words={f"{_TEST}={name}": f"in {name}" for name in TESTS},
            hosts=tuple(where for where in used if where != LOCAL_HOST),
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)


class _Bench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._places = read_places(plan.options, DEFAULT)
        self._block = int(plan.options[BLOCK][0])

    def identity(self) -> dict[str, str]:
        """Of this machine, where it is among the hosts, what its plain identity leaves out."""
        if LOCAL_HOST not in self._places.hosts:
            return {}
        known = host().identity()
        return {name: value for name, value in local_facts().items() if name not in known}

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        return SysbenchSpec(self._places.where(treatment.levels), treatment.levels[_TEST], self._block)


def _transfers(places: Places) -> str:
    if len(places.pairs) > 1:
        return f"It holds for these {len(places.pairs)} pairs of hosts; each pair has its own verdicts."
    if any(where.startswith("oci:") for where in places.hosts):
        return f"{_ISOLATION}. The cost is that of this machine, kernel and processor."
    return "It holds for these hosts alone: two equal VMs can differ too. Five pairs (--pair) make a general claim."


def _block(hosts: list[str]) -> tuple[int, str]:
    """Bytes of a block of the memory tests: past the last-level cache of every host that names one."""
    caches = [size for size in map(_cache, hosts) if size is not None]
    block = _LEAST_BLOCK
    while block < _MOST_BLOCK and caches and block <= max(caches):
        block *= 2
    said = f"memory is measured in blocks of {block >> 20} MiB"
    if not caches:
        return block, f"{said}: no host says how large its last-level cache is"
    largest = max(caches)
    if block <= largest:
        return block, f"{said}, which the last-level cache of {largest >> 20} MiB can hold"
    return block, f"{said}, past the last-level cache of {largest >> 20} MiB"


def _cache(where: str) -> int | None:
    said = local_facts() if where == LOCAL_HOST else host(where).identity()
    found = re.fullmatch(r"(\d+)([KM])", said.get("host.last_level_cache", ""))
    return None if found is None else int(found[1]) << {"K": 10, "M": 20}[found[2]]
