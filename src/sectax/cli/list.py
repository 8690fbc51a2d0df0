"""`sectax list`."""

from __future__ import annotations

import click

from sectax.cli.options import as_json
from sectax.workflow.overview import overview


@click.command("list")
@as_json
def command(json_: bool) -> None:
    """List the experiments, their factors and levels, and the probes."""
    found = overview()
    if json_:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
        return
    for experiment in found.experiments:
        click.echo(f"{experiment.name}: {experiment.title}")
        for factor in experiment.factors:
            click.echo(f"  {factor.name}: {', '.join(factor.levels)}")
        presets = " ".join(f"--{preset}" for preset in experiment.presets if preset != "default")
        click.echo(f"  presets: {presets}\n" if presets else "")
    click.echo("probes:")
    for probe in found.probes:
        click.echo(f"  {probe.name}: " + (probe.lack or "ready") + (f" ({probe.mend})" if probe.mend else ""))
    click.echo(f"\npublished studies: {', '.join(found.studies)}")
