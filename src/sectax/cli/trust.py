"""`sectax trust [FILE]`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli import config
from sectax.cli.options import FileName
from sectax.model.errors import WrongUse
from sectax.text.printable import printable


@click.command("trust")
@click.argument("file", metavar="[FILE]", required=False, type=FileName(path_type=Path))
def command(file: Path | None) -> None:
    """Allow a sectax.toml (by default the nearest one) to start programs, until its content changes.

    Read the file first: keys such as prepare, build or level name programs that sectax then runs.
    """
    found = config.ConfigFile(file, config.read_text(file)) if file is not None else config.find()
    if found is None:
        raise WrongUse("there is no sectax.toml in this folder or above", "name the file: sectax trust FILE")
    found.sections()
    found.trust()
    click.echo(f"trusted: {printable(str(found.path))}")
