"""`sectax report RUN --format …`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli import picture
from sectax.cli.options import FileName, named_run
from sectax.cli.output import refuse_existing, write_document
from sectax.cli.present import FORMATS, TABLES, View, render
from sectax.model.analysed import RunReport
from sectax.model.errors import WrongUse
from sectax.run.analyse import analyse_file
from sectax.run.conditions import concluded

# By the end of the file's name; a PNG is made of the SVG.
_FORMATS_OF = {
    "": "markdown",
    ".md": "markdown",
    ".txt": "markdown",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".json": "json",
    ".svg": "svg",
    ".png": "svg",
}


# What people call a format; the names that --help lists are the others.
_ALSO_CALLED = {"md": "markdown", "htm": "html"}


class _Format(click.Choice[str]):
    """One of the formats, also by the end of its files' names."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The format. Raises `WrongUse` or `BadParameter` for other words."""
        if value == "png":
            raise WrongUse("a PNG is written to a file", "--out FILE.png, without --format")
        if value == "pdf":
            raise WrongUse("a report is not written as a PDF", "--format html; a browser prints the page as PDF")
        return super().convert(_ALSO_CALLED.get(value, value), param, ctx)


@click.command("report", context_settings={"obj": {"--all": "a page has all: --out FILE.html; sectax show RUN --all"}})
@click.argument("run_file", metavar="RUN", type=FileName(), callback=named_run)
@click.option(
    "--format", "format_", type=_Format(FORMATS), help="How to write it.  [default: as --out ends, or markdown]"
)
@click.option("--table", type=click.Choice(TABLES), help="For CSV: which table.  [default: findings]")
@click.option("--out", type=FileName(), metavar="FILE", help="The file to write.  [default: stdout]")
def command(run_file: str, format_: str | None, table: str | None, out: str | None) -> None:
    """Write the results of a run, from its file alone.

    --format html writes one page with pictures that needs no network: open it in a browser, send it, print it.
    --format svg writes the picture of the answer alone. Without --format the end of --out's name decides, .png too.
    """
    format_ = format_ or (_file_format(out) if out is not None else "markdown")
    if table is not None and format_ != "csv":
        raise WrongUse(f"--table is for CSV, and --format is {format_}", "leave it out, or --format csv")
    if out is not None:
        refuse_existing(out, "--out")
    analysed = analyse_file(Path(run_file))
    result = RunReport(analysed, run_file, conditions=concluded(analysed, analysed.measured.plan.stopping.conditions))
    text = render(result, format_, View(table=table or "findings"))
    if out is None:
        # A document: UTF-8 here as in a file, whatever the locale says.
        click.echo(text.encode(), nl=False)
        return
    write_document(picture.content(text, out) if format_ == "svg" else text, out, "--out")
    click.echo(out)


def _file_format(out: str) -> str:
    """What a file of this name is to hold. Raises `WrongUse` where nobody can say."""
    suffix = Path(out).suffix.lower()
    if suffix not in _FORMATS_OF:
        suffixes = ", ".join(filter(None, _FORMATS_OF))
        raise WrongUse(
            f"a report is not written as {suffix or out}",
            f"add --format, or let its name end in {suffixes}; a browser prints .html as PDF",
        )
    if suffix == ".png":
        picture.refuse_unconvertible(out)
    return _FORMATS_OF[suffix]
