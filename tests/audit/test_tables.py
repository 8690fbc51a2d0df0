"""Tables: what is read of them without a word, and what is refused."""

from __future__ import annotations

import contextlib
import time

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.form import Moves, Quantity
from sectax.audit.reading.asked import Columns
from sectax.audit.tables.cells import Cells
from sectax.audit.tables.table import looks_like_a_table, read_table
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity


def read(text: str, **said: object) -> dict[str, list[float]]:
    evidence = read_table(iter(text.split("\n")), Columns(**said))  # type: ignore[arg-type]
    return {one.id: [*one.values] or [claim.value for claim in one.claims] for one in evidence.series}


@pytest.mark.parametrize(
    "text",
    [
        "side,time_ms\na,1\nb,2\na,3\n",
        "side;time_ms\na;1,0\nb;2,0\na;3,0\n",
        "side\ttime_ms\na\t1\nb\t2\na\t3\n",
        "| side | time_ms |\n|---|---:|\n| a | 1 |\n| b | 2 |\n| a | 3 |\n",
        "side   time_ms\na      1\nb      2\na      3\n",
    ],
)
def test_every_form_of_a_table_says_the_same(text: str) -> None:
    assert read(text) == {"time_ms: a": [1e-3, 3e-3], "time_ms: b": [2e-3]}


def test_a_mean_with_summaries_beside_it_is_a_summary() -> None:
    found = read_table(iter(["name,mean_ms,min_ms,max_ms,runs", "a,2.00,1.0,4.0,30"]), Columns())

    (one,) = found.series
    assert {claim.statistic: claim.value for claim in one.claims} == {"mean": 2e-3, "min": 1e-3, "max": 4e-3}
    assert (one.quantity, one.count, one.claims[0].step) == (Quantity.TIME, 30, pytest.approx(1e-5))


@pytest.mark.parametrize(
    "text", ["exit_code,0,1", "success,true,false", "status,200,503", "errors,0,1", "Failure Count,0,1"]
)
def test_rows_that_failed_are_counted(text: str) -> None:
    name, well, badly = text.split(",")

    found = read_table([f"side,seconds,{name}", f"a,1,{well}", f"a,2,{badly}"], Columns())

    assert [one.work.failures for one in found.series] == [1]


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("Errors (%)", "4.2"),
        ("errors %", "4.2"),
        ("% errors", "4.2"),
        ("failed_pct", "4.2"),
        ("error_rate_percent", "4.2"),
        ("errors", "4.2%"),
    ],
)
def test_a_percentage_of_failures_is_not_a_count(heading: str, cell: str) -> None:
    evidence = read_table([f"side;mean_ms;{heading}", "a;1;0", f"b;2;{cell}"], Columns())

    assert [(one.work.failures, one.work.operations) for one in evidence.series] == [(0, 100), (4.2, 100)]
    (outcome,) = (one for one in review(evidence) if one.check == "unequal-work")
    assert [(one.severity, one.figures) for one in outcome.warnings] == [(Severity.FATAL, ("mean_ms: b mean",))]


@pytest.mark.parametrize("heading", ["error %", "stddev (%)", "90% line", "cpu %"])
def test_other_percentages_are_not_failures(heading: str) -> None:
    evidence = read_table([f"side,mean_ms,{heading}", "a,1,3", "b,2,4"], Columns())

    assert [one.work.failures for one in evidence.series] == [None, None]
    assert [len(one.claims) for one in evidence.series] == [1, 1]


@pytest.mark.parametrize(("times", "flat"), [((5.0, 5.1, 5.0, 5.05), True), ((5.0, 5.0, 5.3, 25.0), False)])
def test_times_that_are_flat_over_many_sizes_are_seen(times: tuple[float, ...], flat: bool) -> None:
    sizes = (10, 100, 1000, 100_000)
    lines = ["object_kb,encrypt_ms", *(f"{size},{time}" for size, time in zip(sizes, times, strict=True))]

    outcomes = {outcome.check: outcome for outcome in review(read_table(lines, Columns()))}

    assert [one.severity for one in outcomes["flat-with-size"].warnings] == [Severity.FATAL] * flat
    # The sizes are what is compared.
    assert not outcomes["apples-and-oranges"].warnings


