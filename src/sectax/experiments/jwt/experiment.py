"""The experiment: its factors, its presets, and the subject behind every treatment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sectax.design.matrix import Asked
from sectax.experiments.interface import Bench, Design, Experiment, Request, Rules
from sectax.experiments.jwt.algorithms import ALGORITHMS, BASELINE
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.jwt.subjects import KEY_USES, LAYERS, OPERATIONS, probe_cases, requires, signature_subject
from sectax.experiments.levels import choose
from sectax.experiments.on_probes import BATCH_S, CPU_TIME, ROUNDS, ProbeBench, metrics_of
from sectax.model.advice_rules import AdviceRules, Stages
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment
from sectax.toolchain import probes

if TYPE_CHECKING:
    from sectax.subjects.probe.conformance import Case

FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed="first")

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


class JwtExperiment(Experiment):
    """Signing and verifying with each algorithm, against RS256, in every language that has a probe."""

    name = "jwt"
    title = "Which signature algorithm for a JWT, in my language?"
    presets = ("default", "quick", "published")
    operations = OPERATIONS

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (
            Factor("language", self.requirements()),
            Factor("operation", OPERATIONS),
            Factor("key_use", KEY_USES),
            Factor("layer", LAYERS),
            Factor("algorithm", tuple(ALGORITHMS)),
        )

    def probe_cases(self) -> list[Case]:
        return probe_cases()

    def requirements(self) -> tuple[str, ...]:
        return probes.names()

    def design(self, request: Request) -> Design:
        factors = choose(self.factors, _PRESETS[request.preset], request.levels)
        asked = Asked()
        answer = metrics_of(factors[0].levels, asked)
        as_published = request.preset == "published"
        return Design(
            factors=factors,
            control="algorithm",
            baseline=BASELINE,
            metrics=(*answer.metrics, FIRST),
            rules=Rules(
                family=lambda levels: levels["language"],
                requires=requires,
                asked=asked,
                declares=lambda levels: ALGORITHMS[levels["algorithm"]].declares(),
                primary=lambda levels: (
                    levels["layer"] == "primitive" and (as_published or levels["key_use"] == "parsed-once")
                ),
            ),
            transfers=(
                "The ratios hold for these versions of these libraries on this kind of processor; another build of "
                "OpenSSL, another language or an accelerator can reverse the order."
            ),
            batch_s=BATCH_S,
            rounds_range=ROUNDS,
            one_processor=True,
            answered_by=answer.answered_by,
            beside=answer.beside,
            choices=_PUBLISHED_CHOICES if as_published else (),
            words=_WORDS | {name: probes.load(name).manifest.title for name in self.requirements()},
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """How much of it is the library. Without a CPU clock nothing is in seconds, and there is no answer."""
        primitive = ("primitive", "the bare primitive")
        return AdviceRules(CPU_TIME.name, Stages("layer", (primitive,), "the library around it"))


class _Bench(ProbeBench):
    def inputs(self) -> dict[str, str]:
        return make_keys(sorted({treatment.levels["algorithm"] for treatment in self.plan.treatments}))

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        return signature_subject(treatment.levels, inputs)
