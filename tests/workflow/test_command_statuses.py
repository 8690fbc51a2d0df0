"""Exit statuses of runs of commands, and what a shell adds."""

from __future__ import annotations

import json

import pytest

from tests.program import sectax
from tests.workflow.sessions import verdicts

RUN = ("run", "command", "--blocks", "6", "--seed", "1", "--out", "r.sectax")


def primary(said) -> set[str]:
    return set(verdicts(json.loads(said.out), "primary").values())


@pytest.mark.more
def test_a_run_without_an_answer_is_done_all_the_same(tmp_path):
    result = sectax(*RUN, "--baseline", "true", "--treatment", "b=true", "--json", folder=tmp_path, simulated=1)

    assert primary(result) == {"inconclusive"}
    assert result.status == 0


@pytest.mark.more
def test_the_start_of_the_shell_is_shown_and_not_subtracted(tmp_path):
    words = ("--baseline", "true | true", "--treatment", "b=true; true")

    result = sectax(*RUN, "--shell", *words, folder=tmp_path, simulated=1)

    assert result.status == 0, result.err
    assert "of each operation, starting the shell takes (not subtracted): baseline" in result.out


def test_where_nothing_can_be_compared_no_length_and_no_advice_is_promised(tmp_path):
    result = sectax(*RUN, "--baseline", "false", "--treatment", "b=true", folder=tmp_path, simulated=None)

    assert result.status == 3
    assert "a block takes" not in result.err
    assert "all/" not in result.err
    assert "sectax advise" not in result.out
    assert "sectax show r.sectax --all" in result.out


@pytest.mark.more  # real executions: 20 s
def test_unequal_exit_statuses_lead_to_a_command_that_works(tmp_path):
    words = ("-i", "--baseline", "true", "--treatment", "b=false", "--json")
    result = sectax(*RUN, *words, folder=tmp_path, simulated=None)
    again = (*RUN[:-1], "again.sectax", "--shell", "--baseline", "true; true", "--treatment", "b=false; true", "--json")

    assert primary(result) == {"withdrawn"}
    assert "block 2" not in result.err
    warnings = json.loads(result.out)["warnings"]
    (advice,) = {warning["advice"] for warning in warnings if warning["check"] == "unequal-work"}
    assert "--shell 'CMD; true'" in advice
    assert "withdrawn" not in primary(sectax(*again, folder=tmp_path, simulated=None))
