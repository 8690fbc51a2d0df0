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
from sectax.audit.registry import review
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from tests.audit.importers.samples import read
from tests.program import sectax


def said(evidence: Evidence) -> dict[str, tuple[str, str]]:
    """Check -> the severity and the words of the gravest thing that it says, of F and W."""
    found: dict[str, tuple[str, str]] = {}
    for outcome in review(evidence):
        for warning in outcome.warnings:
            if warning.severity is not Severity.NOTE and found.get(outcome.check, ("W", ""))[0] != "F":
                found[outcome.check] = (warning.severity.value, warning.saw)
    return found


SYSBENCH_1_1 = """sysbench 1.1.0 (using bundled LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8

Threads started!

SQL statistics:
    queries performed:
        read:                            1400
        write:                           400
        other:                           200
        total:                           2000
    transactions:                        100    (10.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)

Throughput:
    events/s (eps):                      10.0000
    time elapsed:                        10.0000s
    total number of events:              100

Latency (ms):
         min:                                    1.16
         avg:                                    2.50
         max:                                    9.68
         95th percentile:                        4.28
         sum:                                  250.00
"""


def test_sysbench_1_1_is_read() -> None:
    figures = {figure.metric: figure.value for figure in read(SYSBENCH_1_1).figures}

    assert figures["total time"] == 10
    assert figures["events per second"] == 10
    assert "contradiction" not in said(read(SYSBENCH_1_1))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("total:                           2000", "total:                           9000", "all queries"),
        (
            "sum:                                  250.00",
            "sum:                                 2500.00",
            "mean latency",
        ),
        (
            "sum:                                  250.00",
            "sum:                               900000.00",
            "sum of all latencies",
        ),
    ],
)
def test_a_sum_that_is_not_that_of_its_parts_is_found(old: str, new: str, words: str) -> None:
    assert old in SYSBENCH_1_1
    broken = read(SYSBENCH_1_1.replace(old, new))

    assert any(
        words in warning.saw and warning.severity is Severity.FATAL
        for outcome in review(broken)
        if outcome.check == "contradiction"
        for warning in outcome.warnings
    )


def test_outputs_of_sysbench_without_their_first_lines_are_runs_of_their_own() -> None:
    body = SYSBENCH_1_1.partition("SQL statistics:")
    two = read(SYSBENCH_1_1 + body[1] + body[2])

    assert len({figure.measurement for figure in two.figures}) == 2


def test_a_time_that_is_printed_as_nothing_is_doubted() -> None:
    coarse = SYSBENCH_1_1.replace("2.50", "0.00").replace(" 250.00", "   0.05").replace("1.16", "0.00")

    assert said(read(coarse))["timer"][0] == "W"
    assert "timer" not in said(read(SYSBENCH_1_1))


FILEIO_1_1 = """sysbench 1.1.0

Threads started!

Throughput:
         read:  IOPS=1200.00 18.75 MiB/s (19.66 MB/s)
         write: IOPS=800.00 12.50 MiB/s (13.11 MB/s)
         fsync: IOPS=80.00

    time elapsed:                        10.0000s
    total number of events:              20800
"""


def test_files_of_sysbench_1_1_are_read() -> None:
    figures = {figure.metric: figure.value for figure in read(FILEIO_1_1).figures}

    assert figures["read operations per second"] == 1200
    assert figures["written bytes"] == 12.5 * 2**20
    assert "contradiction" not in said(read(FILEIO_1_1))


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("FATAL: mysql_drv_query() returned error 1062", "F"),
        ("ALERT: cannot write", "F"),
        ("WARNING: --max-time is deprecated", "W"),
        ("Forcing shutdown in 5 seconds", "W"),
        ("Number of unfinished transactions on forced shutdown: 3", "W"),
    ],
)
def test_what_sysbench_says_of_itself_is_repeated(line: str, severity: str) -> None:
    told = SYSBENCH_1_1.replace("Threads started!", f"Threads started!\n{line}")

    assert said(read(told))["said-by-the-tool"][0] == severity


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

    assert few["said-by-the-tool"] == (
        "W",
        "wrk counts errors beside 50000 requests (read: 7, timeout: 3; the run at line 1)",
    )
    assert "unequal-work" not in few  # 1 in 5000
    assert "said-by-the-tool" not in said(read(wrk()))


def test_a_transfer_that_is_not_its_bytes_over_its_time_is_found() -> None:
    assert said(read(wrk(transfer="9.00MB")))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(wrk()))


def test_a_path_that_names_more_than_its_answers_have_is_doubted() -> None:
    assert "names 1,050,000 bytes" in said(read(wrk(path="1mb")))["contradiction"][1]


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


