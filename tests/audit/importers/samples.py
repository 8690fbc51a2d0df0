"""The sample files, and how a test reads one."""

from __future__ import annotations

from pathlib import Path

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.registry import choose
from sectax.audit.importers.registry import read as read_text

FOLDER = Path(__file__).parent / "samples"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".md")


def read(text: str, format_: str | None = None, columns: Columns | None = None) -> Evidence:
    """As the workflow reads a text."""
    importer = choose(text[:65536], format_, columns or Columns(), lambda: text)
    return importer.read(text.split("\n")) if importer.streams else read_text(text, importer, alone=format_ is None)


def sample(name: str) -> str:
    return (FOLDER / name).read_text()


def figures(text: str, **options: object) -> dict[str, Figure]:
    return {figure.id: figure for figure in read(text, **options).figures}  # type: ignore[arg-type]
