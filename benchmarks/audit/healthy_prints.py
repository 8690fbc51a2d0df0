"""How often the audit accuses files in which nothing is wrong: healthy values through every format's printing.

python -m benchmarks.audit.healthy_prints [--prints 10000] [--seed 0] [--only lambda] [--jobs 2]

A print is accused where any check marks it F. Warnings have chances of their own (a sequence that drifts by chance).
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from scipy.special import stdtrit

from benchmarks.audit.healthy_summaries import PRINTS as SUMMARIES
from benchmarks.audit.healthy_tools import PRINTS as TOOLS
from benchmarks.output import heading, table, target
from sectax.audit.checks.interface import CheckOutcome
from sectax.audit.checks.registry import review
from sectax.audit.reading import registry
from sectax.audit.reading.asked import Columns
from sectax.audit.tables.table import read_table
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity

Rng = np.random.Generator

ACCUSED_AT_MOST = 1e-3
# Prints that a process makes at once.
PART = 250
# Of the larger side, as a share: what a control costs here.
COSTS = (0.0, 0.02, 0.1, 0.5)


def seconds(rng: Rng, least: float, most: float, count: int) -> np.ndarray:
    """Independent times of several shapes around one place between *least* and *most*, shape (count,)."""
    centre = float(np.exp(rng.uniform(np.log(least), np.log(most))))
    spread = float(np.exp(rng.uniform(np.log(0.002), np.log(0.3))))
    shape = int(rng.integers(3))
    if shape == 0:
        return centre * np.exp(rng.normal(0, spread, count))
    if shape == 1:
        return centre * (1 + rng.gamma(2, spread / 1.5, count))
    # Half of it comes from a queue: a floor, and a tail above it.
    return centre * (1 + rng.normal(0, spread / 10, count) + rng.exponential(spread, count))


def how_many(rng: Rng, most: int = 10_000) -> int:
    return round(float(np.exp(rng.uniform(np.log(20), np.log(most)))))


def sides(rng: Rng, least: float, most: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times without and with a control, of the same kind."""
    plain = seconds(rng, least, most, 2 * count)
    return plain[:count], plain[count:] * (1 + rng.choice(COSTS))


def lambda_(rng: Rng) -> str:
    times = 1e3 * seconds(rng, 2e-3, 2.0, how_many(rng))
    return "\n".join(
        f"REPORT RequestId: {at:08x}-0000-0000-0000-000000000000\tDuration: {ms:.2f} ms\t"
        f"Billed Duration: {int(np.ceil(ms))} ms\tMemory Size: 512 MB\tMax Memory Used: 68 MB\t"
        for at, ms in enumerate(times)
    )


def _csv(form: str, least: float, most: float) -> Callable[[Rng], str]:
    def make(rng: Rng) -> str:
        both = sides(rng, least, most, how_many(rng))
        rows = [f"{side},{1e3 * time_s:{form}}" for side, times in zip("ab", both, strict=True) for time_s in times]
        return "\n".join(["side,time_ms", *rows, ""])

    return make


def hyperfine(rng: Rng) -> str:
    both = sides(rng, 0.005, 5.0, how_many(rng, 200))
    results = [
        {"command": name, "mean": float(times.mean()), "times": times.tolist(), "exit_codes": [0] * len(times)}
        for name, times in zip("ab", both, strict=True)
    ]
    return json.dumps({"results": results})


def pyperf(rng: Rng) -> str:
    both = sides(rng, 1e-7, 1e-2, how_many(rng, 400))
    benchmarks = [
        {
            "metadata": {"name": name, "loops": 2**10},
            "runs": [{"values": times[at : at + 3].tolist()} for at in range(0, len(times), 3)],
        }
        for name, times in zip("ab", both, strict=True)
    ]
    return json.dumps({"benchmarks": benchmarks, "version": "1.0"})


