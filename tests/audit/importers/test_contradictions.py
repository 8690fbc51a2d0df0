"""What one file says twice and not alike is found, and its healthy twin is left in peace.

Every text is one that its tool prints, with one line changed.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from sectax.audit.importers.columns import Columns
from sectax.audit.registry import review
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from tests.audit.importers.samples import figures, read, sample


def found(text: str) -> dict[str, str]:
    """Check -> what it saw, of everything marked F, and of warnings of the two checks of this page."""
    return {
        outcome.check: warning.saw
        for outcome in review(read(text))
        for warning in outcome.warnings
        if warning.severity is Severity.FATAL
        or (warning.severity is Severity.WARNING and outcome.check in ("contradiction", "said-by-the-tool"))
    }


def changed(name: str, old: str, new: str) -> str:
    text = sample(name)
    assert old in text
    return text.replace(old, new)


def hyperfine(**said: float) -> str:
    rng = np.random.default_rng(1)
    results = []
    for command in ("plain", "signed"):
        times = (0.1 * rng.lognormal(0, 0.03, 20)).tolist()
        told = {"mean": np.mean(times), "median": np.median(times), "min": min(times), "max": max(times)}
        results.append({"command": command, **told, "times": times, "exit_codes": [0] * 20})
    results[1] |= said
    return json.dumps({"results": results})


def wrk(scheme: str, requests: int, megabytes: float, rate: float) -> str:
    return (
        f"Running 10s test @ {scheme}://127.0.0.1:8080/index.html\n  2 threads and 10 connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        "    Latency     4.10ms    1.02ms  22.30ms   82.13%\n    Req/Sec     1.20k   104.87     2.45k    66.67%\n"
        f"  {requests} requests in 10.01s, {megabytes:.2f}MB read\nRequests/sec:   {rate:.2f}\n"
        f"Transfer/sec:    {megabytes / 10.01:.2f}MB\n"
    )


def threads(events: int) -> str:
    return (
        sample("sysbench-threads.txt")
        .replace("1.0073s", "10.0012s")
        .replace("events:              670", f"events:              {events}")
    )


PLAIN = wrk("http", 24_000, 196.0, 2397.6)
GO = "goos: linux\ncpu: A\n" + "BenchmarkX-2\t100\t500.1 ns/op\n" * 3
MIXED = f"{GO}cpu: B\n" + "BenchmarkX-2\t100\t501.1 ns/op\n" * 3
HOSTS = "# sectax: value=t unit=ms by=side baseline=a replicate=host\nside,host,t\n"
CROSSED = HOSTS + "".join(f"{'ab'[n % 2]},{'xy'[n // 2 % 2]},{5 + 0.01 * n}\n" for n in range(36))
CONFOUNDED = HOSTS + "".join(f"{'ab'[n % 2]},{'xy'[n % 2]},{5 + 0.01 * n}\n" for n in range(36))

# What is wrong -> the file, its healthy twin, the check, and words of what it saw.
TWINS: dict[str, tuple[str, str, str, str]] = {
    "a mean that its values do not have": (hyperfine(mean=0.08), hyperfine(), "contradiction", "the mean of signed"),
    "a minimum that its values do not have": (hyperfine(min=0.05), hyperfine(), "contradiction", "the min of signed"),
    "a p90 under the median": (
        changed("wrk.txt", "90%    1.17ms", "90%  501.00us"),
        sample("wrk.txt"),
        "contradiction",
        "latency, p75",
    ),
    "a mean below the minimum": (
        changed("sysbench-threads.txt", "avg:                                   12.00", "avg:        0.12"),
        sample("sysbench-threads.txt"),
        "contradiction",
        "latency min",
    ),
    "a rate that is not the count over the time": (
        changed("wrk.txt", "Requests/sec:   2300.59", "Requests/sec:   3300.59"),
        sample("wrk.txt"),
        "contradiction",
        "3,300",
    ),
    "answers of a redirect": (
        PLAIN + wrk("https", 24_000, 8.4, 2397.6),
        PLAIN + wrk("https", 21_000, 171.5, 2097.9),
        "unequal-work",
        "an answer has 367 bytes",
    ),
    "two processors in one figure": (MIXED, GO, "said-by-the-tool", "two processors: A and B"),
    "two builds in one file": (
        sample("openssl-aes.txt") + sample("openssl-signatures.txt").replace("3.0.19", "1.1.1w"),
        sample("openssl-aes.txt") + sample("openssl-signatures.txt"),
        "contradiction",
        "2 builds",
    ),
    "each side on its own host": (CONFOUNDED, CROSSED, "contradiction", "a: x; b: y"),
    "trials that the clock ended": (
        threads(58_582) + threads(3_621),
        threads(58_582) + threads(58_600),
        "fixed-time-total",
        "3621",
    ),
    "a benchmark that failed": (
        f"{GO}BenchmarkY-2 --- FAIL: BenchmarkY-2\n    x_test.go:9: wrong\nFAIL\n",
        f"{GO}--- BENCH: BenchmarkY-2\nPASS\nok  \tpkg\t1.2s\n",
        "said-by-the-tool",
        "FAIL",
    ),
    "invocations that were cut off": (
        sample("lambda.txt") + "2026-01-02T03:04:05Z 049787a5 Task timed out after 3.00 seconds\n",
        sample("lambda.txt").replace("Status: timeout", "")
        + "[INFO]\t2026-01-02T03:04:05Z\t0497\tno such user: an answer like others\n",
        "unequal-work",
        "operations failed",
    ),
    "an engine that is not there": (
        'Invalid engine "afalg"\n' + sample("openssl-aes.txt"),
        sample("openssl-aes.txt"),
        "said-by-the-tool",
        "Invalid engine",
    ),
    "an algorithm that did nothing": (
        sample("openssl-aes.txt") + "sha512" + " " * 15 + "        0.00 " * 6 + "\n",
        sample("openssl-aes.txt") + "sha512" + " " * 15 + "     9000.00 " * 6 + "\n",
        "zero-event-run",
        "sha512",
    ),
    "a rate that was asked for": (
        changed("sysbench-cpu.txt", "threads: 1\n", "threads: 1\nTarget transaction rate: 4360/sec\n"),
        sample("sysbench-cpu.txt"),
        "fixed-time-total",
        "4360/s",
    ),
    "sysbench that says it failed": (
        changed("sysbench-threads.txt", "Threads started!", "Threads started!\n\nFATAL: thread 3 died"),
        sample("sysbench-threads.txt"),
        "said-by-the-tool",
        "FATAL: thread 3 died",
    ),
}


@pytest.mark.parametrize("what", TWINS)
def test_what_contradicts_itself_is_found_and_its_healthy_twin_is_not_accused(what: str) -> None:
    broken, healthy, check, words = TWINS[what]

    assert words in found(broken)[check]
    assert check not in found(healthy)


def test_sides_a_thousand_times_apart_are_likely_in_two_units() -> None:
    def table(factor: float) -> str:
        rows = "".join(f"a,{5 + 0.01 * n}\nb,{factor * (5.2 + 0.01 * n):.6f}\n" for n in range(30))
        return f"# sectax: value=t unit=ms by=side baseline=a\nside,t\n{rows}"

    assert "seconds beside milliseconds" in str(
        [w.meaning for o in review(read(table(1e-3))) for w in o.warnings if o.check == "contradiction"]
    )
    assert "contradiction" not in found(table(1.0))


def test_four_functions_in_one_log_are_four_figures() -> None:
    lines = [
        f"2026-01-02T03:04:05 /aws/lambda/fn-{name} 2026/01/02/[$LATEST]{name * 32} REPORT RequestId: {n}\t"
        f"Duration: {n + 1}.25 ms\tBilled Duration: {n + 2} ms\tMemory Size: 128 MB\tMax Memory Used: 40 MB"
        for name in "abcd"
        for n in range(3)
    ]

    read_ = figures("\n".join(lines))

    assert {each.levels["function"] for each in read_.values()} == {"fn-a", "fn-b", "fn-c", "fn-d"}
    assert len(read_["duration: fn-c, 128 MB, warm"].values) == 3


@pytest.mark.parametrize(
    "text",
    [
        "sysbench 1.0.20\n",
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n4 files, 2048Kb each, 8Mb total\n"
        "Creating files for the test...\nExtra file open flags: (none)\nCreating file test_file.0\n",
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRemoving test files...\n",
    ],
    ids=["version", "prepare", "cleanup"],
)
def test_sysbench_that_measured_nothing_is_not_called_cut_short(text: str) -> None:
    with pytest.raises(BadInput, match="nothing was measured"):
        read(text)


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ((8.9, 3.12, 1412.2, 0.83), True),  # milliseconds among seconds
        ((8.9, 3.12, 0.0014, 0.83), True),
        ((8.9, 3.12, 1.41, 0.83), False),
        ((0.0089, 0.35, 14.1, 2600.0), False),  # steep growth
        ((0.0089, 14.1, 0.02, 33.0), False),  # no line at all
    ],
)
def test_a_unit_that_slipped_in_one_row_is_named(times: tuple[float, ...], found: bool) -> None:
    rows = "".join(f"cannon,{procs},{time}\n" for procs, time in zip((1, 4, 9, 16), times, strict=True))
    columns = Columns(value="time_s", unit="s", by=("method", "procs"))
    evidence = read(f"method,procs,time_s\n{rows}", "csv", columns)
    told = next(each for each in review(evidence) if each.check == "contradiction").warnings

    assert any(each.severity is Severity.FATAL for each in told) == found
