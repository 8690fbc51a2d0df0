"""`sectax doctor`."""

from __future__ import annotations

import click

from sectax.cli.options import as_json
from sectax.cli.progress import TerminalProgress
from sectax.workflow.doctor import examine

_MARKS = {"good": "  ok ", "warning": "warn ", "missing": "miss "}


@click.command("doctor")
@as_json
def command(json_: bool) -> None:
    """Say what this machine can measure, and what disturbs it."""
    symptoms = examine(TerminalProgress().waiting)
    if json_:
        import msgspec

        click.echo(msgspec.json.encode({"schema": "sectax/doctor/1", "symptoms": symptoms}).decode())
        return
    widest = max(len(symptom.id) for symptom in symptoms)
    for symptom in symptoms:
        click.echo(f"{_MARKS[symptom.health]} {symptom.id:<{widest}}  {symptom.saw}")
        if symptom.mend:
            click.echo(f"      {'':<{widest}}  → {symptom.mend}")
