"""Runs of the experiment hmac as a user makes them, with the local Lambda's real sandboxes."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.experiments.on_lambda.functions import needs_sandbox
from tests.program import sectax

pytestmark = needs_sandbox

SMALL = ["--level", "payload=10KiB", "--level", "memory=1769", "--blocks", "6", "--out", "r.sectax"]


def observed(path: Path, metric: str) -> dict[tuple[int, str], int]:
    """How many of them every block has of every treatment."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            "SELECT block, treatment, count(*) FROM observations WHERE metric = ? GROUP BY block, treatment", (metric,)
        )
        return {(block, treatment): count for block, treatment, count in rows}


@pytest.mark.more
def test_a_block_of_the_published_design_is_five_invocations_with_the_first_among_them(tmp_path):
    result = sectax("run", "hmac", "--published", *SMALL, folder=tmp_path)

    assert result.status == 0, result.err
    counts = observed(tmp_path / "r.sectax", "invocation")
    assert len(counts) == 6 * 3  # the baseline, its copy, and the published scheme
    assert set(counts.values()) == {5}
    assert set(observed(tmp_path / "r.sectax", "duration").values()) == {4}


@pytest.mark.more
def test_a_quick_run_says_what_the_check_itself_takes(tmp_path):
    result = sectax("run", "hmac", "--quick", *SMALL, folder=tmp_path)

    assert result.status == 0, result.err
    counts = observed(tmp_path / "r.sectax", "whole_cpu")
    assert len(counts) == 6 * 3  # the baseline is told of too, or nothing could be compared
    assert len(observed(tmp_path / "r.sectax", "check_cpu")) == 6
    document = json.loads(sectax("show", "r.sectax", "--json", folder=tmp_path).out)
    first = next(finding for finding in document["findings"] if finding["standing"] == "primary")
    assert first["metric"] == "whole_cpu"
    assert first["effect"]["blocks"] == 6
    said_of_check = r"the check itself, in CPU time, takes [\d.,]+ to [\d.,]+ (µs|ms)"
    share = r", about [\d.,]+ % of the whole operation's CPU time\."
    assert re.search(said_of_check + share, " ".join(result.out.split()))


@pytest.mark.more
def test_the_steps_of_the_check_are_reported_and_make_up_the_whole(tmp_path):
    chosen = ("--level", "authentication=none,hmac-sha512-timed")
    result = sectax("run", "hmac", "--quick", *chosen, *SMALL, folder=tmp_path)

    assert result.status == 0, result.err
    advised = sectax("advise", "r.sectax", "--json", folder=tmp_path)
    (anatomy,) = json.loads(advised.out)["anatomies"]
    words = [part["words"] for part in anatomy["parts"]]
    assert words[0] == "handing over and parsing the event"
    assert {"deriving the key", "the MAC", "comparing", "UTF-8", "Base64", "MessagePack"} <= set(words)
    assert 0.99 < sum(part["share"]["point"] for part in anatomy["parts"]) < 1.01
