"""What rows and columns of a table tell of each other: relations, outcomes, missing rows, steps of the clock."""

from __future__ import annotations

import random

import pytest

from sectax.audit.importers.columns import Columns
from tests.audit.importers.said import said
from tests.audit.importers.samples import read

MS = Columns(value="elapsed", unit="ms", by=("name",))
BY_TASK = Columns(value="elapsed", unit="ms", by=("name", "task"))


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, *rows, ""])


def rates(broken: int | None = None, by: float = 1.3) -> str:
    """Times of so many operations, and the rates that follow."""
    chance = random.Random(7)
    rows = []
    for at in range(12):
        count, took = chance.randint(1000, 9000), chance.uniform(5, 90)
        rate = 1000 * count / took * (by if at == broken else 1.0)
        rows.append(f"s{at},{took:.3f},{count},{rate:.2f}")
    return table("name,elapsed,count,rate", rows)


def test_a_rate_that_is_not_its_count_over_its_time_is_found() -> None:
    assert said(read(rates(5), columns=MS))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(rates(), columns=MS))


def test_a_rate_that_is_off_by_a_little_is_warned_of() -> None:
    assert said(read(rates(5, by=1.06), columns=MS))["contradiction"][0] == "W"


@pytest.mark.parametrize("what", ["sum", "mean"])
def test_a_total_that_is_not_that_of_the_columns_beside_it_is_found(what: str) -> None:
    def runs(broken: bool) -> str:
        chance = random.Random(3)
        rows = []
        for at in range(10):
            parts = [round(chance.uniform(10, 40), 2) for _ in range(4)]
            total = sum(parts) / (4 if what == "mean" else 1) + (49 if broken and at == 4 else 0)
            rows.append(f"s{at},{total:.4f},{','.join(map(str, parts))}")
        return table("name,elapsed,run1,run2,run3,run4", rows)

    assert said(read(runs(True), columns=MS))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(runs(False), columns=MS))


def test_a_speedup_is_held_against_the_baseline_of_its_own_task() -> None:
    def speedups(broken: bool) -> str:
        rows = []
        for task, base in (("x", 812.37), ("y", 95.113), ("z", 2417.9)):
            for at, factor in enumerate((1, 1.93, 3.71, 6.42, 9.87)):
                told = factor * (2 if broken and task == "y" and at == 3 else 1)
                rows.append(f"{2**at},{task},{base / factor:.3f},{told:.3f}")
        return table("name,task,elapsed,speedup", rows)

    assert said(read(speedups(True), columns=BY_TASK))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(speedups(False), columns=BY_TASK))


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_noise_have_no_relation(seed: int) -> None:
    chance = random.Random(seed)
    rows = [f"s{at}," + ",".join(f"{chance.lognormvariate(2, 1):.2f}" for _ in range(8)) for at in range(9)]

    assert "contradiction" not in said(read(table("name,elapsed,a,b,c,d,e,f,g", rows), columns=MS))


@pytest.mark.parametrize(
    ("column", "well", "ill"),
    [
        ("status", "200", "500"),
        ("Status", "PASS", "FAIL"),
        ("success", "True", "False"),
        ("responseCode", "204", "404"),
        ("exit_code", "0", "139"),
        ("error", "", "connection timed out"),
        ("timed_out", "false", "true"),
        ("Checksum", "8c2f", "ERROR"),
        ("result", "false", "error"),
        ("verified", "yes", "no"),
    ],
)
def test_rows_that_say_that_they_failed_are_failed_operations(column: str, well: str, ill: str) -> None:
    rows = [f"{name},{1.0 + at / 100},{{}}" for at in range(6) for name in "ab"]
    whole = table(f"name,elapsed,{column}", [row.format(well) for row in rows])

    assert "unequal-work" not in said(read(whole, columns=MS))
    assert said(read(whole.replace(f"1.02,{well}", f"1.02,{ill}", 1), columns=MS))["unequal-work"][0] == "F"


def checksums(odd: str) -> str:
    sums = {"x": "-524335.1377", "y": "1.4993307", "z": "334702.66"}
    rows = [
        f"{name},{task},{1.0 + at},{odd if (name, task) == ('b', 'y') else total}"
        for at, name in enumerate("abc")
        for task, total in sums.items()
    ]
    return table("name,task,elapsed,checksum", rows)


