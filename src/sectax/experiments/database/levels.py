"""Factors, levels and metrics of the experiment, and their labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sectax.experiments.client_server import metrics
from sectax.experiments.client_server.metrics import CLIENT_CPU, LATENCY, TAILS
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Factor

CONTROL = "access"
KEPT, NEW = "kept", "new"
SELECT, ROWS = "select", "rows-1000"
SCRAM, MD5, TRUST = "scram-sha-256", "md5", "trust"


@dataclass(frozen=True)
class DatabaseAccess:
    """libpq's sslmode, and the method of pg_hba.conf, each with its own role."""

    sslmode: str
    method: str

    @property
    def role(self) -> str:
        return f"by_{self.method.partition('-')[0]}"


BASELINE = "disable"
ACCESS = {
    BASELINE: DatabaseAccess("disable", SCRAM),
    "require": DatabaseAccess("require", SCRAM),
    "verify-full": DatabaseAccess("verify-full", SCRAM),
    "md5": DatabaseAccess("disable", MD5),
    "trust": DatabaseAccess("disable", TRUST),
}
# Round trips from the startup message to 'ready for query' (PostgreSQL's documentation, 'Message Flow').
LOGINS = {SCRAM: 3, MD5: 2, TRUST: 1}
# What a level gives up, whatever it costs.
CAVEATS = {
    "md5": "no protection: MD5 is broken, and the answers are not encrypted",
    "trust": "no protection: anyone who reaches the port is let in",
}
# On pgbench's tables at scale 1; the first query is that of --select-only.
QUERIES = {
    SELECT: "SELECT abalance FROM pgbench_accounts WHERE aid = :aid",
    ROWS: "SELECT * FROM pgbench_accounts WHERE aid BETWEEN 50001 AND 51000",
}
FACTORS = (Factor("connection", (KEPT, NEW)), Factor("query", tuple(QUERIES)), Factor(CONTROL, tuple(ACCESS)))
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {},
    "quick": {"query": (SELECT,), CONTROL: (BASELINE, "require", "verify-full", "md5")},
}

# Measured in kernel ticks for new connections: too coarse to compare.
SERVER_CPU = replace(metrics.SERVER_CPU, compared=False)
METRICS = (
    LATENCY,
    *TAILS,
    Metric("connecting", "s", Better.LOWER, Summary.MEDIAN, "connecting", compared=False),
    CLIENT_CPU,
    SERVER_CPU,
)
WORDS = metrics.WORDS | {
    "metric=connecting": "time to connect",
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
