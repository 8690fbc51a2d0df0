"""autocannon: its tables and `--json` (mcollina/autocannon)."""

from __future__ import annotations

from sectax.audit.form import EndsBy, Trouble, TroubleKind
from sectax.audit.reading.grammar import Json, Record, Text
from sectax.audit.reading.printed import Number

# With -R it counts requests that only were due.
_MOST_SENT = 1.1


def _complete(record: Record) -> None:
    if (connections := record.number("connections")) is not None:
        each = record.number("pipelining") or Number(1.0)
        record.fields["connections"] = [Number(connections.value * each.value)]
    rate, samples, sent = (record.number(name) for name in ("rate", "samples", "sent"))
    # What is printed as requests are those sent, rounded.
    record.put({"operations": Number(round(rate.value * samples.value)) if rate and samples else sent})
    answers, latencies = record.number("operations"), record.number("latencies")
    record.keep_supported(answers)
    if answers is not None and latencies is not None and latencies.value > answers.value:
        text = f"{latencies.value - answers.value:.0f} of {latencies.value:.0f} latencies are corrections"
        record.troubles.append(Trouble(TroubleKind.WARNED, record.line, text))
        record.fields["by_schedule"] = ["yes"]
    elif answers is not None and sent is not None and sent.value - sent.step > _MOST_SENT * answers.value:
        record.fields["by_schedule"] = ["yes"]
    if "target_rate" in record.fields and rate is not None:
        record.fields["achieved_rate"] = record.fields.pop("rate")


AUTOCANNON = Text(
    name="autocannon",
    title="autocannon's output",
    means="Latency is in whole ms, without percentiles of few requests; -R adds latencies that no request had.",
    starts=(r"Running {configured_s:t} test @ {name:w}", r"Running \d+ requests test @ {name:w}"),
    head=(r"(?:\S{0,99}[$#>] )?(?:\S*/)?autocannon (?:.{0,999}? )?(?:-R ?|--overallRate[ =]){target_rate:n}",),
    lines=(
        r"{connections:n} connections(?: with {pipelining:n} pipelining factor)?$",
        r"│ Latency │ {latency.p2.5:t} │ {latency.median:t} │ {latency.p97.5:t} │ {latency.p99:t} "
        r"│ {latency.mean:t} │ {latency.stddev:t} │ {latency.max:t} │$",
        r"│ Req/Sec │ (?:[\d.,k]{1,20} │ ){4}{rate:n} │ ",
        r"# of samples: {samples:n}$",
        r"{good:n} 2xx responses, {failed.status:n} non 2xx responses$",
        r"{failed.errors:n} errors \(\d+ timeouts\)$",
        r"{sent:n} requests in {duration_s:t}, {read:b} read$",
    ),
    last=r"\S+ requests in \S+, .{1,20} read$",
    options={"connections": "connections"},
    complete=_complete,
)
AUTOCANNON_JSON = Json(
    name="autocannon",
    title="autocannon's JSON",
    keys=("sampleInt", "latency", "2xx"),
    fields={
        "url": "name:text",
        "connections": "connections:n",
        "pipelining": "pipelining:n",
        "duration": "duration_s:s",
        "requests.total": "operations:n",
        "requests.average": "rate:n",
        "latency.totalCount": "latencies:n",
        "errors": "failed.errors:n",
        "non2xx": "failed.status:n",
        # Its minimum leaves out zeros.
        **{f"latency.{name}": f"latency.{name}:ms" for name in ("mean", "stddev", "max", "p75", "p90", "p99")},
        "latency.p50": "latency.median:ms",
    },
    fixed={"ends_by": EndsBy.TIME},
    options={"connections": "connections"},
    complete=_complete,
)