def test_two_quantiles_of_one_share_are_compared() -> None:
    """sysbench --percentile=100 prints the maximum twice, once from its histogram."""
    both = SYSBENCH_1_1.replace(
        "95th percentile:                        4.28", "100th percentile:                       9.73"
    )

    assert "contradiction" not in said(read(both))


def test_an_interrupted_benchmark_of_go_is_told() -> None:
    begun = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8\nsignal: interrupt\n"

    assert any("BenchmarkB-8 has no result" in incident.saw for incident in read(begun).incidents)
    assert said(read(begun))["said-by-the-tool"][0] == "F"  # by the signal
    # With -v the name stands alone, and the result below it.
    assert "said-by-the-tool" not in said(read("goos: linux\nBenchmarkB-8\nBenchmarkB-8 \t 100\t 120 ns/op\nPASS\n"))


def test_a_crash_that_no_benchmark_explains_is_told() -> None:
    assert said(read("goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nfatal error: all goroutines are asleep\n"))[
        "said-by-the-tool"
    ][0] == "F"  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "testing: BenchmarkA-8 left GOMAXPROCS set to 1",
        "coverage: 71.4% of statements",
        "ok  \texample.com/a\t1.2s\tcoverage: 71.4% of statements",
        "WARNING: DATA RACE",
    ],
)
def test_what_go_says_beside_its_figures_makes_them_doubtful(line: str) -> None:
    healthy = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8 \t 100\t 240 ns/op\nPASS\n"

    assert said(read(f"{healthy}{line}\n"))["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(read(healthy))


def test_a_failure_is_not_crowded_out_by_warnings() -> None:
    begun = "".join(f"Benchmark{chr(65 + at)}-8\nx\n" for at in range(26))

    assert said(read(f"goos: linux\nBenchmarkOne-8 \t 9\t 1 ns/op\n{begun}--- FAIL: BenchmarkZ\n"))[
        "said-by-the-tool"
    ][0] == "F"  # fmt: skip


@pytest.mark.parametrize("margin", ["    ", "\t", "> "])
def test_go_in_the_margin_of_a_text_is_read(margin: str) -> None:
    text = "goos: linux\ncpu: A\nBenchmarkA-8 \t 100\t 120 ns/op\n--- FAIL: BenchmarkB\nFAIL\n"
    indented = "".join(f"{margin}{line}\n" for line in text.splitlines())

    assert [figure.value or list(figure.values) for figure in read(indented).figures] == [[pytest.approx(120e-9)]]
    assert read(indented).figures[0].circumstances.processor == "A"
    assert said(read(indented))["said-by-the-tool"][0] == "F"


def test_a_benchmark_of_go_that_a_signal_ended_is_told() -> None:
    ended = "goos: linux\nBenchmarkA-8 \t 100\t 120 ns/op\nBenchmarkB-8 \tSIGQUIT: quit\n"

    assert said(read(ended))["said-by-the-tool"][0] == "F"


WARP = """Operation: GET. Concurrency: 8
* Average: 90.00 MiB/s, 90.00 obj/s

Throughput by host:
 * http://a:9000: Avg: {host} obj/s

Throughput, split into 59 x 1s:
 * Fastest: {fastest} obj/s
 * 50% Median: {median} obj/s
 * Slowest: 20.00 obj/s
"""


@pytest.mark.parametrize(
    ("host", "fastest", "median", "found"),
    [
        ("90.00", "100.00", "91.00", ""),
        ("0.00", "100.00", "91.00", "F contradiction"),
        ("90.00", "50.00", "46.00", "F contradiction"),
        ("90.00", "200.00", "30.00", "W said-by-the-tool"),
    ],
)
def test_the_seconds_and_hosts_of_warp_are_held_against_its_average(
    host: str, fastest: str, median: str, found: str
) -> None:
    heard = said(read(WARP.format(host=host, fastest=fastest, median=median)))
    seen = {f"{severity} {check}" for check, (severity, _) in heard.items()}

    assert seen & {"F contradiction", "W said-by-the-tool"} == ({found} if found else set())


def test_what_warp_left_out_before_its_first_report_is_told() -> None:
    text = "Skipping PUT too few samples.\n" + WARP.format(host="90.00", fastest="100.00", median="91.00")

    assert said(read(text))["said-by-the-tool"][0] == "W"


SHORT_WRK = """Running 5s test @ {url}
  2 threads and 10 connections
    Latency     1.97s     1.28s    4.93s    60.75%
  8330 requests in {wall}, 2.25MB read
Requests/sec: {rate}
"""


def test_a_run_of_wrk_that_ended_too_soon_is_told() -> None:
    def ran(wall: str, rate: str) -> Evidence:
        return read(SHORT_WRK.format(url="http://x", wall=wall, rate=rate))

    assert said(ran("1.25ms", "6664000.00"))["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(ran("5.01s", "1662.67"))


def test_wrk_before_version_2_made_a_number_of_requests() -> None:
    text = SHORT_WRK.format(url="http://x", wall="5.01s", rate="1662.67")
    old = read(text.replace("Running 5s test @", "Making 8330 requests to"))

    assert {figure.circumstances.ends_by for figure in old.figures} == {EndsBy.EVENTS}


def test_an_address_that_somebody_took_out_is_no_reason_to_refuse_wrk() -> None:
    assert read(SHORT_WRK.format(url=" /path", wall="5.01s", rate="1662.67")).figures


def test_sysbench_that_did_nothing_was_not_ended_by_its_clock() -> None:
    nothing = (
        "sysbench 1.0.20\nThreads started!\n  total size: 20480MiB\nTotal operations: 0 (    0.00 per second)\n\n"
        "0.00 MiB transferred (0.00 MiB/sec)\n    total time:       0.0008s\n    total number of events:      0\n"
    )

    assert said(read(nothing))["zero-event-run"][0] == "F"
    assert "fixed-time-total" not in said(read(nothing))


OPENSSL_MR = """+DTP:2048:private:rsa sign:10
+R1:2000:2048:1.00
+F2:2:2048:2220.300000:77590.400000:73102.400000:2201.300000
+F7:0:256:CurveSM2:3000.000000:2500.000000
+R15:100:ML-KEM-768:0.01
+R16:200:ML-KEM-768:0.01
+R15:300:X25519:0.01
+F9:0:10448.000000:5646.000000:12261.000000
+F9:4:20448.000000:6646.000000:13261.000000
+R18:100:mldsa87:0.01
+F10:3:448.000000:646.000000:261.000000
"""


def test_every_line_of_openssls_machine_readable_form_is_read() -> None:
    rates = {figure.id: figure.value for figure in read(OPENSSL_MR).figures}

    assert rates["2048 bits rsa, decrypt"] == 2201.3
    assert rates["256 bits SM2 (CurveSM2), verify"] == 2500
    assert rates["ML-KEM-768, encaps"] == 5646
    assert rates["X25519, keygen"] == 20448
    assert rates["mldsa87, signs"] == 646
    assert len(rates) == 4 + 2 + 6 + 3


@pytest.mark.parametrize(
    "line",
    [
        "RSA sign failure",
        "ECDH computations don't match.",
        "Error while initialising EVP_PKEY_CTX.",
        "Encaps error for mlkem768.",
        "EVP error!",
        "SIG verify failure at count 3",
        "WARNING: the error queue contains previous unhandled errors.",
        "Child terminated by signal 9",
        "aes-128-cbc is not an AEAD cipher",
        "speed: Unknown algorithm sha257",
    ],
)
def test_what_openssl_says_of_its_failures_is_heard(line: str) -> None:
    assert said(read(f"{OPENSSL_MR}{line}\n"))["said-by-the-tool"][0] == "W"
    flags = "compiler: gcc -Wformat -Werror=format-security -DERROR_FOR\n"
    assert "said-by-the-tool" not in said(read(OPENSSL_MR + flags))


def test_times_that_were_taken_out_of_hyperfines_file_leave_their_exit_codes_behind() -> None:
    def file(codes: int) -> str:
        times = [1.01, 1.02, 1.03, 1.02]
        return json.dumps({"results": [{"command": "a", "mean": 1.02, "times": times, "exit_codes": [0] * codes}]})

    assert "number of times of a" in said(read(file(6)))["contradiction"][1]
    assert "contradiction" not in said(read(file(4)))


def test_a_run_has_a_number_only_beside_others_of_its_name() -> None:
    alone = [figure.id for figure in read(SYSBENCH_1_1).figures]
    twice = [figure.id for figure in read(SYSBENCH_1_1 + SYSBENCH_1_1).figures]

    assert "sql: total time" in alone
    assert {"sql 1: total time", "sql 2: total time"} <= set(twice)


GO = "goos: linux\nBenchmarkHash/{}-8 \t 100\t {} ns/op\nBenchmarkHash/{}-8 \t 100\t {} ns/op\nPASS\n"


def test_flat_times_over_sizes_that_go_names_are_doubted_and_with_set_bytes_they_fall() -> None:
    named = GO.format("size=1KiB", 100, "size=16MiB", 101)
    told = GO.format("a", "100 ns/op\t 10240.00 MB/s\t 0", "b", "101 ns/op\t 166111000.00 MB/s\t 0")

    assert said(read(named))["flat-with-size"][0] == "W"
    assert said(read(told.replace(" ns/op\t 0", " B/op")))["faster-than-physics"][0] == "F"
    assert "flat-with-size" not in said(read(GO.format("size=1KiB", 100, "size=16MiB", 900000)))


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


WARP_FORMS = {
    "2019": "Operation: PUT\n* Average: 971.75 MB/s, 97.18 obj/s, 97.16 ops ended/s (59.417s)\n",
    "mixed of 2020": "Mixed operations.\n\nOperation: GET\n * 632.28 MiB/s, 354.78 obj/s (59.993s)\n",
    "mixed": "Operation: GET, 45%, Concurrency: 20, Ran 42s.\n * Throughput: 2477.45 MiB/s, 247.75 obj/s\n",
    "without bytes": "Operation: DELETE, 10%, Concurrency: 20, Ran 42s.\n * Throughput: 55.13 obj/s\n",
    "2024": "Report: GET (1815 reqs). Ran Duration: 12s\n * Average: 181.90 MiB/s, 121.27 obj/s (12s)\n",
}


@pytest.mark.parametrize("form", WARP_FORMS)
def test_every_form_of_an_average_of_warp_is_read(form: str) -> None:
    figures = {figure.metric: figure.value for figure in read(WARP_FORMS[form]).figures}

    assert figures["rate"] is not None
    assert ("bandwidth" in figures) == ("B/s" in WARP_FORMS[form])


def test_the_same_numbers_of_two_operations_of_warp_were_copied() -> None:
    numbers = (
        "* Average: 10.06 MiB/s, 1030.01 obj/s\n\nThroughput, split into 59 x 1s:\n"
        " * Fastest: 11.3MiB/s, 1159.69 obj/s\n"
        " * 50% Median: 10.3MiB/s, 1059.06 obj/s\n * Slowest: 6.7MiB/s, 685.26 obj/s\n"
    )
    twice = f"Operation: DELETE\n{numbers}\nOperation: LIST\n{numbers}"

    assert said(read(twice))["copied-data"][0] == "F"
    assert "copied-data" not in said(read(twice.replace("1159.69", "1160.70", 1)))


def test_operations_of_a_mixed_benchmark_of_warp_add_up() -> None:
    mixed = (
        "Mixed operations.\nOperation: GET, 45%, Concurrency: 20, Ran 42s.\n"
        " * Throughput: 2477.45 MiB/s, 247.75 obj/s\n\n"
        "Operation: STAT, 30%, Concurrency: 20, Ran 42s.\n * Throughput: 165.27 obj/s\n\n"
        "Cluster Total: 2477.45 MiB/s, 413.02 obj/s over 43s.\n"
    )

    assert "contradiction" not in said(read(mixed))
    assert "contained-work" not in said(read(mixed))  # the shares were asked for
    assert said(read(mixed.replace("413.02", "513.02")))["contradiction"][0] == "F"


def test_an_operation_of_no_bytes_takes_no_time_and_is_held_against_nothing() -> None:
    size = " * Objects per request: 1. Size: 0 bytes. Concurrency: 20."
    text = (
        f"Report: GET (10 reqs).\n{size}\n * Average: 1.00 MiB/s, 1.00 obj/s (1s)\n"
        f"Report: STAT (10 reqs).\n{size}\n * Average: 1.00 MiB/s, 1.00 obj/s (1s)\n"
    )

    assert "contained-work" not in said(read(text))


def test_openssl_with_four_operations_in_a_row_is_read() -> None:
    text = (
        "                  sign    verify    encrypt   decrypt   sign/s verify/s  encr./s  decr./s\n"
        "rsa  2048 bits 0.000790s 0.000015s 0.000016s 0.000800s   1265.8  66666.7  62500.0   1250.0\n"
    )

    assert {figure.levels["operation"]: figure.value for figure in read(text, "openssl-speed").figures} == {
        "sign": 1265.8, "verify": 66666.7, "encrypt": 62500.0, "decrypt": 1250.0
    }  # fmt: skip


def test_rows_of_two_kinds_of_core_are_told() -> None:
    rows = "type             16 bytes     64 bytes\naes-128-cbc     865259.48k  1740217.11k (Cortex-A720)\n"
    slow = "aes-128-cbc     181661.84k   440501.14k (Cortex-A520)\n"

    assert "two processors" in said(read(rows + slow))["contradiction"][1].replace("2 ", "two ")
    assert "contradiction" not in said(read(rows))


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
