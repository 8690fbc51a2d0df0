"""Options that several commands share."""

from __future__ import annotations

import click

as_json = click.option("--json", "json_", is_flag=True, help="One JSON document on stdout.")
everything = click.option("--all", "show_all", is_flag=True, help="Secondary comparisons too.")
run_file = click.argument("run_file", metavar="RUN", type=click.Path())
