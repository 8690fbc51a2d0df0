"""A page for every run of a folder, and an index of them."""

from __future__ import annotations

from pathlib import Path

from sectax.model.analysed import RunReport
from sectax.model.errors import SectaxError, WrongUse
from sectax.reports import html
from sectax.reports.index_layout import IndexedRun, runs_index
from sectax.workflow.analyse import analyse_file
from sectax.workflow.present import render

INDEX = "index.html"
_SUFFIX = ".sectax"


def write_pages(folder: Path) -> Path:
    """Write the pages beside the run files, and return the path of the index.

    A run that cannot be read stands in the index with its reason.

    Raises:
        WrongUse: there is no such folder, no run in it, or a file in the way that sectax did not write.
    """
    if not folder.is_dir():
        raise WrongUse(f"there is no folder {folder}", "name the folder that holds the run files")
    runs = sorted(each for each in folder.iterdir() if each.suffix == _SUFFIX and each.is_file())
    if not runs:
        raise WrongUse(f"there is no run file in {folder}", f"the names of run files end in {_SUFFIX}")
    index = folder / INDEX
    for each in (index, *(run.with_suffix(".html") for run in runs)):
        _refuse_foreign(each)
    # The newest first: that is the one that is looked for.
    lines = sorted(map(_page, runs), key=lambda line: (line.begun, line.name), reverse=True)
    _write(index, html.render(runs_index(folder.name or str(folder.resolve()), lines)))
    return index


def _page(run: Path) -> IndexedRun:
    try:
        analysed = analyse_file(run)
    except SectaxError as error:
        return IndexedRun(run.name, trouble=error.message)
    page = run.with_suffix(".html")
    _write(page, render(RunReport(analysed, run.name), "html"))
    return IndexedRun(run.name, page.name, analysed)


def _refuse_foreign(path: Path) -> None:
    if path.exists() and not html.is_ours(path.read_text(encoding="utf-8", errors="replace")):
        raise WrongUse(f"{path} is in the way, and sectax did not write it", "move it away")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"{path} cannot be written: {error.strerror}", "copy the runs to another folder") from error
