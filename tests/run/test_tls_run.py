"""Runs of the experiment `tls` as a user starts them, by the ends in Go."""

from __future__ import annotations

from pathlib import Path

from tests.needs import needs
from tests.program import Said, sectax
from tests.run.sessions import shown

PQ = "X25519MLKEM768"


def run(folder: Path, *words: str) -> Said:
    return sectax("run", "tls", *words, "--blocks", "6", "--out", "r.sectax", folder=folder, timeout=300)


@needs("the TLS ends of go")
def test_a_hybrid_is_compared_and_witnessed(tmp_path: Path) -> None:
    ran = run(tmp_path, "--level", f"group=x25519,{PQ.lower()}", "--level", "library=go")

    assert ran.status == 0, ran.err
    report = shown(tmp_path)
    assert not [warning for warning in report["warnings"] if warning["check"] == "mislabelled-level"]
    compared = [one for one in report["treatments"] if one["role"] in ("baseline", "treatment")]
    assert {one["levels"]["setup"] for one in compared} == {"TLS1.3+X25519+P-256", PQ}
    assert {one["blocks"] for one in compared} == {6}
    assert b"PRIVATE KEY" not in (tmp_path / "r.sectax").read_bytes()


@needs("the TLS ends of go")
def test_a_slow_line_shows_in_every_round_trip(tmp_path: Path) -> None:
    ran = run(tmp_path, "--level", "protocol=tls12,tls13", "--level", "library=go", "--delay", "10ms")

    assert ran.status == 0, ran.err
    times = {
        one["levels"]["setup"]: next(
            metric["estimate"]["point"] for metric in one["estimates"] if metric["metric"] == "new_connection"
        )
        for one in shown(tmp_path)["treatments"]
        if one["role"] in ("baseline", "treatment")
    }
    assert times["TLS1.2+X25519+P-256"] >= 0.03  # two round trips and the request's own
    assert 0.02 <= times["TLS1.3"] < times["TLS1.2+X25519+P-256"]
