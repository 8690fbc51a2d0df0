"""The schemas in docs, by the name that a document gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def follows_its_schema(document: dict[str, Any]) -> None:
    """`sectax/report/2` is described in report-2.json. Raises ValidationError."""
    name = document["schema"].removeprefix("sectax/").replace("/", "-")
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    assert schema["properties"]["schema"]["const"] == document["schema"]
    Draft202012Validator(schema).validate(document)
