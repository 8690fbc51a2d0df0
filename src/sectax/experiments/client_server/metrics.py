"""Metrics of clients and servers, and their labels."""

from __future__ import annotations

from sectax.model.metric import Better, Metric, Summary

LATENCY = Metric("latency", "s", Better.LOWER, Summary.MEDIAN, observed="latency")
TAILS = (
    Metric("p90_latency", "s", Better.LOWER, Summary.P90, "latency", compared=False),
    Metric("p99_latency", "s", Better.LOWER, Summary.P99, "latency", compared=False),
)
FIRST_BYTE = Metric("first_byte", "s", Better.LOWER, Summary.MEDIAN, "first_byte", compared=False)
CLIENT_CPU = Metric("client_cpu", "s", Better.LOWER, Summary.MEAN, "client_cpu", cpu=True)
SERVER_CPU = Metric("server_cpu", "s", Better.LOWER, Summary.MEAN, "server_cpu", cpu=True)
WORDS = {
    "metric=latency": "latency",
    "metric=p90_latency": "p90 of latency",
    "metric=p99_latency": "p99 of latency",
    "metric=first_byte": "time to first byte",
    "metric=client_cpu": "CPU time of the client",
    "metric=server_cpu": "CPU time of the server",
}
