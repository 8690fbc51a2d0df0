"""The experiment `primitives`: factors, presets, subjects."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sectax.design.matrix import MOST_PRIMARY, Levels
from sectax.experiments.advice import growth_rows
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest, Wanted
from sectax.experiments.levels import choose
from sectax.experiments.on_probe.experiment import (
    BATCH_S,
    CPU_TIME,
    ROUNDS,
    THROUGHPUT,
    ProbeBench,
    probe_metrics,
    probe_subject,
)
from sectax.experiments.on_probe.subject import BATCH_CPU, ProbeSpec
from sectax.experiments.primitives.algorithms import (
    AGREE,
    ALGORITHMS,
    FAMILIES,
    HASH,
    KEY_BYTES,
    MAC,
    OPEN,
    PASSWORD,
    SEAL,
    SIZES,
    memory_bytes,
)
from sectax.experiments.primitives.inputs import new_inputs, subject_inputs
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, one_way, processor_hours
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Contents, Plan
from sectax.model.subject import SubjectSpec, Witness
from sectax.model.treatment import Factor, Treatment
from sectax.model.why_not import WhyNot
from sectax.parts import probes

if TYPE_CHECKING:
    from sectax.experiments.on_probe.conformance import Case
    from sectax.experiments.primitives.referee import PrimitiveReferee

# The default families.
_FAMILIES = (SEAL, MAC, HASH)
_SIZED = tuple(name for name, family in FAMILIES.items() if family.sized)
_PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {"family": _FAMILIES, "language": ("php", "python"), "size": ("64B", "1KiB", "16KiB", "64KiB")},
    "quick": {"family": _FAMILIES, "language": ("python",), "size": ("64B", "1KiB", "16KiB")},
}
# A quick run has time for about twelve comparisons.
_QUICK = ("aes-256-gcm", "chacha20-poly1305", "hmac-sha-256", "hmac-sha-512", "sha-256", "sha-512", "blake2b")

# AES-GCM with 512-bit vectors takes 0.3 cycles per byte at 5 GHz; nothing in one thread is twice as fast.
_BYTES_S = 4e10

# A password hash takes 25 to 400 ms: a batch is one operation without warm-up effect, and a few are enough.
_PASSWORD_ROUNDS = (1, 4)
_PASSWORD_DEADLINE_S = 120.0

# By CPU time, so that the time of all threads counts.
_LOGINS = Metric("logins", "operations/s", Better.HIGHER, Summary.RATE, BATCH_CPU, cpu=True)
_LOGINS_ANSWER = (
    "the answer is logins per second of one core's CPU time, which excludes other programs; logins per second of wall "
    "time are shown too"
)


def _size_metric(name: str) -> Metric:
    """Return the metric of a size that is the same in all blocks."""
    return Metric(name, "B", Better.LOWER, Summary.MAXIMUM, f"first.{name}", resolution=1.0, compared=False)


_PROCESSOR = "this processor"
_WORDS = {
    "metric=cpu_time": "CPU time",
    "metric=throughput": "wall throughput",
    "metric=logins": "logins per second and core",
    "metric=memory_bytes": "memory by its settings",
    "metric=peak_bytes": "peak memory of the process after its first login",
    "metric=wire_bytes": "bytes that both sides send",
}


def _factors(languages: tuple[str, ...]) -> tuple[Factor, ...]:
    return (
        Factor("language", languages),
        Factor("family", tuple(FAMILIES)),
        Factor("size", tuple(SIZES)),
        Factor("algorithm", ALGORITHMS),
    )


def _chosen_factors(available: tuple[Factor, ...], request: RunRequest) -> tuple[Factor, ...]:
    """Choose the factors: algorithms imply families, some without a size."""
    preset, requested = dict(_PRESETS[request.preset]), dict(request.levels)
    if "family" not in requested and "algorithm" in requested:
        named = {name.casefold() for name in requested["algorithm"]}
        matching = [name for name, family in FAMILIES.items() if named & set(family.algorithms)]
        common = tuple(name for name in matching if name in preset["family"])
        preset["family"] = common or tuple(matching) or preset["family"]
    by_name = {factor.name: factor for factor in choose(available, preset | {"algorithm": ALGORITHMS[:1]}, requested)}
    families = {name: FAMILIES[name] for name in by_name["family"].levels}
    if "algorithm" not in requested:
        defaults = [name for family in families.values() for name in family.common]
        quick = request.preset == "quick" and families.keys() <= {*_FAMILIES, OPEN}
        by_name["algorithm"] = Factor(
            "algorithm", tuple(name for name in ALGORITHMS if name in defaults and (not quick or name in _QUICK))
        )
    elif requested["algorithm"] == ("all",):
        available_names = {name for family in families.values() for name in family.algorithms}
        by_name["algorithm"] = Factor("algorithm", tuple(name for name in ALGORITHMS if name in available_names))
    for name in by_name["algorithm"].levels:
        if not any(name in family.algorithms for family in families.values()):
            fitting = ", ".join(family_name for family_name, family in FAMILIES.items() if name in family.algorithms)
            raise WrongUse(f"{name} is not in the family {', '.join(families)}", f"--level family={fitting}")
    kinds = {(family.sized, name == PASSWORD) for name, family in families.items()}
    if len(kinds) > 1:
        raise WrongUse(
            f"the families {', '.join(families)} need separate runs: they are measured in different ways",
            f"one run for {', '.join(_SIZED)}; one for {AGREE}; one for {PASSWORD}",
        )
    if not next(iter(kinds))[0]:
        if "size" in requested:
            raise WrongUse(f"the family {', '.join(families)} has no message size", "leave --level size out")
        del by_name["size"]
    return tuple(by_name.values())


def lacks(machine: Machine, levels: Levels) -> Iterator[WhyNot | None]:
    """Yield why the probe cannot run, missing algorithms aside."""
    yield machine.probe(levels["language"]).lack


def declares(levels: Mapping[str, str]) -> dict[str, Witness]:
    """Return the witnesses that a probe must confirm."""
    family, algorithm = levels["family"], levels["algorithm"]
    if not FAMILIES[family].sized:
        return {}
    promised: dict[str, Witness] = {"data_bytes": SIZES[levels["size"]]}
    if family != HASH:
        promised["key_bits"] = 8 * KEY_BYTES.get(algorithm, 32)
    return promised


def primitive_subject(levels: Mapping[str, str], inputs: Mapping[str, str]) -> ProbeSpec:
    """Return the subject for these levels, with the run's keys and messages."""
    family, algorithm = levels["family"], levels["algorithm"]
    own_inputs, referee = prepared(levels, inputs)
    subject = probe_subject(levels["language"], family, {"algorithm": algorithm}, own_inputs, referee)
    return replace(subject, deadline_s=_PASSWORD_DEADLINE_S, peak_memory=True) if family == PASSWORD else subject


