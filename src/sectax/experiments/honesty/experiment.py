"""The experiment `honesty`: an operation against itself, with known costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest, Wanted
from sectax.experiments.jwt.experiment import LANGUAGES, lacks, signature_subject
from sectax.experiments.jwt.keys import ALGORITHMS, make_keys
from sectax.experiments.levels import choose
from sectax.experiments.on_probe.experiment import BATCH_S, ROUNDS, ProbeBench, probe_metrics
from sectax.model.advice_rules import AdviceRules
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Observation, Subject, SubjectSpec, Visit, Witnesses, Work
from sectax.model.treatment import Factor, Treatment
from sectax.parts import probes

_ANY = {"key_use": "parsed-once", "layer": "primitive"}
# Short enough that 1 % of a batch is several operations.
_SUBJECT = _ANY | {"algorithm": "ES256", "operation": "sign"}
# The shortest operation, about 2 µs, so that others can be much longer.
_SHORT_SUBJECT = _ANY | {"algorithm": "HS256", "operation": "verify"}

# Level -> share of extra operations.
EXTRA = {
    "nothing": 0.0,
    "again": 0.0,
    "once-more": 0.0,
    "+1%": 0.01,
    "+2%": 0.02,
    "+5%": 0.05,
    "+10%": 0.10,
}
# Level -> operations of the baseline per operation: about 50 µs, 1 ms, and 25 ms, which is longer than a batch.
TIMES = {"x25": 25, "x600": 600, "x12000": 12_000}
BASELINE = "nothing"

_PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {"injected": tuple(EXTRA)},
    "quick": {"injected": tuple(EXTRA)},
    "unlike": {"injected": (BASELINE, *TIMES)},
}


class HonestyExperiment(Experiment):
    """Compare ES256 signing with itself: no cost, and four known costs.

    The preset `unlike` compares a short operation with 25 to 12,000 of them as one operation.
    """

    name = "honesty"
    title = "Does sectax tell the truth on this machine?"
    presets = ("default", "quick", "unlike")

    @property
    def factors(self) -> tuple[Factor, ...]:
        return _factors(probes.names())

    def requirements(self) -> tuple[str, ...]:
        return tuple(f"probe:{name}" for name in LANGUAGES)

    def wants(self, request: RunRequest) -> Wanted:
        preset = {"language": LANGUAGES} | _PRESETS[request.preset]
        return Wanted(probes=choose(self.factors, preset, request.levels)[0].levels)

    def design(self, request: RunRequest, machine: Machine) -> Design:
        factors = choose(_factors(tuple(machine.probes)), _PRESETS[request.preset], request.levels)
        answer = probe_metrics(factors[0].levels, machine)
        subject = _subject(request.preset)
        return Design(
            factors=factors,
            control="injected",
            baseline=BASELINE,
            metrics=answer.metrics,
            rules=Rules(
                family=lambda levels: levels["language"],
                lacks=lambda levels: lacks(machine, levels | subject),
                declares=lambda levels: ALGORITHMS[subject["algorithm"]].declares(),
                extra=lambda levels: EXTRA.get(levels["injected"], 0.0),
            ),
            transfers="It applies to this machine in this session, and to operations of this length.",
            batch_s=BATCH_S,
            rounds_range=ROUNDS,
            one_processor=True,
            answered_by=answer.answered_by,
            beside=answer.beside,
            words={"metric=cpu_time": "CPU time", "metric=throughput": "wall throughput"},
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """Return rules without a choice: the added costs are artificial."""
        return AdviceRules(plan.metrics[0].name)


class _Bench(ProbeBench):
    def inputs(self) -> dict[str, str]:
        return make_keys([_subject(self.plan.preset)["algorithm"]])

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        once = signature_subject(treatment.levels | _subject(self.plan.preset), inputs)
        times = TIMES.get(treatment.levels["injected"])
        return once if times is None else RepeatedSpec(once, times)


def _factors(languages: tuple[str, ...]) -> tuple[Factor, ...]:
    return Factor("language", languages), Factor("injected", (*EXTRA, *TIMES))


def _subject(preset: str) -> dict[str, str]:
    return _SHORT_SUBJECT if preset == "unlike" else _SUBJECT


@dataclass(frozen=True)
class RepeatedSpec:
    """A subject whose operation is *times* another's, so its cost is known.

    It has its own batch size, as most compared arms have. Extra operations in the baseline's batch would not show
    errors that come from unequal batches.
    """

    spec: SubjectSpec
    times: int

    def subject(self) -> RepeatedSubject:
        return RepeatedSubject(self.spec.subject(), self.times)


class RepeatedSubject:
    """Implements `Subject`, without a first operation: a part alone was timed."""

    def __init__(self, inner: Subject, times: int) -> None:
        self.first: tuple[Observation, ...] = ()
        self._inner = inner
        self._times = times

    def start(self) -> None:
        self._inner.start()

    def open(self) -> Witnesses:
        return self._inner.open()

    def visit(self, work: Work) -> Visit:
        """Raises ValueError with `work.each`: the probe would time parts of operations."""
        if work.each:
            raise ValueError("repeated operations cannot be timed one by one")
        times = self._times
        visit = self._inner.visit(Work(count=work.count * times, settle=work.settle * times, extra=work.extra * times))
        return replace(visit, observations=tuple(replace(one, count=work.count) for one in visit.observations))

    def close(self) -> Witnesses:
        return self._inner.close()

    def kill(self) -> None:
        self._inner.kill()
