"""The schemas that authors of probes read say what sectax checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from sectax.protocol.messages import schemas

FOLDER = Path(__file__).parents[2] / "probes" / "schemas"


def test_the_schemas_in_the_repository_are_those_of_the_messages() -> None:
    stored = {path.stem: json.loads(path.read_text()) for path in FOLDER.glob("*.json")}

    assert stored == schemas(), "run: python probes/schemas/generate.py"


@pytest.mark.parametrize("name", sorted(schemas()))
def test_every_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


@pytest.mark.parametrize("command", ["hello", "prepare", "witness", "measure", "stop"])
def test_every_command_may_be_refused(command: str) -> None:
    validator = Draft202012Validator(schemas()[f"{command}-reply"])

    validator.validate({"seq": 1, "status": "skipped", "reason": "no library", "hint": "install it"})
    validator.validate({"seq": 1, "status": "failed", "reason": "broken", "unknown": True})
    with pytest.raises(ValidationError):
        validator.validate({"seq": 1, "status": "failed"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"count": 1, "elapsed_ns": [-1]},
        {"count": 1, "elapsed_ns": [1.5]},
        {"count": 1, "elapsed_ns": 5},
        {"count": 1, "elapsed_ns": [5], "failures": -1},
    ],
)
def test_the_schema_knows_a_wrong_measurement(wrong: dict[str, Any]) -> None:
    validator = Draft202012Validator(schemas()["measure-reply"])

    assert not validator.is_valid({"seq": 1, "status": "ok"} | wrong)
