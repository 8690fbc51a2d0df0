"""`sectax runs` lists run files, and `last` names the one that was written last."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.model.finding import VerdictId
from sectax.model.treatment import Standing
from sectax.run.files import _answer
from tests.program import sectax
from tests.reports import situations

SLOWER = ("--baseline", "sleep 0.01", "--treatment", "b=sleep 0.03", "--blocks", "6")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("runs")
    (made / "broken.sectax").write_text("nothing of this kind")
    scan = ("-L", "n=1,2", "--prepare", "echo {n}")
    for place, (name, words) in enumerate({"old": scan, "new": ()}.items()):
        result = sectax("run", "command", *SLOWER, *words, "--out", f"{name}.sectax", folder=made, simulated=1)
        assert result.status == 0, result.err
        os.utime(made / f"{name}.sectax", (2e9 + place, 2e9 + place))
    os.utime(made / "broken.sectax", (1e9, 1e9))
    (made / "empty").mkdir()
    return made


def test_runs_are_listed_with_what_they_say_the_last_one_last(folder):
    result = sectax("runs", folder=folder)

    lines = result.out.splitlines()
    assert result.status == 0
    assert [line for line in lines if not line.startswith(" ")] == ["broken.sectax", "old.sectax", "new.sectax"]
    assert "broken.sectax" in lines[1]


@pytest.mark.parametrize(
    "words",
    ["show last", "report last", "audit last", "resume last", "compare old.sectax last", "compare last old.sectax"],
)
def test_last_is_the_one_that_was_written_last(folder, words):
    last = sectax(*words.split(), folder=folder)

    named = sectax(*words.replace("last", "new.sectax").split(), folder=folder)
    assert last.status == named.status == 0, last.err
    assert last.out == named.out


def test_a_withdrawn_comparison_is_not_counted_as_decided():
    analysed = situations.every_kind_of_verdict()
    found = next(finding for finding in analysed.findings if finding.comparison.standing is Standing.PRIMARY)
    withdrawn = replace(found, verdict=VerdictId.WITHDRAWN, withheld=found.verdict)

    assert _answer(replace(analysed, findings=(withdrawn, withdrawn))) == "0 of 2 decided, 2 withdrawn"
