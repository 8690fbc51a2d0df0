"""mitata: its text and JSON (evanwashere/mitata)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Text

MITATA = Text(
    name="mitata",
    title="mitata's output",
    means="A range leaves out the two fastest and the two slowest samples; a sample may be a batch of calls.",
    starts=(r"(?=.{1,400}$){level.benchmark:text} {time.mean:t}/iter (?=\S{1,20} [pnµm]?s ){time.p75:t}",),
    head=(r"cpu: {processor:text}$", r"runtime: {runtime:text}$"),
    lines=(r"\({time.low:t} … {time.high:t}\) {time.p99:t}",),
    warns=(r"benchmark was likely optimized out",),
)
MITATA_JSON = Json(
    name="mitata",
    title="mitata's JSON",
    keys=("layout", "benchmarks", "runs"),
    each="benchmarks[].runs[]",
    fields={
        "name": "level.benchmark:text",
        # Its samples are sorted, so they show no order.
        **{f"stats.{key}": f"time.{name}:ns" for key, name in (("avg", "mean"), ("min", "low"), ("max", "high"))},
        **{f"stats.p{key}": f"time.{name}:ns" for key, name in (("50", "median"), ("75", "p75"), ("99", "p99"))},
        "/context.cpu.name": "processor:text",
        "/context.version": "runtime:text",
    },
)
