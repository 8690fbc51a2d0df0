"""Runs as analysis hands them over: one function per situation that a report must show.

A situation gives the interval of every comparison and what the audit warned of. What follows from them is left to
analysis: verdicts, what a warning takes away, how the controls came out, the scope, the wrong claims to expect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sectax.analysis.analyse import scope_sentence, withhold, wrong_expected
from sectax.analysis.controls import family_controls
from sectax.analysis.verdict import verdict
from sectax.model.analysed import Analysed
from sectax.model.environment import Environment
from sectax.model.finding import (
    AuditWarning,
    Effect,
    Estimate,
    Finding,
    Severity,
    TreatmentResult,
    VerdictId,
)
from sectax.model.measured import Failure, Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.model.treatment import (
    Cell,
    Comparison,
    Factor,
    Role,
    SkippedTreatment,
    Standing,
    Treatment,
)

THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")
FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, "first")
CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, "batch_cpu", cpu=True)
WALL = Metric("wall", "s", Better.LOWER, Summary.MEAN, "wall")
CPU = Metric("cpu", "s", Better.LOWER, Summary.MEAN, "cpu", cpu=True)
PEAK_MEMORY = Metric("peak_memory", "B", Better.LOWER, Summary.MEDIAN, "peak_memory", resolution=4096)

PATH = "runs/2026-03-02-jwt.sectax"

JWT_WORDS = {
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
HOST = {
    "host.cpu_model": "AMD EPYC 7B13",
    "host.cpus": "2",
    "host.kernel": "6.1.0-18-amd64",
    "probe.php": "PHP 8.2.7, OpenSSL 3.0.11",
    "sectax": "0.1.0",
}


@dataclass(frozen=True)
class Judged:
    """What was found of one comparison; `low` and `high` as costs, 1.04 is 4 % slower; infinite before an interval."""

    low: float
    high: float
    point: float | None = None
    blocks_needed: tuple[int, int] | None = None
    margin_needed: float | None = None
    margin_in_reach: float | None = None
    standing: Standing = Standing.PRIMARY
    measured: bool = True


NOT_MEASURED = Judged(1, 1, measured=False)
NO_COST = Judged(0.9965, 1.0038)


def no_interval(point: float) -> Judged:
    """Of too few blocks."""
    return Judged(0, math.inf, point=point)


@dataclass
class Case:
    """A run to be: change what the situation is about, then `build`.

    `rates` and `judged` go by treatment id; a baseline has a rate only.
    """

    cells: list[dict[str, str]]
    baseline: str = "RS256"
    control: str = "algorithm"
    levels: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    metrics: tuple[Metric, ...] = (THROUGHPUT,)
    rates: dict[str, float] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    experiment: str = "jwt"
    preset: str = "default"
    question: str = "Which signature algorithm for a JWT, in my language?"
    transfers: str = "The ratios hold for these versions of these libraries on this kind of processor."
    family: Callable[[Mapping[str, str]], str] = lambda levels: levels.get("language", "commands")
    words: dict[str, str] = field(default_factory=lambda: dict(JWT_WORDS))
    choices: tuple[str, ...] = ()
    skipped: tuple[SkippedTreatment, ...] = ()
    failures: tuple[Failure, ...] = ()
    warnings: tuple[AuditWarning, ...] = ()
    notes: tuple[str, ...] = ()
    negative: Judged = NO_COST
    sure: tuple[float, float] = (0.992, 1.009)  # the negative control's interval at a tenth of its error level
    positive: Judged | None = None  # found, where nothing else is said
    operations: int = 100  # of a batch: the positive control's extra ones are whole
    state: str = "finished"
    blocks: int = 14
    margin: float = 0.02
    empty_shares: dict[str, float] = field(default_factory=dict)
    witnesses: dict[str, dict[str, str | int | float | bool]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    stopping: Stopping | None = None
    factors: tuple[Factor, ...] | None = None
    identity: dict[str, str] = field(default_factory=lambda: dict(HOST))
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    telemetry: dict[str, dict[str, float]] = field(default_factory=dict)
    answered_by: str = ""
    beside: tuple[str, ...] = ()

    def build(self) -> Analysed:
        cells = tuple(
            Cell(cell_id(levels), levels, self.family(levels), f"{cell_id(levels)}/{self.baseline}")
            for levels in self.cells
        )
        treatments = [
            Treatment(
                f"{cell.id}/{level}",
                cell.id,
                cell.levels | {self.control: level},
                Role.BASELINE if level == self.baseline else Role.TREATMENT,
            )
            for cell in cells
            for level in self.levels
        ]
        first_cells: dict[str, Cell] = {}
        for cell in cells:
            first_cells.setdefault(cell.family, cell)
        for cell in first_cells.values():
            source = next(each for each in treatments if each.id == cell.baseline)
            treatments.append(replace(source, id=f"{source.id}#negative", role=Role.NEGATIVE))
            treatments.append(replace(source, id=f"{source.id}#positive", role=Role.POSITIVE, extra=2 * self.margin))
        judged = (
            *self._findings(treatments, cells),
            *(each for cell in first_cells.values() for each in self._controls(cell)),
        )
        varied = {name: None for levels in self.cells for name in levels}
        plan = Plan(
            experiment=self.experiment,
            preset=self.preset,
            question=self.question,
            transfers=self.transfers,
            control=self.control,
            factors=(
                *(Factor(name, tuple(dict.fromkeys(levels[name] for levels in self.cells))) for name in varied),
                Factor(self.control, self.levels),
            )
            if self.factors is None
            else self.factors,
            metrics=self.metrics,
            cells=cells,
            treatments=tuple(treatments),
            comparisons=tuple(finding.comparison for finding in judged),
            skipped=self.skipped,
            stopping=self.stopping or Stopping(self.margin),
            seed=42,
            batch_s=0.02,
            choices=self.choices,
            options=self.options,
            words=self.words,
            answered_by=self.answered_by,
            beside=self.beside,
        )
        measured = Measured(
            run_id="7f3a91c2",
            started="2026-03-02T09:14:05Z",
            state=self.state,
            plan=plan,
            calibrated=calibrated(plan, self.operations),
            blocks=tuple(range(1, self.blocks + 1)),
            values=self._values(treatments),
            counts={},
            visited={},
            failures=self.failures,
            witnesses={},
            batches={},
            telemetry=self.telemetry,
            sessions=(Environment(self.identity, {"host.name": "bench-07"}),),
            block_s=4.4,
            blocks_s=4.4 * self.blocks,
            notes=self.notes,
        )
        results = tuple(
            TreatmentResult(
                treatment=each.id,
                levels=each.levels,
                role=each.role.value,
                state="failed" if each.id in self.reasons else "ok",
                reason=self.reasons.get(each.id, ""),
                blocks=0 if each.id in self.reasons else self.blocks,
                estimates=self._estimates(each),
                witnesses=self.witnesses.get(each.id, {}),
                empty_share=self.empty_shares.get(each.id),
            )
            for each in treatments
        )
        findings = withhold(plan, judged, self.warnings)
        return Analysed(
            measured=measured,
            findings=findings,
            controls=family_controls(measured, findings),
            treatments=results,
            warnings=self.warnings,
            scope=scope_sentence(measured),
            wrong_expected=wrong_expected(measured),
        )

    def _values(self, treatments: list[Treatment]) -> dict[str, dict[str, dict[int, float]]]:
        """The same in every block: what is drawn from it is which treatments have a figure in a metric."""
        return {
            metric.name: {
                each.id: dict.fromkeys(range(1, self.blocks + 1), found[metric.name].point)
                for each in treatments
                if metric.name in (found := self._estimates(each))
            }
            for metric in self.metrics
        }

    def _controls(self, cell: Cell) -> Iterator[Finding]:
        metric = self.metrics[0]
        positive = self.positive or Judged(1 + 1.8 * self.margin, 1 + 2.25 * self.margin)
        for standing, judged in ((Standing.NEGATIVE, self.negative), (Standing.POSITIVE, positive)):
            treatment = f"{cell.baseline}#{standing.value.partition('-')[0]}"
            comparison = Comparison(
                f"{treatment}:{metric.name}", cell.id, treatment, cell.baseline, metric.name, standing, 0.05
            )
            made = finding(comparison, judged, self.margin, self.blocks)
            if standing is Standing.NEGATIVE and made.effect is not None and math.isfinite(made.effect.high):
                low, high = map(math.log, self.sure)
                made = replace(made, effect=replace(made.effect, sure_low=low, sure_high=high))
            yield made

    def _findings(self, treatments: list[Treatment], cells: tuple[Cell, ...]) -> list[Finding]:
        made = []
        by_id = {cell.id: cell for cell in cells}
        standings = [each.standing for each in self.judged.values()]
        primary = max(1, standings.count(Standing.PRIMARY))
        for metric in self.metrics:
            for each in treatments:
                key = each.id if metric is self.metrics[0] else f"{each.id}:{metric.name}"
                judged = self.judged.get(key)
                if judged is None:
                    continue
                alpha = 0.05 / primary if judged.standing is Standing.PRIMARY else 0.05
                comparison = Comparison(
                    id=f"{each.id}:{metric.name}",
                    cell=each.cell,
                    treatment=each.id,
                    baseline=by_id[each.cell].baseline,
                    metric=metric.name,
                    standing=judged.standing,
                    alpha=alpha,
                )
                base = by_id[each.cell].baseline
                rate = self.rates.get(base if metric is self.metrics[0] else f"{base}:{metric.name}", math.nan)
                made.append(finding(comparison, judged, self.margin, self.blocks, metric, rate))
        return made

    def _estimates(self, treatment: Treatment) -> dict[str, Estimate]:
        estimates = {}
        for metric in self.metrics:
            key = treatment.id if metric is self.metrics[0] else f"{treatment.id}:{metric.name}"
            if key in self.rates:
                estimates[metric.name] = estimate(self.rates[key], metric.unit, self.blocks)
        return estimates


def cell_id(levels: Mapping[str, str]) -> str:
    return "/".join(levels.values()) or "all"


def estimate(point: float, unit: str, count: int, share: float = 0.004) -> Estimate:
    if count < 2:
        return Estimate(point, None, None, 0.95, "student-t", count, unit)
    return Estimate(point, point * (1 - share), point * (1 + share), 0.95, "student-t", count, unit)


def finding(
    comparison: Comparison,
    judged: Judged,
    margin: float,
    blocks: int = 14,
    metric: Metric = THROUGHPUT,
    baseline: float = math.nan,
) -> Finding:
    """A finding of what was found; the absolute effect follows from the baseline's figure."""
    if not judged.measured:
        return Finding(comparison, VerdictId.NOT_MEASURED, None, margin)
    low, high = (math.log(each) if each else -math.inf for each in (judged.low, judged.high))
    point = math.log(judged.point) if judged.point is not None else (low + high) / 2
    absolute = None
    if math.isfinite(baseline) and -math.inf < low <= high:
        cost, unit = (1 / baseline, "s") if metric.better is Better.HIGHER else (baseline, metric.unit)
        absolute = Estimate(
            cost * math.expm1(point),
            cost * math.expm1(low),
            cost * math.expm1(high),
            1 - comparison.alpha,
            "confidence-sequence",
            blocks,
            unit,
        )
    effect = Effect(
        log_ratio=point,
        low=low,
        high=high,
        level=1 - comparison.alpha,
        blocks=blocks,
        method="confidence-sequence",
        spread=0.006,
        floor=0.003,
        margin_needed=judged.margin_needed,
        margin_in_reach=judged.margin_in_reach,
        blocks_needed=judged.blocks_needed,
        absolute=absolute,
    )
    needed = judged.blocks_needed
    seconds = (needed[0] * 3.3, needed[1] * 3.3) if needed else None
    return Finding(comparison, verdict(low, high, margin), effect, margin, seconds_needed=seconds)