def go(rng: Rng) -> str:
    lines = ["goos: linux", "goarch: amd64", "pkg: example", "cpu: X"]
    for name, times in zip(("Plain", "Signed"), sides(rng, 2e-9, 1e-2, how_many(rng, 100)), strict=True):
        lines += [f"Benchmark{name}-2\t{max(1, round(1 / time_s))}\t{_go(1e9 * time_s)} ns/op" for time_s in times]
    return "\n".join([*lines, "PASS", ""])


def _go(value: float) -> str:
    """Four significant digits, as testing.prettyPrint has it; none after the point from a thousand on."""
    for least, form in ((999.95, ".0f"), (99.995, ".1f"), (9.9995, ".2f"), (0.99995, ".3f")):
        if value >= least:
            return f"{value:{form}}"
    return f"{value:.4f}"


def go_old(rng: Rng) -> str:
    """Before 1.13: three significant digits below a hundred, whole nanoseconds above."""

    def old(value: float) -> str:
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"

    lines = ["goos: linux"]
    for name, times in zip(("Plain", "Signed"), sides(rng, 2e-9, 1e-2, how_many(rng, 100)), strict=True):
        lines += [f"Benchmark{name}-2\t{max(1, round(1 / time_s))}\t{old(1e9 * time_s)} ns/op" for time_s in times]
    return "\n".join([*lines, "PASS", ""])


def sysbench(rng: Rng) -> str:
    """`cpu`, ended by the clock, by one thread or several."""
    outputs = []
    for _ in range(int(rng.integers(1, 4))):
        threads = int(rng.choice([1, 2, 4, 8]))
        wall = int(rng.choice([1, 10, 60])) + float(rng.uniform(0.0001, 0.002))
        mean = float(np.exp(rng.uniform(np.log(1e-4), np.log(5e-3))))
        times = np.sort(mean * np.exp(rng.normal(0, rng.uniform(0.01, 0.3), 2000)))
        events = round(0.999 * threads * wall / float(times.mean()))
        ms = 1e3 * times
        outputs.append(
            f"sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with following options:\n"
            f"Number of threads: {threads}\nInitializing random number generator from current time\n\n\n"
            f"Prime numbers limit: 10000\n\nInitializing worker threads...\n\nThreads started!\n\nCPU speed:\n"
            f"    events per second: {events / wall:8.2f}\n\nGeneral statistics:\n"
            f"    total time:                          {wall:.4f}s\n"
            f"    total number of events:              {events}\n\nLatency (ms):\n"
            f"         min: {ms[0]:39.2f}\n         avg: {ms.mean():39.2f}\n         max: {ms[-1]:39.2f}\n"
            f"         95th percentile: {ms[1900]:27.2f}\n         sum: {ms.mean() * events:39.2f}\n\n"
            f"Threads fairness:\n    events (avg/stddev):           {events / threads:.4f}/1.00\n"
            f"    execution time (avg/stddev):   {ms.mean() * events / 1e3 / threads:.4f}/0.00\n"
        )
    return "\n".join(outputs)


def _wrk_time(value: float) -> str:
    return f"{1e6 * value:.2f}us" if value < 1e-3 else f"{1e3 * value:.2f}ms" if value < 1 else f"{value:.2f}s"


def _wrk_bytes(value: float) -> str:
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return f"{value:.2f}B"


def _wrk_metric(value: float) -> str:
    return f"{value / 1e3:.2f}k" if value >= 1e3 else f"{value:.2f}"


