"""stress-ng: `--metrics` and `--metrics-brief` (ColinIanKing/stress-ng)."""

from __future__ import annotations

from sectax.audit.form import EndsBy
from sectax.audit.reading.grammar import Text

_LINE = r"stress-ng: (?:metrc|info): \[\d{1,9}\] "
STRESS_NG = Text(
    name="stress-ng",
    title="stress-ng's metrics",
    means="Bogo operations are rounds of a stressor, of no fixed work: compare only the same stressor and version.",
    rows=(
        _LINE + r"{level.stressor:w} {operations:n} {duration_s:s} {user:s} {system:s} {rate:n} {cpu_rate:n}(?: |$)",
    ),
    head=(_LINE + r"setting to a {configured_s:s} sec",),
    fails=(r"stress-ng: fail: ", _LINE + r"failed: [1-9]"),
    warns=(_LINE + r"metrics untrustworthy: [1-9]",),
    fixed={"ends_by": EndsBy.TIME},
)