def prepared(levels: Mapping[str, str], inputs: Mapping[str, str]) -> tuple[dict[str, str], PrimitiveReferee]:
    """Return a probe's inputs and referee."""
    from sectax.experiments.primitives.referee import PrimitiveReferee

    own_inputs = subject_inputs(levels, inputs)
    referee = PrimitiveReferee(levels["family"], levels["algorithm"], own_inputs)
    artefact = {OPEN: "sealed", PASSWORD: "stored"}.get(levels["family"])
    if artefact is None:
        return own_inputs, referee
    own_inputs = own_inputs | {artefact: referee.genuine()[0]}
    if artefact == "sealed":
        del own_inputs["data"]
    return own_inputs, referee


class PrimitivesExperiment(Experiment):
    """Compare algorithms with their family's baseline, in each language."""

    name = "primitives"
    title = "Which cipher, MAC, hash or password hash, in my language?"
    presets = ("default", "quick")
    operations = tuple(FAMILIES)

    @property
    def factors(self) -> tuple[Factor, ...]:
        return _factors(probes.names())

    def probe_cases(self) -> list[Case]:
        from sectax.experiments.primitives.cases import cases

        return cases()

    def requirements(self) -> tuple[str, ...]:
        return self.level_requirements({})

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the probes for these levels, or for the default preset."""
        requested = {"language": levels["language"]} if "language" in levels else {}
        languages = choose(self.factors[:1], {"language": _PRESETS["default"]["language"]}, requested)
        return tuple(f"probe:{name}" for name in languages[0].levels)

    def wants(self, request: RunRequest) -> Wanted:
        return Wanted(probes=_chosen_factors(self.factors, request)[0].levels, hosts=(LOCAL_HOST,))

    def design(self, request: RunRequest, machine: Machine) -> Design:
        factors = {factor.name: factor for factor in _chosen_factors(_factors(tuple(machine.probes)), request)}
        languages, families = factors["language"].levels, factors["family"].levels
        answer = probe_metrics(languages, machine)
        of_passwords = families == (PASSWORD,)
        metrics, answered_by = answer.metrics, answer.answered_by
        if of_passwords:
            if CPU_TIME in metrics:
                metrics, answered_by = (_LOGINS, THROUGHPUT), _LOGINS_ANSWER
            metrics += (_size_metric("memory_bytes"), _size_metric("peak_bytes"))
        elif families == (AGREE,):
            metrics += (_size_metric("wire_bytes"),)
        return Design(
            factors=tuple(factors.values()),
            control="algorithm",
            baseline=lambda cell: FAMILIES[cell["family"]].baseline,
            metrics=metrics,
            rules=Rules(
                exists=lambda levels: levels["algorithm"] in FAMILIES[levels["family"]].algorithms,
                family=lambda levels: levels["language"],
                lacks=functools.partial(lacks, machine),
                declares=declares,
                primary={"size": ("64B", "1KiB", "16KiB") if request.preset == "quick" else ("1KiB",)},
                # Each language is a separate question.
                most_primary=MOST_PRIMARY * len(languages),
                # A batch is one operation, no part of which can be repeated at a known cost.
                positive=lambda levels: levels["family"] != PASSWORD,
            ),
            transfers=(
                "The ratios apply to these versions of the libraries on this kind of processor; one without these "
                "instructions, or another library, can reverse the order."
            ),
            batch_s=BATCH_S,
            equal_counts=of_passwords,
            rounds_range=_PASSWORD_ROUNDS if of_passwords else ROUNDS,
            settles=not of_passwords,
            one_processor=True,
            answered_by=answered_by,
            beside=answer.beside,
            words=_WORDS
            | {_PROCESSOR: _processor(machine.host(LOCAL_HOST).facts)}
            | {name: machine.probe(name).title for name in languages},
            contents=_contents(factors["size"].levels) if "size" in factors else None,
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        """Return the rules for a choice; without a CPU clock there is none, since no metric is in seconds."""
        weigh = [plan.words.get(_PROCESSOR, "")]
        measured = {treatment.levels["algorithm"] for treatment in plan.treatments}
        # No password hash is recommended for its price: cheap checks make guessing cheap.
        of_passwords = measured <= set(FAMILIES[PASSWORD].algorithms)
        if of_passwords:
            sizes = [(name, memory_bytes(name)) for name in FAMILIES[PASSWORD].algorithms if name in measured]
            memory = ", ".join(f"{name} {size / _MIB:.3g}" for name, size in sizes if size >= _MIB)
            weigh.insert(0, f"cheap checks make guessing cheap; memory of a login in MiB: {memory or 'none'}")
        choice = Choice(
            picks=not of_passwords,
            what="logins" if of_passwords else "operations",
            uses=one_way(processor_hours),
            month_by_default=False,
            caveats=_CAVEATS,
            weigh=". ".join(f"{text[:1].upper()}{text[1:]}" for text in weigh),
            changes="processor, library or language",
        )
        return AdviceRules(plan.metrics[0].name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        return growth_rows(analysed.measured, analysed.measured.plan.metrics[0].name)


_MIB = 1 << 20
_CAVEATS = {
    "poly1305": "a key of Poly1305 may be used for one message only",
    "ml-kem-768": "ML-KEM alone has no classical fallback: TLS combines it with X25519",
}


def _processor(facts: Mapping[str, str]) -> str:
    """'this processor (AMD EPYC) has AES-NI, SHA-NI'."""
    has = ", ".join(facts.get("host.cryptography", "").split())
    named = f"this processor ({facts.get('host.cpu_model', 'unknown')})"
    return f"{named} has {has}" if has else f"{named} reports no instructions for cryptography"


def _contents(sizes: tuple[str, ...]) -> Contents:
    return Contents("size", {size: SIZES[size] for size in sizes}, bytes_s=dict.fromkeys(ALGORITHMS, _BYTES_S))


class _Bench(ProbeBench):
    def inputs(self) -> dict[str, str]:
        return new_inputs()

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> SubjectSpec:
        return primitive_subject(treatment.levels, inputs)
