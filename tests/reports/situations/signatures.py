"""Signatures in PHP, and what may happen to a run of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sectax.design.matrix import Levels, Rules
from sectax.design.planning import Design
from sectax.model.analysed import Analysed
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Factor
from sectax.model.trial import Dropped, State
from sectax.model.why_not import WhyNot
from tests.reports.situations.registered import situation
from tests.reports.situations.simulated import Case, Fault

THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")
FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, "first")
CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, "batch_cpu", cpu=True)

WORDS = {
    "php": "PHP",
    "python": "Python",
    "operation=sign": "signs",
    "operation=verify": "verifies",
    "key_use=parsed-once": "with a key parsed once",
    "key_use=parsed-per-call": "with the key parsed on every call",
    "layer=primitive": "as a bare primitive",
    "RS256": "RSA-2048",
    "ES256": "ECDSA P-256",
    "EdDSA": "Ed25519",
}
TRANSFERS = "The ratios hold for these versions of these libraries on this kind of processor."
OPERATIONS = Factor("operation", ("sign", "verify"))
ALGORITHMS = ("RS256", "ES256", "EdDSA")
SIGN, VERIFY = "php/sign/parsed-once/primitive", "php/verify/parsed-once/primitive"
# Operations per second.
RATES = {
    f"{SIGN}/RS256": 1153.4,
    f"{SIGN}/ES256": 31057.5,
    f"{SIGN}/EdDSA": 54611.9,
    f"{VERIFY}/RS256": 37790.9,
    f"{VERIFY}/ES256": 14498.0,
    f"{VERIFY}/EdDSA": 20373.0,
}


def family(levels: Mapping[str, str]) -> str:
    return levels.get("language", "commands")


def signatures(
    *,
    languages: tuple[str, ...] = ("php",),
    key_uses: tuple[str, ...] = ("parsed-once",),
    algorithms: tuple[str, ...] = ALGORITHMS,
    metrics: tuple[Metric, ...] = (THROUGHPUT,),
    rules: Rules | None = None,
    **more: object,
) -> Case:
    """PHP, signing and verifying, four comparisons that all have a verdict; *more* is the design's."""
    factors = (
        Factor("language", languages),
        OPERATIONS,
        Factor("key_use", key_uses),
        Factor("layer", ("primitive",)),
        Factor("algorithm", algorithms),
    )
    design = Design(
        transfers=TRANSFERS, control="algorithm", baseline="RS256", factors=factors, metrics=metrics, batch_s=0.02,
        rules=rules or Rules(family=family), **({"words": WORDS} | more),  # type: ignore[arg-type]
    )  # fmt: skip
    return Case(design, {name: 1 / rate for name, rate in RATES.items()})


def simple(factors: Mapping[str, tuple[str, ...]], *levels: str, **more: object) -> Design:
    """These factors crossed with the algorithms *levels*, the first the baseline; *more* is the design's."""
    usual = {"metrics": (THROUGHPUT,), "rules": Rules(family=family)}
    return Design(
        transfers=TRANSFERS, control="algorithm", baseline=levels[0], batch_s=0.02, words=WORDS,
        factors=(*(Factor(name, of) for name, of in factors.items()), Factor("algorithm", levels)),
        **(usual | more),  # type: ignore[arg-type]
    )  # fmt: skip


@situation
def signatures_in_php() -> Analysed:
    return signatures().build()


@situation
def treatments_skipped() -> Analysed:
    def lacks(levels: Levels) -> list[WhyNot]:
        if levels["language"] == "node":
            return [WhyNot("node is not installed", "sudo apt-get install -y nodejs")]
        return [WhyNot("OpenSSL 3.0 has no ML-DSA")] if levels["algorithm"] == "ML-DSA" else []

    rules = Rules(family=family, lacks=lacks)
    return signatures(languages=("php", "node"), algorithms=(*ALGORITHMS, "ML-DSA"), rules=rules).build()


@situation
def treatment_failed_in_some_blocks() -> Analysed:
    reason = "probe php stopped replying: exit status 137, killed for memory"
    hint = "raise --memory, or leave it out with --skip php"
    return replace(signatures(), faults={f"{VERIFY}/EdDSA": Fault(reason, hint, "visit", (4, 9))}).build()


@situation
def treatment_failed_in_the_pilot() -> Analysed:
    hint = "sectax probe check php names what fails"
    failed = Dropped(f"{VERIFY}/EdDSA", State.FAILED, "open", "the tampered token was accepted", hint)
    return replace(signatures(), pilot=(failed,)).build()


