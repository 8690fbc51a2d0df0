"""`bssl speed`: BoringSSL and AWS-LC (tool/speed.cc)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Promise, Text

BSSL_SPEED = Text(
    name="bssl-speed",
    title="the output of bssl speed",
    means="Operations in about a second of one thread, by wall time; MB/s count in 1,000,000 bytes.",
    rows=(
        r"(?=.{1,400}$)Did {operations:n} (?=(?:[^()]{1,200}\({size_bytes:n} bytes?[,)])?){level.operation:text} "
        r"operations? in {took:us}us \({rate:n} ops/sec\)(?:: {bandwidth:b/s}/s)?",
    ),
    fails=(r"(?:\S{1,60} failed|Speed test failed|Error in )",),
    promises=(Promise("operations / took = rate"), Promise("rate * size_bytes = bandwidth", within=0.01)),
)
