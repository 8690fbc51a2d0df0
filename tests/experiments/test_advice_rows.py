"""Where the time goes and how it grows: with times of known parts, the parts come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.analysis.analyse import analyse
from sectax.experiments import registry
from sectax.experiments.advice import line
from sectax.experiments.hmac import levels as hmac
from sectax.model.advice import NO_WORKLOAD, AdviceRow
from sectax.model.treatment import Treatment
from sectax.prices import load
from tests.fakes.measured import measured
from tests.machines import plan_of

SIZES = {"10KiB": 10 * 1024, "100KiB": 100 * 1024, "1MiB": 1024 * 1024}
# Level -> its fixed seconds and seconds per byte; of the timed one also its steps.
LAWS = {"immediate": (1e-3, 5e-9), "none": (1.5e-3, 6e-9), "hmac-sha512": (2e-3, 8e-9), hmac.TIMED: (2.1e-3, 8e-9)}
STEPS = {"derive": (0.1e-3, 0.0), "mac": (0.2e-3, 2e-9), hmac.WHOLE: (0.5e-3, 2e-9)}


def rows(
    group: str, levels: tuple[str, ...], slower: float = 1.0, sizes: tuple[str, ...] = tuple(SIZES)
) -> list[AdviceRow]:
    """Every block is a tenth slower than the one before; the check of 1 MiB takes *slower* times as long."""
    chosen = {"authentication": levels, "payload": sizes, "memory": ("1024",), "language": ("python",)}
    on_aws = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}
    plan = plan_of("hmac", "default", chosen, on_aws)

    def seconds(law: tuple[float, float], of: Treatment, block: int) -> float:
        far = slower if of.levels["payload"] == "1MiB" and of.levels["authentication"] == "hmac-sha512" else 1.0
        return far * 1.1**block * (law[0] + law[1] * SIZES[of.levels["payload"]])

    values = {"duration": lambda of, block: seconds(LAWS[of.levels["authentication"]], of, block)}
    run = measured(plan, values, tuple(range(1, 7)))
    timed = [treatment for treatment in plan.treatments if treatment.levels["authentication"] == hmac.TIMED]
    for step, law in STEPS.items():
        run.values[step] = {of.id: {block: seconds(law, of, block) for block in run.blocks} for of in timed}
    given = registry.load("hmac").advice_rows(analyse(run), load(), NO_WORKLOAD)
    return [row for row in given if row.group == group]


MEAN = float(np.mean([1.1**block for block in range(1, 7)]))
PARTS, GROWTH = "Where the time goes", "How the time grows with the size"


def test_parts_are_differences_to_treatments_that_do_less() -> None:
    parts = [row for row in rows(PARTS, ("immediate", "none", "hmac-sha512")) if row.levels["payload"] == "1MiB"]

    assert [row.name for row in parts] == [
        "delivering and parsing the event",
        "its form, Base64 and MessagePack",
        "the check",
    ]
    assert parts[2].value.point == pytest.approx((0.5e-3 + 2e-9 * SIZES["1MiB"]) * MEAN)
    assert parts[2].sentence.startswith("25 % of it")


def test_a_missing_stage_is_part_of_the_next() -> None:
    first, check = rows(PARTS, ("none", "hmac-sha512"), sizes=("1MiB",))

    assert first.name == "delivering and parsing the event, its form, Base64 and MessagePack"
    assert first.value.point + check.value.point == pytest.approx((2e-3 + 8e-9 * SIZES["1MiB"]) * MEAN)


def test_a_timed_treatment_is_split_by_its_steps() -> None:
    parts = {row.name: row.value.point for row in rows(PARTS, ("none", hmac.TIMED), sizes=("1MiB",))}

    assert list(parts) == [
        "delivering and parsing the event",
        "deriving the key",
        "the MAC",
        "between the steps, with the clock",
    ]
    # What is not between the first step and the last is the first part.
    assert parts["delivering and parsing the event"] == pytest.approx((1.6e-3 + 6e-9 * SIZES["1MiB"]) * MEAN)
    assert parts["between the steps, with the clock"] == pytest.approx(0.2e-3 * MEAN)
    assert sum(parts.values()) == pytest.approx((2.1e-3 + 8e-9 * SIZES["1MiB"]) * MEAN)


def test_growth_finds_the_law() -> None:
    fixed, per_byte = (
        row for row in rows(GROWTH, ("none", "hmac-sha512")) if row.levels["authentication"] == "hmac-sha512"
    )

    assert fixed.value.point == pytest.approx(2e-3 * MEAN)
    assert (per_byte.value.point, per_byte.value.unit) == (pytest.approx(8e-9 * MEAN), "s/B")


def test_two_sizes_show_no_law() -> None:
    assert rows(GROWTH, ("none", "hmac-sha512"), sizes=("10KiB", "1MiB")) == []


def test_a_size_that_no_line_reaches_leaves_no_law() -> None:
    # A quota that is used up: ten times as long from there on.
    found = {row.levels["authentication"]: row for row in rows(GROWTH, ("none", "hmac-sha512"), slower=10.0)}

    assert found["none"].value is not None
    assert (found["hmac-sha512"].value, found["hmac-sha512"].sentence) == (None, "not proportional to the size")


@given(fixed=st.floats(1e-6, 1e-1), per_byte=st.floats(1e-11, 1e-6))
def test_any_line_is_found_again(fixed: float, per_byte: float) -> None:
    sizes = np.array([1e4, 1e5, 1e6, 3e6])

    a, b = line(sizes, fixed + per_byte * sizes)

    whole = fixed + per_byte * sizes[0]
    assert a == pytest.approx(fixed, rel=1e-6, abs=1e-6 * whole)
    assert b == pytest.approx(per_byte, rel=1e-6, abs=1e-6 * whole / sizes[-1])


def dependence(minio: float, spread: float = 0.0) -> AdviceRow:
    """Of a run in which SSE-S3 costs a tenth on SeaweedFS, and this on MinIO, whose PUTs take three times as long."""
    asked = {"server": ("all",), "operation": ("put",), "size": ("10KB",), "encryption": ("none", "sse-s3")}
    costs = {"seaweedfs": 1.1, "minio": minio}

    def seconds(of: Treatment, block: int) -> float:
        server = of.levels["server"]
        cost = costs[server] if of.levels["encryption"] == "sse-s3" else 1.0
        odd = 1 + spread * (-1) ** block * (server == "minio" and of.levels["encryption"] == "sse-s3")
        return (3e-3 if server == "minio" else 1e-3) * 1.1**block * cost * odd

    run = measured(plan_of("s3", "default", asked), {"latency": seconds}, tuple(range(1, 9)))
    given = registry.load("s3").advice_rows(analyse(run), load(), NO_WORKLOAD)
    (row,) = (row for row in given if row.group == "Does the cost depend on the server?")
    return row


@pytest.mark.parametrize(
    ("minio", "spread", "answer"),
    [
        (1.3, 0.001, "yes: it is larger with minio"),
        (1.0, 0.001, "yes: it is smaller with minio"),
        (1.1, 0.001, "no: the same within ± 2 %"),
        (1.2, 0.4, "undecided: perhaps no difference"),
    ],
)
def test_whether_the_cost_depends_on_the_server_is_said_in_words(minio: float, spread: float, answer: str) -> None:
    row = dependence(minio, spread)

    assert row.sentence == answer
    assert row.name == "minio against seaweedfs"
    assert row.levels["encryption"] == "sse-s3"
    assert row.value.low <= minio / 1.1 - 1 <= row.value.high


def test_a_run_with_one_server_says_nothing_of_another() -> None:
    plan = plan_of("s3", "quick")
    run = measured(plan, {"latency": lambda of, block: 1e-3 * 1.1**block}, tuple(range(1, 7)))
    given = registry.load("s3").advice_rows(analyse(run), load(), NO_WORKLOAD)

    assert not [row for row in given if "depend" in row.group]
