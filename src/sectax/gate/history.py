"""The history of each cost over many run files; each machine by itself."""

from __future__ import annotations

import contextlib
import hashlib
import math
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean

import msgspec

from sectax.model.environment import CHANGED, REVISION
from sectax.model.errors import SectaxError, WrongUse
from sectax.model.finding import NO_CLAIM, Effect, Finding, VerdictId
from sectax.model.history import CostChange, CostPoint, History, HistoryLine
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import CONTROLS, Role, Standing
from sectax.parts.cache_entry import CacheEntry
from sectax.run.files import SUFFIX, run_files

# Facts that identify a machine; kernel and software may change on it, and are reported with a change.
_MACHINE = ("host.cpu_model", "host.cpus", "host.machine", "host.cpu_quota", "host.virtualisation")
_CHUNK = 16
_CACHED = "metrics of limits, and counts"  # what cached runs have; change it with `_Run`
_MOST_BYTES = 4 << 30  # of all run files of a branch
_LONGEST_NAME = 250
_FOUND_BY = (
    "optimal partitioning (as PELT); at most 3 in 100 series without a change are reported to have one if runs are "
    "independent, more if costs drift"
)


class _Compared(msgspec.Struct, frozen=True):
    """One comparison of a run file."""

    id: str
    words: str
    metric: str
    primary: bool
    verdict: VerdictId
    logs: tuple[float, float, float] | None  # low, mean, high; None without a finite interval


class _Run(msgspec.Struct, frozen=True):
    """The facts of a run file that a history needs; `state` detects a changed file."""

    state: tuple[int, int, int]
    experiment: str = ""
    started: str = ""
    commit: str = ""
    changed: bool = False
    finished: bool = False
    environment: dict[str, str] = {}
    compared: tuple[_Compared, ...] = ()
    unreadable: str = ""
    planted: bool = False  # with a cost added on purpose, as by a self-test


def history(source: str) -> History:
    """The history of run files in a folder, or in a branch or revision.

    Raises:
        WrongUse: it is neither, or has no run file.
    """
    folder = Path(source)
    if folder.is_dir():
        return _history(source, folder, kept=CacheEntry("history", {"folder": os.path.realpath(folder), "of": _CACHED}))
    with tempfile.TemporaryDirectory(prefix="sectax-") as copy:
        _unpack(source, Path(copy))
        return _history(source, Path(copy), kept=None)


def _history(source: str, folder: Path, kept: CacheEntry | None) -> History:
    files = run_files(folder)
    if not files:
        raise WrongUse(f"there is no run file (*.sectax) in {source}", "name a folder that contains some")
    cached: dict[str, _Run] = {}
    if kept is not None and (text := kept.recall()) is not None:
        with contextlib.suppress(msgspec.ValidationError):  # written by another version
            cached = msgspec.json.decode(text, type=dict[str, _Run])
    fresh = [path for path in files if path.name not in cached or cached[path.name].state != _state(path)]
    read = dict(zip((path.name for path in fresh), _in_parallel(_read, fresh), strict=True))
    runs = {path.name: read.get(path.name) or cached[path.name] for path in files}
    if kept is not None and fresh:
        # An unfinished run changes in its write-ahead log, not in the file.
        kept.keep(msgspec.json.encode({name: run for name, run in runs.items() if run.finished}).decode())
    in_order = sorted((run.started, name) for name, run in runs.items() if not (run.unreadable or run.planted))
    lines = tuple(_lines([(name, runs[name]) for _, name in in_order]))
    unreadable = {name: run.unreadable for name, run in runs.items() if run.unreadable}
    planted = sum(run.planted for run in runs.values())
    return History(source, len(runs) - len(unreadable), lines, unreadable, _FOUND_BY, planted)


def _in_parallel(read: Callable[[Path], _Run], files: Sequence[Path]) -> list[_Run]:
    if len(files) <= _CHUNK:
        return list(map(read, files))
    import sectax.record.reader
    import sectax.run.analyse  # noqa: F401 - imported once, not in every child

    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")) as pool:
        return list(pool.map(read, files, chunksize=_CHUNK))


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _read(path: Path) -> _Run:
    from sectax.record.reader import RunReader
    from sectax.run.analyse import audited

    state = _state(path)
    try:
        with RunReader.open(path) as reader:
            measured = reader.measured()
            findings, _ = audited(measured)
    except SectaxError as error:
        return _Run(state, unreadable=error.message)
    revision = measured.revision
    return _Run(
        state,
        experiment=measured.plan.experiment,
        started=measured.started,
        commit=revision.get(REVISION, ""),
        changed=revision.get(CHANGED) == "yes",
        finished=measured.state == "finished",
        planted=bool(measured.plan.options.get("added")),
        environment=measured.identity,
        compared=(*_effects(measured.plan, findings), *_counts(measured)),
    )


def _logs(effect: Effect | None) -> tuple[float, float, float] | None:
    """The interval and its middle; None where it is infinite, which JSON has no word for."""
    logs = None if effect is None else (effect.low, effect.log_ratio, effect.high)
    return logs if logs is not None and all(map(math.isfinite, logs)) else None


