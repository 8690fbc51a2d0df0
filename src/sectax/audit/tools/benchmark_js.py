"""Benchmark.js: `String(event.target)` (bestiejs/benchmark.js)."""

from __future__ import annotations

from sectax.audit.reading.grammar import UNMARKED, Text

BENCHMARK_JS = Text(
    name="benchmark-js",
    title="Benchmark.js's output",
    means="Calls per second of a mean time; the runs of one benchmark share a process.",
    rows=(UNMARKED + r"{level.benchmark:text} x {throughput.mean:r} ops/sec ±{rme:%}% \({count:n} runs? sampled\)",),
    fixed={"calibrated": True, "replicate": "process"},
)