def calibrated(plan: Plan, operations: int = 33) -> Calibrated:
    return Calibrated(
        {each.id: Calibration(each.id, operations, 4, 0.02, 0.05, 2.4e-8, 3.1e-8) for each in plan.treatments},
        {cell.id: 8 for cell in plan.cells},
    )


def _php(operation: str) -> dict[str, str]:
    return {"language": "php", "operation": operation, "key_use": "parsed-once", "layer": "primitive"}


_SIGN, _VERIFY = "php/sign/parsed-once/primitive", "php/verify/parsed-once/primitive"


def _signatures() -> Case:
    """PHP, signing and verifying, four comparisons that all have a verdict."""
    return Case(
        cells=[_php("sign"), _php("verify")],
        rates={
            f"{_SIGN}/RS256": 1153.4,
            f"{_SIGN}/ES256": 31057.5,
            f"{_SIGN}/EdDSA": 54611.9,
            f"{_VERIFY}/RS256": 37790.9,
            f"{_VERIFY}/ES256": 14498.0,
            f"{_VERIFY}/EdDSA": 20373.0,
        },
        judged={
            f"{_SIGN}/ES256": Judged(1 / 27.2, 1 / 26.6),
            f"{_SIGN}/EdDSA": Judged(1 / 47.8, 1 / 46.9),
            f"{_VERIFY}/ES256": Judged(2.55, 2.62),
            f"{_VERIFY}/EdDSA": Judged(1.82, 1.89),
        },
    )


