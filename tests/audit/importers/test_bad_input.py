"""What is wrong with a file is said with its line and column, and nothing of it is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sectax.audit.importers.columns import Columns
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.workflow.audit import audit
from tests.audit.importers.samples import read, sample

MS = Columns(value="elapsed", unit="ms")


def refused(text: str, format_: str | None = None, columns: Columns | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        read(text, format_, columns)
    return f"{caught.value.message} [{caught.value.hint}]"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("", "missing"),
        ("-1", "'-1' is negative"),
        ("inf", "infinite"),
        ("-Infinity", "infinite"),
        ("nan", "not a number"),
        ("fast", "'fast' is not a number"),
        ("1,5", "3 fields stand under 2 columns"),
        ("1_000", "not a number"),
        ("١٢", "not a number"),
        ("1e999", "too large"),
        ("0x10", "not a number"),
    ],
)
def test_a_table_without_any_value_is_refused_by_line_and_column(cell: str, says: str) -> None:
    message = refused(f"name,elapsed\n\nc,{cell}\n", columns=MS)

    assert "line 3, column" in message
    assert says in message


def left_out(text: str) -> str:
    return " ".join(each.saw for each in read(text, columns=MS).incidents)


def test_lines_are_counted_past_comments_blank_lines_and_quoted_line_breaks() -> None:
    assert "(line 7: 'x')" in left_out('# mine\n\nname,elapsed\n"a\nb",1\n\nc,x\n')


def test_a_wrong_cell_far_down_is_named_by_its_line() -> None:
    rows = "".join(f"a,{at}\n" for at in range(120_000))

    assert "1 of 120001 rows" in left_out(f"name,elapsed\n{rows}a,no\n")
    assert "line 120002" in left_out(f"name,elapsed\n{rows}a,no\n")


def test_a_value_that_only_its_unit_makes_too_large_is_refused() -> None:
    assert "line 2, column 1: x: '1e308' is too large" in refused("x,y\n1e308,1\n", columns=Columns("x", "min"))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (Columns(value="elapsd", unit="ms"), "did you mean elapsed?"),
        (Columns(value="elapsed"), "--unit UNIT"),
        (Columns(value="elapsed", unit="parsec"), "'parsec' is not a unit"),
        (Columns(value="elapsed", unit="ms", by=("algorithm",)), "no column 'algorithm'"),
        (Columns(value="elapsed", unit="ms", by=("name",), baseline="c"), "there is no level 'c'"),
        (Columns(), "the columns are name, elapsed"),
    ],
)
def test_what_is_said_of_columns_must_fit_them(columns: Columns, says: str) -> None:
    assert says in refused("name,elapsed\na,1\nb,2\n", columns=columns)


def test_a_level_of_two_factors_must_name_its_factor() -> None:
    table = "a,b,elapsed\nnone,none,1\nx,y,2\n"
    both = Columns("elapsed", "s", ("a", "b"))

    assert "more than one factor" in refused(table, columns=Columns(baseline="none").over(both))
    assert read(table, columns=Columns(baseline="b=none").over(both)).contrast.factor == "b"  # type: ignore[union-attr]


@pytest.mark.parametrize("words", ["value=x unit", "speed=x", "value=a value=b", "value='x"])
def test_a_header_that_is_not_understood_is_named(words: str) -> None:
    assert refused(f"# sectax: {words}\nx,y\n1,2\n").startswith("line 1: ")


def test_two_columns_of_one_name_are_refused() -> None:
    assert "line 1, column 2: two columns" in refused("x,x\n1,2\n", columns=Columns("x", "s"))


def test_an_unknown_format_names_what_was_tried() -> None:
    message = refused("Dear Sir,\nit was rather slow.\n")

    assert all(name in message for name in ("sysbench", "openssl-speed", "lambda", "warp", "csv"))


@pytest.mark.parametrize("second", ["gobench.txt", "wrk.txt", "openssl-aes.txt", "lambda.txt", "warp.txt"])
def test_a_second_kind_in_a_file_is_named_with_its_line(second: str) -> None:
    first = sample("sysbench-cpu.txt")

    message = refused(first + sample(second))

    found = re.search(r"line (\d+): .* begins here in a file of sysbench", message)
    assert found is not None
    assert int(found[1]) > first.count("\n")


def test_a_second_kind_far_down_is_found_too() -> None:
    assert "begins here" in refused(sample("gobench.txt") * 60 + sample("wrk.txt"))


def test_columns_are_of_a_csv_alone() -> None:
    assert "--unit is of a CSV" in refused(sample("wrk.txt"), columns=Columns(unit="ms"))


@pytest.mark.parametrize("name", ["hyperfine.json", "pyperf.json"])
def test_json_that_is_cut_short_is_said_to_be(name: str) -> None:
    assert re.match(r"line \d+, column \d+: this is not JSON", refused(sample(name)[:-20]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"results": 3}', r"\$\.results"),
        ('{"results": [{"command": "a", "times": ["x"]}]}', r"\$\.results\[0\]\.times\[0\]"),
        ('{"results": [{"command": "a", "times": [1, -2]}]}', r"results\[0\]\.times\[1\] is -2"),
        ('{"results": [{"command": "a", "times": [1, NaN]}]}', "NaN stands where a number should be"),
        ('{"results": [{"command": "a", "times": [1e999]}]}', "is inf"),
        ('{"results": []}', "no result of hyperfine"),
        ('{"results": ' + "[" * 100_000, "nested too deeply"),
        ('{"results": [' + "9" * 5000 + "]}", "an integer of 5000 digits"),
        ('{"machine_info": {}, "benchmarks": [{"name": "a", "stats": {"rounds": ' + "9" * 400 + "}}]}", "400 digits"),
        ('{"metrics": {"http_reqs": {"count": ' + "9" * 400 + ', "rate": 1}}}', "400 digits"),
        ('{"benchmarks": [{"runs": [{"values": [1]}], "metadata": {"unit": "furlong"}}]}', "furlong"),
        ('{"benchmarks": {}}', r"\$\.benchmarks"),
    ],
)
def test_json_of_another_shape_is_refused_with_its_path(text: str, says: str) -> None:
    assert re.search(says, refused(text))


@pytest.mark.parametrize("name", ["sysbench-cpu.txt", "wrk.txt", "warp.txt"])
def test_an_output_that_is_cut_short_is_no_result(name: str) -> None:
    text = sample(name)
    first = {"sysbench-cpu.txt": "    events per", "wrk.txt": "    Latency", "warp.txt": " * Average"}[name]

    assert "cut short" in refused(text[: text.index(first)], format_=re.split(r"[.-]", name, maxsplit=1)[0])


def test_a_report_without_a_duration_is_named() -> None:
    without = "x REPORT RequestId: 2 Billed Duration: 3 ms\n"

    assert "line 1, column 3: this REPORT has no duration" in refused(without)
    (incident,) = read(f"REPORT RequestId: 1 Duration: 2 ms Memory Size: 128 MB\n{without}").incidents
    assert incident.saw.startswith("line 2:")


def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_read() -> None:
    text = sample("sysbench-cpu.txt")
    evidence = read(text.replace("  4357.98", "    nan"))

    (incident,) = (each for each in evidence.incidents if "cannot be read" in each.saw)
    assert "'events per second:    nan'" in incident.saw
    assert len(evidence.figures) == len(read(text).figures) - 1
    assert not any("cannot be read" in each.saw for each in read(text).incidents)


def test_too_many_figures_are_refused() -> None:
    text = "goos: linux\n" + "".join(f"BenchmarkA{at} 1 2 ns/op\n" for at in range(6000))

    assert "more than 5000 figures" in refused(text)


def test_numbers_taken_for_levels_are_refused() -> None:
    rows = "".join(f"{at},1\n" for at in range(6000))

    assert "more than 5000 different levels" in refused(f"id,elapsed\n{rows}", columns=Columns("elapsed", "s", ("id",)))


def test_json_document_is_not_confused_by_what_its_labels_say() -> None:
    text = json.dumps({"results": [{"command": "\x1b[31mRunning 1s test @ x", "times": [1.0, 2.0]}]})

    assert read(text).figures[0].values == (1.0, 2.0)


def test_signs_of_one_byte_are_read_and_other_bytes_are_warned_of_or_refused(tmp_path: Path) -> None:
    row = "Benchmark  Mode  Cnt  Score   Error  Units\nSums.a  avgt  5  12,345 ± 0,100  ns/op\n"
    (tmp_path / "signs.txt").write_bytes(row.encode("latin-1"))
    (tmp_path / "other.txt").write_bytes(f"{row}\nmesuré\n".encode("latin-1"))
    (tmp_path / "many.txt").write_bytes(f"{row}\n{'é' * 10}\n".encode("latin-1"))

    assert audit(str(tmp_path / "signs.txt")).figures == 1
    assert not heard(tmp_path / "signs.txt")
    assert audit(str(tmp_path / "other.txt")).figures == 1
    assert [saw for saw in heard(tmp_path / "other.txt") if "line 4: byte" in saw and "(0xe9) is not UTF-8" in saw]
    with pytest.raises(BadInput, match=r"line 4: byte \d+ \(0xe9\) is not UTF-8"):
        audit(str(tmp_path / "many.txt"))


def test_half_a_character_at_the_end_of_utf_16_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "whole.txt").write_bytes(sample("wrk.txt").encode("utf-16"))
    (tmp_path / "cut.txt").write_bytes(sample("wrk.txt").encode("utf-16") + b"x")

    assert not [saw for saw in heard(tmp_path / "whole.txt") if "UTF-16" in saw]
    assert [saw for saw in heard(tmp_path / "cut.txt") if "is not UTF-16" in saw]
    assert audit(str(tmp_path / "cut.txt")).figures == audit(str(tmp_path / "whole.txt")).figures


def heard(path: Path) -> list[str]:
    """What the file says of itself."""
    checks = audit(str(path)).checks
    return [
        each.saw
        for check in checks
        if check.check == "said-by-the-tool"
        for each in check.warnings
        if each.severity is not Severity.NOTE
    ]


@pytest.mark.parametrize("value", ["1e160", "9" * 200, "1e308"])
def test_a_value_whose_square_is_no_number_is_refused(value: str) -> None:
    """Sums of two of the largest floats were an error of the program."""
    with pytest.raises(BadInput, match="too large"):
        read(f"x,t\n1,{value}\n1,{value}\n", columns=Columns("t", "s"))
    with pytest.raises(BadInput, match="too large"):
        read(f"goos: linux\nBenchmarkA-8 \t 100\t {value} ns/op\n")
