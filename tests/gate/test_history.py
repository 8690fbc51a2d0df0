"""The history of costs: lines by comparison and machine, of a folder or of a branch."""

import json
import math
import shutil
from pathlib import Path
from random import Random

import msgspec
import pytest

from sectax.analysis.findings import judge
from sectax.cli.present import View, render
from sectax.gate import history as gate_history
from sectax.gate.history import _Compared, _Run
from sectax.model.finding import VerdictId
from sectax.model.history import History
from tests.analysis.runs import run_of
from tests.gate.repositories import commit, git
from tests.program import sectax
from tests.schemas import follows_its_schema


def run(
    number: int, cost: float, cpu: str = "EPYC", kernel: str = "6.1", verdict: str = "slower-material"
) -> tuple[str, _Run]:
    log = math.log(cost) + Random(number).gauss(0, 0.001)
    compared = _Compared("all/new:wall", "new", "wall", True, VerdictId(verdict), (log - 0.01, log, log + 0.01))
    environment = {"host.cpu_model": cpu, "host.kernel": kernel}
    name, started = f"{number}.sectax", f"2026-11-{number + 1:02}T00:00"
    return name, _Run((0, 0, number), "command", started, f"{number:040}", False, True, environment, (compared,))


def test_a_level_that_changed_is_named_with_what_else_changed_there() -> None:
    runs = [run(number, 1.2 if number < 10 else 1.4, kernel="6.1" if number < 10 else "6.2") for number in range(20)]

    (line,) = gate_history._lines(runs)
    (change,) = line.changes
    assert (change.run, change.commit, change.also) == ("10.sectax", f"{10:040}", ("host.kernel",))
    assert (change.before, change.after) == (pytest.approx(1.2, rel=0.01), pytest.approx(1.4, rel=0.01))


def test_runs_of_two_machines_are_two_lines() -> None:
    runs = [run(number, 1.2 if number % 2 else 2.0, cpu="EPYC" if number % 2 else "Xeon") for number in range(20)]

    lines = list(gate_history._lines(runs))
    assert [(line.machine, len(line.seen), line.changes) for line in lines] == [("Xeon", 10, ()), ("EPYC", 10, ())]


def test_a_withdrawn_comparison_has_no_ratio_and_no_level() -> None:
    verdicts = ["withdrawn" if number in (3, 7) else "slower-material" for number in range(14)]
    runs = [run(number, 9.0 if said == "withdrawn" else 1.2, verdict=said) for number, said in enumerate(verdicts)]

    (line,) = gate_history._lines(runs)
    assert [place for place, seen in enumerate(line.seen) if seen.cost_ratio is None] == [3, 7]
    assert line.changes == ()


def test_an_infinite_interval_has_no_figure_and_can_be_cached() -> None:
    """Values without any spread have no finite interval, and JSON has no infinity: it was read back as null."""
    effect = judge(run_of({"baseline": [1.0] * 8, "treatment": [1.1] * 8}))[0].effect
    compared = _Compared("all/new:wall", "new", "wall", True, VerdictId.INCONCLUSIVE, gate_history._logs(effect))

    assert effect.high == math.inf
    assert msgspec.json.decode(msgspec.json.encode(compared), type=_Compared) == compared


def test_a_page_has_no_markup_of_others() -> None:
    runs = [run(number, 1.2 if number < 10 else 1.4, cpu="<img src=x>") for number in range(20)]
    made = History("runs", 20, tuple(gate_history._lines(runs)), {"bad.sectax": "<b>damaged"}, "a method")

    page = render(made, "html")
    assert "&lt;img src=x&gt;" in page
    assert "<img src=x>" not in page
    assert "<b>damaged" not in page
    assert "10.sectax" not in render(made, "terminal", View())  # its commit is what people know
    assert f"{10:040}"[:12] in render(made, "terminal", View())


def test_too_few_runs_do_not_show_that_no_level_changed(agreed) -> None:
    few, enough = [run(number, 1.2, cpu="few") for number in range(9)], [run(number, 1.2) for number in range(10)]

    def said(runs: list[tuple[str, _Run]]) -> str:
        made = History("runs", len(runs), tuple(gate_history._lines(runs)), {}, "a method")
        return " ".join(render(made, "terminal", View()).partition("Changes")[2].split())

    agreed(said(few), said(enough), said(few + enough))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("runs")
    words = ("--baseline", "sleep 0.1", "--treatment", "new=sleep 0.12", "--blocks", "6", "--out", "a.sectax")
    sectax("run", "command", *words, folder=made, simulated=1)
    shutil.copy(made / "a.sectax", made / "b.sectax")
    (made / "c.sectax").write_text("no run")
    return made


def test_the_document_keeps_to_its_schema_and_a_branch_says_the_same(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "runs")
    git(tmp_path, "init", "-q", "-b", "main", ".")
    commit(tmp_path)

    of_folder = json.loads(sectax("history", "runs", "--json", folder=tmp_path).out)
    (tmp_path / "empty").mkdir()
    of_branch = json.loads(sectax("history", "main", "--json", folder=tmp_path / "empty").out)

    follows_its_schema(of_folder)
    assert [line["comparison"] for line in of_branch["lines"]] == [line["comparison"] for line in of_folder["lines"]]
    assert (of_folder["runs"], of_branch["runs"]) == (2, 2)
