"""The experiment `jwt`: factors, presets, and the subject of each treatment."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sectax.design.matrix import MOST_PRIMARY, Levels
from sectax.experiments.advice import stage_rows
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest, Wanted
from sectax.experiments.jwt import wycheproof
from sectax.experiments.jwt.keys import (
    ALGORITHMS,
    BASELINE,
    COMMON,
    algorithm_inputs,
    claims_text,
    make_keys,
    signing_input,
)
from sectax.experiments.jwt.proof import prove
from sectax.experiments.jwt.referee import JwtReferee
from sectax.experiments.levels import choose
from sectax.experiments.on_probe.experiment import BATCH_S, CPU_TIME, ROUNDS, ProbeBench, probe_metrics, probe_subject
from sectax.experiments.on_probe.subject import ProbeSpec
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, one_way, processor_hours
from sectax.model.environment import LOCAL_HOST
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import Factor, Treatment
from sectax.model.why_not import WhyNot
from sectax.parts import probes

if TYPE_CHECKING:
    from sectax.experiments.on_probe.conformance import Case


OPERATIONS = ("sign", "verify")
KEY_USES = ("parsed-once", "parsed-per-call")
LAYERS = ("primitive", "library")

# The default languages.
LANGUAGES = ("php", "python")


def lacks(machine: Machine, levels: Levels) -> Iterator[WhyNot | None]:
    """Yield why a combination of levels cannot be measured."""
    yield machine.probe(levels["language"]).lack
    if ALGORITHMS[levels["algorithm"]].key_type == "oct" and levels["key_use"] == "parsed-per-call":
        yield WhyNot("a shared secret needs no parsing")


def signature_subject(levels: Mapping[str, str], inputs: Mapping[str, str]) -> ProbeSpec:
    """Return the subject that signs or verifies with the run's keys."""
    algorithm = levels["algorithm"]
    return probe_subject(
        levels["language"],
        levels["operation"],
        {"algorithm": ALGORITHMS[algorithm].protocol_name, "key_use": levels["key_use"], "layer": levels["layer"]},
        subject_inputs(algorithm, inputs),
        find_referee(levels["operation"], algorithm, inputs),
    )


def find_referee(operation: str, algorithm: str, inputs: Mapping[str, str]) -> JwtReferee:
    return JwtReferee(algorithm, algorithm_inputs(inputs, algorithm), expects_artefact=operation == "sign")


def subject_inputs(algorithm: str, inputs: Mapping[str, str]) -> dict[str, str]:
    """Return a probe's inputs for one algorithm, by the names of the probe protocol."""
    return algorithm_inputs(inputs, algorithm) | {
        "claims": claims_text(),
        "signing_input": signing_input(algorithm),
        "token": find_referee("sign", algorithm, inputs).genuine()[0],
    }


# Apache's limit of a header line (LimitRequestFieldSize); nginx (large_client_header_buffers) allows 2 bytes more.
_HEADER_BYTES = 8190
_HEADER = "Authorization: Bearer "

FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed="first")
# Signatures are part of each request, so their sizes are reported too; they are the same in all blocks.
SIZES = tuple(
    Metric(name, "B", Better.LOWER, Summary.MAXIMUM, observed=f"first.{name}", resolution=1.0, compared=False)
    for name in ("token_bytes", "signature_bytes", "public_key_bytes")
)

_PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {"algorithm": COMMON},
    "quick": {"algorithm": COMMON, "key_use": ("parsed-once",), "layer": ("primitive",)},
    "published": {
        "language": ("php",),
        "algorithm": ("RS256", "ES256", "EdDSA"),
        "layer": ("primitive",),
    },
}

# Choices where the study gives no details.
_PUBLISHED_CHOICES = (
    "the study does not say whether keys were parsed once or on every call: both are measured",
    "the study does not give the message: this is a signing input of a header and five claims",
    "the study does not name the hash: this is SHA-256, as RS256 and ES256 require",
    "'ECDSA 384bit (prime256v1)' is measured as ES256: prime256v1 is P-256, a curve of 256 bits",
    "the study timed 100,000 operations in one process, once: this run interleaves batches of fixed size in fresh "
    "processes, with as many blocks as a verdict needs",
    "the study does not name its version of OpenSSL: this is the one that this PHP is linked with",
)

