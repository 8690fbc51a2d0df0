"""siege: its report of version 3 and 4, and the JSON of 4.1 (JoeDog/siege)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Record, Text


def _complete(record: Record) -> None:
    for name in [name for name in record.fields if name.startswith("latency.")]:
        record.fields[name] = [number._replace(step=0.01) for number in record.numbers(name)]
    # It counts nothing in a time that it shows as 0.
    if (duration := record.number("duration_s")) is not None and not duration.value:
        record.fields.pop("rate", None)


_PLACES = {
    "transactions": "operations:n",
    "elapsed_time": "duration_s:s",
    "response_time": "latency.mean:s",
    "transaction_rate": "rate:n",
    "failed_transactions": "failures:n",
    "longest_transaction": "latency.max:s",
    "shortest_transaction": "latency.min:s",
}
SIEGE = Text(
    name="siege",
    title="siege's report",
    means="Times are cut to 10 ms, so a fast service has 0.00; a transaction may be several requests.",
    starts=(r"Transactions: {operations:n} hits",),
    lines=tuple(f"{key.capitalize().replace('_', ' ')}: {{{place}}}" for key, place in list(_PLACES.items())[1:]),
    last=r"Shortest transaction:",
    complete=_complete,
)
SIEGE_JSON = Json(
    name="siege",
    title="siege's JSON",
    keys=("transactions", "availability", "longest_transaction"),
    fields=_PLACES,
    complete=_complete,
)