def test_a_size_of_zero_is_not_compared_with_others() -> None:
    outcomes = review(read_table(["object_kb,encrypt_ms", "0,5", "10,5", "100,5.1", "100000,5"], Columns()))

    flat = next(outcome for outcome in outcomes if outcome.check == "flat-with-size")
    assert ["10,000 times" in one.saw for one in flat.warnings] == [True]


@pytest.mark.parametrize("text", ["", ",,\n1,2,3\n", "1,2\n3,4\n", "a,b\n", "a,b\nx,y\n", "side,seconds\na,x\nb,y\n"])
def test_a_table_without_numbers_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read(text, unit="ms")


@pytest.mark.parametrize(
    ("heading", "quantity"),
    [
        ("bytes_per_second", Quantity.BANDWIDTH),
        ("throughput_ops_s", Quantity.RATE),
        ("reqs_s", Quantity.RATE),
        ("sign_s", Quantity.TIME),
    ],
)
def test_a_column_of_something_per_second_holds_no_seconds(heading: str, quantity: Quantity) -> None:
    (series,) = read_table([f"name,{heading}", "none,0", "some,8.4e7"], Columns()).speeds[:1]

    assert series.quantity is quantity


def test_zeros_that_a_program_left_out_hide_no_contradiction() -> None:
    evidence = read_table(["command,mean_s,min_s,max_s", "a,0.1,0.2,0.05", "b,0.2,0.19,0.21"], Columns())

    assert "contradiction" in {outcome.check for outcome in review(evidence) if outcome.warnings}


@pytest.mark.parametrize(
    "text", ["side,time_ms\na,-1\na,2\n", "side,ops_s\na,-5\nb,7\n", "name,mean_ms,max_ms\na,-2,4\n"]
)
def test_a_negative_time_or_rate_has_a_warning(text: str) -> None:
    evidence = read_table(iter(text.split("\n")), Columns())

    assert "contradiction" in {outcome.check for outcome in review(evidence) if outcome.warnings}


def test_a_table_of_markdown_within_a_text_is_read_by_the_units_of_its_cells() -> None:
    text = (
        "# Results\n\nRuns, with what failed:\n\n| Gateway | Size | Requests | Failed | Avg Time | Max Time |\n"
        "|---|---|---|---|---|---|\n| **a** | 10 | 25,000 | 0 | 54.37 ms | 139.5 ms |\n"
        "| b | 20 | 25,000 | 11,438 | 1.2 s | 3.1 s |\n\nMore words | here.\n"
    )

    series = read_table(text.split("\n"), Columns()).series

    assert [one.typical for one in series] == pytest.approx([0.05437, 1.2])
    assert [(one.levels, one.count, one.work.failures) for one in series] == [
        ({"Gateway": "a", "Size": "10"}, 25000, 0),
        ({"Gateway": "b", "Size": "20"}, 25000, 11438),
    ]


def test_a_cell_with_a_plus_and_minus_has_an_error() -> None:
    (one,) = read_table(["| Command | Mean [s] |", "|:---|---:|", "| a | 12.0 ± 4.5 |"], Columns()).series

    assert {claim.statistic: claim.value for claim in one.claims} == {"mean": 12.0, "error": 4.5}


def test_columns_of_several_quantities_are_refused() -> None:
    with pytest.raises(BadInput):
        read_table(["| Metric | one |", "|---|---|", "| Time | 12 ms |", "| Memory | 9 MB |"], Columns())