def signatures_in_php() -> Analysed:
    return _signatures().build()


def every_kind_of_verdict() -> Analysed:
    cell = {"language": "php", "operation": "sign"}
    prefix = "php/sign"
    verdicts = {
        "slower": Judged(1.031, 1.044),
        "slower-within": Judged(1.003, 1.012),
        "slower-barely": Judged(1.00004, 1.0031),
        "slower-open": Judged(1.012, 1.029, blocks_needed=(4, 9)),
        "slower-doubt": Judged(1.018, 1.023),
        "faster": Judged(1 / 1.36, 1 / 1.33),
        "faster-ratio": Judged(1 / 2.62, 1 / 2.55),
        "faster-within": Judged(1 / 1.014, 1 / 1.006),
        "faster-open": Judged(1 / 1.03, 1 / 1.01),
        "equal": Judged(0.996, 1.005),
        "unclear": Judged(0.985, 1.034, blocks_needed=(12, 30), margin_needed=0.034),
        "hopeless": Judged(0.7, 2.9, margin_needed=1.9),
        "impossible": Judged(1.02, 0.98, point=1.0),
        "doubted": Judged(1.031, 1.044),
        "absent": NOT_MEASURED,
    }
    return Case(
        cells=[cell],
        baseline="plain",
        levels=("plain", *verdicts),
        rates={f"{prefix}/plain": 1153.4}
        | {
            f"{prefix}/{name}": 1153.4 / math.sqrt(judged.low * judged.high)
            for name, judged in verdicts.items()
            if judged.measured
        },
        judged={f"{prefix}/{name}": judged for name, judged in verdicts.items()},
        reasons={f"{prefix}/absent": "the probe stopped replying in every block"},
        warnings=(mislabelled(f"{prefix}/doubted:throughput"),),
    ).build()


