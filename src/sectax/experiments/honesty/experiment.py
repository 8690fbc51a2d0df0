"""The experiment: one operation against itself, and against itself with known shares of extra operations."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.design.matrix import Rules, build
from sectax.experiments.interface import Option, Request
from sectax.experiments.jwt.algorithms import ALGORITHMS
from sectax.experiments.jwt.experiment import BATCH_S, ROUNDS
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.jwt.subjects import (
    Availability,
    empty_subject,
    measurable,
    probe_identity,
    signature_subject,
)
from sectax.experiments.levels import choose
from sectax.experiments.probe_metrics import probe_metrics
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor
from sectax.toolchain import probes

# Short enough that one per cent of a batch is several operations.
_SUBJECT = {"algorithm": "ES256", "operation": "sign", "key_use": "parsed-once", "layer": "primitive"}

# Level -> the share of extra operations that it carries.
EXTRA = {
    "nothing": 0.0,
    "again": 0.0,
    "once-more": 0.0,
    "+1%": 0.01,
    "+2%": 0.02,
    "+5%": 0.05,
    "+10%": 0.10,
}
BASELINE = "nothing"


class HonestyExperiment:
    """ES256 signing against itself: two copies must show no cost, four known costs must be found."""

    name = "honesty"
    title = "Does sectax tell the truth on this machine?"
    presets: tuple[str, ...] = ("default", "quick")
    options: tuple[Option, ...] = ()

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (Factor("language", self.requirements()), Factor("injected", tuple(EXTRA)))

    def requirements(self) -> tuple[str, ...]:
        return probes.names()

    def plan(self, request: Request) -> Plan:
        factors = choose(self.factors, {}, request.levels)
        available = Availability()
        languages = next(factor.levels for factor in factors if factor.name == "language")
        answer = probe_metrics(map(empty_subject, measurable(languages, available)))
        metrics = answer.metrics
        rules = Rules(
            family=lambda levels: levels["language"],
            unavailable=lambda levels: available(levels | _SUBJECT),
            declares=lambda levels: ALGORITHMS[_SUBJECT["algorithm"]].declares(),
            extra=lambda levels: EXTRA[levels["injected"]],
        )
        matrix = build(
            factors, "injected", BASELINE, metrics, request.stopping, rules, simultaneous=request.simultaneous
        )
        return Plan(
            experiment=self.name,
            preset=request.preset,
            question=self.title,
            transfers="It speaks for this machine in this session, and for operations of this length.",
            control="injected",
            factors=factors,
            metrics=metrics,
            cells=matrix.cells,
            treatments=matrix.treatments,
            comparisons=matrix.comparisons,
            skipped=matrix.skipped,
            stopping=request.stopping,
            seed=request.seed,
            batch_s=BATCH_S,
            rounds_range=ROUNDS,
            one_processor=True,
            answered_by=answer.answered_by,
            beside=answer.beside,
            words={"metric=cpu_time": "CPU time", "metric=throughput": "wall throughput"},
        )

    def inputs(self, plan: Plan) -> dict[str, str]:
        return make_keys([_SUBJECT["algorithm"]])

    def specs(self, plan: Plan, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        return {treatment.id: signature_subject(treatment.levels | _SUBJECT, inputs) for treatment in plan.treatments}

    def empties(self, plan: Plan) -> dict[str, SubjectSpec]:
        return {family: empty_subject(family) for family in sorted({cell.family for cell in plan.cells})}

    def identity(self, plan: Plan) -> dict[str, str]:
        return probe_identity(plan)

    def set_up(self, plan: Plan) -> None:
        """Nothing to do: keys are inputs."""

    def clean_up(self, plan: Plan) -> None:
        """Nothing was left."""