@pytest.mark.parametrize(
    "text", ["ms\n1\n2\n3\n", "s\n.001\n.002\n.003\n", "side,ms\na,1\na,2\na,3\n", "run,ns/op\n1,1e6\n2,2e6\n3,3e6\n"]
)
def test_a_heading_that_is_a_unit_says_enough(text: str) -> None:
    (values,) = read(text).values()

    assert values == pytest.approx([1e-3, 2e-3, 3e-3])
    assert looks_like_a_table(text)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("operation,size,time_ms\nGET,10KB,0.3\nGET,100MB,0.4\n", {"size": "100MB"}),
        ("object_bytes,op,ms\n1e4,GET,.3\n1e8,GET,.4\n1e4,HEAD,9\n", {"op": "GET", "object_bytes": "1e8"}),
        ("Size,GET (ms),PUT (ms)\n10KB,0.3,12\n100MB,0.4,900\n", {"Size": "100MB", "column": "GET (ms)"}),
        ("host,size_mb,get_s\na,100,0.0004\nb,100,0.0004\n", {"host": "a"}),
    ],
)
def test_a_column_of_sizes_shows_what_was_moved(text: str, levels: dict[str, str]) -> None:
    evidence = read_table(text.split("\n"), Columns())

    one = next(one for one in evidence.series if one.levels == levels)
    assert (one.work.size_bytes, one.work.moves, one.typical) == (1e8, Moves.BODY, pytest.approx(4e-4))
    physics = next(outcome for outcome in review(evidence) if outcome.check == "faster-than-physics")
    assert any(one.id in warning.figures and warning.severity.value == "F" for warning in physics.warnings)


@pytest.mark.parametrize(
    ("names", "rows", "ids"),
    [
        # Parameters stand before what was measured, and come again.
        ("size,time_ms", ["1024,3", "1048576,9"] * 2, ["time_ms: 1024", "time_ms: 1048576"]),
        ("Größe;Zeit (ms)", ["10 KB;3,5", "1 MB;9,1"] * 2, ["Zeit (ms): 10 KB", "Zeit (ms): 1 MB"]),
        ("offset,time_ms", ["1,3", "2,9", "3,4"], ["time_ms"]),
        # A time beside others of its kind, in other units, is one arm; beside its own quantiles it is the value.
        ("time_ms,cpu_s", ["3,.002"], ["value: time_ms", "value: cpu_s"]),
        ("side,time_ms,p99_ms", ["a,3,9", "b,4,8"], ["time_ms: a", "time_ms: b"]),
        ("p90_ms,p99_ms", ["3,9"], ["p90_ms"]),
        ("time_min,time_mean,time_s", ["3,9,4"], ["time_s"]),
        # A status is one where it is a number.
        ("code,ms", ["php,3", "go,9"] * 2, ["ms: php", "ms: go"]),
        ("code,ms", ["200,3", "503,9"] * 2, ["ms"]),
    ],
)
def test_columns_are_known_by_their_place_and_name(names: str, rows: list[str], ids: list[str]) -> None:
    assert [*read("\n".join([names, *rows]))] == ids


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (["side,time_ms,load", "a,1,3", "b,2,4"], "time_ms by side; not used: load"),
        # Words that come again are levels, whatever their column is called.
        (["run,date,ms", *["before,2026-1-1,1", "after,2026-1-2,2"] * 2], "ms by run; not used: date"),
        # What was measured beside the value is not an arm.
        (
            ["label,elapsed_ms,Latency", *["login,3,2", "home,4,2", "login,5,3"] * 3],
            "elapsed_ms by label; not used: Latency",
        ),
    ],
)
def test_the_columns_that_were_read_and_those_that_were_not_are_named(rows: list[str], columns: str) -> None:
    assert read_table(rows, Columns()).columns == columns


def test_a_count_of_successes_hides_no_count_of_failures() -> None:
    (one,) = read_table(["side,requests,success,failed,ms", "a,100,60,40,3"], Columns()).series

    assert (one.work.operations, one.work.failures) == (100, 40)


def test_a_missing_unit_is_named_where_the_column_is_clear() -> None:
    with pytest.raises(BadInput, match="'mean'"):
        read("command,mean,stddev,median,min,max\nsleep,1,0.1,1,0.9,1.2\n")