def _effects(plan: Plan, findings: Sequence[Finding]) -> Iterator[_Compared]:
    from sectax.analysis.conditions import concerns
    from sectax.reports.words import names

    limits = [condition for condition in plan.stopping.conditions if condition.is_share]
    for finding in findings:
        comparison, effect = finding.comparison, finding.effect
        if comparison.standing in CONTROLS:
            continue
        primary = comparison.standing is Standing.PRIMARY
        yield _Compared(
            comparison.id,
            names.subject(plan, comparison.id),
            comparison.metric,
            # A run with limits is asked about their metrics.
            any(concerns(limit, comparison, plan) for limit in limits) if limits else primary,
            finding.verdict,
            _logs(effect),
        )


def _counts(measured: Measured) -> Iterator[_Compared]:
    """The growth of counts that the run's limits are about."""
    from sectax.analysis.conditions import growth_share
    from sectax.reports.words import names
    from sectax.run.figures import witness_counts

    plan = measured.plan
    counts = {treatment: witness_counts(witnesses) for treatment, witnesses in measured.witnesses.items()}
    metrics = dict.fromkeys(condition.metric for condition in plan.stopping.conditions if condition.growth)
    for treatment in plan.treatments if metrics else ():
        if treatment.role is not Role.TREATMENT:
            continue
        old = counts.get(plan.cell(treatment.cell).baseline, {})
        for metric in metrics:
            new = counts.get(treatment.id, {})
            if metric not in old or metric not in new:
                continue
            share = growth_share(old[metric], new[metric])
            if not -1 < share.low <= share.high < math.inf:  # from or to nothing
                continue
            low, high = math.log1p(share.low), math.log1p(share.high)
            verdict = (
                VerdictId.SLOWER_MATERIAL
                if low > 0
                else VerdictId.FASTER_MATERIAL
                if high < 0
                else VerdictId.EQUIVALENT
                if low == high
                else VerdictId.INCONCLUSIVE
            )
            words = f"{names.subject(plan, treatment.id)} · {metric}"
            yield _Compared(f"{treatment.id}:{metric}", words, metric, True, verdict, (low, (low + high) / 2, high))


def _lines(runs: Sequence[tuple[str, _Run]]) -> Iterator[HistoryLine]:
    grouped: dict[tuple[str, str, str], list[tuple[str, _Run, _Compared]]] = {}
    for name, run in runs:
        machine = ", ".join(filter(None, (run.environment.get(key, "") for key in _MACHINE)))
        for compared in run.compared:
            grouped.setdefault((run.experiment, compared.id, machine), []).append((name, run, compared))
    experiments = [*dict.fromkeys(experiment for experiment, _, _ in grouped)]
    together = sorted(grouped.items(), key=lambda line: experiments.index(line[0][0]))
    for (experiment, comparison, machine), points in together:
        last = points[-1][2]
        points_seen, changes = tuple(_observation(*point) for point in points), tuple(_changes(points))
        yield HistoryLine(experiment, comparison, last.words, last.metric, last.primary, machine, points_seen, changes)


def _observation(name: str, run: _Run, compared: _Compared) -> CostPoint:
    logs = compared.logs if compared.verdict not in NO_CLAIM else None
    low, mean, high = (None, None, None) if logs is None else (_ratio(end) for end in logs)
    return CostPoint(name, run.started, run.commit, run.changed, compared.verdict, mean, low, high)


def _ratio(log: float) -> float | None:
    return math.exp(log) if abs(log) < 700 else None


def _changes(points: Sequence[tuple[str, _Run, _Compared]]) -> Iterator[CostChange]:
    from sectax.stats.changes import change_points

    with_cost = [point for point in points if point[2].logs is not None and point[2].verdict not in NO_CLAIM]
    logs = [point[2].logs[1] for point in with_cost if point[2].logs is not None]
    places = change_points(logs)
    for start, place, end in zip((0, *places), places, (*places[1:], len(logs)), strict=False):
        (_, before, _), (name, after, _) = with_cost[place - 1], with_cost[place]
        names = sorted(before.environment.keys() | after.environment.keys())
        also = tuple(key for key in names if before.environment.get(key) != after.environment.get(key))
        means = (math.exp(fmean(logs[start:place])), math.exp(fmean(logs[place:end])))
        yield CostChange(name, after.commit, *means, also)


def _unpack(revision: str, folder: Path) -> None:
    """Copy the run files of a revision into a folder. Raises `WrongUse`."""
    from sectax.run.git import copy_blobs, list_blobs, resolve_commit

    commit = resolve_commit(revision)
    if not commit and Path(revision).is_file():
        raise WrongUse(f"{revision} is a file, not a folder", f"sectax show {revision} prints a run")
    if not commit:
        raise WrongUse(f"{revision} is neither a folder nor a branch of this repository", "sectax history FOLDER")
    blobs = list_blobs(commit, SUFFIX)
    if blobs is None:
        raise WrongUse(f"git cannot read the files of {revision}", f"for the reason run: git ls-tree -r {commit}")
    if sum(blob.size for blob in blobs) > _MOST_BYTES:
        raise WrongUse(
            f"the run files of {revision} have more than {_MOST_BYTES >> 30} GiB",
            "check out the files, and name the folder",
        )
    if not copy_blobs(blobs, [folder / _file_name(blob.path) for blob in blobs]):
        raise WrongUse(f"this clone lacks files of {revision}", f"fetch them: git checkout {commit}")


def _file_name(path: str) -> str:
    """A unique name for a file of a branch, short enough for the file system."""
    name = path.replace("/", "\N{DIVISION SLASH}")
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(path.encode()).hexdigest()[:12]
    return f"{name[:50]}…{digest}{SUFFIX}"
