"""Runs of many treatments: every kind of verdict, and more answers than fit on a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sectax.design.matrix import Levels, Rules
from sectax.model.analysed import Analysed
from sectax.model.plan import Stopping
from sectax.model.treatment import Role
from tests.reports.situations.registered import situation
from tests.reports.situations.signatures import CPU_TIME, THROUGHPUT, family, simple
from tests.reports.situations.simulated import Case, Fault

CELLS = {"language": ("php", "python"), "operation": ("sign", "verify")}


@dataclass(frozen=True)
class Truth:
    """The true cost of a treatment: 1.04 is 4 % more than the baseline."""

    cost: float
    noise: float = 0.002
    move: Callable[[int], float] | None = None


@situation
def every_kind_of_verdict() -> Analysed:
    truths = {
        "slower": Truth(1.0375),
        "slower-within": Truth(1.0095),
        "slower-open": Truth(1.02),
        "faster": Truth(1 / 1.345),
        "faster-ratio": Truth(1 / 2.585),
        "faster-within": Truth(1 / 1.01),
        "faster-open": Truth(1 / 1.02),
        "equal": Truth(1.0005),
        "unclear": Truth(1.009, 0.015),
        "hopeless": Truth(1.4, 0.6),
        "drifting": Truth(1.0, move=lambda block: 0.0 if block <= 8 else 0.25 + 0.08 * (-1) ** block),
        "doubted": Truth(1.0375),
        "absent": Truth(1.0),
    }

    def declares(levels: Levels) -> dict[str, str | int | float | bool]:
        return {"key_bits": 384} if levels["algorithm"] == "doubted" else {}

    rules = Rules(family=family, declares=declares)
    case = Case(
        simple({"language": ("php",), "operation": ("sign",)}, "plain", *truths, rules=rules),
        {"php/sign/plain": 1 / 1153.4} | {f"php/sign/{name}": item.cost / 1153.4 for name, item in truths.items()},
        stopping=Stopping(0.02, max_blocks=60),
        noise={f"php/sign/{name}": item.noise for name, item in truths.items()},
        moves={f"php/sign/{name}": item.move for name, item in truths.items() if item.move is not None},
        witnesses={"php/sign/doubted": {"key_bits": 256}},
        faults={"php/sign/absent": Fault("the probe stopped replying")},
        usual_noise=0.002,
        blocks=40,
    )
    return case.build()


@situation
def two_hundred_treatments() -> Analysed:
    sizes = ("64", "1024", "16384", "65536", "262144")
    levels = ("RS256", *(f"algorithm-{number:02}" for number in range(1, 10)))
    design = simple(
        CELLS | {"size": sizes},
        *levels,
        rules=Rules(family=family, primary={"language": ("php",), "operation": ("sign",), "size": ("64",)}),
    )
    case = Case(design, {}, blocks=8, rounds=2, block_s=30.0)
    for index, cell in enumerate(case.plan().cells):
        for place, level in enumerate(levels):
            case.truth[f"{cell.id}/{level}"] = (1 + index) * (1 + 0.06 * place * (1 + index % 3)) / 40000
    return case.build()


@situation
def twelve_answers() -> Analysed:
    """`run jwt --quick` on a busy machine: four cells, missed controls, warnings, secondary results."""
    rates = {"RS256": 373e-6, "HS256": 2.22e-6, "ES256": 30.1e-6, "EdDSA": 20.2e-6}
    design = simple(CELLS, *rates, metrics=(CPU_TIME, THROUGHPUT), beside=("throughput",))
    case = Case(design, {}, preset="quick", usual_noise=0.02)
    for treatment in case.plan().treatments:
        case.truth[treatment.id] = case.truth[f"{treatment.id}:batch_time"] = rates[treatment.levels["algorithm"]]
        if treatment.role is Role.POSITIVE:
            case.noise[treatment.id] = 0.1
    return case.build()