def test_failures_are_counted_with_the_requests_of_their_rows() -> None:
    found = read_table(["side,requests,errors,ms", "a,100,150,3", "b,100,0,3"], Columns())

    assert [(one.work.operations, one.work.failures) for one in found.series] == [(100, 150), (100, 0)]


def test_a_table_of_far_too_many_columns_is_refused() -> None:
    with pytest.raises(BadInput, match="3000"):
        read("\n".join([",".join(f"c{at}_ms" for at in range(3000)), ",".join(["1"] * 3000)]))


def test_a_first_row_without_numbers_hides_no_table() -> None:
    assert looks_like_a_table("side,time_ms\na,nan\na,\na,2\nb,3\n")


def test_a_table_of_blanks_is_known_by_the_unit_in_a_heading() -> None:
    assert looks_like_a_table("algorithm      sign (ops/s)   verify (ops/s)\nRS256          1,845          61,233\n")
    assert not looks_like_a_table("It took          12 or so\nand then        13 of them\n")
    assert not looks_like_a_table("[4]   0.00-1.02   34.1 Mbits/sec\n[4]   1.02-2.00   40.3 Mbits/sec\n")


@pytest.mark.parametrize(
    ("texts", "milliseconds", "error"),
    [
        (
            (
                "12.3",
                "**12.3 ms**",
                "`12.3`",
                "~~12.3~~",
                "12\\.3 ms",
                "12.3¹",
                "12.3*",
                "12.3 [1]",
                "✅ 12.3 ms",
                "12.3 🚀",
            ),
            12.3,
            None,
        ),
        (
            ("12.3 (10.1x)", "12.3 ms (-92%)", "12.3 (1.2× slower)", "~12.3 ms", "12,300 µs", "12 300 us", "12'300 us"),
            12.3,
            None,
        ),
        (("12.3 ± 0.4", "12.3 ± 0.4 ms", "12.3 ms ±0.4 ms", "12.3 (± 0.4) ms", "12.3 +/- 0.4"), 12.3, 0.4),
        (("10 ms ± 2%", "10 ±2 %"), 10, 0.2),
        (("1m 23s", "1m23s", "83 s", "83,000"), 83_000, None),
        (
            ("<1 ms", "OOM", "n/a", "—", "10-12 ms", "10 / 12", "1_000", "nan", "12 %", "1.2x", "3 MB", "1,2"),
            None,
            None,
        ),
    ],
)
def test_a_cell_is_read_with_all_that_is_around_its_number(
    texts: tuple[str, ...], milliseconds: float | None, error: float | None
) -> None:
    cells, unit = Cells(","), (Quantity.TIME, 1e-3)

    for text in texts:
        number, spread = cells.number(text, unit), cells.error(text, unit)
        assert number is None if milliseconds is None else number and number.value * 1e3 == pytest.approx(milliseconds)
        assert spread is None if error is None else spread and spread.value * 1e3 == pytest.approx(error)


def test_a_decimal_comma_in_one_cell_is_one_in_all() -> None:
    cells = Cells("|", ["12,5", "1.234"])

    assert [cells.number(text).value for text in ("12,5", "1.234", "1.234,5", "0,125")] == [12.5, 1234, 1234.5, 0.125]  # type: ignore[union-attr]


@pytest.mark.parametrize("filler", ["|", "a ", "1 ", "1,", "a|b ", "- ", "*", "(", "p99 ", "\t", "│"])
def test_a_long_line_is_read_or_refused_at_once(filler: str) -> None:
    line = (filler * 2**16)[: 2**16]
    began = time.process_time()
    for text in (line, f"a,ms\n{line}\nb,2", f"| a | ms |\n|---|---|\n|{line}|\n| b | 2 |", f"{line}\n\na,ms\nb,1"):
        with contextlib.suppress(BadInput):
            read(text)

    assert time.process_time() - began < 8


def test_a_long_csv_has_its_later_rows_and_no_later_tables() -> None:
    rows = [f"{'ab'[number % 2]},{number}" for number in range(100_003)]

    (first, second) = read_table(["side,ms", *rows], Columns()).series

    assert (len(first.values), len(second.values)) == (50_002, 50_001)
