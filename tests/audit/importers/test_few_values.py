"""Three to nine repetitions, each fault beside its healthy twin."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read


def timed(*commands: Sequence[float]) -> str:
    results = [{"command": f"run {'abcdefghijkl'[at]}", "times": list(times)} for at, times in enumerate(commands)]
    return json.dumps({"results": results})


@pytest.mark.parametrize(
    ("times", "check"),
    [
        ([21.95, 12.43, 12.40, 12.45], "first-trial"),
        ([21.85, 27.63, 21.56, 21.69, 21.93], "modes"),
        ([0.862, 0.849, 0.849, 1.022, 1.652], "modes"),
        ([1.0, 1.01, 1.02, 1.01, 0.5], "modes"),
        ([7.7, 3.6, 3.2], "first-trial"),
    ],
)
def test_a_value_far_from_most_others_is_said(times: list[float], check: str) -> None:
    assert said(read(timed(times)))[check][0] == "W"
    assert ("first-trial" in said(read(timed(times)))) is (check == "first-trial")


@pytest.mark.parametrize(
    "times",
    [
        [1.00, 1.02, 1.01],
        [1.05, 1.01, 1.02, 1.03],
        [1.00, 1.10, 1.05, 1.12, 1.03],
        [1.12, 1.00, 1.01, 1.04, 1.02],
        [0.92, 1.00, 1.01, 1.02, 1.03],
        [1.0, 1.2, 1.1],
    ],
)
def test_a_usual_spread_is_not(times: list[float]) -> None:
    assert not {"first-trial", "modes"} & said(read(timed(times))).keys()


def test_repetitions_a_hundred_times_apart_are_of_two_things() -> None:
    assert said(read(timed([0.293, 0.327, 214.7])))["modes"][0] == "F"
    assert said(read(timed([0.293, 0.327, 2.147])))["modes"][0] == "W"


def test_rows_of_a_table_a_hundred_times_apart_may_be_of_what_its_columns_say() -> None:
    from sectax.audit.importers.columns import Columns

    columns = Columns(value="elapsed", unit="s", by=("name",))
    table = "name,n,elapsed\na,1,0.001\na,100,0.1\na,10000,10\n"

    assert said(read(table, columns=columns))["modes"][0] == "W"


def test_a_first_value_that_is_always_the_slowest() -> None:
    runs = [[53.1, 49.1, 48.2, 48.9, 48.5], [19.1, 17.7, 16.5, 16.9, 17.2], [37.6, 32.1, 30.0, 29.4, 30.6]]
    cold, warm = [36.2, 32.7, 30.3, 29.5, 29.9], [30.2, 32.7, 30.3, 29.5, 29.9]

    assert "first-trial" in said(read(timed(*runs, cold)))
    assert "first-trial" not in said(read(timed(*(each[::-1] for each in runs), cold)))
    assert "first-trial" not in said(read(timed(cold, warm)))


def test_first_values_that_are_slow_in_some_of_several_series() -> None:
    cold = [198.3, 176.5, 177.3], [200.5, 179.1, 178.1], [179.2, 179.1, 179.0]
    noisy = [198.3, 176.5, 190.3], [200.5, 179.1, 192.1], [179.2, 179.1, 179.0]

    assert "first-trial" in said(read(timed(*cold)))
    assert "first-trial" not in said(read(timed(*noisy)))
    assert "first-trial" not in said(read(timed(*(each[::-1] for each in cold))))
    assert "first-trial" not in said(read(timed(*cold[1:])))


def result(forks: Sequence[Sequence[float]], **facts: object) -> dict[str, object]:
    values = [each for fork in forks for each in fork]
    metric = {"score": sum(values) / len(values), "scoreUnit": "us/op", "rawData": forks}
    return {"benchmark": "a.B.c", "mode": "avgt", "primaryMetric": metric, **facts}


def test_two_forks_of_which_one_lies_above_the_other() -> None:
    apart, mixed = ([3.95, 3.91, 3.83, 3.96, 3.86], [3.62, 3.57, 3.44, 3.46, 3.69]), [3.62, 3.57, 3.84, 3.46, 3.69]

    assert "modes" in said(read(json.dumps([result(apart)])))
    assert "modes" not in said(read(json.dumps([result((apart[0], mixed))])))


def test_samples_of_one_an_iteration_are_single_values() -> None:
    def sampled(*forks: Sequence[float], count: int = 1) -> str:
        metric = {"score": 3.7, "scoreUnit": "us/op", "scorePercentiles": {"50.0": 3.7}}
        metric["rawDataHistogram"] = [[[[each, count]] for each in fork] for fork in forks]
        return json.dumps([{"benchmark": "a.B.c", "mode": "sample", "primaryMetric": metric}])

    apart = [3.95, 3.91, 3.83, 3.96, 3.86], [3.62, 3.57, 3.44, 3.46, 3.69]
    assert "modes" in said(read(sampled(*apart)))
    assert "modes" not in said(read(sampled(*apart, count=9)))
    assert "modes" not in said(read(sampled(apart[0], apart[0])))


def test_no_warm_up_iteration_is_a_first_trial() -> None:
    values = [[1.0, 1.01]]

    assert "first-trial" in said(read(json.dumps([result(values, warmupIterations=0)])))
    assert "first-trial" not in said(read(json.dumps([result(values, warmupIterations=1)])))


def test_two_versions_of_java_in_one_file_are_apples_and_oranges() -> None:
    one = result([[1.0, 1.01]], jdkVersion="11.0.15")
    other = one | {"benchmark": "a.B.d"}

    assert "apples-and-oranges" not in said(read(json.dumps([one, other])))
    assert "apples-and-oranges" in said(read(json.dumps([one, other | {"jdkVersion": "13.0.1"}])))


HEAD = "Benchmark  (n)  Mode  Cnt  Score  Error  Units\n"


def test_rows_pasted_again_are_no_second_measurement() -> None:
    table = f"{HEAD}A.get  100  avgt  5  0.222 ± 0.016  ms/op\nA.get  1000  avgt  5  1.786 ± 0.323  ms/op\n"
    measured_again = table.replace("0.222", "0.219").replace("1.786", "1.801")

    assert said(read(f"{table}\n{table}"))["copied-data"][0] == "W"
    assert "copied-data" not in said(read(f"{table}\n{measured_again}"))


def test_one_name_with_scores_a_hundred_times_apart() -> None:
    def table(score: float) -> str:
        return (
            f"{HEAD}A.get  100  avgt  5  141.8 ± 3.9  ns/op\n\n// parallel\nA.get  100  avgt  5  {score} ± 9  ns/op\n"
        )

    assert said(read(table(57159.3)))["contradiction"][0] == "W"
    assert "contradiction" not in said(read(table(180.1)))
