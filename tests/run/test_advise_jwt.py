"""A second experiment's advice, by one rule alone: how much of a signature is the library around it."""

from __future__ import annotations

from sectax.model.measured import Measured
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised

LEVELS = {
    "language": ("python",),
    "operation": ("sign", "verify"),
    "key_use": ("parsed-once",),
    "layer": ("primitive", "library"),
    "algorithm": ("RS256", "HS256"),
}
# By algorithm and layer: what signing takes; verifying takes a tenth of it.
SECONDS = {
    ("RS256", "primitive"): 900e-6,
    ("RS256", "library"): 1000e-6,
    ("HS256", "primitive"): 1e-6,
    ("HS256", "library"): 10e-6,
}
BLOCKS = tuple(range(1, 9))


def run(levels: dict[str, tuple[str, ...]] = LEVELS) -> Measured:
    """Blocks of which every second one is slower by a fifth, all treatments alike."""
    plan = plan_of("jwt", "default", levels)

    def seconds(of: Treatment, block: int) -> float:
        whole = SECONDS[of.levels["algorithm"], of.levels["layer"]]
        return whole * (0.1 if of.levels["operation"] == "verify" else 1) * (1.2 if block % 2 else 1)

    return measured(plan, {"cpu_time": seconds}, BLOCKS)


def test_the_library_is_what_it_takes_more_than_the_primitive_in_every_cell() -> None:
    notes = {(row.levels["operation"], row.levels["algorithm"], row.name): row.sentence for row in advised(run()).rows}

    assert notes == {
        (operation, algorithm, name): f"{share} % of it"
        for operation in ("sign", "verify")
        for algorithm, library in (("RS256", 10), ("HS256", 90))
        for name, share in (("the bare primitive", 100 - library), ("the library around it", library))
    }


def test_a_run_without_the_primitive_has_no_anatomy() -> None:
    assert advised(run(LEVELS | {"layer": ("library",)})).rows == ()