def wrk(rng: Rng) -> str:
    """Two runs against one server; answers of several kilobytes, and their headers."""
    size, outputs = float(rng.uniform(200, 1e5)), []
    connections = int(rng.choice([2, 10, 100]))
    for path in ("plain", "signed"):
        wall = 10 + float(rng.uniform(0.001, 0.1))
        # A p99 needs 368 requests.
        mean = float(np.exp(rng.uniform(np.log(1e-4), np.log(0.01 * connections))))
        times = np.sort(mean * np.exp(rng.normal(0, rng.uniform(0.05, 0.8), 4000)))
        times = np.minimum(times, 0.98 * wall)
        requests = round(0.97 * connections * wall / float(times.mean()))
        moved = requests * size * float(rng.uniform(0.98, 1.02))
        outputs.append(
            f"Running 10s test @ http://127.0.0.1:8080/{path}\n  2 threads and {connections} connections\n"
            f"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
            f"    Latency   {_wrk_time(times.mean())}  {_wrk_time(times.std())}  {_wrk_time(times[-1])}   82.13%\n"
            f"    Req/Sec   {'  '.join(map(_wrk_metric, np.array([1.0, 0.05, 1.1]) * requests / wall / 2))}    66.67%\n"
            "  Latency Distribution\n"
            + "".join(f"     {q}%  {_wrk_time(times[40 * q])}\n" for q in (50, 75, 90, 99))
            + f"  {requests} requests in {wall:.2f}s, {_wrk_bytes(moved)} read\n"
            f"Requests/sec:   {requests / wall:.2f}\nTransfer/sec:    {_wrk_bytes(moved / wall)}\n"
        )
    return "\n".join(outputs)


