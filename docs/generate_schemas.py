"""Writes docs/schemas from the types of the JSON documents: `python docs/generate_schemas.py`."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from sectax.cli.machine_checks import DoctorReport
from sectax.cli.overview import Overview
from sectax.model.gate import Gate, Limits
from sectax.model.history import History
from sectax.reports.json import advice, audit, compared, report
from sectax.run.files import Runs

FOLDER = Path(__file__).parent / "schemas"

DOCUMENTS = (
    report.Report,
    compared.PublishedComparison,
    compared.RunComparison,
    audit.Audit,
    advice.Advice,
    report.DryRun,
    Overview,
    DoctorReport,
    Runs,
    Gate,
    History,
)
# What people write: they need not say which schema it is.
INPUTS = (Limits,)


def schemas() -> dict[str, dict[str, Any]]:
    """File name -> schema (JSON Schema, draft 2020-12)."""
    return dict(map(_schema, (*DOCUMENTS, *INPUTS)))


def _schema(document: type) -> tuple[str, dict[str, Any]]:
    (root,), definitions = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    for definition in definitions.values():
        if "description" in definition:
            definition["description"] = inspect.cleandoc(definition["description"])
        if "properties" in definition:
            # Every member is always there, and no other one.
            definition["required"] = list(definition["properties"])
            definition["additionalProperties"] = False
    body = definitions.pop(root["$ref"].rpartition("/")[2])
    (const,) = body["properties"].pop("schema")["enum"]
    _, name, version = const.split("/")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sectax:{name}:{version}",
        "title": f"sectax {name.replace('-', ' ')}, version {version}",
    }
    properties = {"schema": {"const": const}} | body["properties"]
    # A document alone may have a member that is left out.
    members = msgspec.structs.fields(document) if issubclass(document, msgspec.Struct) else ()
    optional = {member.encode_name for member in members if member.default is msgspec.UNSET}
    return f"{name}-{version}.json", head | {
        "description": body["description"],
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional][document in INPUTS :],
        "additionalProperties": False,
        "$defs": definitions,
    }


def text(schema: dict[str, Any]) -> str:
    """As it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, schema in schemas().items():
        (FOLDER / name).write_text(text(schema))