@pytest.mark.parametrize(("odd", "found"), [("1.4993307", False), ("1.49933071", False), ("2.71", True)])
def test_a_side_with_another_result_did_other_work(odd: str, found: bool) -> None:
    assert ("unequal-work" in said(read(checksums(odd), columns=BY_TASK))) is found


def repetitions(left_out: set[tuple[str, int]]) -> str:
    chance = random.Random(1)
    rows = [
        f"{name},{at},{chance.uniform(10, 11):.4f}" for name in "ab" for at in range(1, 9) if (name, at) not in left_out
    ]
    return table("name,run,elapsed", rows)


@pytest.mark.parametrize("left_out", [{("a", 3), ("a", 6)}, {("b", 7), ("b", 8)}])
def test_repetitions_that_were_left_out_are_said(left_out: set[tuple[str, int]]) -> None:
    assert said(read(repetitions(left_out), columns=MS))["unequal-work"][0] == "W"
    assert "unequal-work" not in said(read(repetitions(set()), columns=MS))


def test_a_cell_that_all_other_sides_have_is_missed() -> None:
    chance = random.Random(2)
    rows = [f"{name},{task},{chance.uniform(10, 11):.4f}" for name in "abc" for task in "xyz"]

    assert (
        "no row of b, y"
        in said(read(table("name,task,elapsed", rows[:4] + rows[5:]), columns=BY_TASK))["unequal-work"][1]
    )
    assert "unequal-work" not in said(read(table("name,task,elapsed", rows), columns=BY_TASK))


def long_rows() -> list[str]:
    chance = random.Random(5)
    return [f"{name},{chance.uniform(1, 2)!r},{chance.uniform(1, 2)!r}" for name in "abcdefgh"]


def test_a_row_that_was_copied_over_another_is_found() -> None:
    rows = long_rows()
    copy = f"c,{rows[0].partition(',')[2]}"

    assert said(read(table("name,elapsed,cpu", [*rows[:2], copy, *rows[3:]]), columns=MS))["copied-data"][0] == "W"
    assert "copied-data" not in said(read(table("name,elapsed,cpu", rows), columns=MS))


@pytest.mark.parametrize(("value", "found"), [("1.25", True), ("1.2345678901", False)])
def test_a_number_that_was_written_by_hand_is_found(value: str, found: bool) -> None:
    columns = Columns(value="elapsed", unit="ms", by=("kind",))
    rows = [f"one,{row}" for row in long_rows()]
    rows[3] = f"one,d,{value},1.5"

    assert ("contradiction" in said(read(table("kind,name,elapsed,cpu", rows), columns=columns))) is found


@pytest.mark.parametrize(("steps", "found"), [(range(4, 24), True), (range(4000, 4040, 2), False)])
def test_times_of_a_few_steps_of_the_clock_of_1970_are_coarse(steps: range, found: bool) -> None:
    columns = Columns(value="took", unit="s", by=("n",))
    rows = [f"{at},{step * 2.0**-22!r}" for at, step in enumerate(steps)]

    assert ("timer" in said(read(table("n,took", rows), columns=columns))) is found


@pytest.mark.parametrize(("base", "found"), [(13, True), (1300, False)])
def test_a_side_in_whole_milliseconds_beside_one_in_microseconds_is_coarse(base: int, found: bool) -> None:
    chance = random.Random(4)
    rows = [f"R,{chance.gauss(base, base / 15):.0f}.0" for _ in range(9)]
    rows += [f"C,{chance.gauss(base, base / 15):.4f}" for _ in range(9)]

    assert ("timer" in said(read(table("name,elapsed", rows), columns=MS))) is found


@pytest.mark.parametrize(("times", "found"), [((258, 262, 261, 270, 285), True), ((58, 162, 461, 970, 2285), False)])
def test_a_floor_below_times_of_growing_sizes_is_said(times: tuple[int, ...], found: bool) -> None:
    columns = Columns(value="elapsed", unit="ms", by=("n",), size="n")
    rows = [f"{2 ** (12 + 2 * at)},{took}" for at, took in enumerate(times)]

    assert ("flat-with-size" in said(read(table("n,elapsed", rows), columns=columns))) is found
