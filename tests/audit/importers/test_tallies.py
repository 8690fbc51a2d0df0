"""Columns that nobody names: units, how rows were run, and how many operations failed."""

from __future__ import annotations

import pytest

from sectax.audit.figure import Quantity
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.tallies import Failures
from tests.audit.importers.said import said
from tests.audit.importers.samples import read

RATES = Columns(value="QPS", unit="1/s", by=("name",))


@pytest.mark.parametrize("errors", ["Errors", "failed", "failures", "timeouts", "non-200", "error_count", "failedReqs"])
@pytest.mark.parametrize("count", ["Total Reqs", "requests", "count", "total_requests"])
def test_failures_beside_requests_are_unequal_work(errors: str, count: str) -> None:
    def table(failed: int) -> str:
        return f"name,QPS,{count},{errors}\na,100.5,1000,{failed}\nb,101.5,1000,0\n"

    assert said(read(table(9), columns=RATES))["unequal-work"][0] == "F"
    assert "unequal-work" not in said(read(table(0), columns=RATES))


@pytest.mark.parametrize(
    "names",
    [
        "name,mean,error,requests",
        "name,mean,Error,Count",
        "name,mean,std_error,count",
        "name,mean,Score Error (99.9%),Samples",
        "name,failed",
    ],
)
def test_the_error_of_a_mean_is_no_count_of_failures(names: str) -> None:
    found = Failures.of(names.split(","), ("name", "mean"))

    assert found is None or found.in_row(["a", "1.5", "0.25", "20"]) is None


def test_failures_that_are_more_than_all_operations_are_none() -> None:
    table = "name,QPS,requests,errors\na,100.5,1000,5000\nb,101.5,1000,0\n"

    assert "unequal-work" not in said(read(table, columns=RATES))


JMH = '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"\n'
SCORES = Columns(value="Score", unit="ops/s", by=("Benchmark",))


def test_rows_of_several_units_are_told_apart() -> None:
    rows = '"a","thrpt",4,5,0.00011,0.000002,"ops/ns"\n"a","avgt",4,5,{},90,"ns/op"\n'
    alike, unlike = (read(JMH + rows.format(each), columns=SCORES) for each in (36360, 860130))

    assert [each.quantity for each in alike.figures] == [Quantity.RATE, Quantity.TIME]
    assert [each.typical for each in alike.figures] == pytest.approx([110000.0, 36.36e-6])
    assert said(alike)["apples-and-oranges"][0] == "W"
    assert said(unlike)["contradiction"][0] == "W"
    assert "contradiction" not in said(alike)


def test_parameters_that_nobody_names_are_told_apart() -> None:
    head = JMH.replace('"Unit"', '"Unit","Param: size"')
    table = head + '"a","thrpt",1,5,100.0,1.0,"ops/s",1\n"a","thrpt",1,5,50.0,1.0,"ops/s",{}\n'
    named = Columns(value="Score", unit="ops/s", by=("Benchmark", "Param: size"))

    assert len(read(table.format(2), columns=SCORES).figures) == 2
    assert "apples-and-oranges" in said(read(table.format(2), columns=SCORES))
    assert "apples-and-oranges" not in said(read(table.format(2), columns=named))
    assert "apples-and-oranges" not in said(read(table.format(1), columns=SCORES))


@pytest.mark.parametrize(("threads", "found"), [(1, "F"), (4, None)])
def test_a_rate_that_one_thread_cannot_have(threads: int, found: str | None) -> None:
    table = f'{JMH}"a.B.hello","thrpt",{threads},20,3387218842.3,14956045.3,"ops/s"\n'

    assert said(read(table, columns=SCORES)).get("faster-than-physics", (None,))[0] == found


def test_times_of_a_part_of_the_work_beside_sizes_are_no_empty_loop() -> None:
    columns = Columns(value="amx", unit="ns", by=("dims",))
    table = "dims; amx\n32; 0.0115\n64; 0.0056\n128; 0.0038\n"

    assert said(read(table, columns=columns))["faster-than-physics"][0] == "W"
    assert said(read(table.replace("32", "plain"), columns=columns))["faster-than-physics"][0] == "F"
