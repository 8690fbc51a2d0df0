"""Tables as people have them: what of them cannot be read is left out and said, and the rest is read."""

from __future__ import annotations

import pytest

from sectax.audit.figure import Quantity
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.units import unit_of
from tests.audit.importers.samples import figures, read
from tests.audit.importers.test_load_clients import said

MS = Columns(value="elapsed", unit="ms", by=("name",))
ROWS = [f"{name},{1.0 + at / 100}" for at in range(10) for name in "ab"]
WHOLE = "\n".join(["name,elapsed", *ROWS, ""])


@pytest.mark.parametrize(
    ("unit", "quantity", "scale"),
    [
        ("ops/s", Quantity.RATE, 1.0),
        ("op/sec", Quantity.RATE, 1.0),
        ("1/s", Quantity.RATE, 1.0),
        ("req/s", Quantity.RATE, 1.0),
        ("ops/ms", Quantity.RATE, 1e3),
        ("kops/s", Quantity.RATE, 1e3),
        ("requests per second", Quantity.RATE, 1.0),
        ("us/op", Quantity.TIME, 1e-6),
        ("ns/iter", Quantity.TIME, 1e-9),
        ("seconds", Quantity.TIME, 1.0),
        ("(msec)", Quantity.TIME, 1e-3),
        ("usec", Quantity.TIME, 1e-6),
        ("Bytes", Quantity.MEMORY, 1.0),
        ("MB/sec", Quantity.BANDWIDTH, 1e6),
        ("Mb/s", Quantity.BANDWIDTH, 1.25e5),
        ("Gbit/s", Quantity.BANDWIDTH, 1.25e8),
    ],
)
def test_units_as_people_write_them(unit: str, quantity: Quantity, scale: float) -> None:
    assert unit_of(unit) == (quantity, pytest.approx(scale))


@pytest.mark.parametrize("unit", ["parsec", "Mb", "s/s", "ops/parsec", "fast", "m", ""])
def test_words_that_are_no_unit(unit: str) -> None:
    assert unit_of(unit) is None


@pytest.mark.parametrize(
    ("head", "row", "value"),
    [
        ("name,elapsed", 'a,"1,5"', 1.5),
        ("name;elapsed", "a;1,5", 1.5),
        ("name;elapsed", "a;1.234,5", 1234.5),
        ("name;elapsed", "a;0,125", 0.125),
        ("name,elapsed", 'a,"1,234.5"', 1234.5),
        ("name,elapsed", 'a,"1,234,567"', 1234567.0),
        ("name,elapsed", "a,1.5 ms", 1.5),
        ("name,elapsed", "a,2 s", 2000.0),
        ("name,elapsed", "a,1.5 ± 0.1", 1.5),
        ("name,elapsed,", "a,1.5", 1.5),
        ("name,elapsed", "a,1.5,", 1.5),
        (",name,elapsed,", "0,a,1.5,", 1.5),
        ("#name\t\telapsed\t\tother", "a\t\t1.5\t\t3", 1.5),
        ("| name | elapsed |", "| --- | --- |\n| a | 1.5 |", 1.5),
        ("name   elapsed", "a      1.5", 1.5),
        ("My results of Monday\n\nname,elapsed", "a,1.5", 1.5),
        ("\ufeffname,elapsed".removeprefix("\ufeff"), " a , 1.5 ", 1.5),
    ],
)
def test_numbers_and_lines_of_names_as_people_write_them(head: str, row: str, value: float) -> None:
    (one,) = read(f"{head}\n{row}\n", "csv", MS).figures

    assert list(one.values) == pytest.approx([value / 1000])
    assert one.levels == {"name": "a"}


def test_a_whole_table_says_nothing_of_what_was_left_out() -> None:
    assert not {"W unequal-work", "W said-by-the-tool"} & said(read(WHOLE, columns=MS))


@pytest.mark.parametrize("cell", ["", "NaN", "N/A", "timeout", "ERR", "-", "inf"])
def test_a_value_that_failed_is_said_and_is_no_zero(cell: str) -> None:
    one, many = WHOLE + f"c,{cell}\n", WHOLE + f"c,{cell}\n" * 3

    assert set(figures(one, columns=MS)) == set(figures(WHOLE, columns=MS))
    assert "W unequal-work" in said(read(one, columns=MS))
    assert "F unequal-work" not in said(read(one, columns=MS))
    assert "F unequal-work" in said(read(many, columns=MS))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[Measuring n=1000...]", "no rows"),
        ("name,elapsed", "comes again"),
        ("a,1,2", "other fields"),
        ('a,"1.0"x', "no CSV"),
    ],
)
def test_lines_that_are_no_rows_are_said(line: str, words: str) -> None:
    found = read(WHOLE.replace("b,1.05", f"b,1.05\n{line}"), columns=MS)

    assert any(words in each.saw for each in found.incidents)
    assert sum(len(each.values) for each in found.figures) == 20
    assert "F said-by-the-tool" not in said(found)


def test_a_last_row_that_was_cut_is_said() -> None:
    table = "name,elapsed,more\na,1.5,1\nb,2.5,1\nc,3.5"

    assert any("last row" in each.saw for each in read(table, columns=MS).incidents)
    assert not any("last row" in each.saw for each in read(f"{table}\nd,1.5,1\n", columns=MS).incidents)


