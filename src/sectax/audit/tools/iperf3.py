"""iperf3: the client's report and `--json` (src/iperf_api.c of esnet/iperf)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Record, Text

_WAYS = ("sum", "sum_sent", "sum_received")
_TOTALS = {"bytes": "bytes:b", "seconds": "duration_s:s", "bits_per_second": "bandwidth:bit/s"}


def _complete(record: Record) -> None:
    # Of several streams, their sums.
    record.fields |= {"interval.values": sums} if (sums := record.fields.pop("sums.values", None)) else {}


def _lines(kind: str) -> tuple[str, ...]:
    direction = r"(?:\[TX\S{1,7}\])? [\d.]{1,12}"
    part = rf"\]{direction}-[\d.]{{1,12}} sec [\d.]{{1,12}} \w{{1,9}} {{%s.values:{kind}}}/sec(?!.{{0,80}}omitted)"
    return (
        # The last of these is that of the receiver, and of the sum.
        rf"\[\s*\w{{1,5}}\]{direction}-{{duration_s:s}} sec {{bytes:B}} {{bandwidth:{kind}}}/sec"
        r".{1,80}(?:sender|receiver)$",
        rf"\[SUM{part % 'sums'}",
        rf"\[\s*\d{{1,4}}{part % 'interval'}",
    )


IPERF3 = Text(
    name="iperf3",
    title="iperf3's report",
    means="The bandwidth is what the receiver got, of all streams together; the intervals are values in order.",
    starts=(r"Connecting to host {name:w}, port \d",),
    lines=(*_lines("bit/s"), *_lines("B/s")),
    fails=(r"iperf3: error - ",),
    warns=(r"iperf3: interrupt - ",),
    complete=_complete,
)
IPERF3_JSON = Json(
    name="iperf3",
    title="iperf3's JSON",
    keys=("cookie", "test_start", "intervals"),
    fields={
        "start.connecting_to.host": "name:text",
        "start.test_start.num_streams": "connections:n",
        "start.test_start.protocol": "option.protocol:text",
        "start.test_start.target_bitrate": "option.target_bitrate:text",
        "intervals[].sum.bits_per_second": "interval.values:bit/s",
        **{f"end.{way}.{key}": place for way in _WAYS for key, place in _TOTALS.items()},
    },
)
