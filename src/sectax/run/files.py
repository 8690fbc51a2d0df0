"""The run files of a folder, with their answers."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sectax.model.analysed import Analysed
from sectax.model.errors import SectaxError, WrongUse
from sectax.model.finding import FASTER, SLOWER, VerdictId, is_answered
from sectax.model.treatment import Standing

SUFFIX = ".sectax"
LAST = "last"


@dataclass(frozen=True)
class RunLine:
    """One run file.

    Attributes:
        name: the file's name. started: in UTC, as in the file.
        answer: the answer of its primary comparisons, in a few words.
        unreadable: why it cannot be read; everything but the name is empty then.
    """

    name: str
    experiment: str = ""
    started: str = ""
    state: str = ""
    answer: str = ""
    unreadable: str = ""


@dataclass(frozen=True)
class Runs:
    """The document of `sectax runs`."""

    folder: str
    runs: tuple[RunLine, ...]
    schema: Literal["sectax/runs/1"] = "sectax/runs/1"


def run_files(folder: Path) -> list[Path]:
    """The run files of a folder, the most recently written last.

    Raises:
        WrongUse: the folder cannot be read.
    """
    try:
        files = [path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file()]
        return sorted(files, key=lambda path: (_written(path), path.name))
    except NotADirectoryError as error:
        raise WrongUse(f"{folder} is not a folder", f"sectax show {folder} prints a run") from error
    except OSError as error:
        raise WrongUse(f"the folder {folder} cannot be read: {error.strerror}") from error


def named(text: str) -> str:
    """The name of a run file; `last` is the most recently written one of this folder.

    Raises:
        WrongUse: there is none.
    """
    if text != LAST or Path(LAST).exists():
        return text
    files = run_files(usual_folder())
    if not files:
        raise WrongUse(
            "there is no run file (*.sectax) in this folder, nor in runs/",
            "change to a folder that has one, or name it",
        )
    return str(files[-1])


def usual_folder() -> Path:
    """This folder; or runs/ in it, if only that has run files, as after the demo."""
    current, subfolder = Path(), Path("runs")
    return subfolder if not run_files(current) and subfolder.is_dir() and run_files(subfolder) else current


def runs(folder: Path) -> Runs:
    return Runs(str(folder), tuple(map(_line, run_files(folder))))


def _line(path: Path) -> RunLine:
    from sectax.run.analyse import analyse_file

    try:
        analysed = analyse_file(path)
    except SectaxError as error:
        return RunLine(path.name, unreadable=error.message)
    measured = analysed.measured
    return RunLine(path.name, measured.plan.experiment, measured.started, measured.state, _answer(analysed))


def _answer(analysed: Analysed) -> str:
    """'rg is 12 to 14 % faster than baseline.', or how many are decided."""
    from sectax.analysis.conditions import concerns
    from sectax.reports.words.summaries import answer_sentence

    plan = analysed.measured.plan
    limits = [condition for condition in plan.stopping.conditions if condition.is_share]
    primary = [
        finding
        for finding in analysed.findings
        if (
            # A run with limits is asked about their metrics.
            any(concerns(limit, finding.comparison, plan) for limit in limits)
            if limits
            else finding.comparison.standing is Standing.PRIMARY
        )
    ]
    if len(primary) == 1 and analysed.measured.state == "finished":
        return answer_sentence(analysed, primary[0])
    verdicts = [finding.verdict for finding in primary]
    until = plan.stopping.until
    parts = [f"{sum(is_answered(finding, until) for finding in primary)} of {len(primary)} decided"]
    for word, which in (
        ("slower", SLOWER),
        ("faster", FASTER),
        ("withdrawn", {VerdictId.WITHDRAWN}),
        ("not measured", {VerdictId.NOT_MEASURED}),
    ):
        if number := sum(verdict in which for verdict in verdicts):
            parts.append(f"{number} {word}")
    return ", ".join(parts)


def _written(path: Path) -> int:
    """Modification time of a run file or its write-ahead log, whichever is later."""
    times = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            times.append(file.stat().st_mtime_ns)
    return max(times, default=0)
