"""What a file tells in passing is heard: each with a file in which the same is well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.parts import with_contained
from sectax.audit.importers.sizes import size_in, without_size
from sectax.formats.bad_input import BadInput
from tests.audit.importers.said import said
from tests.audit.importers.samples import read
from tests.program import sectax

WRK = """Running 10s test @ http://localhost:8080/{path}
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.00ms    1.00ms  20.00ms   90.00%
    Req/Sec     2.50k   100.00     2.90k    70.00%
  50000 requests in 10.00s, {read} read
{errors}Requests/sec:   {rate}
Transfer/sec:    {transfer}
"""
WELL = {"path": "1kb", "read": "50.00MB", "errors": "", "rate": "5000.00", "transfer": "5.00MB"}


def wrk(**changes: str) -> str:
    return WRK.format(**(WELL | changes))


def test_errors_of_wrk_are_told_by_kind() -> None:
    few = said(read(wrk(errors="  Socket errors: connect 0, read 7, write 0, timeout 3\n")))

    assert few["unequal-work"] == (
        "W",
        "wrk counts errors beside 50000 requests (read: 7, timeout: 3; the run at line 1)",
    )
    assert "unequal-work" not in said(read(wrk()))


def test_a_transfer_that_is_not_its_bytes_over_its_time_is_found() -> None:
    assert said(read(wrk(transfer="9.00MB")))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(wrk()))


def test_a_path_that_names_more_than_its_answers_have_is_doubted() -> None:
    assert "names 1,050,000 bytes" in said(read(wrk(path="1mb")))["unequal-work"][1]


@pytest.mark.parametrize(("asked", "check"), [("5000", "fixed-time-total"), ("9000", "saturated-client")])
def test_the_rate_that_the_command_asked_for_is_read(asked: str, check: str) -> None:
    asked_for = f"$ wrk -t2 -c10 -d10s -R{asked} --latency http://localhost:8080/1kb\n{wrk()}"

    assert said(read(asked_for))[check][0] == "F"
    assert check not in said(read(f"$ wrk -t2 -c10 -d10s --latency http://localhost:8080/1kb\n{wrk()}"))


def test_requests_that_wait_in_wrk2_for_their_turn_show_that_too_much_was_asked() -> None:
    calibrated = "  Thread calibration: mean lat.: 4.3ms, rate sampling interval: 10ms\n"
    late = (
        wrk().replace("  Thread Stats", f"{calibrated}  Thread Stats").replace("2.00ms    1.00ms", "900.00ms  100.00ms")
    )
    late = late.replace("20.00ms", "2.00s")

    assert said(read(late))["saturated-client"][0] == "F"
    assert "saturated-client" not in said(read(late.replace(calibrated, "")))  # wrk itself pipelines


SHORT_WRK = """Running 5s test @ {url}
  2 threads and 10 connections
    Latency     5.97ms    1.28ms   14.93ms   60.75%
  8330 requests in {wall}, 2.25MB read
