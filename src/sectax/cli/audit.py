"""`sectax audit RUN|published:ID|FILE`."""

from __future__ import annotations

from typing import Any

import click

from sectax.cli.audit_target import Columns, audit, formats
from sectax.cli.options import as_json, form, html, in_ascii, named_run
from sectax.cli.output import Form, print_result
from sectax.model.errors import ExitStatus

everything = click.option("--all", "show_all", is_flag=True, help="Name every figure of every warning.")


def _split(ctx: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


@click.command("audit")
@click.argument("target", metavar="RUN|published:ID|FILE|-", callback=named_run)
@click.option("--format", "format_", type=click.Choice(formats()), help="The format of FILE, if it is not recognised.")
@click.option(
    "--value", multiple=True, metavar="COLUMN", help="For a table: a column of values; repeat it for several arms."
)
@click.option("--unit", default="", help="For a table: their unit, such as ms, op/s or MiB/s.")
@click.option(
    "--by",
    default="",
    metavar="COLUMN,COLUMN",
    callback=_split,
    help="For a table: the columns of levels; columns of text by default.",
)
@click.option("--baseline", default="", metavar="LEVEL", help="For a FILE: the level without the control.")
@click.option(
    "--fail-on",
    type=click.Choice(["F", "W"]),
    help="For CI: exit with 1 if anything is marked F; with W, if anything is marked F or W.",
)
@click.option("--strict", is_flag=True, help="The same as --fail-on F.")
@form(everything, html, in_ascii, as_json)
def command(
    target: str,
    format_: str | None,
    fail_on: str | None,
    strict: bool,
    form: Form,
    **columns: Any,
) -> None:
    """Check a run, a published study or another tool's output for mistakes.

    FILE is the output of a benchmark tool, whole or pasted into a text, or a table (CSV, TSV, Markdown); - reads
    standard input. --format lists the tools; docs/audit.md describes what is read from each.

    Exit status: 0 the audit is done, whatever it found; 1 with --fail-on or --strict, something is marked F (with
    --fail-on W: F or W); 2 the target cannot be read.
    """
    audited = audit(target, format_, Columns(**columns))
    print_result(audited, form)
    if ((strict or fail_on) and audited.is_fatal) or (fail_on == "W" and audited.is_doubtful):
        raise click.exceptions.Exit(ExitStatus.GATE_MISSED)