def openssl(rng: Rng) -> str:
    """Throughputs that grow with the size, and signatures whose times are the reciprocals of their rates."""
    lines = [
        "version: 3.0.19",
        "The 'numbers' are in 1000s of bytes per second processed.",
        "type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes",
    ]
    for name in ("sha256", "AES-128-GCM"):
        per_call, per_byte = rng.uniform(2e-8, 4e-7), rng.uniform(2e-10, 5e-9)
        # A hash works on whole blocks of 64 bytes, with nine more at the end.
        worked = (lambda size: -(-(size + 9) // 64) * 64) if name == "sha256" else lambda size: size
        cells = [size / (per_call + worked(size) * per_byte) / 1e3 for size in (16, 64, 256, 1024, 8192, 16384)]
        lines.append(f"{name:12}" + "".join(f" {cell:11.2f}k" for cell in cells))
    signs, sign_power, verify_power = rng.uniform(2000, 20000), rng.uniform(1.8, 3), rng.uniform(1.2, 1.8)
    verifies = signs * rng.uniform(8, 30)
    for bits in (1024, 2048, 4096):
        sign, verify = signs * (1024 / bits) ** sign_power, verifies * (1024 / bits) ** verify_power
        lines.append(" " * 18 + "sign    verify    sign/s verify/s")
        lines.append(f"rsa {bits:4} bits {1 / sign:.6f}s {1 / verify:.6f}s {sign:8.1f} {verify:8.1f}")
    return "\n".join([*lines, ""])


def warp(rng: Rng) -> str:
    lines, typical = [], float(rng.uniform(5e-3, 0.4))
    for operation, size in (("GET", int(rng.choice([4096, 2**20, 10 * 2**20]))), ("STAT", 0)):
        # What a STAT asks of a server is part of a GET.
        typical *= 1.0 if size else float(rng.uniform(0.05, 0.9))
        times = np.sort(typical * np.exp(rng.normal(0, 0.4, 4000)))
        rate = 20 / float(times.mean())
        ms = 1e3 * times
        moved = f"{rate * size / 2**20:.2f} MiB/s, " if size else ""
        lines += [
            f"Report: {operation} ({round(57 * rate)} reqs). Ran Duration: 57s, starting 12:16:20 UTC",
            *([f" * Objects per request: 1. Size: {size} bytes. Concurrency: 20."] if size else []),
            f" * Average: {moved}{rate:.2f} obj/s (57s)",
            f" * Reqs: Avg: {ms.mean():.1f}ms, 50%: {ms[2000]:.1f}ms, 90%: {ms[3600]:.1f}ms, 99%: {ms[3960]:.1f}ms, "
            f"Fastest: {ms[0]:.1f}ms, Slowest: {ms[-1]:.1f}ms, StdDev: {ms.std():.1f}ms",
            "",
        ]
    return "\n".join(lines)


def _load(rng: Rng) -> tuple[int, int, np.ndarray, float, int]:
    """Requests, connections, a sample of their times in order, the wall time, and the bytes of an answer."""
    connections = int(rng.choice([1, 10, 50, 200]))
    requests = connections * round(float(np.exp(rng.uniform(np.log(500), np.log(20_000)))) / connections + 1)
    mean = float(np.exp(rng.uniform(np.log(4e-3), np.log(1.0))))
    times = np.sort(mean * np.exp(rng.normal(0, rng.uniform(0.05, 0.8), 4000)))
    # No test is over before its longest answer.
    wall = max(requests * float(times.mean()) / connections / float(rng.uniform(0.9, 0.99)), 1.01 * float(times[-1]))
    return requests, connections, times, wall, int(rng.integers(200, 100_000))


def ab(rng: Rng) -> str:
    """Two runs; times of requests in whole milliseconds."""
    outputs = []
    for path in ("plain", "signed"):
        requests, connections, times, wall, size = _load(rng)
        ms = [round(1e3 * float(value)) for value in (times[0], times.mean(), times[2000], times[-1])]
        moved = requests * (size + 120)
        outputs.append(
            f"This is ApacheBench, Version 2.3 <$Revision: 1913912 $>\n\nBenchmarking localhost (be patient)\n\n\n"
            f"Server Software:        nginx\nServer Hostname:        localhost\nServer Port:            8080\n\n"
            f"Document Path:          /{path}\nDocument Length:        {size} bytes\n\n"
            f"Concurrency Level:      {connections}\nTime taken for tests:   {wall:.3f} seconds\n"
            f"Complete requests:      {requests}\nFailed requests:        0\nTotal transferred:      {moved} bytes\n"
            f"HTML transferred:       {requests * size} bytes\n"
            f"Requests per second:    {requests / wall:.2f} [#/sec] (mean)\n"
            f"Time per request:       {1e3 * connections * wall / requests:.3f} [ms] (mean)\n"
            f"Transfer rate:          {moved / 1024 / wall:.2f} [Kbytes/sec] received\n\nConnection Times (ms)\n"
            f"              min  mean[+/-sd] median   max\nConnect:        0    0   0.1      0       1\n"
            f"Total:      {ms[0]:5} {ms[1]:4} {1e3 * times.std():5.1f} {ms[2]:6} {ms[3]:7}\n\n"
            "Percentage of the requests served within a certain time (ms)\n"
            + "".join(f"  {q}% {round(1e3 * float(times[40 * q])):6}\n" for q in (50, 66, 75, 80, 90, 95, 98, 99))
            + f" 100% {ms[3]:6} (longest request)\n"
        )
    return "\n".join(outputs)


def hey(rng: Rng) -> str:
    outputs = []
    for path in ("plain", "signed"):
        requests, connections, times, wall, size = _load(rng)
        outputs.append(
            f"$ hey -n {requests} -c {connections} http://localhost:8080/{path}\n\n"
            f"Summary:\n  Total:\t{wall:.4f} secs\n"
            f"  Slowest:\t{times[-1]:.4f} secs\n  Fastest:\t{times[0]:.4f} secs\n  Average:\t{times.mean():.4f} secs\n"
            f"  Requests/sec:\t{requests / wall:.4f}\n  \n  Total data:\t{requests * size} bytes\n"
            f"  Size/request:\t{size} bytes\n\nLatency distribution:\n"
            + "".join(f"  {q}% in {times[40 * q]:.4f} secs\n" for q in (10, 25, 50, 75, 90, 95, 99))
            + f"\nStatus code distribution:\n  [200]\t{requests} responses\n"
        )
    return "\n".join(outputs)


def _k6_time(seconds: float) -> str:
    """As k6 prints it, with digits cut off."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{int(100 * seconds / scale) / 100:g}{unit}"
    return f"{int(100 * seconds / 1e-6) / 100:g}µs"


def k6(rng: Rng) -> str:
    requests, virtual_users, times, wall, size = _load(rng)
    parts = {"sending": 0.01, "waiting": 0.95, "receiving": 0.04}

    def trend(values: np.ndarray) -> str:
        quantiles = {"min": 0, "med": 2000, "max": 3999, "p(90)": 3600, "p(95)": 3800}
        told = {"avg": float(values.mean())} | {name: float(values[at]) for name, at in quantiles.items()}
        return " ".join(f"{name}={_k6_time(value)}" for name, value in told.items())

    rate = f"{requests} {requests / wall:.6f}/s"
    lines = [
        "     script: login.js",
        f"     * default: {virtual_users} looping VUs for 30s (gracefulStop: 30s)",
        f"     checks.........................: 100.00% ✓ {requests} ✗ 0",
        f"     data_received..................: {requests * size / 1e6:.0f} MB {requests * size / wall / 1e3:.0f} kB/s",
        f"     http_req_duration..............: {trend(times)}",
        f"       {{ expected_response:true }}...: {trend(times)}",
        f"     http_req_failed................: 0.00% ✓ 0 ✗ {requests}",
        *(f"     http_req_{name}: {trend(part * times)}" for name, part in _dotted(parts).items()),
        f"     http_reqs......................: {rate}",
        f"     iteration_duration.............: {trend(times + 1e-4)}",
        f"     iterations.....................: {rate}",
    ]
    return "\n".join([*lines, ""])


def _dotted(parts: dict[str, float]) -> dict[str, float]:
    return {name.ljust(22, "."): part for name, part in parts.items()}


def jmh(rng: Rng) -> str:
    """Three forks of some iterations, and the table; three digits after the point."""
    log, rows = [], []
    unit, scale = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3))[int(rng.integers(3))]
    count = int(rng.integers(5, 30))
    for name, times in zip(("plain", "signed"), sides(rng, 2 * scale, 500 * scale, 3 * count), strict=True):
        log += [
            "# Warmup: 5 iterations, 1 s each",
            "# Benchmark mode: Average time, time/op",
            f"# Benchmark: a.B.{name}",
        ]
        for fork in range(3):
            log += [f"# Fork: {fork + 1} of 3"]
            log += [
                f"Iteration {at + 1:3}: {value / scale:.3f} {unit}/op"
                for at, value in enumerate(times[fork * count : (fork + 1) * count])
            ]
        error = stdtrit(len(times) - 1, 0.9995) * times.std(ddof=1) / np.sqrt(len(times)) / scale
        low, mean, high = (value / scale for value in (times.min(), times.mean(), times.max()))
        summary = f"(min, avg, max) = ({low:.3f}, {mean:.3f}, {high:.3f}), stdev = {times.std(ddof=1) / scale:.3f}"
        log += [f'Result "a.B.{name}":', f"  {summary}", ""]
        rows.append(f"B.{name}  avgt  {3 * count}  {mean:.3f} ± {error:.3f}  {unit}/op")
    return "\n".join(["# JMH version: 1.37", *log, "Benchmark  Mode  Cnt  Score  Error  Units", *rows, ""])


def _criterion_number(value: float) -> str:
    digits = next((digits for least, digits in ((1000, 1), (100, 2), (10, 3)) if value >= least), 4)
    return f"{value:.{digits}f}"


def criterion(rng: Rng) -> str:
    """Times with four digits behind their first, and throughputs of 64 bytes to 1 MiB."""
    lines = []
    for size in (64, 2**10, 2**20):
        per_call, per_byte = rng.uniform(2e-9, 4e-7), rng.uniform(2e-10, 5e-9)
        middle = per_call + size * per_byte
        ends = middle * np.array([1 - rng.uniform(0, 0.05), 1.0, 1 + rng.uniform(0, 0.05)])
        unit, scale = next(
            (unit, scale) for unit, scale in (("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if middle >= scale
        )
        speeds = size / ends[::-1] / 2**20
        times = " ".join(f"{_criterion_number(end / scale)} {unit}" for end in ends)
        lines.append(f"sum/{size}B                 time:   [{times}]")
        lines.append(f"{'':24}thrpt:  [{' '.join(f'{_criterion_number(speed)} MiB/s' for speed in speeds)}]")
    return "\n".join([*lines, ""])


def pytest_benchmark(rng: Rng) -> str:
    benchmarks = []
    for name, times in zip(("plain", "signed"), sides(rng, 1e-6, 1e-1, how_many(rng, 2000)), strict=True):
        low, middle, high = np.quantile(times, (0.25, 0.5, 0.75))
        stats = {
            "min": times.min(),
            "max": times.max(),
            "mean": times.mean(),
            "median": middle,
            "q1": low,
            "q3": high,
            "rounds": len(times),
            "total": times.sum(),
            "ops": 1 / times.mean(),
            "iterations": 1,
        }
        if rng.random() < 0.5:
            stats["data"] = times.tolist()
        told = {key: value.item() if isinstance(value, np.generic) else value for key, value in stats.items()}
        benchmarks.append({"name": f"test_{name}", "fullname": f"t.py::test_{name}", "params": None, "stats": told})
    return json.dumps({"machine_info": {"python_version": "3.12.1"}, "commit_info": {}, "benchmarks": benchmarks})


PRINTS: dict[str, Callable[[Rng], str]] = {
    "lambda": lambda_,
    "csv, ms with 2 digits": _csv(".2f", 2e-3, 9e-3),
    "csv, 4 digits": _csv(".4g", 1e-6, 10.0),
    "csv, whole ms": _csv(".0f", 2e-2, 5.0),
    "csv, all digits": _csv(".17g", 1e-6, 10.0),
    "hyperfine": hyperfine,
    "pyperf": pyperf,
    "go-bench": go,
    "go-bench before 1.13": go_old,
    "sysbench": sysbench,
    "wrk": wrk,
    "openssl-speed": openssl,
    "warp": warp,
    "ab": ab,
    "hey": hey,
    "k6": k6,
    "jmh": jmh,
    "criterion": criterion,
    "pytest-benchmark": pytest_benchmark,
    **{name: partial(form, sides=sides) for name, form in (SUMMARIES | TOOLS).items()},
}


def outcomes_of(text: str) -> tuple[CheckOutcome, ...]:
    """Audit a text. Raises `BadInput`."""
    known = registry.recognised(text[: 2**16])
    with np.errstate(all="ignore"):
        if known is None:
            return review(read_table(iter(text.split("\n")), Columns()))
        return review(registry.read(text, known)[1])


def accusations(text: str) -> Iterator[str]:
    """'F check' of a text, as the audit reads it."""
    try:
        outcomes = outcomes_of(text)
    except BadInput:
        yield "refused"
        return
    for outcome in outcomes:
        for severity in {warning.severity for warning in outcome.warnings}:
            if severity is Severity.FATAL:
                yield f"{severity.value} {outcome.check}"


def accused(name: str, seed: int, numbers: range) -> tuple[int, Counter[str]]:
    """How many of these prints of a format are accused, and by which checks."""
    count, by_check = 0, Counter[str]()
    for number in numbers:
        said = set(accusations(PRINTS[name](np.random.default_rng([seed, number, len(name)]))))
        count += bool(said)
        by_check.update(said)
    return count, by_check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prints", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=PRINTS, action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processors to use (all)")
    given = parser.parse_args()
    heading(f"Healthy values through every format's printing, {given.prints} prints each")
    names = given.only or list(PRINTS)
    parts = [
        (name, given.seed, range(first, min(first + PART, given.prints)))
        for name in names
        for first in range(0, given.prints, PART)
    ]
    counts, by_check = Counter[str](), {name: Counter[str]() for name in names}
    with ProcessPoolExecutor(given.jobs) as pool:
        for (name, *_), (count, by) in zip(parts, pool.map(accused, *zip(*parts, strict=True)), strict=True):
            counts[name] += count
            by_check[name] += by
    rows = [
        [name, str(counts[name]), ", ".join(f"{check}: {times}" for check, times in by_check[name].items())]
        for name in names
    ]
    worst = max(counts[name] for name in names) / given.prints
    table(["format", "accused", "by"], rows)
    target("accused healthy prints", worst, ACCUSED_AT_MOST, f"{100 * worst:.2g} % of the worst format, at most 0.1 %")


if __name__ == "__main__":
    main()
