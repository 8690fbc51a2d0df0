"""Healthy prints of load clients, benchmark libraries and tables by hand, for `healthy_prints`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Rng = np.random.Generator
Sides = Callable[..., tuple[np.ndarray, np.ndarray]]


class Load(NamedTuple):
    """A closed loop: each connection sends when its answer is there."""

    connections: int
    times: np.ndarray  # a sample in order, in seconds
    requests: int
    wall: float  # seconds
    seconds: int  # configured

    def at(self, share: float) -> float:
        return float(np.quantile(self.times, share))


def _load(rng: Rng, least: float = 1e-4, most: float = 0.05) -> Load:
    connections, seconds = int(rng.choice([1, 8, 50])), int(rng.choice([5, 10, 60]))
    # A p99 needs 368 requests.
    mean = float(np.exp(rng.uniform(np.log(least), np.log(min(most, seconds * connections / 600)))))
    times = np.sort(mean * np.exp(rng.normal(0, rng.uniform(0.05, 0.6), 4000)))
    wall = seconds + float(rng.uniform(0.0005, 0.02))
    requests = int(connections * wall / float(times.mean()) * rng.uniform(0.9, 0.99))
    return Load(connections, times, requests, wall, seconds)


def _both(rng: Rng) -> tuple[Load, Load]:
    return _load(rng), _load(rng)


def _unit(seconds: float, digits: int = 2, micro: str = "us") -> str:
    unit, scale = next((pair for pair in (("s", 1.0), ("ms", 1e-3), (micro, 1e-6)) if seconds >= pair[1]), ("ns", 1e-9))
    return f"{seconds / scale:.{digits}f}{unit}"


def pgbench(rng: Rng, sides: Sides) -> str:
    parts = []
    for load in _both(rng):
        progress = [load.requests / load.wall * float(rng.normal(1, 0.02)) for _ in range(load.seconds // 5)]
        parts += [
            "pgbench (16.4)\nstarting vacuum...end.",
            *(f"progress: {5 * at + 5}.0 s, {tps:.1f} tps, lat 1.0 ms stddev 0.1" for at, tps in enumerate(progress)),
            f"transaction type: <builtin: select only>\nscaling factor: 10\nquery mode: {rng.choice(['simple'])}",
            f"number of clients: {load.connections}\nnumber of threads: 1\nmaximum number of tries: 1",
            f"duration: {load.seconds} s\nnumber of transactions actually processed: {load.requests}",
            "number of failed transactions: 0 (0.000%)",
            f"latency average = {1e3 * load.times.mean():.3f} ms\nlatency stddev = {1e3 * load.times.std():.3f} ms",
            "initial connection time = 12.345 ms",
            f"tps = {load.requests / load.wall:.6f} (without initial connection time)",
        ]
    return "\n".join(parts)


def fortio(rng: Rng, sides: Sides) -> str:
    parts = []
    for load in _both(rng):
        asked = float(rng.choice([0, 0.5])) * load.requests / load.wall
        calls, rate = (int(asked * load.wall), asked) if asked else (load.requests, load.requests / load.wall)
        parts += [
            f"Fortio 1.66.0 running at {asked:g} queries per second, 2->2 procs, for {load.seconds}s: http://a/{calls}",
            f"Starting at {f'{asked:g}' if asked else 'max'} qps with {load.connections} thread(s) [gomax 2] for",
            f"Ended after {load.wall:.6f}s : {calls} calls. qps={rate:.5g}",
            f"Aggregated Function Time : count {calls} avg {load.times.mean():.8g} +/- {load.times.std():.4g} "
            f"min {load.times[0]:.8g} max {load.times[-1]:.8g} sum {calls * load.times.mean():.9g}",
            *(f"# target {q:g}% {load.at(q / 100):.6g}" for q in (50, 75, 90, 99, 99.9)),
            f"Code 200 : {calls} (100.0 %)",
        ]
    return "\n".join(parts)


def _bits(bytes_s: float) -> str:
    return f"{8 * bytes_s / 1e9:.2f} Gbits/sec" if bytes_s >= 1.25e8 else f"{8 * bytes_s / 1e6:.1f} Mbits/sec"


def _bytes(amount: float) -> str:
    value, unit = next((amount / size, unit) for unit, size in (("GBytes", 2**30), ("MBytes", 2**20)) if amount >= size)
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def iperf3(rng: Rng, sides: Sides) -> str:
    speed, seconds = float(np.exp(rng.uniform(np.log(1e7), np.log(5e9)))), int(rng.choice([5, 10, 30]))
    speeds = speed * np.clip(rng.normal(1, 0.03, seconds), 0.5, 1.5)
    moved = f"{_bytes(float(speeds.sum()))}  {_bits(float(speeds.mean()))}"
    lines = [
        f"[  5]   {at}.00-{at + 1}.00   sec  {_bytes(float(one))}  {_bits(float(one))}    0    1.5 MBytes"
        for at, one in enumerate(speeds)
    ]
    ends = [f"[  5]   0.00-{seconds}.00  sec  {moved}   {way}" for way in ("0    sender", "     receiver")]
    return "\n".join(["Connecting to host 10.0.0.2, port 5201", *lines, "- - - - -", *ends, "", "iperf Done."])


def _redis_rows(rng: Rng) -> list[tuple[str, Load, int]]:
    return [
        (name, load, int(rng.choice([10_000, 100_000]))) for name, load in zip(("SET", "GET"), _both(rng), strict=True)
    ]


def redis_benchmark(rng: Rng, sides: Sides) -> str:
    parts = []
    for name, load, count in _redis_rows(rng):
        wall = count * float(load.times.mean()) / load.connections / rng.uniform(0.9, 0.99)
        order = (load.times.mean(), load.times[0], load.at(0.5), load.at(0.95), load.at(0.99), load.times[-1])
        parts += [
            f"====== {name} ======\n  {count} requests completed in {wall:.2f} seconds",
            f"  {load.connections} parallel clients\n  3 bytes payload\n  keep alive: 1\n\nSummary:",
            f"  throughput summary: {count / wall:.2f} requests per second\n  latency summary (msec):",
            "          avg       min       p50       p95       p99       max",
            "    " + "".join(f"{1e3 * one:10.3f}" for one in order) + "\n",
        ]
    return "\n".join(parts)


def redis_q(rng: Rng, sides: Sides) -> str:
    rows = _redis_rows(rng)
    return "\n".join(
        f"{name}: {load.requests / load.wall:.2f} requests per second, p50={1e3 * load.at(0.5):.3f} msec"
        for name, load, _ in rows
    )


def redis_csv(rng: Rng, sides: Sides) -> str:
    names = ("avg", "min", "p50", "p95", "p99", "max")
    lines = ['"test","rps",' + ",".join(f'"{name}_latency_ms"' for name in names)]
    for name, load, _ in _redis_rows(rng):
        order = (load.times.mean(), load.times[0], load.at(0.5), load.at(0.95), load.at(0.99), load.times[-1])
        cells = (f"{load.requests / load.wall:.2f}", *(f"{1e3 * one:.3f}" for one in order))
        lines.append(f'"{name}",' + ",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines)


def memtier(rng: Rng, sides: Sides) -> str:
    lines = ["4         Threads\n50        Connections per thread\n10        Seconds\n\n\nALL STATS\n" + 120 * "="]
    lines += [
        "Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency       KB/sec"
    ]
    lines.append(120 * "-")
    for name, load in zip(("Sets", "Gets", "Totals"), (*_both(rng), _load(rng)), strict=True):
        rate = 200 / float(load.times.mean())
        ms = "".join(f"{1e3 * one:16.5f}" for one in (load.times.mean(), load.at(0.5), load.at(0.99)))
        lines.append(f"{name:8} {rate:12.2f}          ---          --- {ms} {rate / 10:12.2f}")
    return "\n".join(lines)


def bombardier(rng: Rng, sides: Sides) -> str:
    parts = []
    for at, load in enumerate(_both(rng)):
        rate = load.requests / load.wall * rng.normal(1, 0.01)
        parts += [
            f"Bombarding http://127.0.0.1:8080/{at} for {load.seconds}s using {load.connections} connection(s)\nDone!",
            "Statistics        Avg      Stdev        Max",
            f"  Reqs/sec   {rate:.2f}   {rate / 20:.2f}   {1.1 * rate:.2f}",
            f"  Latency   {_unit(load.times.mean())}   {_unit(load.times.std())}   {_unit(load.times[-1])}",
            "  Latency Distribution",
            *(f"     {q}%   {_unit(load.at(q / 100))}" for q in (50, 75, 90, 95, 99)),
            f"  HTTP codes:\n    1xx - 0, 2xx - {load.requests}, 3xx - 0, 4xx - 0, 5xx - 0\n    others - 0",
            "  Throughput:    58.28KB/s",
        ]
    return "\n".join(parts)


def bombardier_json(rng: Rng, sides: Sides) -> str:
    load = _load(rng)
    shares = {str(q): int(1e6 * load.at(q / 100)) for q in (50, 75, 90, 95, 99)}
    latency = {"mean": 1e6 * load.times.mean(), "stddev": 1e6 * load.times.std(), "max": int(1e6 * load.times[-1])}
    codes = {f"req{code}xx": load.requests * (code == 2) for code in range(1, 6)}
    result = {"timeTakenSeconds": load.wall, **codes, "others": 0, "latency": {**latency, "percentiles": shares}}
    spec = {"numberOfConnections": load.connections, "testDurationSeconds": load.seconds, "url": "http://a/"}
    return json.dumps({"spec": spec, "result": result})


def autocannon(rng: Rng, sides: Sides) -> str:
    load = _load(rng, 2e-3)
    ms = [f"{round(1e3 * load.at(share))} ms" for share in (0.025, 0.5, 0.975, 0.99)]
    rate = load.requests / load.wall
    cells = " │ ".join(f"{rate * part:,.0f}" for part in (0.9, 0.9, 1, 1.05, 1, 0.05, 0.9))
    moved = f"{load.requests / 1e3:.0f}k" if load.requests >= 1e4 else str(load.requests)
    return (
        f"Running {load.seconds}s test @ http://127.0.0.1:8080/\n{load.connections} connections\n\n"
        f"│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg     │ Stdev   │ Max   │\n"
        f"│ Latency │ {' │ '.join(ms)} │ {1e3 * load.times.mean():.2f} ms │ {1e3 * load.times.std():.2f} ms "
        f"│ {round(1e3 * load.times[-1])} ms │\n│ Stat │ 1% │ 2.5% │ 50% │ 97.5% │ Avg │ Stdev │ Min │\n"
        f"│ Req/Sec │ {cells} │\n\n# of samples: {load.seconds}\n\n{moved} requests in {load.wall:.2f}s, 10.3 MB read\n"
    )


def locust(rng: Rng, sides: Sides) -> str:
    shares = (50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99, 100)
    lines = [
        "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,"
        "Max Response Time,Average Content Size,Requests/s,Failures/s," + ",".join(f"{q}%" for q in shares)
    ]
    for at, load in enumerate(_both(rng)):

        def rounded(seconds: float) -> int:
            ms = 1e3 * seconds
            return round(ms, 0 if ms < 100 else -1 if ms < 1000 else -2).__int__()

        count = int(rng.integers(50, 20_000))
        times = np.sort(rng.choice(load.times, count))
        ms, quantiles = 1e3 * times, ",".join(str(rounded(float(np.quantile(times, q / 100)))) for q in shares)
        lines.append(
            f"GET,/{at},{count},0,{rounded(float(np.median(times)))},{ms.mean()},{ms[0]},{ms[-1]},12.0,"
            f"{count / load.wall},0.0,{quantiles}"
        )
    return "\n".join(lines)


def mitata(rng: Rng, sides: Sides) -> str:
    lines = ["clk: ~3.83 GHz\ncpu: AMD EPYC\nruntime: node 20.20.2 (x64-linux)\n"]
    for name, times in zip(("plain", "signed"), sides(rng, 1e-7, 1e-2, 2000), strict=True):
        low, middle, high, top = (float(np.quantile(times, share)) for share in (0.001, 0.75, 0.999, 0.99))
        mean, p75, least, most, p99 = (
            f"{value / scale:.2f} {unit}"
            for value in (float(times.mean()), middle, low, high, top)
            for unit, scale in [next(pair for pair in (("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if value >= pair[1])]
        )
        lines.append(f"{name}   {mean}/iter   {p75} █\n   ({least} … {most})   {p99} █▂▁\n")
    return "\n".join(lines)


def tinybench(rng: Rng, sides: Sides) -> str:
    lines = [
        "│ (index) │ Task name │ Latency avg (ns) │ Latency med (ns) │ Throughput avg (ops/s) │ Throughput med (ops/s) "
        "│ Samples │"
    ]
    for at, times in enumerate(sides(rng, 1e-7, 1e-2, 4000)):
        ns, rates = 1e9 * times, 1 / times
        lines.append(
            f"│ {at} │ 'task {at}' │ '{ns.mean():.1f} ± 1.13%' │ '{np.median(ns):.1f} ± {ns.std() / 2:.2f}' "
            f"│ '{rates.mean():.0f} ± 0.10%' │ '{np.median(rates):.0f} ± {rates.std() / 2:.0f}' │ {len(times)} │"
        )
    return "\n".join(lines)


def benchmark_js(rng: Rng, sides: Sides) -> str:
    rates = (1 / float(times.mean()) for times in sides(rng, 1e-7, 1e-3, 100))
    return "\n".join(
        f"task {at} x {rate:,.{0 if rate >= 100 else 2}f} ops/sec ±{rng.uniform(0.1, 9):.2f}% (80 runs sampled)"
        for at, rate in enumerate(rates)
    )


def google_benchmark(rng: Rng, sides: Sides) -> str:
    lines = ["Benchmark                   Time             CPU   Iterations"]
    for name, times in zip(("BM_plain", "BM_signed"), sides(rng, 2e-9, 9e-4, int(rng.choice([1, 20]))), strict=True):
        for one in 1e9 * times:
            shown = f"{one:.0f}" if one >= 100 else f"{one:.3g}"
            lines.append(f"{name}/64      {shown} ns      {shown} ns     {round(7e8 / one)}")
    return "\n".join(lines)


def siege(rng: Rng, sides: Sides) -> str:
    load = _load(rng)
    cut = [int(100 * one) / 100 for one in (load.wall, load.times.mean(), load.times[-1], load.times[0])]
    return (
        f"Transactions:\t\t{load.requests} hits\nAvailability:\t\t100.00 %\nElapsed time:\t\t{cut[0]:.2f} secs\n"
        f"Data transferred:\t0.28 MB\nResponse time:\t\t{cut[1]:.2f} secs\nTransaction rate:\t"
        f"{load.requests / load.wall:.2f} trans/sec\nThroughput:\t0.06 MB/sec\nConcurrency:\t3.97\n"
        f"Successful transactions:\t{load.requests}\nFailed transactions:\t0\nLongest transaction:\t{cut[2]:.2f}\n"
        f"Shortest transaction:\t{cut[3]:.2f}\n"
    )


def stress_ng(rng: Rng, sides: Sides) -> str:
    lines = ["stress-ng: info:  [1] setting to a 10 secs run per stressor"]
    for name in ("cpu", "getpid", "switch"):
        rate, real = float(np.exp(rng.uniform(0, 15))), 10 + float(rng.uniform(0, 0.01))
        ops, used = round(rate * real), real * float(rng.uniform(0.3, 0.999))
        lines.append(
            f"stress-ng: metrc: [1] {name}  {ops}  {real:.2f}  {used:.2f}  0.10  {ops / real:.2f}  {ops / used:.2f}"
        )
    return "\n".join(lines)


def cryptsetup(rng: Rng, sides: Sides) -> str:
    lines = [f"PBKDF2-sha256    {int(rng.integers(100_000, 4_000_000))} iterations per second for 256-bit key"]
    lines += ["#     Algorithm |       Key |      Encryption |      Decryption"]
    for name, bits in (("aes-cbc", 128), ("aes-xts", 256), ("aes-xts", 512)):
        speeds = np.exp(rng.uniform(np.log(80), np.log(5000), 2))
        lines.append(f"    {name}        {bits}b      {speeds[0]:7.1f} MiB/s      {speeds[1]:7.1f} MiB/s")
    return "\n".join(lines)


def _calls(rng: Rng, size: int = 0) -> tuple[int, float, float]:
    """Operations in about a second, the seconds, and the rate."""
    rate = 1 / float(np.exp(rng.uniform(np.log(1e-7), np.log(1e-2))) + size * rng.uniform(2e-10, 3e-9))
    taken = 1 + float(rng.uniform(0, 1.1 / rate + 1e-4))
    operations = max(1, round(rate * taken))
    return operations, taken, operations / taken


def bssl(rng: Rng, sides: Sides) -> str:
    lines = []
    for name in ("RSA 2048 signing", "ECDSA P-256 verify"):
        operations, taken, rate = _calls(rng)
        lines.append(f"Did {operations} {name} operations in {1e6 * taken:.0f}us ({rate:.1f} ops/sec)")
    call, byte = rng.uniform(5e-8, 4e-7), rng.uniform(2e-10, 3e-9)
    for size in (16, 256, 1350, 8192, 16384):
        rate, taken = 1 / (call + size * byte), 1 + float(rng.uniform(0, 0.001))
        operations = round(rate * taken)
        lines.append(
            f"Did {operations} AES-128-GCM ({size} bytes) seal operations in {1e6 * taken:.0f}us "
            f"({operations / taken:.1f} ops/sec): {operations * size / taken / 1e6:.1f} MB/s"
        )
    return "\n".join(lines)


def botan(rng: Rng, sides: Sides) -> str:
    lines = []
    for name in ("RSA-2048", "Ed25519"):
        for operation in ("sign", "verify"):
            operations, taken, rate = _calls(rng)
            lines.append(
                f"{name} {rate:.0f} {operation}/sec; {1e3 / rate:.2f} ms/op {2e9 / rate:.0f} cycles/op "
                f"({operations} ops in {1e3 * taken:.0f} ms)"
            )
    call, byte = rng.uniform(5e-8, 4e-7), rng.uniform(2e-10, 3e-9)
    for size in (64, 1024, 8192):
        speed = size / (call + size * byte) / 2**20
        lines.append(
            f"AES-128/GCM(16) [aesni] encrypt buffer size {size} bytes: {speed:.3f} MiB/sec 3.7 cycles/byte "
            f"({speed:.2f} MiB in 1000.02 ms)"
        )
    return "\n".join(lines)


def time_(rng: Rng, sides: Sides) -> str:
    took = np.exp(rng.uniform(np.log(2e-3), np.log(500), 3))
    return "\n".join(
        f"\nreal\t{one // 60:.0f}m{one % 60:.3f}s\nuser\t0m{one % 60 / 2:.3f}s\nsys\t0m0.001s" for one in took
    )


def oha(rng: Rng, sides: Sides) -> str:
    load = _load(rng)
    rate = load.requests / load.wall
    summary = {"successRate": 1.0, "total": load.wall, "slowest": load.times[-1], "fastest": load.times[0]}
    summary |= {"average": load.times.mean(), "requestsPerSec": rate, "sizePerRequest": 12, "sizePerSec": 12 * rate}
    shares = {f"p{q:g}": load.at(q / 100) for q in (10, 25, 50, 75, 90, 95, 99, 99.9, 99.99)}
    return json.dumps(
        {"summary": summary, "latencyPercentiles": shares, "statusCodeDistribution": {"200": load.requests}}
    )


def hyperfine_2_json(rng: Rng, sides: Sides) -> str:
    results = []
    for name, times in zip("ab", sides(rng, 0.005, 5.0, int(rng.integers(10, 100))), strict=True):
        runs = [{"time_wall_clock": {"value": one, "unit": "second"}, "exit_code": 0} for one in times.tolist()]
        statistics = dict(zip(("mean", "stddev", "min", "max"), _of(times), strict=True))
        summary = {**statistics, "unit": "second", "median": float(np.median(times)), "count": len(times)}
        results.append({"command": name, "measurements": runs, "summary": {"time_wall_clock": summary}})
    return json.dumps({"schema_version": 2, "primary_metric": "time_wall_clock", "results": results})


def _of(times: np.ndarray) -> tuple[float, float, float, float]:
    return float(times.mean()), float(times.std(ddof=1)), float(times.min()), float(times.max())


def hyperfine_2(rng: Rng, sides: Sides) -> str:
    lines, first = [], 0.0
    for number, times in enumerate(sides(rng, 0.002, 9.0, int(rng.integers(10, 100))), 1):
        unit, scale, digits = ("s", 1.0, 3) if times.mean() >= 1 else ("ms", 1e-3, 1)
        mean, spread, least, most = (f"{one / scale:.{digits}f} {unit}" for one in _of(times))
        first = first or float(times.mean())
        change = f"   {100 * (times.mean() / first - 1):+.1f}%" if number > 1 else ""
        lines += [
            f"Benchmark {number}: command {number} ({len(times)} runs)\n                mean ± σ  min … max",
            f"  Wall Time     {mean}  ±   {spread}   {least}  …  {most} {change}\n  Memory   2.8 MiB ± 0.0 MiB  "
            "2.8 MiB …  2.8 MiB\n ",
        ]
    return "\n".join(lines)


def hyperfine_2_csv(rng: Rng, sides: Sides) -> str:
    lines = [
        "command,time_wall_clock_unit," + ",".join(f"time_wall_clock_{one}" for one in ("mean", "stddev", "min", "max"))
    ]
    both = sides(rng, 0.002, 0.5, int(rng.integers(10, 100)))
    lines += [f"command {at},ms,{','.join(str(1e3 * one) for one in _of(times))}" for at, times in enumerate(both)]
    return "\n".join(lines)


def h2load_170(rng: Rng, sides: Sides) -> str:
    load = _load(rng, 1e-3)
    order = (
        load.times[0],
        load.times[-1],
        load.at(0.5),
        load.at(0.95),
        load.at(0.99),
        load.times.mean(),
        load.times.std(),
    )
    return (
        f"$ h2load -c {load.connections} -D {load.seconds} https://localhost/\nstarting benchmark...\n"
        f"finished in {_unit(load.wall)}, {load.requests / load.wall:.2f} req/s, 1.51MB/s\n"
        f"requests: {load.requests} total, {load.requests} started, {load.requests} done, {load.requests} succeeded, "
        f"0 failed, 0 errored, 0 timeout\nstatus codes: {load.requests} 2xx, 0 3xx, 0 4xx, 0 5xx\n"
        "                min  max  median  p95  p99  mean  sd  +/- sd\n"
        f"request     : {'  '.join(_unit(one) for one in order)}  70.10%\nTTFB        : 1.00ms\n"
    )


def ab_percentiles(rng: Rng, sides: Sides) -> str:
    load = _load(rng)
    return "Percentage served,Time in ms\n" + "\n".join(f"{q},{1e3 * load.at(q / 100):.3f}" for q in range(101))


def ab_times(rng: Rng, sides: Sides) -> str:
    rows = (f"Sun Nov 29 00:31:07 2026\t1795912267\t0\t{t:.0f}\t{t:.0f}\t{t:.0f}" for t in 1e3 * _load(rng, 1e-3).times)
    return "starttime\tseconds\tctime\tdtime\tttime\twait\n" + "\n".join(rows)


def openssl_mr(rng: Rng, sides: Sides) -> str:
    sizes, call, byte = (16, 64, 256, 1024, 8192, 16384), rng.uniform(2e-8, 4e-7), rng.uniform(2e-10, 5e-9)
    speeds = ":".join(f"{size / (call + size * byte):.2f}" for size in sizes)
    sign = float(rng.uniform(100, 5000))
    return f"+H:{':'.join(map(str, sizes))}\n+F:22:AES-128-CBC:{speeds}\n+F2:2:2048:{sign:.6f}:{20 * sign:.6f}\n"


def pyperf_stats(rng: Rng, sides: Sides) -> str:
    times = sides(rng, 2e-9, 0.5, int(rng.choice([20, 60])))[0]
    unit, scale = next(pair for pair in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)) if float(times.min()) >= pair[1])

    def shown(seconds: float) -> str:
        value = seconds / scale
        return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"

    deviation = float(np.median(abs(times - np.median(times))))
    return (
        f"Number of run with values: {len(times) // 2}\nTotal number of values: {len(times)}\n\n"
        f"Minimum:         {shown(times.min())}\nMedian +- MAD:   {shown(np.median(times))} +- {shown(deviation)}\n"
        f"Mean +- std dev: {shown(times.mean())} +- {shown(times.std(ddof=1))}\nMaximum:         {shown(times.max())}\n"
    )


def benchstat_csv(rng: Rng, sides: Sides) -> str:
    lines = ["goos: linux\n,a.txt,,b.txt\n,sec/op,CI,sec/op,CI,vs base,P"]
    for at in range(int(rng.integers(2, 8))):
        plain, signed = (float(np.median(times)) for times in sides(rng, 1e-8, 1e-2, 10))
        change = f"{100 * (signed / plain - 1):+.2f}%,p=0.000 n=10"
        lines.append(f"Read{at}-8,{plain:.6g},{rng.integers(0, 8)}%,{signed:.6g},2%,{change}")
    return "\n".join(lines)


def markdown(rng: Rng, sides: Sides) -> str:
    lines = ["| mode | clients | mean (ms) | p50 (ms) | p99 (ms) | req/s |", "|---|---|---|---|---|---|"]
    for mode in ("plain", "mtls"):
        for clients in (1, 16, 256):
            times = sides(rng, 1e-3, 0.1, 2000)[0]
            shown = " | ".join(
                f"{1e3 * one:,.2f}" for one in (times.mean(), np.median(times), np.quantile(times, 0.99))
            )
            lines.append(f"| {mode} | {clients} | {shown} | {0.97 * clients / times.mean():,.0f} |")
    return "\n".join(lines)


def tsv(rng: Rng, sides: Sides) -> str:
    plain, signed = sides(rng, 1e-6, 1e-2, int(rng.integers(5, 50)))
    rows = (
        f"{at}\t{1e6 * one:.3f}\t{1e6 * other:.3f}"
        for at, (one, other) in enumerate(zip(plain, signed, strict=True), 1)
    )
    return "run\tplain (us)\tsigned (us)\n" + "\n".join(rows)


PRINTS = {
    "pgbench": pgbench, "fortio": fortio, "iperf3": iperf3, "redis-benchmark": redis_benchmark,
    "redis-benchmark -q": redis_q, "redis-benchmark --csv": redis_csv, "memtier": memtier, "bombardier": bombardier,
    "bombardier's JSON": bombardier_json, "autocannon": autocannon, "locust's CSV": locust, "mitata": mitata,
    "tinybench": tinybench, "benchmark.js": benchmark_js, "google-benchmark": google_benchmark, "siege": siege,
    "stress-ng": stress_ng, "cryptsetup": cryptsetup, "bssl": bssl, "botan": botan, "time": time_, "oha's JSON": oha,
    "hyperfine 2's JSON": hyperfine_2_json, "hyperfine 2": hyperfine_2, "hyperfine 2's CSV": hyperfine_2_csv,
    "h2load 1.70": h2load_170, "ab -e": ab_percentiles, "ab -g": ab_times, "openssl speed -mr": openssl_mr,
    "pyperf stats": pyperf_stats, "benchstat's CSV": benchstat_csv, "Markdown by hand": markdown, "TSV by hand": tsv,
}  # fmt: skip
