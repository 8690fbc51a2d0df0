"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sectax.model.errors import WrongUse

if TYPE_CHECKING:
    from sectax.cli.progress import TerminalProgress

as_json = click.option("--json", "json_", is_flag=True, help="One JSON document on stdout.")
everything = click.option("--all", "show_all", is_flag=True, help="Secondary comparisons too.")
run_file = click.argument("run_file", metavar="RUN", type=click.Path())
quiet = click.option("--quiet", is_flag=True, help="Say nothing while it runs.")
verbose = click.option("--verbose", is_flag=True, help="Say what the pilot found, and a line after every block.")


def progress(quiet: bool, verbose: bool) -> TerminalProgress:
    """Who watches a run. Raises `WrongUse` where both are asked for."""
    from sectax.cli.progress import Loudness, TerminalProgress  # `list` and `show` have nobody to keep informed

    if quiet and verbose:
        raise WrongUse("--quiet and --verbose are opposites", "leave one of them out")
    return TerminalProgress(Loudness.QUIET if quiet else Loudness.VERBOSE if verbose else Loudness.USUAL)
