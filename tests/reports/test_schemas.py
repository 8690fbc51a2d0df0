"""The schemas in docs match the types of the documents."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

DOCS = Path(__file__).parents[2] / "docs"

_spec = importlib.util.spec_from_file_location("generate_schemas", DOCS / "generate_schemas.py")
assert _spec is not None
assert _spec.loader is not None
generate_schemas = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate_schemas)
SCHEMAS = generate_schemas.schemas()


def test_stored_schemas_are_up_to_date() -> None:
    stored = {path.name: path.read_text() for path in (DOCS / "schemas").iterdir()}

    assert stored == {name: generate_schemas.text(schema) for name, schema in SCHEMAS.items()}, (
        "run: python docs/generate_schemas.py"
    )


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_a_schema_that_the_page_names(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])

    assert f"](schemas/{name})" in (DOCS / "json.md").read_text()


# Only a run on several hosts has it.
LEFT_OUT = {"report-2.json": {"hosts"}}


@pytest.mark.parametrize("name", SCHEMAS)
def test_members_are_required_and_no_others_allowed(name: str) -> None:
    closed = [SCHEMAS[name], *(item for item in SCHEMAS[name]["$defs"].values() if "properties" in item)]

    for item in closed:
        written_by_people = item is SCHEMAS[name] and any(
            path.__name__.lower() in name for path in generate_schemas.INPUTS
        )
        optional = LEFT_OUT.get(name, set()) if item is SCHEMAS[name] else set()
        always = [member for member in item["properties"] if member not in optional]
        assert item["required"] == always[written_by_people:]
        assert item["additionalProperties"] is False
        assert item["description"]


def test_a_document_with_a_member_too_many_is_refused() -> None:
    validator = Draft202012Validator(SCHEMAS["dry-run-1.json"])
    document = {"schema": "sectax/dry-run/1", "plan": ["a"], "bill": None, "assumes": ""}

    assert validator.is_valid(document)
    assert not validator.is_valid(document | {"more": 1})
    assert not validator.is_valid({name: document[name] for name in ("schema", "plan", "bill")})
    assert not validator.is_valid(json.loads(json.dumps(document).replace("dry-run/1", "dry-run/2")))
