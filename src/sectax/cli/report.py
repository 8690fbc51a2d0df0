"""`sectax report RUN --format …`, and `sectax report --all FOLDER`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import named_run
from sectax.cli.output import write_document
from sectax.model.analysed import RunReport
from sectax.model.errors import WrongUse
from sectax.workflow.analyse import analyse_file
from sectax.workflow.present import FORMATS, TABLES, View, render, write_pages


@click.command("report")
@click.argument("run_file", metavar="RUN", type=click.Path(), required=False, callback=named_run)
@click.option("--format", "format_", type=click.Choice(FORMATS), help="How to write it.  [default: markdown]")
@click.option("--table", type=click.Choice(TABLES), help="With --format csv: which table.  [default: findings]")
@click.option("--out", type=click.Path(), metavar="FILE", help="The file to write.  [default: stdout]")
@click.option(
    "--all", "folder", type=click.Path(), metavar="FOLDER", help="Write a page for every run in a folder, and an index."
)
def command(run_file: str | None, format_: str | None, table: str | None, out: str | None, folder: str | None) -> None:
    """Write the results of a run, from its file alone.

    --format html writes one page with pictures that needs no network: open it in a browser, send it, print it.
    --format svg writes the picture of the answer alone.

    --all FOLDER writes such a page beside every run file of a folder, and index.html, which links to them. Pages that
    sectax wrote there before are written again.
    """
    if folder is not None:
        if run_file is not None or format_ not in {None, "html"} or table is not None or out is not None:
            raise WrongUse("--all writes the pages of a whole folder", "leave RUN, --format, --table and --out out")
        click.echo(write_pages(Path(folder)))
        return
    if run_file is None:
        raise click.MissingParameter(param_type="argument", param_hint="'RUN'")
    if table is not None and format_ != "csv":
        raise WrongUse(f"--table is for CSV, and --format is {format_ or 'markdown'}", "leave it out, or --format csv")
    result = RunReport(analyse_file(Path(run_file)), run_file)
    text = render(result, format_ or "markdown", View(table=table or "findings"))
    if out is None:
        # A document: UTF-8 here as in a file, whatever the locale says.
        click.echo(text.encode(), nl=False)
        return
    write_document(text, out, "--out")
    click.echo(out)
