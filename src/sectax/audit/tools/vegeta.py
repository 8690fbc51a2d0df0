"""vegeta: `vegeta report` as text and as JSON (tsenart/vegeta)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sectax.audit.form import EndsBy
from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read

# As text, and in a document.
_STATUS = re.compile(r"(-?\d{1,9})'? ?: ?(\d{1,15})")
_FIXED = {"by_schedule": "yes", "ends_by": EndsBy.TIME}
PROMISES = (
    Promise("attack_s + wait_s = duration_s"),
    Promise("operations / attack_s = sent_rate", within=0.01),
    Promise("answered = operations"),
)


def count_answers(texts: Iterable[object]) -> tuple[Number, Number] | None:
    """Count the answers in `200:1500 404:2`, and those that are no success."""
    codes = [(int(code), float(count)) for text in texts for code, count in _STATUS.findall(str(text))]
    total, refused = (sum(count for code, count in codes if not 200 <= code < most) for most in (0, 400))
    return (Number(total), Number(refused)) if codes else None


def _complete(record: Record) -> None:
    headings, values = (re.split(r",\s*", record.text(name) or "") for name in ("headings", "latencies"))
    for heading, value in zip(headings, values, strict=False):
        is_share = re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{1,9})?", heading)
        statistic = percentile_name(heading) if is_share else heading
        record.put({f"latency.{statistic}": read("t", value) if value else None})
    attack, wait, least = (record.number(name) for name in ("attack_s", "wait_s", "latency.min"))
    if least is not None and not least.value:
        # Old versions did not report it.
        del record.fields["latency.min"]
    if attack is not None and wait is not None and "duration_s" not in record.fields:
        record.add("duration_s", Number(attack.value + wait.value, 0.0, "s"))
    if (answers := count_answers(record.fields.get("codes", ()))) is not None:
        record.put({"answered": answers[0], "failed.status": answers[1]})
    if (sent := record.number("sent_rate")) is not None:
        record.fields.setdefault("target_rate", [sent])
        record.fields["achieved_rate"] = [_answered_rate(record, sent)]


def _answered_rate(record: Record, sent: Number) -> Number:
    """Return the rate at which requests were answered: less than the sent one where they queued.

    The last answer is late by the length of the queue; a single slow answer at the end leaves the median short, and
    answers that are all slow have a long minimum.
    """
    median, attack, wait = (record.number(name) for name in ("latency.median", "attack_s", "wait_s"))
    if median is None or attack is None or wait is None or not attack.value:
        return sent
    queued = wait.value - (record.number("latency.min") or median).value
    if median.value < wait.value / 4 or queued < 0.05 * attack.value:
        return sent
    return Number(sent.value * attack.value / (attack.value + wait.value), sent.step)


VEGETA = Text(
    name="vegeta",
    title="vegeta's report",
    starts=(
        r"Requests \[total, rate(?:, throughput)?\] {operations:n}, {sent_rate:n}",
        r"Requests \[total\] {operations:n}",
    ),
    head=(r".{0,400}?vegeta attack .{0,400}?-rate[= ]{target_rate:n}(?:/1?s)?(?= |$)",),
    lines=(
        r"Duration \[total, attack, wait\] {duration_s:t}, {attack_s:t}, {wait_s:t}",
        r"Duration \[total\] {duration_s:t}",
        r"Latencies \[{headings:text}\] {latencies:text}$",
        r"Bytes In \[total, mean\] {bytes:n}, ",
        r"Status Codes \[code:count\] {codes:text}$",
    ),
    last=r"Status Codes",
    fixed=_FIXED,
    promises=PROMISES,
    complete=_complete,
)
VEGETA_JSON = Json(
    name="vegeta",
    title="vegeta's JSON report",
    keys=("latencies", "bytes_in", "status_codes"),
    fields={
        **{f"latencies.{name}": f"latency.{name}:ns" for name in ("min", "mean", "max")},
        **{f"latencies.{share}th": f"latency.p{share}:ns" for share in (90, 95, 99)},
        "latencies.50th": "latency.median:ns",
        "requests": "operations:n",
        "rate": "sent_rate:n",
        "duration": "attack_s:ns",
        "wait": "wait_s:ns",
        "status_codes": "codes:text",
    },
    fixed=_FIXED,
    promises=PROMISES,
    complete=_complete,
)
