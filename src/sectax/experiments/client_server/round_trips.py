"""Advice rows: round trips of a handshake, counted by what the run has witnessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sectax.model.advice import AdviceRow
from sectax.model.finding import Estimate
from sectax.model.measured import Measured
from sectax.model.treatment import MEASURED, Treatment

GROUP = "Round trips of a new connection, beside TCP's own one"
COUNTED = "counted"
_VERSION = re.compile(r"(?i)tls ?v?1\.?([23])")
_NEW = {"tls13": 1, "tls12": 2}  # RFC 8446, 2; RFC 5246, 7.3
_RESUMED = {"tls13": 1, "tls12": 1}
_NAMES = {"tls13": "TLS 1.3", "tls12": "TLS 1.2"}


@dataclass(frozen=True)
class RoundTrips:
    """Round trips of one step of connecting, and what they are for."""

    number: int
    what: str


def tls_round_trips(version: str, *, resumed: bool = False, retry: bool = False) -> RoundTrips | None:
    """Round trips of a TLS handshake, until the client may send its first request.

    Args:
        version: as a client reports it: 'tls13', 'TLSv1.2', 'TLS 1.3, TLS_AES_128_GCM_SHA256'.
        retry: whether a HelloRetryRequest asked for another key share.
    """
    match = _VERSION.match(version)
    if match is None:
        return None
    name = f"tls1{match[1]}"
    words = [_NAMES[name], *(["resumed"] if resumed else []), *(["with a HelloRetryRequest"] if retry else [])]
    return RoundTrips((_RESUMED if resumed else _NEW)[name] + retry, " ".join(words))


def only_witness(measured: Measured, treatment: Treatment, name: str) -> object:
    """The value of a witness; None if there is none, or several."""
    values = measured.witnesses.get(treatment.id, {}).get(name, ())
    return values[0] if len(values) == 1 else None


def round_trip_rows(
    measured: Measured, steps: Mapping[str, tuple[RoundTrips, ...] | None], note: str = ""
) -> Iterator[AdviceRow]:
    """A row for each treatment that connects anew.

    Args:
        steps: treatment -> the steps of its connection; None where its witnesses do not tell.
    """
    for treatment in measured.plan.treatments:
        trips = steps.get(treatment.id)
        if trips is None or treatment.role not in MEASURED:
            continue
        total = sum(step.number for step in trips)
        parts = ", ".join(f"{step.number} {step.what}" for step in trips) or "no handshake"
        value = Estimate(total, total, total, 1.0, COUNTED, 1, "round trip" if total == 1 else "round trips")
        sentence = f"{parts}; {note}" if note and trips else parts
        yield AdviceRow(GROUP, treatment.levels, "", value, sentence)


def observed_steps(
    measured: Measured, treatments: Iterable[Treatment], version: str, none: str = ""
) -> dict[str, tuple[RoundTrips, ...] | None]:
    """The TLS handshakes of treatments by their witnesses.

    Args:
        version: the witness with the version of TLS; without it there is none.
        none: the value that it has without TLS.
    """
    steps: dict[str, tuple[RoundTrips, ...] | None] = {}
    for treatment in treatments:
        if not measured.witnesses.get(treatment.id):
            continue
        seen = only_witness(measured, treatment, version)
        if seen is None and version in measured.witnesses[treatment.id]:
            steps[treatment.id] = None
        elif seen is None or seen == none:
            steps[treatment.id] = ()
        else:
            resumed, retry = (bool(only_witness(measured, treatment, name)) for name in ("resumed", "hello_retry"))
            trips = tls_round_trips(str(seen), resumed=resumed, retry=retry)
            steps[treatment.id] = None if trips is None else (trips,)
    return steps
