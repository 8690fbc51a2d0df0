"""Runs of the experiment hmac as a user makes them, with the local Lambda's real sandboxes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.experiments.on_lambda.functions import needs_sandbox
from tests.program import sectax
from tests.run.sessions import rows, shown

pytestmark = needs_sandbox

SMALL = ["--level", "payload=10KiB", "--level", "memory=1769", "--blocks", "6", "--out", "r.sectax"]


def observed(folder: Path, metric: str) -> list[int]:
    """How many of them every block has of every treatment."""
    of_metric = "SELECT count(*) FROM observations WHERE metric = ? GROUP BY block, treatment"
    return [count for (count,) in rows(folder, of_metric, metric)]


@pytest.mark.more
def test_a_block_of_the_published_design_is_five_invocations_with_the_first_among_them(tmp_path):
    result = sectax("run", "hmac", "--published", *SMALL, folder=tmp_path)

    assert result.status == 0, result.err
    # The baseline, its copy, and the published scheme.
    assert observed(tmp_path, "invocation") == [5] * 6 * 3
    assert set(observed(tmp_path, "duration")) == {4}


@pytest.mark.more
def test_a_quick_run_says_what_the_check_itself_takes(tmp_path):
    result = sectax("run", "hmac", "--quick", *SMALL, folder=tmp_path)

    assert result.status == 0, result.err
    assert len(observed(tmp_path, "whole_cpu")) == 6 * 3  # of the baseline too, or nothing could be compared
    assert len(observed(tmp_path, "check_cpu")) == 6
    first = next(finding for finding in shown(tmp_path)["findings"] if finding["standing"] == "primary")
    assert first["metric"] == "whole_cpu"
    assert first["effect"]["blocks"] == 6
    said_of_check = r"the check itself, in CPU time, takes [\d.,]+ to [\d.,]+ (µs|ms)"
    share = r", about [\d.,]+ % of the whole operation's CPU time\."
    assert re.search(said_of_check + share, " ".join(result.out.split()))
