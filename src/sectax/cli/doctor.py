"""`sectax doctor`: what this machine can measure, and what disturbs it."""

from __future__ import annotations

import click

from sectax.cli.options import as_json, print_json

_MARKS = {"good": "  ok ", "warning": "warn ", "missing": "miss "}


@click.command("doctor")
@as_json
def command(json_: bool) -> None:
    """Show what this machine can measure, and what disturbs measurements."""
    from sectax.cli.machine_checks import DoctorReport, run_checks
    from sectax.cli.progress import TerminalProgress

    symptoms = run_checks(TerminalProgress().waiting)
    if json_:
        print_json(DoctorReport(symptoms))
        return
    widest = max(len(symptom.id) for symptom in symptoms)
    for symptom in symptoms:
        click.echo(f"{_MARKS[symptom.health]} {symptom.id:<{widest}}  {symptom.saw}")
        if symptom.hint:
            click.echo(f"      {'':<{widest}}  → {symptom.hint}")
