"""`sectax list`: experiments, factors and levels, probes, published studies."""

from __future__ import annotations

import click

from sectax.cli.options import as_json
from sectax.cli.output import say
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean


@click.command("list")
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@as_json
def command(names: tuple[str, ...], json_: bool) -> None:
    """List the experiments, their factors and levels, and the probes; or the experiments that are named."""
    from sectax.cli.listing import as_text, listing

    document = listing()
    known = [experiment["name"] for experiment in document["experiments"]]
    for name in names:
        if name not in known:
            studies = f"of published studies there are: {', '.join(document['studies'])}"
            is_study = name in ("published", *document["studies"])
            raise WrongUse(f"there is no experiment {name!r}", studies if is_study else did_you_mean(name, known))
    if names:
        document["experiments"] = [experiment for experiment in document["experiments"] if experiment["name"] in names]
    if json_:
        click.echo(as_text(document))
        return
    for experiment in document["experiments"]:
        say(f"{experiment['name']}: {experiment['title']}")
        for factor in experiment["factors"]:
            say(f"  {factor['name']}: {', '.join(factor['levels'])}")
        presets = " ".join(f"--{preset}" for preset in experiment["presets"] if preset != "default")
        click.echo(f"  presets: {presets}\n" if presets else "")
    if names:
        return
    click.echo("probes:")
    for probe in document["probes"]:
        hint = f" ({probe['hint']})" if probe["hint"] else ""
        say(f"  {probe['name']}: {probe['lack'] or 'ready'}{hint}")
    click.echo()
    say(f"published studies: {', '.join(document['studies'])}")
