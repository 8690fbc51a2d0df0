"""Round trips of new connections: counted from the protocol that both ends have witnessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sectax.experiments.client_server.round_trips import GROUP, tls_round_trips
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised, document, printed

BLOCKS = tuple(range(1, 9))


@pytest.mark.parametrize(
    ("version", "more", "number"),
    [
        ("tls13", {}, 1),
        ("TLS 1.3, TLS_AES_128_GCM_SHA256", {}, 1),
        ("TLSv1.2", {}, 2),
        ("tls12", {"resumed": True}, 1),
        ("tls13", {"resumed": True}, 1),
        ("tls13", {"retry": True}, 2),
    ],
)
def test_a_handshake_has_the_round_trips_of_its_version(version: str, more: dict[str, bool], number: int) -> None:
    trips = tls_round_trips(version, **more)

    assert trips is not None
    assert trips.number == number


def test_an_unknown_version_has_no_count() -> None:
    assert tls_round_trips("none") is None
    assert tls_round_trips("TLSv1.1") is None


def witnessed(plan: Plan, of: Mapping[str, Mapping[str, tuple[Any, ...]]], metric: str) -> Measured:
    """A run whose treatments have these witnesses, by id."""

    def seconds(of: Treatment, block: int) -> float:
        return 1e-3 * (1 + 1e-3 * (block % 3))

    return measured(plan, {metric: seconds}, BLOCKS, witnesses=of)


def counted(run: Measured, factor: str) -> dict[str, float]:
    rows = [row for row in document(advised(run))["rows"] if row["group"] == GROUP]
    return {row["levels"][factor]: row["value"]["point"] for row in rows}


def test_tls_counts_what_both_ends_agreed_on() -> None:
    plan = plan_of("tls", "quick", {"library": ("go",)})
    protocol = {"no-TLS": "none", "TLS1.2": "tls12"}
    witnesses = {
        treatment.id: {
            "protocol": (protocol.get(treatment.levels["setup"], "tls13"),),
            "resumed": ("resumed" in treatment.levels["setup"],),
            "hello_retry": (treatment.levels["setup"] == "X25519MLKEM768",),
        }
        for treatment in plan.treatments
    }
    run = witnessed(plan, witnesses, "new")
    trips = counted(run, "setup")

    assert (trips["no-TLS"], trips["TLS1.2"], trips["resumed"], trips["X25519MLKEM768"]) == (0, 2, 1, 2)
    assert "1 TLS 1.3 resumed" in printed(advised(run))
    assert counted(witnessed(plan, {}, "new"), "setup") == {}


def test_a_database_counts_the_messages_of_its_login() -> None:
    access = ("disable", "require", "md5", "trust")
    plan = plan_of("database", "default", {"access": access, "connection": ("kept", "new"), "query": ("select",)})
    methods = {"md5": "md5", "trust": "trust"}
    witnesses = {
        treatment.id: {
            "ssl": (treatment.levels["access"] == "require",),
            "authentication": (methods.get(treatment.levels["access"], "scram-sha-256"),),
        }
        | ({"tls": ("TLSv1.3",)} if treatment.levels["access"] == "require" else {})
        for treatment in plan.treatments
    }
    run = witnessed(plan, witnesses, "latency")

    assert counted(run, "access") == {"disable": 3, "require": 5, "md5": 2, "trust": 1}
    assert "1 to ask for TLS, 1 TLS 1.3, 3 to log in (scram-sha-256)" in printed(advised(run))


def test_http_counts_new_connections_only() -> None:
    options = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("a=https://127.0.0.1:2/",)}
    plan = plan_of("http", "default", {"connection": ("kept", "new")}, options)
    witnesses = {
        treatment.id: {"status": (200,)}
        | ({"tls": ("TLS 1.2, TLS_ECDHE_RSA",)} if treatment.levels["service"] == "a" else {})
        for treatment in plan.treatments
    }
    run = witnessed(plan, witnesses, "latency")

    assert counted(run, "service") == {"baseline": 0, "a": 2}
    rows = [row for row in document(advised(run))["rows"] if row["group"] == GROUP]
    assert {row["levels"]["connection"] for row in rows} == {"new"}
