"""tinybench: `console.table(bench.table())` of versions 2 to 6 (tinylibs/tinybench)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Text

_TASK = r"│ \d{1,4} │ '{level.task:text}' │ "
TINYBENCH = Text(
    name="tinybench",
    title="tinybench's table",
    means="Its table is in ns, its results are in ms; a mean of throughputs is no count over a time, and is not read.",
    head=(r"│ \(index\) │ Task [Nn]ame │ {columns:text}$",),
    rows=(
        _TASK + r"'{time.mean:ns} ± [\d.]+%' │ '{time.median:ns} ± {time.mad:ns}' │ '[\d.,]+ ± [\d.]+%' "
        r"│ '{throughput.median:r} ± {throughput.mad:r}' │ {count:n} │$",
        _TASK + r"'[\d,.]+' │ '?{time.mean:ns}'? │ '±[\d.]+%' │ {count:n} │$",
    ),
)
