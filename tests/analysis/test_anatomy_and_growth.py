"""Where the time goes and how it grows: with times of known parts, the parts come back."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.advice.anatomy import anatomies
from sectax.advice.growth import TOO_FAR, growths, line
from sectax.model.advice_rules import AdviceRules, GrowsWithSize, Stages, Steps
from sectax.model.measured import Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Contents, Plan, Stopping
from sectax.model.treatment import Cell, Factor, Role, Treatment
from tests.fakes.measured import measured as measured_run

SIZES = {"small": 1e3, "middle": 1e5, "large": 1e6}
STAGES = Stages(
    "authentication",
    (("immediate", "parsing"), ("none", "its form")),
    "the check",
    Steps("timed", (("derive", "deriving"), ("mac", "the MAC"), ("unpack", "unpacking")), "whole", "the rest"),
)
RULES = AdviceRules("duration", stages=STAGES, growth=GrowsWithSize("the check"))
# Level -> its fixed seconds and seconds per byte.
LAWS = {"immediate": (1e-3, 5e-9), "none": (1.5e-3, 6e-9), "hmac-sha512": (2e-3, 8e-9), "timed": (2.1e-3, 8e-9)}
# Of `timed`; it has nothing to unpack.
STEPS = {"derive": (0.1e-3, 0.0), "mac": (0.2e-3, 2e-9), "whole": (0.5e-3, 2e-9)}
UNTIMED = ("immediate", "none", "hmac-sha512")


def measured(levels: tuple[str, ...] = UNTIMED, sizes: tuple[str, ...] = tuple(SIZES), blocks: int = 6) -> Measured:
    """A run whose every block is slower than the one before by a tenth, all treatments alike."""
    cells = tuple(Cell(f"{size}/128", {"payload": size, "memory": "128"}, "f", f"{size}/128/none") for size in sizes)
    treatments = tuple(
        Treatment(
            f"{cell.id}/{level}",
            cell.id,
            cell.levels | {"authentication": level},
            Role.BASELINE if level == "none" else Role.TREATMENT,
        )
        for cell, level in itertools.product(cells, levels)
    )
    plan = Plan(
        experiment="hmac",
        preset="default",
        question="?",
        transfers="",
        control="authentication",
        factors=(Factor("payload", sizes), Factor("memory", ("128",)), Factor("authentication", levels)),
        metrics=(Metric("duration", "s", Better.LOWER, Summary.MEDIAN, observed="duration"),),
        cells=cells,
        treatments=treatments,
        comparisons=(),
        skipped=(),
        stopping=Stopping(0.02),
        seed=1,
        batch_s=0.001,
        contents=Contents("payload", {name: int(size) for name, size in SIZES.items()}),
    )

    def column(law: tuple[float, float], treatment: Treatment) -> dict[int, float]:
        seconds = law[0] + law[1] * SIZES[treatment.levels["payload"]]
        return {block: 1.1**block * seconds for block in range(1, blocks + 1)}

    values = {
        "duration": {
            treatment.id: column(LAWS[treatment.levels["authentication"]], treatment) for treatment in treatments
        }
    }
    timed = [treatment for treatment in treatments if treatment.levels["authentication"] == "timed"]
    values |= {step: {item.id: column(law, item) for item in timed} for step, law in STEPS.items()}
    numbers = tuple(range(1, blocks + 1))
    return measured_run(plan, values, numbers)


def test_the_parts_of_an_operation_are_the_differences_and_make_up_the_whole() -> None:
    (large,) = (anatomy for anatomy in anatomies(measured(), "duration", STAGES) if anatomy.cell == "large/128")

    whole = LAWS["hmac-sha512"][0] + LAWS["hmac-sha512"][1] * 1e6
    assert [part.words for part in large.parts] == ["parsing", "its form", "the check"]
    assert large.parts[2].share.point == pytest.approx((0.5e-3 + 2e-9 * 1e6) / whole)
    assert sum(part.share.point for part in large.parts) == pytest.approx(1)
    # What slows all treatments of a block alike is no doubt about the shares.
    assert large.parts[2].share.high == pytest.approx(large.parts[2].share.low)


def test_what_was_not_measured_apart_is_reported_of_the_next_stage() -> None:
    (only,) = anatomies(measured(("none", "hmac-sha512"), ("large",)), "duration", STAGES)

    assert [part.words for part in only.parts] == ["parsing, its form", "the check"]


def test_a_run_of_the_stages_alone_has_nothing_to_take_apart() -> None:
    assert list(anatomies(measured(("immediate", "none")), "duration", STAGES)) == []


def test_a_block_without_one_of_the_stages_does_not_count() -> None:
    run = measured(sizes=("large",))
    del run.values["duration"]["large/128/none"][1]

    (anatomy,) = anatomies(run, "duration", STAGES)

    assert {part.seconds.count for part in anatomy.parts} == {5}


def mean_factor(blocks: int = 6) -> float:
    """The mean of what slows the blocks."""
    return float(np.mean([1.1**block for block in range(1, blocks + 1)]))


def test_a_treatment_that_times_its_steps_is_taken_apart_by_them() -> None:
    (found,) = anatomies(measured(("none", "timed"), ("large",)), "duration", STAGES)

    parts = found.parts
    whole = LAWS["timed"][0] + LAWS["timed"][1] * 1e6
    assert [part.words for part in parts] == ["parsing", "deriving", "the MAC", "the rest"]
    # What is not between the first step and the last is the first stage, whether that was measured beside it or not.
    assert parts[0].seconds.point == pytest.approx((LAWS["timed"][0] - 0.5e-3 + 6e-9 * 1e6) * mean_factor())
    assert parts[3].seconds.point == pytest.approx(0.2e-3 * mean_factor())
    assert parts[2].share.point == pytest.approx((0.2e-3 + 2e-9 * 1e6) / whole)
    assert sum(part.share.point for part in parts) == pytest.approx(1)


def test_the_steps_of_a_treatment_grow_by_themselves() -> None:
    found = {growth.step: growth for growth in growths(measured(("none", "timed"), blocks=1), RULES) if growth.step}

    assert list(found) == ["deriving", "the MAC"]
    assert found["the MAC"].per_byte.point == pytest.approx(1.1 * 2e-9)
    assert found["the MAC"].fixed.point == pytest.approx(1.1 * 0.2e-3)
    assert found["deriving"].per_byte.point == pytest.approx(0, abs=1e-15)


def test_growth_finds_the_law_and_what_of_it_the_baseline_does_not_take() -> None:
    found = {growth.levels["authentication"]: growth for growth in growths(measured(blocks=1), RULES)}

    assert found["hmac-sha512"].fixed.point == pytest.approx(1.1 * 2e-3)
    assert found["hmac-sha512"].per_byte.point == pytest.approx(1.1 * 8e-9)
    assert found["hmac-sha512"].extra_per_byte.point == pytest.approx(1.1 * 2e-9)
    assert found["none"].extra_per_byte is None
    assert found["immediate"].extra_per_byte is None


def test_two_sizes_show_no_law() -> None:
    assert list(growths(measured(sizes=("small", "large")), RULES)) == []


def test_a_size_that_no_line_reaches_is_named_and_a_law_with_noise_has_none() -> None:
    noise = np.random.default_rng(5)
    run = measured()
    for column in run.values["duration"].values():
        for block in column:
            column[block] *= noise.lognormal(0, 0.05)
    assert [growth.missed for growth in growths(run, RULES)] == [()] * 3

    # A quota that is used up: ten times as long from there on.
    large = run.values["duration"]["large/128/hmac-sha512"]
    large.update({block: 10 * seconds for block, seconds in large.items()})
    found = {growth.levels["authentication"]: growth for growth in growths(run, RULES)}

    assert found["none"].missed == ()
    assert "large" in dict(found["hmac-sha512"].missed)
    for _, ratio in found["hmac-sha512"].missed:
        assert (ratio.low or 0) > TOO_FAR or (ratio.high or 9) < 1 / TOO_FAR


def test_treatment_without_its_baseline_still_grows() -> None:
    run = measured()
    for size in SIZES:
        run.values["duration"][f"{size}/128/none"].clear()

    found = {growth.levels["authentication"]: growth for growth in growths(replace(run), RULES)}

    assert "none" not in found
    assert found["hmac-sha512"].extra_per_byte is None


@given(fixed=st.floats(1e-6, 1e-1), per_byte=st.floats(1e-11, 1e-6))
def test_any_line_is_found_again(fixed: float, per_byte: float) -> None:
    sizes = np.array([1e4, 1e5, 1e6, 3e6])

    a, b = line(sizes, fixed + per_byte * sizes)

    whole = fixed + per_byte * sizes[0]
    assert a == pytest.approx(fixed, rel=1e-6, abs=1e-6 * whole)
    assert b == pytest.approx(per_byte, rel=1e-6, abs=1e-6 * whole / sizes[-1])