def mislabelled(subject: str) -> AuditWarning:
    return AuditWarning(
        check="mislabelled-level",
        severity=Severity.FATAL,
        subject=subject,
        saw="key_bits 256 where 384 was declared",
        meaning="What was measured is not what the label says, so the claim is about something else.",
        advice="name the level after the key that is really used",
    )


def treatments_skipped() -> Analysed:
    case = _signatures()
    case.factors = (
        Factor("language", ("php", "node")),
        Factor("operation", ("sign", "verify")),
        Factor("key_use", ("parsed-once",)),
        Factor("layer", ("primitive",)),
        Factor("algorithm", ("RS256", "ES256", "EdDSA")),
    )
    case.skipped = (
        *(
            SkippedTreatment(
                f"node/{operation}/parsed-once/primitive/{algorithm}",
                {"language": "node", "operation": operation, "algorithm": algorithm},
                "node is not installed",
                "sudo apt-get install -y nodejs",
            )
            for operation in ("sign", "verify")
            for algorithm in ("RS256", "ES256", "EdDSA")
        ),
        SkippedTreatment(
            "php/sign/parsed-per-call/primitive/HS256",
            {"language": "php", "operation": "sign", "algorithm": "HS256"},
            "a shared secret is bytes: there is nothing to parse",
        ),
    )
    return case.build()


def treatment_failed_in_some_blocks() -> Analysed:
    case = _signatures()
    reason = "probe php stopped replying: exit status 137, killed for memory"
    hint = "raise --memory, or leave it out with --skip php"
    name = f"{_VERIFY}/EdDSA"
    case.failures = tuple(Failure(block, name, "visit", "failed", reason, hint) for block in (4, 9))
    lost = AuditWarning(
        "blocks-lost",
        Severity.WARNING,
        f"{name}:throughput",
        "2 of 14 blocks lost",
        "The blocks that are left may not be like those that failed.",
        "find out why it fails before quoting the figure",
    )
    case.warnings = (lost,)
    return case.build()


def treatment_failed_in_the_pilot() -> Analysed:
    case = _signatures()
    name = f"{_VERIFY}/EdDSA"
    del case.rates[name]
    case.judged[name] = NOT_MEASURED
    reason = "the tampered token was accepted"
    case.reasons = {name: reason}
    case.failures = (Failure(0, name, "open", "failed", reason, "sectax probe check php names what fails"),)
    return case.build()


