"""The experiment: its factors, its presets, and the subject behind every treatment."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.design.matrix import Asked, Rules, build
from sectax.experiments.interface import Option, Request
from sectax.experiments.jwt.algorithms import ALGORITHMS, BASELINE
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.jwt.subjects import (
    empty_subject,
    measurable,
    probe_identity,
    requires,
    signature_subject,
)
from sectax.experiments.levels import choose
from sectax.experiments.probe_metrics import probe_metrics
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor
from sectax.toolchain import probes

FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed="first")

# A machine that shares its cores changes speed within tens of milliseconds. Visits of 7 ms see the same speed as their
# neighbours, those of 40 ms do not: docs/method-notes.md, 'Short batches'.
BATCH_S = 0.0045
# What a quiet machine needs, and what a noisy one gains by.
ROUNDS = (6, 80)

_PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {},
    "quick": {"key_use": ("parsed-once",), "layer": ("primitive",)},
    "published": {
        "language": ("php",),
        "algorithm": ("RS256", "ES256", "EdDSA"),
        "layer": ("primitive",),
    },
}

# Where the study is silent something must be chosen; what is chosen is said.
_PUBLISHED_CHOICES = (
    "the study does not say whether keys were parsed once or on every call: both are measured",
    "it does not give the message: a signing input of a header and five claims is signed",
    "it does not name the hash: SHA-256, as RS256 and ES256 demand",
    "'ECDSA 384bit (prime256v1)' is measured as ES256: prime256v1 is P-256, a curve of 256 bits",
    "it timed 100,000 operations in one process, once: here batches of frozen size in fresh processes, "
    "interleaved, and as many blocks as a verdict needs",
    "it does not name the version of OpenSSL: the one that this PHP is linked with",
)

_WORDS = {
    "operation=sign": "signs",
    "operation=verify": "verifies",
    "key_use=parsed-once": "with a key parsed once",
    "key_use=parsed-per-call": "with the key parsed on every call",
    "layer=primitive": "as a bare primitive",
    "layer=library": "as a whole token",
    "metric=cpu_time": "CPU time",
    "metric=throughput": "wall throughput",
} | {name: algorithm.words for name, algorithm in ALGORITHMS.items()}


class JwtExperiment:
    """Signing and verifying with each algorithm, against RS256, in every language that has a probe."""

    name = "jwt"
    title = "Which signature algorithm for a JWT, in my language?"
    presets = ("default", "quick", "published")
    options: tuple[Option, ...] = ()

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (
            Factor("language", self.requirements()),
            Factor("operation", ("sign", "verify")),
            Factor("key_use", ("parsed-once", "parsed-per-call")),
            Factor("layer", ("primitive", "library")),
            Factor("algorithm", tuple(ALGORITHMS)),
        )

    def requirements(self) -> tuple[str, ...]:
        return probes.names()

    def plan(self, request: Request) -> Plan:
        factors = choose(self.factors, _PRESETS[request.preset], request.levels)
        asked = Asked()
        languages = next(factor.levels for factor in factors if factor.name == "language")
        answer = probe_metrics(map(empty_subject, measurable(languages, asked)))
        metrics = (*answer.metrics, FIRST)
        matrix = build(
            factors,
            "algorithm",
            BASELINE,
            metrics,
            request.stopping,
            Rules(
                family=lambda levels: levels["language"],
                requires=requires,
                asked=asked,
                declares=lambda levels: ALGORITHMS[levels["algorithm"]].declares(),
                primary=lambda levels: (
                    levels["layer"] == "primitive"
                    and (request.preset == "published" or levels["key_use"] == "parsed-once")
                ),
            ),
            simultaneous=request.simultaneous,
        )
        return Plan(
            experiment=self.name,
            preset=request.preset,
            question=self.title,
            transfers=(
                "The ratios hold for these versions of these libraries on this kind of processor; another build of "
                "OpenSSL, another language or an accelerator can turn the order round."
            ),
            control="algorithm",
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
            choices=_PUBLISHED_CHOICES if request.preset == "published" else (),
            words=_WORDS | {name: probes.load(name).manifest.title for name in self.requirements()},
        )

    def inputs(self, plan: Plan) -> dict[str, str]:
        return make_keys(sorted({treatment.levels["algorithm"] for treatment in plan.treatments}))

    def specs(self, plan: Plan, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        return {treatment.id: signature_subject(treatment.levels, inputs) for treatment in plan.treatments}

    def empties(self, plan: Plan) -> dict[str, SubjectSpec]:
        return {family: empty_subject(family) for family in sorted({cell.family for cell in plan.cells})}

    def identity(self, plan: Plan) -> dict[str, str]:
        return probe_identity(plan)

    def set_up(self, plan: Plan) -> None:
        """Nothing to do: keys are inputs."""

    def clean_up(self, plan: Plan) -> None:
        """Nothing was left."""