Requests/sec: {rate}
Transfer/sec: {transfer}
"""


def test_a_run_of_wrk_that_ended_too_soon_is_told() -> None:
    def ran(wall: str, rate: str) -> Evidence:
        transfer = f"{float(rate) / 3702:.2f}MB"
        return read(SHORT_WRK.format(url="http://x", wall=wall, rate=rate, transfer=transfer))

    assert said(ran("1.25ms", "6664000.00"))["said-by-the-tool"][0] == "F"
    assert "said-by-the-tool" not in said(ran("5.01s", "1662.67"))


def test_wrk_before_version_2_made_a_number_of_requests() -> None:
    text = SHORT_WRK.format(url="http://x", wall="5.01s", rate="1662.67", transfer="460.00KB")
    old = read(text.replace("Running 5s test @", "Making 8330 requests to"))

    assert {figure.circumstances.ends_by for figure in old.figures} == {EndsBy.EVENTS}


def test_an_address_that_somebody_took_out_is_no_reason_to_refuse_wrk() -> None:
    assert read(SHORT_WRK.format(url=" /path", wall="5.01s", rate="1662.67", transfer="460.00KB")).figures


def test_times_that_were_taken_out_of_hyperfines_file_leave_their_exit_codes_behind() -> None:
    def file(codes: int) -> str:
        times = [1.01, 1.02, 1.03, 1.02]
        return json.dumps({"results": [{"command": "a", "mean": 1.02, "times": times, "exit_codes": [0] * codes}]})

    assert "number of times of a" in said(read(file(6)))["contradiction"][1]
    assert "contradiction" not in said(read(file(4)))


def test_commands_that_differ_in_a_size_alone_are_set_beside_each_other() -> None:
    def export(slow: float) -> str:
        times = {"sum 1KB.bin": 0.010, "sum 64GB.bin": slow}
        return json.dumps(
            {
                "results": [
                    {"command": command, "mean": mean, "times": [mean * (1 + at % 3 / 1000) for at in range(10)]}
                    for command, mean in times.items()
                ]
            }
        )

    assert said(read(export(0.011)))["flat-with-size"][0] == "W"
    assert "flat-with-size" not in said(read(export(40.0)))


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Sum/size=64B-2", 64),
        ("Hash/16KiB", 16384),
        ("sha256sum 10MB.bin", 10 * 2**20),
        ("http://x/1kb", 1024),
        ("blake2b", None),
        ("Sum/8-2", None),
        ("1KB to 2KB", None),
        ("8MHz", None),
        ("64ib", None),
    ],
)
def test_sizes_in_names(name: str, size: float | None) -> None:
    assert size_in(name) == size


def test_names_that_differ_in_their_size_alone() -> None:
    assert without_size("sum 1KB.bin") == without_size("sum 10MB.bin") != without_size("md5 10MB.bin")


ROWS = "arm,bytes,elapsed\n" + "".join(
    f"{arm},{size},{value}\n"
    for _ in range(8)
    for arm, size, value in (
        ("hash", "1KiB", 0.001), ("hash", "64MiB", 0.0010005), ("hmac", "1KiB", 0.0004), ("hmac", "64MiB", 0.0004002)
    )
)  # fmt: skip
BY = ("--value", "elapsed", "--unit", "s", "--by", "arm,bytes")


@pytest.mark.more
def test_sizes_and_containment_of_a_csv_by_option(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(ROWS.replace(",0.001\n", ",0.00000001\n").replace("0.0010005", "0.00000001"))
    done = sectax("audit", str(path), *BY, "--size", "bytes", "--contains", "hmac>hash", "--json")
    bare = sectax("audit", str(path), *BY, "--json")

    statuses = [
        {each["check"]: each["status"] for each in json.loads(out.out)["checks"]} for out in (done, bare)
    ]  # fmt: skip
    assert done.status == bare.status == 0
    assert statuses[0]["flat-with-size"] == "fired"
    assert statuses[1]["flat-with-size"] != "fired"


def test_containment_in_a_header_and_of_any_file() -> None:
    header = f"# sectax: value=elapsed unit=s by=arm,bytes size=bytes contains=hmac>hash\n{ROWS}"

    assert said(read(header))["contained-work"][0] == "F"
    assert "contained-work" not in said(read(header.replace("0.0004", "0.0014")))
    with pytest.raises(BadInput, match="no factor has the levels"):
        with_contained(read(header), ["hmac>sign"])
    with pytest.raises(BadInput, match="does not say which level holds which"):
        with_contained(read(header), ["hmac"])


def test_totals_of_unlike_numbers_of_events_in_a_csv_were_ended_by_the_clock() -> None:
    rows = "arm,n,elapsed\n" + "".join(
        f"{arm},{n + at},10.00{at}\n" for arm, n in (("a", 58582), ("b", 3621)) for at in range(6)
    )
    columns = Columns(value="elapsed", unit="s", by=("arm",), events="n")

    assert said(read(rows, columns=columns))["fixed-time-total"][0] == "F"
    alike = rows.replace("3621", "58582").replace("362", "5858")
    assert "fixed-time-total" not in said(read(alike, columns=columns))


def test_a_csv_without_column_names_is_refused() -> None:
    with pytest.raises(BadInput, match="which is a number"):
        read("a,12.5\na,12.6\nb,13.0\n", columns=Columns(value="12.5", unit="ms"))


def test_a_log_that_was_not_listed_to_its_end_is_told() -> None:
    assert said(read(f"{LOG}\naws: [ERROR]: 'charmap' codec can't encode characters\n"))["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(read(LOG))


LOG = "REPORT RequestId: x\tDuration: 1.10 ms\tBilled Duration: 2 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\n"


def test_two_values_that_lie_close_together_and_far_from_all_others_are_a_mode() -> None:
    def counts(values: list[float]) -> str:
        return "goos: linux\n" + "".join(f"BenchmarkA-8 \t 1000\t {value} ns/op\n" for value in values)

    usual = [6.31 + at % 7 / 100 for at in range(23)]
    assert said(read(counts([11.76, *usual, 11.84])))["modes"][0] == "W"
    assert "modes" not in said(read(counts([6.34, *usual, 6.36])))


def test_three_modes_are_found() -> None:
    """60, 33 and 6 % of the values; the best cut in two parts them badly."""
    values = [10.0] * 60 + [14.0] * 33 + [40.0] * 7
    text = "arm,t\n" + "".join(f"a,{value * (1 + at * 7 % 11 / 1000)}\n" for at, value in enumerate(values * 2))

    assert said(read(text, columns=Columns(value="t", unit="ms", by=("arm",))))["modes"][0] == "W"


def test_the_first_value_of_every_process_is_set_beside_its_others() -> None:
    def suite(first: float) -> str:
        runs = [
            {"values": [first * (1 + at % 5 / 1000), 1.0 + at % 7 / 1000, 1.002 + at % 3 / 1000], "warmups": [[1, 1.0]]}
            for at in range(20)
        ]
        return json.dumps({"benchmarks": [{"metadata": {"name": "x", "loops": 8}, "runs": runs}], "version": "1.0"})

    assert said(read(suite(1.1)))["first-trial"][0] == "W"
    assert "first-trial" not in said(read(suite(1.002)))


def test_three_values_carry_no_median_that_hyperfine_prints() -> None:
    def export(count: int) -> str:
        times = [0.1 + at % 3 / 1000 for at in range(count)]
        mean = sum(times) / count
        return json.dumps(
            {"results": [{"command": "x", "mean": mean, "median": sorted(times)[count // 2], "times": times}]}
        )

    assert "median is given too" in said(read(export(3)))["unsupported-quantile"][1]
    assert "unsupported-quantile" not in said(read(export(9)))


def test_zeros_among_few_times_are_found() -> None:
    export = json.dumps({"results": [{"command": "x", "mean": 3e-6, "times": [9e-6, 0.0, 0.0]}]})

    assert said(read(export))["timer"][0] == "F"