def test_a_negative_time_is_fatal_and_no_reason_to_refuse() -> None:
    found = read(f"{WHOLE}c,-1\n", columns=MS)

    assert "F contradiction" in said(found)
    assert len(found.figures) == 2


SIZES = Columns(value="elapsed", unit="ms", by=("name",), size="n")


def test_rows_of_several_sizes_are_several_figures() -> None:
    found = read("name,n,elapsed\na,1,1\na,1000,2\nb,1,1\nb,1000,2\n", columns=SIZES)

    assert [each.levels for each in found.figures][1] == {"name": "a", "n": "1000"}
    assert "F apples-and-oranges" not in said(found)


def test_sides_of_unlike_sizes_are_still_no_comparison() -> None:
    assert "F apples-and-oranges" in said(read("name,n,elapsed\na,1,1\nb,1000,2\n", columns=SIZES))


@pytest.mark.parametrize("by", ["n", "k"])
def test_sizes_that_are_compared_are_no_fault_of_the_comparison(by: str) -> None:
    columns = Columns(value="elapsed", unit="ms", by=(by,), size="n")

    assert "F apples-and-oranges" not in said(read("k,n,elapsed\n1,1000,1\n2,2000,2\n", columns=columns))


BESIDE = Columns(value="mean_ms", unit="ms", by=("name",))


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        ("a,2.0,0.1,1.9,2.1", None),
        ("a,2.0,1.5,0.4,4.1", "W modes"),
        ("a,2.0,NaN,1.9,2.1", None),
        ("a,2.3,0.1,1.9,2.1", "F contradiction"),
        ("a,1.7,0.1,1.9,2.1", "F contradiction"),
    ],
)
def test_columns_beside_the_value_are_held_against_it(row: str, finding: str | None) -> None:
    words = said(read(f"name,mean_ms,stddev_ms,min_ms,max_ms\n{row}\n", columns=BESIDE))

    assert [each for each in words if each[2:] in ("modes", "contradiction") and each[0] in "FW"] == (
        [finding] if finding else []
    )


def test_the_least_of_something_else_is_not_held_against_the_value() -> None:
    columns = Columns(value="mean read", unit="ms", by=("name",))

    assert "F contradiction" not in said(read("name,mean read,min write\na,2.0,3.0\n", columns=columns))


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        ("a,2.0,1.95,0.1,1.9,2.1,2.05,2.08", None),
        ("a,4.9,1.95,4.0,1.9,90,2.05,2.08", "W modes"),
        ("a,2.0,1.95,0.1,1.9,2.1,1.91,2.08", "F contradiction"),
        ("a,2.0,1.95,0.1,1.9,2.1,2.05,2.3", "F contradiction"),
        ("a,2.0,1.95,0.4,1.9,2.1,2.05,2.08", "F contradiction"),
        ("a,2.0,1.6,0.1,1.2,2.6,2.05,2.08", "F contradiction"),
    ],
)
def test_quantiles_rise_and_no_mean_is_farther_from_the_median_than_values_reach(row: str, finding: str | None) -> None:
    words = said(read(f"name,mean_ms,median_ms,stddev_ms,min_ms,max_ms,p90_ms,p99_ms\n{row}\n", columns=BESIDE))

    assert (finding in words) if finding else not {"W modes", "F contradiction", "W contradiction"} & set(words)


@pytest.mark.parametrize(("user", "found"), [("0.003", True), ("14.9", False), ("0.9", False)])
def test_a_row_without_processor_time_beside_others_did_other_work(user: str, found: bool) -> None:
    table = f"name,mean_s,user,system\na,1.37,15.6,0.7\nb,1.52,18.4,0.8\nc,1.28,17.4,0.5\nd,1.06,{user},0.003\n"

    words = said(read(table, columns=Columns(value="mean_s", unit="s", by=("name",))))
    assert ("W unequal-work" in words) is found


@pytest.mark.parametrize("column", ["host", "version", "git_sha", "kernel"])
def test_rows_of_two_machines_or_builds_in_one_figure_are_said(column: str) -> None:
    rows = [f"{name},{1.0 + at / 100},{{{at % 2}}}" for at in range(6) for name in "ab"]
    table = "\n".join([f"name,elapsed,{column}", *rows, ""])

    assert "W apples-and-oranges" in said(read(table.format("one", "two"), columns=MS))
    assert "W apples-and-oranges" not in said(read(table.format("one", "one"), columns=MS))


@pytest.mark.parametrize(("elapsed", "found"), [(1500, False), (150, True)])
def test_a_time_that_is_not_the_one_from_its_begin_to_its_end_is_a_contradiction(elapsed: int, found: bool) -> None:
    rows = [f"a,{1000 + at},{1700000000 + 9 * at},{1700000001 + 9 * at + at / 1000}" for at in range(9)]
    last = f"a,{elapsed},1700000200,1700000201.5"

    words = said(read("\n".join(["name,elapsed,start,end", *rows, last, ""]), columns=MS))
    assert ("F contradiction" in words) is found