def probe_failed_in_the_pilot() -> Analysed:
    """What failed is no treatment of the plan: the empty operation of a probe, and a library that it lacks."""
    case = _signatures()
    case.cells = [*case.cells, _php("sign") | {"language": "python"}]
    reason = "probe php does not know the operation 'empty'"
    hint = "sectax probe check php names what fails"
    lack = "python3-cryptography is not installed"
    missing = [f"python/sign/parsed-once/primitive/{level}" for level in case.levels]
    case.failures = (
        Failure(0, "php: empty", "pilot", "failed", reason, hint),
        *(Failure(0, f"{name}: empty", "pilot", "failed", "exit status 1", "") for name in ("php", *"abcd")),
        *(Failure(0, name, "pilot", "skipped", lack, "sectax setup jwt") for name in missing),
    )
    case.reasons = dict.fromkeys(missing, lack)
    case.warnings = (
        AuditWarning(
            "empty-loop", Severity.NOTE, "php: empty", reason, "The cost of the loop itself is not known.", ""
        ),
    )
    return case.build()


def watched_by_the_kernel() -> Analysed:
    """With telemetry, options of the experiment's own, and a positive control that really cost 38 of 960 operations."""
    case = _signatures()
    case.operations = 120
    case.options = {"library": ("sodium", "openssl"), "tagged": ("*a*|b",)}
    case.telemetry = {
        f"{cell}/{level}": {
            "run_queue_delay_s": waited,
            "cpu_time_s": 5.0 - waited,
            "steal_s": 0.02,
            "throttled_s": 0.0,
        }
        for cell in (_SIGN, _VERIFY)
        for level, waited in (("RS256", 0.004), ("ES256", 0.01), ("EdDSA", 0.06))
    }
    return case.build()


def verdict_withdrawn() -> Analysed:
    case = _signatures()
    name = f"{_SIGN}/ES256"
    case.warnings = (mislabelled(f"{name}:throughput"),)
    case.witnesses = {name: {"key_type": "EC", "key_bits": 256, "curve": "P-256", "alg": "ES256"}}
    return case.build()


def negative_control_fired() -> Analysed:
    case = _signatures()
    fired = AuditWarning(
        "negative-control",
        Severity.FATAL,
        "php",
        "the baseline against itself: +1.1 to +2.4 %",
        "Two equal treatments differ, so no difference of this run can be believed.",
        "look for what else runs on this machine, and run again",
    )
    case.warnings = (fired,)
    case.negative, case.sure = Judged(1.011, 1.024), (math.exp(0.006), math.exp(0.029))
    return case.build()


def positive_control_missed() -> Analysed:
    case = _signatures()
    name = f"{_VERIFY}/EdDSA"
    missed = AuditWarning(
        "positive-control",
        Severity.FATAL,
        f"{_SIGN}/RS256#positive:throughput",
        "+4 % was added and −1 to +8.1 % was seen",
        "This run cannot see so small a cost, so it cannot say that there is none.",
        "give it more blocks (--blocks 80)",
    )
    case.judged[name] = Judged(0.99, 1.015)
    case.rates[name] = 37600.0
    case.warnings = (missed,)
    case.positive = Judged(0.99, 1.081)
    return case.build()


def interrupted_after_four_blocks() -> Analysed:
    case = _signatures()
    case.state = "interrupted"
    case.blocks = 4
    case.judged = {name: no_interval(math.sqrt(judged.low * judged.high)) for name, judged in case.judged.items()}
    case.negative, case.positive = no_interval(1.001), no_interval(1.042)
    return case.build()


