"""Exit statuses of runs of commands, and what a shell adds."""

from __future__ import annotations

import json

import pytest

from tests.program import sectax
from tests.run.sessions import verdicts

RUN = ("run", "command", "--blocks", "6", "--seed", "1", "--out", "r.sectax")


def primary(said) -> set[str]:
    return set(verdicts(json.loads(said.out), "primary").values())


@pytest.mark.more
def test_a_run_without_an_answer_is_done_all_the_same(tmp_path):
    result = sectax(*RUN, "--baseline", "true", "--treatment", "b=true", "--json", folder=tmp_path, simulated=1)

    assert primary(result) == {"inconclusive"}
    assert result.status == 0


def test_where_nothing_can_be_compared_no_length_and_no_advice_is_promised(tmp_path):
    result = sectax(*RUN, "--baseline", "false", "--treatment", "b=true", folder=tmp_path, simulated=None)

    assert result.status == 3
    assert not {"block", "all/"} & set(result.err.split())
    assert "sectax advise" not in result.out
    assert "sectax show r.sectax --all" in result.out
