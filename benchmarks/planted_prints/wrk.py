"""Defects in what wrk and wrk2 print."""

from __future__ import annotations

from benchmarks.planted_prints.frame import Format, Kind, each_match

_KINDS = (
    Kind(
        "rate is not count over time",
        "F contradiction",
        each_match(r"^(Requests/sec:\s+)([\d.]+)", lambda found: f"{found[1]}{2.5 * float(found[2]):.2f}"),
    ),
)

FORMATS = (Format("wrk", _KINDS, samples=("wrk.txt",), prints=("wrk",)),)