_WORDS = {
    "metric=cpu_time": "CPU time",
    "metric=throughput": "wall throughput",
    "metric=token_bytes": "bytes of a token",
    "metric=signature_bytes": "bytes of its signature",
    "metric=public_key_bytes": "bytes of the public key",
}


def make_factors(languages: tuple[str, ...]) -> tuple[Factor, ...]:
    """Return all factors, for languages with probes."""
    return (
        Factor("language", languages),
        Factor("operation", OPERATIONS),
        Factor("key_use", KEY_USES),
        Factor("layer", LAYERS),
        Factor("algorithm", tuple(ALGORITHMS)),
    )


def _languages(preset: str, factors: tuple[Factor, ...], levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the languages of a run, so that only their probes are checked."""
    languages = (*factors[0].levels, *filter(probes.is_in_a_folder, levels.get("language", ())))
    factors = (Factor("language", languages), *factors[1:])
    return choose(factors, {"language": LANGUAGES} | _PRESETS[preset], levels)[0].levels


class JwtExperiment(Experiment):
    """Sign and verify with each algorithm and RS256, in each language."""

    name = "jwt"
    title = "Which signature algorithm for a JWT, in my language?"
    presets = ("default", "quick", "published")
    operations = OPERATIONS

    @property
    def factors(self) -> tuple[Factor, ...]:
        return make_factors(probes.names())

    def probe_cases(self) -> list[Case]:
        """Return all operations with new keys; one length of RSA key suffices."""
        from sectax.experiments.on_probe.conformance import Case

        names = [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.name == algorithm.protocol_name]
        keys = make_keys(names)
        cases = []
        for operation, algorithm, layer, key_use in itertools.product(OPERATIONS, names, LAYERS, KEY_USES):
            inputs, referee = subject_inputs(algorithm, keys), find_referee(operation, algorithm, keys)
            # Verifying a tampered token must count as a failure.
            spoiled = inputs | {"token": referee.tampered()[0]} if operation == "verify" else None
            parameters = {"algorithm": ALGORITHMS[algorithm].protocol_name, "layer": layer, "key_use": key_use}
            cases.append(Case(operation, parameters, inputs, referee, spoiled))
        return [*cases, *wycheproof.cases()]

    def requirements(self) -> tuple[str, ...]:
        return self.level_requirements({})

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the probes for these levels, or for the default preset."""
        return tuple(f"probe:{name}" for name in _languages("default", self.factors, levels))

    def wants(self, request: RunRequest) -> Wanted:
        return Wanted(probes=_languages(request.preset, self.factors, request.levels))

    def design(self, request: RunRequest, machine: Machine) -> Design:
        factors_here = make_factors(tuple(machine.probes))
        factors = choose(factors_here, _PRESETS[request.preset], request.levels)
        languages = factors[0].levels
        answer = probe_metrics(languages, machine)
        as_published = request.preset == "published"
        # Probes in folders, as two revisions of a user's probe, are compared with each other.
        of_folders = len(languages) > 1 and all(map(probes.is_in_a_folder, languages))
        return Design(
            factors=factors,
            control="language" if of_folders else "algorithm",
            baseline=languages[0] if of_folders else BASELINE,
            metrics=(*answer.metrics, FIRST, *SIZES),
            rules=Rules(
                family=lambda levels: languages[0] if of_folders else levels["language"],
                lacks=functools.partial(lacks, machine),
                declares=lambda levels: ALGORITHMS[levels["algorithm"]].declares(),
                primary={"layer": ("primitive",), "key_use": KEY_USES if as_published else ("parsed-once",)},
                # Each language is a separate question.
                most_primary=MOST_PRIMARY * len(languages),
            ),
            transfers=(
                "The ratios apply to these versions of the libraries on this kind of processor; another build of "
                "OpenSSL, another language or an accelerator can reverse the order."
            ),
            batch_s=BATCH_S,
            rounds_range=ROUNDS,
            one_processor=True,
            answered_by=answer.answered_by,
            beside=answer.beside,
            choices=_PUBLISHED_CHOICES if as_published else (),
            words=_WORDS
            | {
                name: name.partition("=")[0] if probes.is_in_a_folder(name) else machine.probe(name).title
                for name in languages
            },
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """Return the rules for a choice; without a CPU clock there is none, since no metric is in seconds."""
        weigh = [_sizes_in_words({treatment.levels.get("algorithm", BASELINE) for treatment in plan.treatments})]
        if {treatment.levels.get("key_use") for treatment in plan.treatments} == {"parsed-once"}:
            weigh.insert(0, "keys parsed on every call cost more (--level key_use=parsed-per-call)")
        measured = {level for factor in plan.factors if factor.name == "language" for level in factor.levels}
        changes = "OpenSSL, library or processor"
        if plan.preset != "published" and (unmeasured := sorted({*probes.names()} - measured)):
            changes = f"library, processor or language ({', '.join(unmeasured)})"
        choice = Choice(
            mixed="operation",
            usual={"sign": 1, "verify": 20},
            nouns={"sign": "signature", "verify": "verification"},
            uses=one_way(processor_hours),
            caveats={"HS256": "every verifier can also sign"},
            weigh="; ".join(filter(None, weigh)),
            changes=changes,
        )
        return AdviceRules(CPU_TIME.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        """Yield the library's share of an operation."""
        stages = {"primitive": "the bare primitive"}
        return stage_rows(analysed.measured, CPU_TIME.name, "layer", stages, "the library around it")


def _sizes_in_words(names: set[str]) -> str:
    """Describe the sizes of signatures, and their effect on a header."""
    by_size: dict[int, list[str]] = {}
    for name in (name for name in ALGORITHMS if name in names):
        by_size.setdefault(ALGORITHMS[name].signature_bytes, []).append(name)
    if not by_size:
        return ""
    sizes = [f"{size} ({', '.join(by_size[size])})" for size in sorted(by_size, reverse=True)]
    sizes[0] = sizes[0].replace(" (", " bytes (", 1)
    text = f"signatures have {', '.join(sizes[:-1])}{' or ' if sizes[1:] else ''}{sizes[-1]}"
    lines = {name: _header_bytes(name) for same_size in by_size.values() for name in same_size}
    if too_long := [f"{name} ({size:,} bytes)" for name, size in lines.items() if size > _HEADER_BYTES]:
        return f"{text}; servers with 8 KiB per header (nginx, Apache) reject tokens of {', '.join(too_long)}"
    most = max(lines.values())
    if most < _HEADER_BYTES / 4:
        return text
    return (
        f"{text}; the largest token uses {100 * most / _HEADER_BYTES:.0f} % of the 8 KiB that servers allow per header"
    )


def _header_bytes(name: str) -> int:
    """Return the length of the header line with a token of this algorithm."""
    return len(_HEADER) + len(signing_input(name)) + 1 + -(-4 * ALGORITHMS[name].signature_bytes // 3)


_PROVEN = ("language", "layer", "algorithm")


class _Bench(ProbeBench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._proof: dict[str, str] = {}

    def inputs(self) -> dict[str, str]:
        """Create the keys, and check once that the languages accept each other's tokens."""
        used = {name: sorted({treatment.levels[name] for treatment in self.plan.treatments}) for name in _PROVEN}
        keys = make_keys(used["algorithm"])
        by_algorithm = {name: subject_inputs(name, keys) for name in used["algorithm"]}
        self._proof = prove(used["language"], used["layer"], by_algorithm)
        return keys

    def circumstances(self) -> dict[str, dict[str, str]]:
        return {LOCAL_HOST: self._proof}

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        return signature_subject(treatment.levels, inputs)
