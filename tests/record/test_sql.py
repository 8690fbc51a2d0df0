"""SQL access to the run file, and the examples of docs/run-file.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.model.subject import Observation
from sectax.model.treatment import Factor
from sectax.model.trial import Dropped, Opened, State, Trial
from sectax.record.schema import APPLICATION_ID, FORMAT
from sectax.record.writer import RunWriter
from tests.needs import needs
from tests.record.runs import ENVIRONMENT, calibrated, events, plan, planned_block, record_block, rows, write

Ask = Callable[[str], list[tuple]]
PAGE = (Path(__file__).parents[2] / "docs" / "run-file.md").read_text()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A finished run: a pilot, two finished blocks, an abandoned one, one in which a treatment failed."""
    path = tmp_path_factory.mktemp("sql") / "run.sectax"
    with RunWriter.create(path, plan(), ENVIRONMENT, "00000000000000a1", "0.1.0") as writer:
        writer.event(0, Opened("sign/RS256", {}, (Observation("first", 9.0, "s", "hrtime", 1),), 0.1))
        writer.event(0, Dropped("php: empty", State.FAILED, "pilot", "no such operation"))
        writer.calibrate(calibrated(plan()))
        record_block(writer)
        write(writer, planned_block(plan(), 2))
        writer.abandon_block(2)
        record_block(writer)
        last = planned_block(plan(), 4)
        write(writer, last, [event for event in events(last) if event.treatment != "verify/EdDSA"])
        observation = Observation("batch_time", 1.0, "s", "hrtime", 33)
        writer.event(4, Trial("verify/EdDSA", 1, 0, State.OK, (observation,)))
        writer.event(4, Dropped("verify/EdDSA", State.FAILED, "visit", "it hangs", "sectax doctor"))
        writer.finish_block(4, 2.0)
        writer.finish("finished")
        return path, writer.measured()


@pytest.fixture
def ask(recorded) -> Ask:
    return lambda sql: rows(recorded[0], sql)


def columns(ask: Ask, table: str) -> list[str]:
    return [name for (_, name, *_) in ask(f"PRAGMA table_info({table})")]


def test_the_file_says_what_it_is(ask):
    assert ask("PRAGMA application_id") == [(APPLICATION_ID,)]
    assert ask("PRAGMA user_version") == [(FORMAT,)]
    assert ask("PRAGMA journal_mode") == [("delete",)]
    assert ask("PRAGMA integrity_check") == [("ok",)]
    assert ask("PRAGMA foreign_key_check") == []


def test_the_observations_are_those_that_count(ask, recorded):
    _, measured = recorded
    sums = ask(
        "SELECT block, treatment, SUM(count) / SUM(value) FROM observations WHERE metric = 'batch_time' GROUP BY 1, 2"
    )

    rates = measured.values["throughput"]
    counted = {(block, treatment, rate) for treatment, blocks in rates.items() for block, rate in blocks.items()}
    assert set(sums) == counted
    assert {block for block, *_ in sums} == {1, 3, 4}
    assert (4, "verify/EdDSA") not in {(block, treatment) for block, treatment, _ in sums}


def test_every_factor_is_a_column(ask):
    assert columns(ask, "observations") == [
        *("block", "session", "cell", "treatment", "role", "operation", "algorithm"),
        *("round", "position", "metric", "value", "unit", "clock", "count"),
    ]
    assert ask("SELECT DISTINCT operation, algorithm, role FROM observations WHERE treatment = 'sign/RS256'") == [
        ("sign", "RS256", "baseline")
    ]


def test_the_totals_of_a_block_are_a_view(ask, recorded):
    _, measured = recorded
    rows = ask("SELECT block, treatment, operations, total, largest FROM block_totals WHERE metric = 'memory'")

    assert len(rows) == sum(map(len, measured.values["memory"].values())) > 0
    for block, treatment, operations, total, largest in rows:
        assert operations == 4
        assert total >= largest == measured.values["memory"][treatment][block]


def test_telemetry_is_in_the_trials_view(ask, recorded):
    _, measured = recorded

    assert columns(ask, "trials")[-3:] == ["state", "steal_s", "run_delay_s"]
    for treatment, delay in ask("SELECT treatment, SUM(run_delay_s) FROM trials GROUP BY treatment"):
        assert delay == measured.telemetry[treatment]["run_delay_s"]


