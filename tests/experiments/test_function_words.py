"""What `sectax run function` accepts, plans and refuses, before anything is deployed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sectax.experiments import registry
from sectax.experiments.function.options import read_environment
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.errors import WrongUse
from tests.machines import planned, request_for
from tests.program import sectax

ROLE = "arn:aws:iam::123456789012:role/lambda"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lambda_function.py").write_text("def lambda_handler(event, context):\n    return 1\n")
    (tmp_path / "event.json").write_text('{"x": 1}')
    (tmp_path / "env").write_text("# a comment\nTOKEN=a=b\n\nEMPTY=\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# On AWS, so that the plan is the same on a machine without sandboxes.
def plan(levels: dict[str, tuple[str, ...]] | None = None, **more: tuple[str, ...]):
    options = {"baseline": ("a",), "treatment": ("more=b",), "endpoint": ("aws",), "role": (ROLE,)} | more
    return planned(registry.load("function"), request_for("default", levels or {}, options), os.getcwd())


def specs(made) -> dict[str, FunctionSpec]:
    bench = registry.load("function").bench(made)
    return bench.specs(bench.inputs(), None)  # type: ignore[return-value]


def test_the_environment_is_an_input_and_no_part_of_the_plan(folder):
    made = plan(**{"env-file": ("env",)})

    assert registry.load("function").bench(made).inputs() == {"TOKEN": "a=b", "EMPTY": ""}
    assert "a=b" not in repr(made)


def test_a_bad_line_of_the_environment_is_reported_by_its_number_alone(folder):
    (folder / "env").write_text("A=1\nsecret\n")

    with pytest.raises(WrongUse, match="line 2") as caught:
        read_environment(str(folder / "env"))
    assert "secret" not in caught.value.message + caught.value.hint


def test_other_code_is_another_identity(folder):
    experiment = registry.load("function")
    made = plan(event=("event.json",))
    before = experiment.bench(made).identity()
    (folder / "b" / "lambda_function.py").write_text("def lambda_handler(event, context):\n    return 2\n")
    after = experiment.bench(made).identity()

    assert {name for name in before if before[name] != after[name]} == {"function.more"}


def test_a_dry_run_prints_plan_and_bill_without_contacting_a_service(folder):
    words = ("run", "function", "--baseline", "a", "--treatment", "more=b", "--level", "memory=1024")
    # Whoever asked a name server or AWS would fail: there is no network in such a place.
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_EC2_METADATA_DISABLED": "true"}
    aws = ("--endpoint", "aws", "--role", ROLE, "--dry-run")
    result = sectax(*words, *aws, folder=folder, **nowhere)
    document = json.loads(sectax(*words, *aws, "--json", folder=folder, **nowhere).out)

    assert result.status == 0
    requests, time = document["bill"]["charges"]
    assert time["amount"] == pytest.approx(requests["amount"] * 0.01)  # 10 ms at 1 GB
    assert document["bill"]["total"] == pytest.approx(requests["cost"] + time["cost"])
    assert not list(folder.glob("*.sectax"))
