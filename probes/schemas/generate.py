"""Writes the schemas in this folder anew from `sectax.protocol.messages`: `python probes/schemas/generate.py`."""

from __future__ import annotations

import json
from pathlib import Path

from sectax.protocol.messages import schemas


def text(schema: dict[str, object]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    folder = Path(__file__).parent
    for old in folder.glob("*.json"):
        old.unlink()
    for name, schema in schemas().items():
        (folder / f"{name}.json").write_text(text(schema))