def published_preset() -> Analysed:
    key_uses = ("parsed-once", "parsed-per-call")
    cells = [_php(operation) | {"key_use": key_use} for operation in ("sign", "verify") for key_use in key_uses]
    once = _signatures()
    case = Case(cells=cells, preset="published", metrics=(THROUGHPUT, FIRST))
    slowed = {"RS256": 0.94, "ES256": 0.61, "EdDSA": 1.0}
    for name, rate in once.rates.items():
        level = name.rpartition("/")[2]
        case.rates[name] = rate
        case.rates[name.replace("parsed-once", "parsed-per-call")] = rate * slowed[level]
    for name, judged in once.judged.items():
        level = name.rpartition("/")[2]
        case.judged[name] = judged
        shift = slowed["RS256"] / slowed[level]
        case.judged[name.replace("parsed-once", "parsed-per-call")] = replace(
            judged, low=judged.low * shift, high=judged.high * shift
        )
    for name in list(once.judged):
        for each in (name, name.replace("parsed-once", "parsed-per-call")):
            case.judged[f"{each}:first"] = Judged(0.9, 1.2, standing=Standing.SECONDARY, margin_needed=0.2)
    for name in list(case.rates):
        case.rates[f"{name}:first"] = 0.0021
    case.choices = (
        "the study does not say whether keys were parsed once or on every call: both are measured",
        "it does not name the hash: SHA-256, as RS256 and ES256 demand",
        "'ECDSA 384bit (prime256v1)' is measured as ES256: prime256v1 is P-256, a curve of 256 bits",
    )
    case.empty_shares = {f"{_SIGN}/EdDSA": 0.031, f"{_VERIFY}/RS256": 0.018, f"{_SIGN}/RS256": 0.0001}
    return case.build()


def answered_in_cpu_time() -> Analysed:
    """CPU time answers; wall throughput is shown beside it, and that of keys parsed on every call is not."""
    case = _signatures()
    case.metrics = (CPU_TIME, THROUGHPUT)
    case.answered_by = "the answer is CPU time per operation: the operations neither wait nor do I/O"
    case.beside = ("throughput",)
    case.words |= {"metric=cpu_time": "CPU time", "metric=throughput": "wall throughput"}
    case.rates = {name: 1 / rate for name, rate in case.rates.items()} | {
        f"{name}:throughput": 0.97 * rate for name, rate in case.rates.items()
    }
    for name, judged in list(case.judged.items()):
        secondary = replace(judged, standing=Standing.SECONDARY)
        case.judged[f"{name}:throughput"] = replace(secondary, low=0.98 * judged.low, high=1.02 * judged.high)
        if name.startswith(_VERIFY):
            case.judged[name] = secondary
    return case.build()


def two_hundred_treatments() -> Analysed:
    languages = ("php", "python")
    operations = ("sign", "verify")
    cells = [
        {"language": language, "operation": operation, "size": size}
        for language in languages
        for operation in operations
        for size in ("64", "1024", "16384", "65536", "262144")
    ]
    levels = ("RS256", *(f"algorithm-{number:02}" for number in range(1, 10)))
    case = Case(cells=cells, levels=levels)
    for index, cell in enumerate(cells):
        for place, level in enumerate(levels):
            name = f"{cell_id(cell)}/{level}"
            cost = 1 + 0.013 * place * (1 + index % 3)
            case.rates[name] = 40000 / (1 + index) / cost
            if level != "RS256":
                standing = Standing.PRIMARY if index == 0 else Standing.SECONDARY
                case.judged[name] = Judged(cost - 0.006, cost + 0.006, standing=standing)
    return case.build()


def commands() -> Analysed:
    """Two commands, where the only cell has no levels and one metric is a size."""
    return Case(
        cells=[{}],
        experiment="command",
        control="command",
        baseline="baseline",
        levels=("baseline", "with-tls"),
        metrics=(WALL, CPU, PEAK_MEMORY),
        answered_by="the answer is wall time: a command may wait or do I/O, which CPU time leaves out",
        beside=("cpu",),
        question="What does the one command cost more than the other?",
        transfers="The cost is that of these programs on this machine, with these inputs and this file cache.",
        words={},
        rates={
            "all/baseline": 0.0482,
            "all/with-tls": 0.0501,
            "all/baseline:cpu": 0.0121,
            "all/with-tls:cpu": 0.0139,
            "all/baseline:peak_memory": 8.4e6,
            "all/with-tls:peak_memory": 9.1e6,
        },
        judged={
            "all/with-tls": Judged(1.036, 1.043),
            "all/with-tls:cpu": Judged(1.146, 1.152, standing=Standing.SECONDARY),
            "all/with-tls:peak_memory": Judged(1.08, 1.087, standing=Standing.SECONDARY),
        },
        options={
            "baseline": ("curl -s http://localhost:8080/1m",),
            "treatment": ("with-tls=curl -s https://localhost:8443/1m",),
            "prepare": ("sync",),
        },
        # Of a command only what the machine and its cgroup say rides along.
        telemetry={
            "all/baseline": {"steal_s": 0.0, "involuntary_switches": 12.0},
            "all/with-tls": {"involuntary_switches": 15.0},
        },
    ).build()


