"""Factors and levels of the experiment, its metrics, and what a person calls them."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Factor

CONTROL = "access"
KEPT, NEW = "kept", "new"
SELECT, ROWS = "select", "rows-1000"
SCRAM, MD5, TRUST = "scram-sha-256", "md5", "trust"


@dataclass(frozen=True)
class Access:
    """How a client comes in: libpq's sslmode, and the method of pg_hba.conf, each with a role of its own."""

    sslmode: str
    method: str

    @property
    def role(self) -> str:
        return f"by_{self.method.partition('-')[0]}"


BASELINE = "disable"
ACCESS = {
    BASELINE: Access("disable", SCRAM),
    "require": Access("require", SCRAM),
    "verify-full": Access("verify-full", SCRAM),
    "md5": Access("disable", MD5),
    "trust": Access("disable", TRUST),
}
# Tables are those of pgbench at its scale of 1; the first query is that of its --select-only.
QUERIES = {
    SELECT: "SELECT abalance FROM pgbench_accounts WHERE aid = :aid",
    ROWS: "SELECT * FROM pgbench_accounts WHERE aid BETWEEN 50001 AND 51000",
}
FACTORS = (
    Factor("connection", (KEPT, NEW)),
    Factor("query", tuple(QUERIES)),
    Factor(CONTROL, tuple(ACCESS)),
)
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {},
    "quick": {"query": (SELECT,), CONTROL: (BASELINE, "require", "verify-full", "md5")},
}

LATENCY = Metric("latency", "s", Better.LOWER, Summary.MEDIAN, observed="latency")
CLIENT_CPU = Metric("client_cpu", "s", Better.LOWER, Summary.MEAN, "client_cpu", cpu=True)
# Of new connections in ticks of the kernel: an average of many, and no comparison.
SERVER_CPU = Metric("server_cpu", "s", Better.LOWER, Summary.MEAN, "server_cpu", cpu=True, compared=False)
METRICS = (
    LATENCY,
    Metric("p90_latency", "s", Better.LOWER, Summary.P90, "latency", compared=False),
    Metric("p99_latency", "s", Better.LOWER, Summary.P99, "latency", compared=False),
    Metric("connecting", "s", Better.LOWER, Summary.MEDIAN, "connecting", compared=False),
    CLIENT_CPU,
    SERVER_CPU,
)
WORDS = {
    "metric=latency": "latency",
    "metric=p90_latency": "p90 of latency",
    "metric=p99_latency": "p99 of latency",
    "metric=connecting": "time to connect",
    "metric=client_cpu": "CPU time of the client",
    "metric=server_cpu": "CPU time of the server",
    f"connection={KEPT}": "connection kept open",
    f"connection={NEW}": "a new connection for every transaction",
    f"query={SELECT}": "one row by its key",
    f"query={ROWS}": "1,000 rows, 100 KB",
    f"{CONTROL}={BASELINE}": "no TLS, SCRAM",
    f"{CONTROL}=require": "TLS, SCRAM",
    f"{CONTROL}=verify-full": "verified TLS, SCRAM",
    f"{CONTROL}=md5": "no TLS, MD5",
    f"{CONTROL}=trust": "no TLS, no password",
}
