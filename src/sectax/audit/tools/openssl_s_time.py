"""`openssl s_time`: apps/s_time.c of openssl/openssl."""

from __future__ import annotations

from sectax.audit.reading.grammar import Promise, Text

OPENSSL_S_TIME = Text(
    name="openssl-s-time",
    title="the output of openssl s_time",
    means="Connections per second of the client's user CPU time, not of real time, one after the other.",
    starts=(r"{operations:n} connections in {cpu:s}s; {throughput.mean:r} connections/user sec, bytes read ",),
    head=(r"Collecting connection statistics for {configured_s:s} seconds",),
    lines=(r"{again:n} connections in {real:s} real seconds, ",),
    fails=(r"ERROR$|connect:errno=",),
    promises=(Promise("operations / cpu = throughput.mean", within=0.01), Promise("operations = again")),
)
