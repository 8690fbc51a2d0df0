"""A run beside another run, or beside a published study."""

from __future__ import annotations

from pathlib import Path

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.model.errors import WrongUse
from sectax.workflow.analyse import analyse_file

PUBLISHED = "published:"


def compare(run_file: Path, target: str) -> PublishedComparison | RunComparison:
    """Set a run beside `published:ID` or beside another run file."""
    if str(run_file).startswith(PUBLISHED):
        first = target if not target.startswith(PUBLISHED) else "RUN"
        raise WrongUse(
            f"{run_file} stands where a run file must", f"the run comes first: sectax compare {first} {run_file}"
        )
    if target in published.ids() and not Path(target).exists():
        raise WrongUse(f"there is no file {target}", f"the study of this name is {PUBLISHED}{target}")
    if target.startswith(PUBLISHED):
        study = published.load(target.removeprefix(PUBLISHED))
        return compare_with_published(analyse_file(run_file), study)
    return compare_runs(analyse_file(run_file), analyse_file(Path(target)))
