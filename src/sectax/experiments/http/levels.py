"""Factors, levels and metrics of the experiment, and their labels."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.experiments.client_server.load import CLOSED
from sectax.experiments.client_server.metrics import CLIENT_CPU, FIRST_BYTE, LATENCY, TAILS
from sectax.experiments.client_server.metrics import WORDS as METRIC_WORDS
from sectax.experiments.named import BASELINE
from sectax.model.errors import WrongUse
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Factor

CONTROL = "service"
KEPT, NEW = "kept", "new"
HTTP1, HTTP2 = "http1", "http2"

FACTORS = (
    Factor("connection", (KEPT, NEW)),
    Factor("protocol", (HTTP1, HTTP2)),
    Factor("concurrency", ("1", "…")),
    Factor("load", (CLOSED, "…")),
    Factor(CONTROL, (BASELINE, "…")),
)
PRESET = {"connection": (KEPT,), "protocol": (HTTP1,), "concurrency": ("1",), "load": (CLOSED,)}

METRICS = (
    LATENCY,
    *TAILS,
    FIRST_BYTE,
    Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "turn", compared=False),
    CLIENT_CPU,
    Metric("sent_bytes", "B", Better.LOWER, Summary.MEAN, "sent_bytes", compared=False),
    Metric("received_bytes", "B", Better.LOWER, Summary.MEAN, "received_bytes", compared=False),
)
WORDS = METRIC_WORDS | {
    "metric=throughput": "requests per second",
    "metric=sent_bytes": "bytes sent per request",
    "metric=received_bytes": "bytes received per request",
    f"connection={KEPT}": "connection kept open",
    f"connection={NEW}": "a new connection for every request",
    f"protocol={HTTP1}": "HTTP/1.1",
    f"protocol={HTTP2}": "HTTP/2",
}


def rate_level(options: Mapping[str, tuple[str, ...]], levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Levels of the factor load from --rate. Raises `WrongUse`."""
    rates = options.get("rate", ())
    if rates and "load" in levels:
        raise WrongUse("--rate and --level load= are the same option", "use one of them")
    return tuple(f"{rate.removesuffix('/s')}/s" for rate in rates)
