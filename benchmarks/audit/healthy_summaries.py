"""Healthy prints of tools that print summaries alone, for `healthy_prints`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
Sides = Callable[..., tuple[np.ndarray, np.ndarray]]


def _time(seconds: float, digits: int) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.{digits}f}{unit}"
    return f"{seconds / 1e-6:.{digits}f}us"


def hyperfine_text(rng: Rng, sides: Sides) -> str:
    lines = []
    for number, times in enumerate(sides(rng, 0.02, 20.0, int(rng.integers(10, 100))), 1):
        unit, scale = ("s", 1.0) if times.mean() >= 1 else ("ms", 1e-3)
        digits = 3 if unit == "s" else 1
        mean, spread, least, most = (f"{value / scale:.{digits}f} {unit}" for value in _of(times))
        lines += [
            f"Benchmark {number}: command {number}",
            f"  Time (mean ± σ):     {mean} ± {spread}    [User: {mean}, System: 0.1 ms]",
            f"  Range (min … max):   {least} … {most}    {len(times)} runs\n",
        ]
    return "\n".join(lines)


def _of(times: np.ndarray) -> tuple[float, float, float, float]:
    return float(times.mean()), float(times.std(ddof=1)), float(times.min()), float(times.max())


def pytest_table(rng: Rng, sides: Sides) -> str:
    lines = [
        "Name (time in us)   Min   Max   Mean   StdDev   Median   IQR   Outliers   OPS (Kops/s)   Rounds   Iterations"
    ]
    for name, times in zip(("plain", "signed"), sides(rng, 1e-5, 1e-1, int(rng.integers(20, 2000))), strict=True):
        mean, spread, least, most = _of(times)
        low, middle, high = np.quantile(times, (0.25, 0.5, 0.75))
        cells = " ".join(f"{1e6 * value:,.4f} (1.0)" for value in (least, most, mean, spread, middle, high - low))
        lines.append(f"test_{name}   {cells}   3;4   {1e-3 / mean:,.4f} (1.0)   {len(times)}   1")
    return "\n".join(lines)


def benchstat(rng: Rng, sides: Sides) -> str:
    lines = ["goos: linux", "          │   a.txt   │     b.txt      │", "          │  sec/op   │  sec/op   vs base   │"]
    for at in range(int(rng.integers(2, 8))):
        plain, signed = (float(np.median(times)) for times in sides(rng, 1e-6, 9e-4, 10))
        one, other = (f"{1e6 * value:.4g}µ ± {int(rng.integers(0, 8))}%" for value in (plain, signed))
        lines.append(f"Read{at}-8   {one}   {other}  {100 * (signed / plain - 1):+.2f}% (p=0.000 n=10)")
    return "\n".join(lines)


def h2load(rng: Rng, sides: Sides) -> str:
    lines = []
    for times in sides(rng, 1e-3, 0.2, 4000):
        connections, streams = int(rng.choice([10, 100])), int(rng.choice([1, 10]))
        requests = connections * int(rng.integers(200, 2000))
        mean, spread, least, most = (_time(value, 2) for value in _of(times))
        wall = max(times.mean() * requests / connections / streams / rng.uniform(0.9, 0.99), 2.5 * times.max())
        lines += [
            f"$ h2load -n {requests} -c {connections} -m {streams} https://localhost/\nstarting benchmark...",
            f"finished in {_time(wall, 2)}, {requests / wall:.2f} req/s, {requests * 900 / wall / 2**20:.2f}MB/s",
            f"requests: {requests} total, {requests} started, {requests} done, {requests} succeeded, "
            "0 failed, 0 errored, 0 timeout",
            f"status codes: {requests} 2xx, 0 3xx, 0 4xx, 0 5xx",
            f"time for request:   {least}   {most}   {mean}   {spread}   70.00%\n",
        ]
    return "\n".join(lines)


def fio(rng: Rng, sides: Sides) -> str:
    lines = ["a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8"]
    for times in sides(rng, 1e-4, 9e-3, 4000):
        rate = 8 / float(times.mean())
        moved, speed = rate * 4096 * 60, rate * 4096
        mean, spread, least, most = (1e6 * value for value in _of(times))
        told = f"{rate:.0f}" if rate < 1e4 else f"{rate / 1e3:.1f}k"
        quantiles = ", ".join(f"{q}.00th=[{1e6 * np.quantile(times, q / 100):5.0f}]" for q in (1, 50, 90, 99))
        lines += [
            "a: (groupid=0, jobs=1): err= 0: pid=7165: Wed Jul 31 09:09:01 2024",
            f"  read: IOPS={told}, BW={speed / 2**20:.1f}MiB/s (1MB/s)({moved / 2**20:.0f}MiB/60001msec)",
            f"    clat (usec): min={least:.0f}, max={most:.0f}, avg={mean:.2f}, stdev={spread:.2f}",
            f"    clat percentiles (usec):\n     | {quantiles}",
        ]
    return "\n".join(lines)


PRINTS = {
    "hyperfine's print": hyperfine_text,
    "pytest-benchmark's table": pytest_table,
    "benchstat": benchstat,
    "h2load": h2load,
    "fio": fio,
}