@situation
def probe_failed_in_the_pilot() -> Analysed:
    """What failed is no treatment of the plan: the empty operation of a probe, and a library that it lacks."""
    case = signatures(languages=("php", "python"))
    hint = "sectax probe check php names what fails"
    lack = "python3-cryptography is not installed"
    case.pilot = (
        Dropped("php: empty", State.FAILED, "pilot", "probe php does not know the operation 'empty'", hint),
        *(Dropped(f"{name}: empty", State.FAILED, "pilot", "exit status 1") for name in ("php", *"abcd")),
        *(
            Dropped(treatment.id, State.SKIPPED, "pilot", lack, "sectax setup jwt")
            for treatment in case.plan().treatments
            if treatment.levels["language"] == "python"
        ),
    )
    return case.build()


@situation
def watched_by_the_kernel() -> Analysed:
    """With telemetry, options of the experiment's own, and a positive control that really cost 38 of 960 operations."""
    telemetry = {
        f"{cell}/{level}": {"run_queue_delay_s": wait, "cpu_time_s": 5.0 - wait, "steal_s": 0.02, "throttled_s": 0.0}
        for cell in (SIGN, VERIFY)
        for level, wait in (("RS256", 0.004), ("ES256", 0.01), ("EdDSA", 0.06))
    }
    options = {"library": ("sodium", "openssl"), "tagged": ("*a*|b",)}
    return replace(signatures(), operations={f"{SIGN}/RS256": 120}, options=options, telemetry=telemetry).build()


@situation
def verdict_withdrawn() -> Analysed:
    """The label of one treatment promises another key than the one that signed."""

    def declares(levels: Levels) -> dict[str, str | int | float | bool]:
        return {"key_bits": 384} if levels["algorithm"] == "ES256" and levels["operation"] == "sign" else {}

    witnesses = {f"{SIGN}/ES256": {"key_type": "EC", "key_bits": 256, "curve": "P-256", "alg": "ES256"}}
    return replace(signatures(rules=Rules(family=family, declares=declares)), witnesses=witnesses).build()


@situation
def negative_control_fired() -> Analysed:
    """Of two equal processes the second is always slower."""
    return replace(signatures(), moves={f"{SIGN}/RS256#negative": lambda block: 0.026}).build()


@situation
def negative_control_within_the_margin() -> Analysed:
    """Of two equal processes the second is always slower, by less than anybody minds."""
    return replace(signatures(), moves={f"{SIGN}/RS256#negative": lambda block: 0.013}).build()


@situation
def positive_control_missed() -> Analysed:
    """What costs more on purpose varies by so much that its cost cannot be seen."""
    case = signatures()
    case.truth[f"{VERIFY}/EdDSA"] = case.truth[f"{VERIFY}/RS256"]
    case.noise = {f"{SIGN}/RS256#positive": 0.1}
    return case.build()


@situation
def interrupted_after_four_blocks() -> Analysed:
    return replace(signatures(), state="interrupted", blocks=4).build()


@situation
def only_one_block() -> Analysed:
    """A run that was killed so early that nothing has an interval."""
    return replace(signatures(), state="interrupted", blocks=1).build()


@situation
def published_preset() -> Analysed:
    case = signatures(
        key_uses=("parsed-once", "parsed-per-call"),
        metrics=(THROUGHPUT, FIRST),
        choices=(
            "the study does not say whether keys were parsed once or on every call: both are measured",
            "it does not name the hash: SHA-256, as RS256 and ES256 demand",
            "'ECDSA 384bit (prime256v1)' is measured as ES256: prime256v1 is P-256, a curve of 256 bits",
        ),
    )
    case.preset = "published"
    slowed = {"RS256": 0.94, "ES256": 0.61, "EdDSA": 1.0}
    for name, once in list(case.truth.items()):
        case.truth[name.replace("parsed-once", "parsed-per-call")] = once / slowed[name.rpartition("/")[2]]
    case.truth |= {f"{name}:first": 0.0021 for name in case.truth}
    case.empty_s = {
        name: share * case.truth[name]
        for name, share in ((f"{SIGN}/EdDSA", 0.031), (f"{VERIFY}/RS256", 0.018), (f"{SIGN}/RS256", 0.0001))
    }
    return case.build()


@situation
def answered_in_cpu_time() -> Analysed:
    """CPU time answers for signing; wall throughput is shown beside it."""
    case = signatures(
        metrics=(CPU_TIME, THROUGHPUT),
        rules=Rules(family=family, primary={"operation": ("sign",)}),
        answered_by="the answer is CPU time per operation: the operations neither wait nor do I/O",
        beside=("throughput",),
        words=WORDS | {"metric=cpu_time": "CPU time", "metric=throughput": "wall throughput"},
    )
    case.truth |= {f"{name}:batch_time": cost / 0.97 for name, cost in case.truth.items()}
    return case.build()