def test_failures_name_their_reason(ask):
    assert ask("SELECT block, treatment, stage, state, reason, hint FROM failures") == [
        (0, "php: empty", "pilot", "failed", "no such operation", ""),
        (4, "verify/EdDSA", "visit", "failed", "it hangs", "sectax doctor"),
    ]


def test_witnesses_are_rows(ask):
    assert ask("SELECT DISTINCT stage, witness, value FROM witnesses WHERE treatment = 'sign/ES256'") == [
        ("opened", "key_bits", 2048),
        ("opened", "implementation", "openssl"),
        ("closed", "alg", "ES256"),
    ]


def test_plan_is_in_plain_tables(ask):
    assert ask("SELECT name FROM factor ORDER BY position") == [("operation",), ("algorithm",)]
    assert ask("SELECT name FROM level WHERE factor = 'operation'") == [("sign",), ("verify",)]
    assert ask("SELECT baseline, family FROM cell WHERE id = 'verify'") == [("verify/RS256", "php")]
    assert ask("SELECT unit, better, summary FROM metric WHERE name = 'throughput'") == [
        ("operations/s", "higher", "rate")
    ]
    assert ask("SELECT COUNT(*), SUM(alpha) FROM comparison WHERE standing = 'primary'") == [(4, 0.05)]
    assert ask("SELECT treatment, hint FROM skipped") == [("sign/Ed448", "apt install openssl")]
    assert ask("SELECT count, rounds FROM calibration WHERE treatment = 'sign/RS256'") == [(33, 4)]
    assert ask("SELECT seed, margin, state FROM run") == [(str(2**64 - 1), 0.02, "finished")]
    ((levels,),) = ask("SELECT levels FROM treatments WHERE treatment = 'sign/EdDSA'")
    assert json.loads(levels) == {"operation": "sign", "algorithm": "EdDSA"}


def test_block_order_is_recorded(ask):
    assert ask(
        "SELECT t.id, s.cell_order, s.opening, s.warmup_batches, s.warmup_count, s.visits, s.state"
        " FROM subject s JOIN treatment t ON t.number = s.treatment WHERE block = 4 ORDER BY cell_order, opening"
    )[3:] == [
        ("verify/RS256", 1, 0, 2, 33, 4, "closed"),
        ("verify/ES256", 1, 1, 2, 33, 4, "closed"),
        ("verify/EdDSA", 1, 2, 2, 33, 4, "failed"),
    ]


def test_factors_with_awkward_names_have_columns_all_the_same(tmp_path):
    awkward = ("value", "Rows of 'x'", "algorithm", "ALGORITHM", "")
    odd = replace(
        plan(),
        factors=tuple(Factor(name, ("1",)) for name in awkward),
        treatments=tuple(replace(t, levels={name: f"<{name}>" for name in awkward}) for t in plan().treatments),
    )
    with RunWriter.create(tmp_path / "run.sectax", odd, ENVIRONMENT, "00000000000000a1") as writer:
        record_block(writer)

    def ask(sql: str) -> list[tuple]:
        return rows(tmp_path / "run.sectax", sql)

    names = ["factor_1", "factor_2", "algorithm", "factor_4", "factor_5"]
    assert columns(ask, "treatments")[3:8] == names
    for view in ("treatments", "observations", "trials", "block_totals"):
        assert ask(f"SELECT {', '.join(names)} FROM {view} LIMIT 1") == [tuple(f"<{name}>" for name in awkward)]  # noqa: S608


def test_the_page_names_every_table_view_and_column(ask):
    for name, kind in ask("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"):
        assert f"`{name}`" in PAGE, f"docs/run-file.md does not mention {kind} {name}"
    for view in ("observations", "block_totals", "trials", "treatments", "failures", "witnesses"):
        (documented,) = re.findall(rf"^\| `{view}` \|.*\| (.*) \|$", PAGE, re.MULTILINE)
        promised = re.findall(r"\w+", documented.replace("*factors*", "operation, algorithm").partition("then the")[0])
        assert columns(ask, view)[: len(promised)] == promised


def examples(language) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("program", "example"),
    [pytest.param(("bash", "-e"), example, marks=needs("sqlite3")) for example in examples("sh")]
    + [((sys.executable,), example) for example in examples("python")],
)
def test_the_examples_run(recorded, program, example):
    folder = recorded[0].parent
    answer = subprocess.run([*program, "-c", example], cwd=folder, capture_output=True, text=True, check=True)

    assert answer.stderr == ""
    assert answer.stdout
