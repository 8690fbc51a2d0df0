"""The experiment `secrets`: factors, presets, and the function of each treatment."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from sectax.design.matrix import Levels
from sectax.experiments.advice import column, part_rows
from sectax.experiments.interface import Bench, Design, Machine, Rules, RunRequest, Wanted
from sectax.experiments.on_lambda import LOCAL, functions
from sectax.experiments.on_lambda import experiment as on_lambda
from sectax.experiments.secrets import levels as secrets
from sectax.experiments.secrets.advice import rate_rows
from sectax.experiments.secrets.parts import AGENT, BACKEND
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, Usage, one_way
from sectax.model.finding import TreatmentResult
from sectax.model.metric import FIRST, Better, Metric, Summary
from sectax.model.plan import SETTLING_SHARE, SUBJECTS, Calibrated, Plan
from sectax.model.subject import SubjectSpec, Witness
from sectax.model.treatment import MEASURED, Factor, Treatment
from sectax.model.why_not import WhyNot

FUNCTION = "secrets_reader"

_ROUNDS = {"quick": (2, 4), "default": (4, 12), "published": (2, 4)}
# Local hits are cheap: a block has as many rounds as it takes to open. The number of secrets limits misses.
_MOST_ROUNDS_OF_HITS = 32
_TIMEOUT_S = 120
_STAND_IN = (
    "Secrets Manager is replaced by moto on this machine, behind TLS: it encrypts no secrets and is near, so a call is "
    "faster than on AWS, where the published study measured 83 to 358 ms"
)
_AGENT = (
    "the sidecar is AWS's Secrets Manager Agent 2.1.0, which has the interface of AWS's Lambda extension; the "
    "extension is not available outside AWS"
)
_ON_AWS = (
    "Secrets Manager and Lambda are AWS's own, and the sidecar is AWS's Lambda extension; calls to the service cannot "
    "be counted there, so hits and misses are not verified"
)
_MISS = (
    "a miss is a secret that the instance has not read before, over a new connection, as after a TTL of minutes; the "
    "backend closes the previous connection"
)
_BATCHES = (
    "a hit of a dictionary or of the library is too short to time by itself: all their figures except the study's own "
    "are means of batches, also the fastest, the worst and the quantiles"
)
_PUBLISHED = (
    "the study timed 100 hits in one invocation: each block does the same in a fresh instance, each hit timed by "
    "itself; the means over blocks of their minimum, maximum, mean, median and p90 are reported, and the figures of "
    "all hits",
    "the study took each miss from one X-Ray trace: here it is the first access of an instance by the function's own "
    "clock; the misses of all further secrets are reported too",
    "the study has no hits of direct access and no misses of the dictionary: here a dictionary's miss is a call with a "
    "reused client",
)
_PUBLISHED_HERE = (
    "the local Lambda: this machine's processor, limited to memory/1769 of it in periods of 20 ms",
    "the local backend: a miss includes no network and no KMS, so only the CPU quota changes it from 128 to 1769 MB",
)


class SecretsExperiment(on_lambda.LambdaExperiment):
    """Read a secret in a function: all accesses compared with a dictionary in memory."""

    name = "secrets"
    title = "What does it cost a function to read its secret?"
    presets = ("default", "quick", "published")
    factors = (
        Factor("language", secrets.LANGUAGES),
        Factor("situation", secrets.SITUATIONS),
        Factor("size", tuple(secrets.SIZES)),
        Factor("memory", (*secrets.MEMORY_MB, "…")),
        Factor("pace", (on_lambda.BACK_TO_BACK, on_lambda.SPACED)),
        Factor("access", tuple(secrets.ACCESS)),
    )
    options = secrets.OPTIONS
    budgets_s: Mapping[str, float] = {"quick": 130.0, "published": 540.0}
    assumed_s = 2 * on_lambda.BATCH_S
    assumes = (
        f"assumes invocations of {assumed_s * 1e3:g} ms, 10 ms per call to the service, the most rounds and blocks, "
        "and secrets that are deleted within an hour"
    )

    def wants(self, request: RunRequest) -> Wanted:
        preset = secrets.PRESETS[request.preset]
        languages, *_ = on_lambda.chosen_factors(self.factors, secrets.MEMORY_MB, preset, request)
        is_local = secrets.read_settings(request.options).endpoint == LOCAL
        return Wanted(
            parts=(*map(_function, languages.levels), *((BACKEND, AGENT, on_lambda.LAMBDA) if is_local else ()))
        )

    def design(self, request: RunRequest, machine: Machine) -> Design:
        settings = secrets.read_settings(request.options)
        is_local = settings.endpoint == LOCAL
        as_published = request.preset == "published"
        factors = on_lambda.chosen_factors(self.factors, secrets.MEMORY_MB, secrets.PRESETS[request.preset], request)
        levels = {factor.name: factor.levels for factor in factors}
        stand_in_note = f" {_STAND_IN[0].upper()}{_STAND_IN[1:]}." if is_local else ""
        return Design(
            factors=factors,
            control="access",
            baseline=secrets.DICTIONARY,
            metrics=_metrics(as_published=as_published),
            rules=Rules(
                family=lambda levels: f"{levels['language']}, {levels['memory']} MB",
                lacks=functools.partial(_lacks, machine, settings, as_published),
                declares=functools.partial(_declares, settings),
                batch_s=functools.partial(on_lambda.target_batch_s, settings.endpoint),
                at_once=functools.partial(_can_run_at_once, settings.endpoint),
                # No part of a reading can be repeated at a known cost.
                positive=lambda levels: False,
            ),
            transfers=f"{on_lambda.transfers(settings.endpoint)}{stand_in_note}",
            batch_s=on_lambda.BATCH_S,
            rounds_range=_rounds(request.preset, only_hits=levels["situation"] == (secrets.HIT,), here=is_local),
            gap_s=on_lambda.GAP_S,
            one_processor=on_lambda.takes_one_processor(settings.endpoint, levels["memory"]),
            services_on=SUBJECTS,
            answered_by="the answer is the mean time of an access by the function's own clock: back to back, the quota "
            "throttles a few of many, which a median does not show",
            beside=("median_access", "held_back"),
            choices=(
                *((_STAND_IN, _AGENT, _MISS, _BATCHES) if is_local else (_ON_AWS, _BATCHES)),
                *(_PUBLISHED if as_published else ()),
                *(_PUBLISHED_HERE if as_published and is_local else ()),
            ),
            equal_witnesses=("runtime", "architecture", "code_sha256", "backend_tls"),
            words=secrets.WORDS | on_lambda.service(settings.endpoint, "Lambda and Secrets Manager"),
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def requirements(self) -> tuple[str, ...]:
        return (on_lambda.RUNTIME_CLIENT, *map(_function, secrets.LANGUAGES), BACKEND, AGENT)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        return AdviceRules(
            metric="access",
            choice=Choice(
                adds=True,
                explained=tuple(secrets.PARTS.items()),
                what="accesses",
                uses=one_way(
                    lambda count, seconds, result: _uses(count * seconds, count * _asks(result.levels), result)
                ),
                caveats={secrets.DICTIONARY: "your code must fetch the secret again after rotation"},
                changes="distance to Secrets Manager or memory size",
                by_calls=True,
            ),
        )

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        """Yield the parts of an access, and the cheapest and fastest."""
        measured = analysed.measured
        for treatment in measured.plan.treatments:
            if treatment.role in MEASURED:
                parts = {words: column(measured, part, treatment) for part, words in secrets.PARTS.items()}
                yield from part_rows(measured, "access", treatment, parts, "the client's own work")
        yield from rate_rows(analysed, prices, asked, _uses)

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        from sectax.experiments.secrets.services import UNCACHED_ON_AWS
        from sectax.experiments.secrets.subject import EXPIRING

        sizes = len({treatment.levels["size"] for treatment in plan.treatments})
        readings = on_lambda.BATCH_S / _ASSUMED_CALL_S * (1 + SETTLING_SHARE)
        visits = plan.last_look(None) * (plan.rounds_range[1] + _OPENINGS)
        calls = sum(_asks(treatment.levels) for treatment in plan.treatments)
        return (
            *super().usage(plan),
            Usage("secretsmanager.requests", visits * readings * calls),
            Usage("secretsmanager.secret-months", sizes * (1 + UNCACHED_ON_AWS + EXPIRING) / _HOURS_OF_A_MONTH),
        )


_ASSUMED_CALL_S = 0.01
_OPENINGS = 3  # other invocations of an instance: the first, those that fill its cache, and warm-up
_HOURS_OF_A_MONTH = 730


class _Bench(on_lambda.LambdaBench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._settings = secrets.read_settings(plan.options)

    def identity(self) -> dict[str, str]:
        from sectax.experiments.on_lambda.code import digest
        from sectax.experiments.secrets import agent, moto

        languages = sorted({treatment.levels["language"] for treatment in self.plan.treatments})
        marks = {
            f"function.{language}": f"sha256 {digest(str(functions.build(FUNCTION, language)))}"
            for language in languages
        }
        if self._settings.endpoint != LOCAL:
            return marks | {"secrets.backend": "AWS Secrets Manager"}
        has_sidecar = any(secrets.ACCESS[treatment.levels["access"]].sidecar for treatment in self.plan.treatments)
        marks |= {"secrets.backend": f"stand-in: {moto.identity()}"}
        return marks | ({"secrets.agent": agent.fingerprint()} if has_sidecar else {})

    def start(self, inputs: Mapping[str, str]) -> None:
        """Start the store first: the sandbox of functions opens its port only."""
        from sectax.experiments.secrets.services import AwsSecrets, LocalSecrets

        sizes = sorted({secrets.SIZES[treatment.levels["size"]] for treatment in self.plan.treatments})
        kind = LocalSecrets if self._settings.endpoint == LOCAL else AwsSecrets
        self._services = self.enter_context(kind(self._settings, sizes))
        self.store, self.service = self._services.store, self._services.service
        super().start(inputs)

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        from sectax.experiments.secrets.subject import SecretSpec

        levels = treatment.levels
        access = secrets.ACCESS[levels["access"]]
        function = functions.load(FUNCTION, levels["language"])
        ttl_s = self._settings.situation_ttl(levels["situation"])
        as_published = self.plan.preset == "published" and levels["situation"] == secrets.HIT
        return SecretSpec(
            name=levels["access"],
            code=str(functions.build(FUNCTION, levels["language"])),
            runtime=function.runtime,
            handler=f"{FUNCTION}.{access.module}.lambda_handler"
            if levels["language"] == secrets.PYTHON
            else access.module,
            memory_mb=int(levels["memory"]),
            timeout_s=_TIMEOUT_S,
            environment=self._services.environment(ttl_s),
            layers=self._services.layers(ttl_s, sidecar=access.sidecar),
            gap_s=(self.plan.gap_s or on_lambda.GAP_S) if levels["pace"] == on_lambda.SPACED else 0.0,
            role=self.role,
            service=self.service,
            access=levels["access"],
            situation=levels["situation"],
            size=secrets.SIZES[levels["size"]],
            delay_s=self._settings.delay_s,
            ttl_s=float(ttl_s or 0),
            study_hits=secrets.STUDY_HITS if as_published else 0,
            store=self.store,
        )


def _function(language: str) -> str:
    return f"function:{FUNCTION}/{language}"


def _asks(levels: Mapping[str, str]) -> int:
    """Calls to the service per access."""
    return secrets.ACCESS[levels["access"]].calls[levels["situation"]]


def _lacks(machine: Machine, settings: secrets.Settings, as_published: bool, levels: Levels) -> Iterator[WhyNot | None]:
    access = secrets.ACCESS[levels["access"]]
    if levels["language"] not in access.languages:
        yield WhyNot("only the Python version of AWS's caching library is supported")
    if as_published and (levels["situation"], levels["access"]) in secrets.NOT_OF_THE_STUDY:
        yield WhyNot("the published study has no hits of direct access, which does not cache")
    yield machine.lacks(_function(levels["language"]))
    if settings.endpoint == LOCAL:
        yield machine.lacks(BACKEND)
        if access.sidecar:
            yield machine.lacks(AGENT)
    elif access.sidecar and not settings.layer:
        yield WhyNot("on AWS the sidecar needs the layer of AWS's extension", "add --layer ARN")
    yield on_lambda.lambda_lack(settings.endpoint, machine)


def _can_run_at_once(endpoint: str | None, levels: Levels) -> bool:
    """Cache hits do not disturb each other: each gets a 14th of a processor."""
    return levels["situation"] == secrets.HIT and not _asks(levels) and on_lambda.waits_for_quota(endpoint, levels)


def _rounds(preset: str, *, only_hits: bool, here: bool) -> tuple[int, int]:
    fewest, most = _ROUNDS[preset]
    return fewest, _MOST_ROUNDS_OF_HITS if only_hits and here and preset != "published" else most


def _declares(settings: secrets.Settings, levels: Levels) -> dict[str, Witness]:
    """The limits in force, the calls per access, and the delay."""
    from sectax.experiments.secrets.subject import CALLS_WITNESS, DELAY_WITNESS, calls_in_words, delay_in_words

    own: dict[str, Witness] = {}
    if settings.endpoint == LOCAL:
        own[CALLS_WITNESS] = calls_in_words(_asks(levels), 1)
    if settings.delay_s:
        own[DELAY_WITNESS] = delay_in_words(settings.delay_s, settings.delay_s)
    return on_lambda.declares(settings.endpoint, levels) | own


def _metrics(*, as_published: bool) -> tuple[Metric, ...]:
    """The metrics of a treatment, the primary one first."""

    def seconds(name: str, summary: Summary, observed: str = "access", *, compared: bool = False) -> Metric:
        return Metric(name, "s", Better.LOWER, summary, observed, compared=compared)

    study = tuple(seconds(f"study_{name}", Summary.MEAN, f"{FIRST}.study_{name}") for name in secrets.STUDY)
    return (
        seconds("access", Summary.MEAN, compared=True),
        seconds("median_access", Summary.MEDIAN, compared=True),
        seconds("fastest_access", Summary.LEAST),
        seconds("p90_access", Summary.P90),
        seconds("p99_access", Summary.P99),
        seconds("worst_access", Summary.WORST),
        Metric("held_back", "%", Better.LOWER, Summary.MEAN, "held_back", compared=False),
        *(seconds(part, Summary.MEAN, part) for part in secrets.PARTS),
        seconds("first_access", Summary.MEAN, secrets.FIRST_ACCESS),
        seconds("first_init", Summary.MEAN, f"{FIRST}.init"),
        seconds("sidecar_init", Summary.MEAN, secrets.FIRST_SIDECAR),
        Metric("max_memory_used", "B", Better.LOWER, Summary.MAXIMUM, "max_memory_used", resolution=2**20),
        *(study if as_published else ()),
    )


EXPERIMENT = SecretsExperiment()


_BILLING_MB = 1024  # the GB of a GB-second


def _uses(seconds: float, calls: float, result: TreatmentResult) -> tuple[Usage, ...]:
    processor = str(result.witnesses.get("architecture", "x86_64"))
    return (
        Usage(f"lambda.{processor}", seconds * int(result.levels["memory"]) / _BILLING_MB),
        Usage("secretsmanager.requests", calls),
    )
