"""The experiment: its factors, its presets, and the function behind every treatment."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sectax.design.matrix import Levels, Requirement
from sectax.experiments.interface import Bench, Design, Experiment, Option, Request, Rules
from sectax.experiments.on_lambda import (
    BACK_TO_BACK,
    BATCH_S,
    RUNTIME_CLIENT,
    SPACED,
    LambdaBench,
    chosen_factors,
    declares,
    transfers,
)
from sectax.experiments.requirements import NeedsFunction, NeedsLambda
from sectax.experiments.secrets.levels import (
    ACCESS,
    DICTIONARY,
    FIRST_ACCESS,
    MEMORY_MB,
    PRESETS,
    SITUATIONS,
    SIZES,
    WORDS,
)
from sectax.model.errors import WrongUse
from sectax.model.metric import FIRST, Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec, Witness
from sectax.model.treatment import Factor, Treatment
from sectax.model.why_not import WhyNot
from sectax.subjects.function import LOCAL
from sectax.toolchain import functions, parts

FUNCTION = "secrets_reader"
LANGUAGE = "python"
AGENT, BACKEND = "secrets:agent", "secrets:backend"

_ROUNDS = {"quick": (2, 4), "default": (4, 12), "published": (4, 8)}
_GAP_S = 0.05
_TIMEOUT_S = 120
_MOST_DELAY_MS = 2000
_STAND_IN = (
    "Secrets Manager is stood in for by moto on this machine's loopback, behind TLS: it encrypts nothing and is near, "
    "so a call of it is faster than one of AWS, for which the published study has 83 to 358 ms"
)
_AGENT = (
    "the sidecar is AWS's Secrets Manager Agent 2.1.0, which answers as AWS's Lambda extension does; the extension "
    "itself is not to be had outside AWS"
)
_MISS = (
    "every miss is a secret that the instance has not read before, over a new connection, as after a TTL of minutes; "
    "the backend closes the connection of the one before"
)
_PUBLISHED = (
    "its misses were one X-Ray trace each: here the function's own clock times each, the same on every side",
    "its direct access had no hits, its dictionary no misses: here a dictionary's miss is a call with a kept client",
    "it made 100 hits in one invocation: here an invocation has as many as last a tenth of a second",
    "the local Lambda: this machine's processor, held to memory/1769 of it in periods of 20 ms",
)


@dataclass(frozen=True)
class _Needs:
    """A part that `sectax setup secrets` makes."""

    requirement: str

    def why_not(self) -> WhyNot | None:
        return parts.load(self.requirement).missing()


class SecretsExperiment(Experiment):
    """Reading a secret in a function: every way against a dictionary of its own."""

    name = "secrets"
    title = "What does it cost a function to read its secret?"
    presets = ("default", "quick", "published")
    factors = (
        Factor("situation", SITUATIONS),
        Factor("size", tuple(SIZES)),
        Factor("memory", (*MEMORY_MB, "…")),
        Factor("pace", (BACK_TO_BACK, SPACED)),
        Factor("access", tuple(ACCESS)),
    )
    options = (Option("backend-delay", "how much longer every round trip to the stand-in takes, as in 40ms", "TIME"),)
    budgets_s: Mapping[str, float] = {"quick": 150.0, "published": 540.0}

    def design(self, request: Request) -> Design:
        delay_s = _delay_s(request.options)
        return Design(
            factors=chosen_factors(self.factors, MEMORY_MB, PRESETS[request.preset], request),
            control="access",
            baseline=DICTIONARY,
            metrics=_metrics(),
            rules=Rules(
                family=lambda levels: LANGUAGE,
                requires=_requires,
                declares=functools.partial(_declares, delay_s),
                # One reading is one reading: no part of it can be done once more at a known cost.
                positive=False,
            ),
            transfers=f"{transfers(LOCAL)} {_STAND_IN[0].upper()}{_STAND_IN[1:]}.",
            batch_s=BATCH_S,
            rounds_range=_ROUNDS[request.preset],
            answered_by="the answer is the mean time of an access by the function's own clock: back to back the quota "
            "holds back some of many, which a median does not see",
            beside=("median_access",),
            choices=(_STAND_IN, _AGENT, _MISS, *(_PUBLISHED if request.preset == "published" else ())),
            equal_witnesses=("runtime", "architecture", "code_sha256", "backend_tls"),
            words=WORDS,
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def requirements(self) -> tuple[str, ...]:
        return (RUNTIME_CLIENT, f"function:{FUNCTION}/{LANGUAGE}", BACKEND, AGENT)


class _Bench(LambdaBench):
    def identity(self) -> dict[str, str]:
        from sectax.subjects.function.code import digest
        from sectax.toolchain.secrets import agent, backend

        code = digest(str(functions.build(FUNCTION, LANGUAGE)))
        marks = {"function.python": f"sha256 {code}", "secrets.backend": f"stand-in: {backend.identity()}"}
        return marks | ({"secrets.agent": agent.fingerprint()} if self._has_sidecar else {})

    def start(self, inputs: Mapping[str, str]) -> None:
        """The backend first: functions are let to its port and nowhere else."""
        from sectax.experiments.secrets.subject import RARE
        from sectax.stack.lambda_service.service import WORK_FOLDERS
        from sectax.stack.secrets_manager import layers
        from sectax.stack.secrets_manager.backend import HOST, Backend
        from sectax.stack.work_folder import WorkFolder
        from sectax.subjects.function.services import Service

        sizes = sorted({SIZES[each.levels["size"]] for each in self.plan.treatments})
        self._backend = self.enter_context(Backend(sizes, RARE, _delay_s(self.plan.options)))
        folder = WorkFolder(WORK_FOLDERS)  # where this is killed, the next local Lambda removes it
        self.callback(folder.remove)
        self._trust = layers.trust(folder.path, self._backend.certificate)
        self._sidecar = layers.sidecar(folder.path) if self._has_sidecar else ""
        self.service = Service(LOCAL, ((HOST, self._backend.port),))
        super().start(inputs)

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        from sectax.experiments.secrets.subject import SecretSpec
        from sectax.stack.secrets_manager.layers import CERTIFICATE

        levels = treatment.levels
        way = ACCESS[levels["access"]]
        function = functions.load(FUNCTION, LANGUAGE)
        return SecretSpec(
            name=levels["access"],
            code=str(functions.build(FUNCTION, LANGUAGE)),
            runtime=function.runtime,
            handler=f"{FUNCTION}.{way.module}.lambda_handler",
            memory_mb=int(levels["memory"]),
            timeout_s=_TIMEOUT_S,
            # boto3 reads the first two, the agent the first and the last; neither tries anything twice.
            environment={
                "AWS_ENDPOINT_URL_SECRETS_MANAGER": self._backend.address,
                "AWS_CA_BUNDLE": CERTIFICATE,
                "AWS_MAX_ATTEMPTS": "1",
            },
            layers=(self._trust, *((self._sidecar,) if way.sidecar else ())),
            gap_s=_GAP_S if levels["pace"] == SPACED else 0.0,
            role=self.role,
            service=self.service,
            access=levels["access"],
            situation=levels["situation"],
            size=SIZES[levels["size"]],
            delay_s=_delay_s(self.plan.options),
            backend=self._backend,
        )

    @property
    def _has_sidecar(self) -> bool:
        return any(ACCESS[each.levels["access"]].sidecar for each in self.plan.treatments)


def _requires(levels: Levels) -> Iterator[Requirement]:
    yield NeedsFunction(FUNCTION, LANGUAGE)
    yield _Needs(BACKEND)
    if ACCESS[levels["access"]].sidecar:
        yield _Needs(AGENT)
    yield NeedsLambda(LOCAL)


def _delay_s(options: Mapping[str, tuple[str, ...]]) -> float:
    """Raises `WrongUse` for what is no delay."""
    given = next(iter(options.get("backend-delay", ())), None)
    if given is None:
        return 0.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*ms", given.strip())
    if found is None or not 0 < float(found[1]) <= _MOST_DELAY_MS:
        raise WrongUse(
            f"--backend-delay {given!r} is not between 0 and {_MOST_DELAY_MS} ms", "say it as in --backend-delay 40ms"
        )
    return float(found[1]) / 1e3


def _declares(delay_s: float, levels: Levels) -> dict[str, Witness]:
    """The limits in force, that the service was asked as often as the situation's label says, and how far it is."""
    from sectax.experiments.secrets.subject import CALLS_WITNESS, DELAY_WITNESS, calls_in_words, delay_in_words

    calls = ACCESS[levels["access"]].calls[levels["situation"]]
    delay: dict[str, Witness] = {DELAY_WITNESS: delay_in_words(delay_s, delay_s)} if delay_s else {}
    return declares(LOCAL, levels) | {CALLS_WITNESS: calls_in_words(calls, 1)} | delay


def _metrics() -> tuple[Metric, ...]:
    """What is told of every treatment, the primary metric first."""

    def of(name: str, summary: Summary, observed: str = "access", *, compared: bool = False) -> Metric:
        return Metric(name, "s", Better.LOWER, summary, observed, compared=compared)

    return (
        of("access", Summary.MEAN, compared=True),
        of("median_access", Summary.MEDIAN, compared=True),
        of("p90_access", Summary.P90),
        of("p99_access", Summary.P99),
        of("worst_access", Summary.WORST),
        of("first_access", Summary.MEAN, FIRST_ACCESS),
        of("first_init", Summary.MEAN, f"{FIRST}.init"),
        Metric("max_memory_used", "B", Better.LOWER, Summary.MAXIMUM, "max_memory_used", resolution=2**20),
    )


EXPERIMENT = SecretsExperiment()
