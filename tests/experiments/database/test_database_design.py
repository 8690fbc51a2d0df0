"""What a run of the experiment `database` is to be."""

from __future__ import annotations

from tests.experiments.plans import planner, primary

plan = planner("database")


def test_what_differs_in_connecting_alone_is_not_measured_over_kept_connections() -> None:
    made = plan()

    skipped = {one.treatment for one in made.skipped}
    assert {f"kept/select/{level}" for level in ("verify-full", "md5", "trust")} <= skipped
    assert "rows-1000" in primary(made, "query")


def test_every_level_says_what_the_server_must_have_seen() -> None:
    seen = {one.id: dict(one.declares) for one in plan().treatments}

    assert seen["new/select/disable"] == {"ssl": False, "authentication": "scram-sha-256"}
    assert seen["new/select/verify-full"] == {"ssl": True, "authentication": "scram-sha-256"}
    assert seen["new/select/md5"] == {"ssl": False, "authentication": "md5"}
    assert seen["new/select/trust"] == {"ssl": False, "authentication": "trust"}
