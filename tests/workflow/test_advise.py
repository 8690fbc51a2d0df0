"""Advice from a run: the bill by hand, the limit, and what is said where there is none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sectax.analysis.analyse import analyse
from sectax.experiments.hmac.experiment import EXPERIMENT
from sectax.experiments.interface import Advises, Request
from sectax.model.measured import Measured
from sectax.model.plan import Stopping
from sectax.prices.price_list import load
from sectax.workflow.advise import advice, as_document, as_text
from tests.program import sectax

ON_AWS = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}
# Memory -> seconds without the check; with it a fifth more.
SECONDS = {"128": 0.0802, "1024": 0.0101}
TIMES = {"none": 1.0, "published": 1.2}
BLOCKS = tuple(range(1, 7))


def given(under_s: float | None = None, **levels: tuple[str, ...]):
    levels = {"payload": ("1MiB",), "memory": tuple(SECONDS), "authentication": ("none", "published")} | levels
    plan = EXPERIMENT.plan(Request("default", levels, Stopping(0.02), 1, ON_AWS))
    values = {
        each.id: dict.fromkeys(BLOCKS, SECONDS[each.levels["memory"]] * TIMES[each.levels["authentication"]])
        for each in plan.treatments
    }
    run = Measured(
        run_id="r", started="", state="finished", plan=plan, calibrated=None, blocks=BLOCKS,
        values={"duration": values, "mean_duration": values}, counts={}, visited={}, failures=(), witnesses={},
        batches={}, telemetry={},
        sessions=(),
    )  # fmt: skip
    assert isinstance(EXPERIMENT, Advises)
    return advice(analyse(run), EXPERIMENT.advice_rules(plan), load(), under_s)


def test_the_bill_is_requests_and_whole_milliseconds_of_memory() -> None:
    prices = load()
    (priced,) = (each for each in given().priced if each.memory_mb == 128 and each.treatment.endswith("/published"))

    per_gb_s = prices.items["lambda.x86_64"].price
    assert priced.billed_s == pytest.approx(0.097)  # 96.24 ms
    assert priced.bill.total == pytest.approx(0.20 + 1e6 * 0.097 * 128 / 1024 * per_gb_s)


@pytest.mark.parametrize(("under_s", "memory_mb"), [(0.2, 128), (0.05, 1024), (0.011, None)])
def test_the_smallest_memory_under_a_limit(under_s: float, memory_mb: int | None) -> None:
    (found,) = (each for each in given(under_s).smallest if each.levels["authentication"] == "published")

    assert found.memory_mb == memory_mb


def test_in_words() -> None:
    text = as_text(given(0.05), width=200)

    assert "memory 128 · published: the check 17 % (17 to 17) (16 ms); handing over and parsing the event" in text
    assert (
        "memory 1024 · published: 0.4167 USD with the check, 0.3833 USD without (billed 13 and 11 ms at 1024 MB)"
        in text
    )
    assert "published: 1024 MB keeps the median Duration under 50 ms" in text


def test_lines_fit_into_the_terminal() -> None:
    assert max(map(len, as_text(given(0.05), width=72).splitlines())) <= 72


def test_the_document_explains_every_null() -> None:
    document = json.loads(as_document(given()))

    assert document["schema"] == "sectax/advice/1"
    assert document["smallest"]["under_s"] is None
    assert document["smallest"]["missing"] == {"under_s": "not asked for"}
    assert [part["words"] for part in document["anatomies"][0]["parts"]][-1] == "the check"


def test_a_run_without_a_block_gives_no_advice() -> None:
    empty = replace(given(), anatomies=(), priced=())

    assert "Nothing was measured" in as_text(empty, width=80)


def test_an_experiment_without_advice_says_so(tmp_path) -> None:
    out = tmp_path / "r.sectax"
    commands = ("--baseline", "true", "--treatment", "again=true")
    sectax("run", "command", *commands, "--max-blocks", "6", "--budget", "20s", "--out", str(out))

    done = sectax("advise", str(out))

    assert done.status == 2
    assert "no advice" in done.err


def test_a_limit_that_is_no_time_is_refused(tmp_path) -> None:
    done = sectax("advise", str(tmp_path / "r.sectax"), "--under", "ten")

    assert done.status == 2
    assert "--under" in done.err