def only_one_block() -> Analysed:
    """A run that was killed so early that nothing has an interval."""
    case = _signatures()
    case.state = "interrupted"
    case.blocks = 1
    case.judged = dict.fromkeys(case.judged, NOT_MEASURED)
    case.negative = case.positive = NOT_MEASURED
    return case.build()


def hostile_labels() -> Analysed:
    """Labels that try to steer the terminal, to break out of a table, and to be read as markup or a formula."""
    nasty = "\x1b[2J\x07[red]a|b[/red]\u202e`x`"
    formula = "=HYPERLINK(1)\r\nnext"
    case = Case(
        cells=[{}],
        experiment="command",
        control="command",
        baseline="baseline",
        levels=("baseline", nasty, formula),
        metrics=(WALL,),
        question="What does the one command cost more than the other?",
        words={nasty: "<script>alert(1)</script>"},
        rates={"all/baseline": 0.0482, f"all/{nasty}": 0.0501, f"all/{formula}": 0.0501},
        judged={
            f"all/{nasty}": Judged(1.036, 1.043),
            f"all/{formula}": Judged(1.036, 1.043),
        },
        failures=(Failure(3, f"all/{nasty}", "visit", "failed", "said \x1b]0;owned\x07 and\nleft", "try\r\n# it"),),
        notes=("\ue000 [bold]note[/bold]",),
        options={"baseline": ("# echo '\x1b[2J' | tee `x`\n- <b>",), "treatment": (f"{nasty}=1. *x*",)},
    )
    case.warnings = (
        AuditWarning(
            "two-modes", Severity.WARNING, f"all/{nasty}", "| 1 | 2 |", "**loud**", "[click](http://example.org)"
        ),
    )
    return case.build()


def twelve_answers() -> Analysed:
    """What `run jwt --quick` gives on a busy machine: four cells, controls that missed, warnings, side results."""
    cells = [{"language": each, "operation": did} for each in ("php", "python") for did in ("sign", "verify")]
    costs = {"HS256": (1 / 190, 1 / 148), "ES256": (1 / 13.7, 1 / 11.2), "EdDSA": (1 / 20.8, 1 / 16.3)}
    rates = {"RS256": 373e-6, "HS256": 2.22e-6, "ES256": 30.1e-6, "EdDSA": 20.2e-6}
    by_id = {f"{cell_id(cell)}/{level}": level for cell in cells for level in rates}
    compared = {each: costs[level] for each, level in by_id.items() if level in costs}
    warm = [each for each, level in by_id.items() if level == "HS256"]
    changing = "its speed was still changing when the pilot ended"
    side = Standing.SECONDARY
    return Case(
        cells=cells,
        levels=tuple(rates),
        metrics=(CPU, FIRST),
        rates={f"{each}{of}": rates[level] for of in ("", ":first") for each, level in by_id.items()},
        judged={each: Judged(*ends) for each, ends in compared.items()}
        | {f"{each}:first": Judged(*ends, standing=side) for each, ends in compared.items()},
        positive=Judged(0.98, 1.08),
        preset="quick",
        beside=(FIRST.name,),
        warnings=(
            *(AuditWarning("warm-up", Severity.WARNING, each, changing, "", "") for each in warm),
            AuditWarning(
                "barely-found", Severity.WARNING, f"{warm[0]}:cpu", "its interval barely excludes none", "", ""
            ),
        ),
    ).build()


ALL: dict[str, Callable[[], Analysed]] = {
    "signatures-in-php": signatures_in_php,
    "every-kind-of-verdict": every_kind_of_verdict,
    "treatments-skipped": treatments_skipped,
    "treatment-failed-in-some-blocks": treatment_failed_in_some_blocks,
    "treatment-failed-in-the-pilot": treatment_failed_in_the_pilot,
    "probe-failed-in-the-pilot": probe_failed_in_the_pilot,
    "watched-by-the-kernel": watched_by_the_kernel,
    "verdict-withdrawn": verdict_withdrawn,
    "negative-control-fired": negative_control_fired,
    "positive-control-missed": positive_control_missed,
    "interrupted-after-four-blocks": interrupted_after_four_blocks,
    "only-one-block": only_one_block,
    "published-preset": published_preset,
    "answered-in-cpu-time": answered_in_cpu_time,
    "two-hundred-treatments": two_hundred_treatments,
    "two-commands": commands,
    "hostile-labels": hostile_labels,
}
