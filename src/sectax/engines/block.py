"""Runs one block of subjects and yields its events."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from sectax.design.order import warming_turns
from sectax.engines.cpu_sets import NO_CPU_SETS, CpuSets
from sectax.engines.guarded import Guarded
from sectax.model import trial
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import SubjectSpec, Visit, Witnesses, Work


def run_block(
    block: trial.PlannedBlock, specs: Mapping[str, SubjectSpec], cpu_sets: CpuSets = NO_CPU_SETS
) -> Generator[trial.BlockEvent, None, None]:
    """Open, warm up, visit and close the subjects of a block, cell by cell.

    A failing subject is dropped; the others go on. No subject is left when the iteration ends.
    """
    for cell in block.cells:
        yield from _run_cell(cell, specs, cpu_sets.of([specs[name] for name in cell.opening]))


def _run_cell(
    cell: trial.PlannedCell, specs: Mapping[str, SubjectSpec], cpu_sets: CpuSets
) -> Generator[trial.BlockEvent, None, None]:
    alive: dict[str, Guarded] = {}
    try:
        yield from _open(cell, specs, alive, cpu_sets)
        yield from _warm_up(cell, alive, cpu_sets)
        cpu_sets.gather(alive.values())
        yield from _visit(cell, alive)
        yield from _close(cell, alive)
    finally:
        for subject in alive.values():
            subject.kill()


def _open(
    cell: trial.PlannedCell, specs: Mapping[str, SubjectSpec], alive: dict[str, Guarded], cpu_sets: CpuSets
) -> Generator[trial.BlockEvent, None, None]:
    # Starting is not timed, so all processes of the cell start in parallel.
    for index, name in enumerate(cell.opening):
        alive[name] = Guarded(name, specs[name])
        try:
            cpu_sets.start(alive[name], index)
        except (SubjectFailed, SubjectSkipped) as error:
            yield _drop(name, alive, error, "open")

    def open_subject(name: str) -> tuple[Witnesses, float]:
        began = time.monotonic()
        return alive[name].open(), time.monotonic() - began

    for name, result in cpu_sets.results(_indices(cell, alive), open_subject):
        try:
            witnesses, open_s = result()
        except (SubjectFailed, SubjectSkipped) as error:
            yield _drop(name, alive, error, "open")
        else:
            yield trial.Opened(name, witnesses, alive[name].first, open_s)


def _indices(cell: trial.PlannedCell, alive: Mapping[str, Guarded]) -> dict[str, int]:
    return {name: index for index, name in enumerate(cell.opening) if name in alive}


def _warm_up(
    cell: trial.PlannedCell, alive: dict[str, Guarded], cpu_sets: CpuSets
) -> Generator[trial.BlockEvent, None, None]:
    """Warm up in turns, like the visits; on several processors, in parallel."""
    turns = list(warming_turns(cell))
    if cpu_sets.many > 1:

        def warm(name: str) -> None:
            for treatment, count in turns:
                if treatment == name:
                    alive[name].visit(Work(count=count))

        for name, result in cpu_sets.results(_indices(cell, alive), warm):
            try:
                result()
            except SubjectFailed as error:
                yield _drop(name, alive, error, "warm-up")
        return
    for name, count in turns:
        if name not in alive:
            continue
        try:
            alive[name].visit(Work(count=count))
        except SubjectFailed as error:
            yield _drop(name, alive, error, "warm-up")


def _visit(cell: trial.PlannedCell, alive: dict[str, Guarded]) -> Generator[trial.BlockEvent, None, None]:
    with ThreadPoolExecutor(max(1, len(cell.at_once))) as workers:
        for turn in cell.turns():
            visits = [planned for planned in turn if planned.treatment in alive]
            for planned, result in _start_visits(visits, alive, workers):
                key = (planned.treatment, planned.round, planned.position)
                try:
                    visit = result()
                except SubjectFailed as error:
                    yield trial.Trial(*key, trial.State.FAILED, reason=error.message, hint=error.hint)
                    yield _drop(planned.treatment, alive, error, "visit")
                else:
                    yield trial.Trial(*key, trial.State.OK, visit.observations, visit.telemetry)


def _start_visits(
    visits: list[trial.PlannedVisit], alive: Mapping[str, Guarded], workers: ThreadPoolExecutor
) -> list[tuple[trial.PlannedVisit, Callable[[], Visit]]]:
    """Visits with functions for their results; several run in threads."""
    if len(visits) > 1:
        return [(visit, workers.submit(alive[visit.treatment].visit, visit.work).result) for visit in visits]
    return [(visit, partial(alive[visit.treatment].visit, visit.work)) for visit in visits]


def _close(cell: trial.PlannedCell, alive: dict[str, Guarded]) -> Generator[trial.BlockEvent, None, None]:
    for name in [name for name in cell.opening if name in alive]:
        try:
            witnesses = alive[name].close()
        except SubjectFailed as error:
            yield _drop(name, alive, error, "close")
        else:
            del alive[name]
            yield trial.Closed(name, witnesses)


def _drop(name: str, alive: dict[str, Guarded], error: SubjectFailed | SubjectSkipped, stage: str) -> trial.Dropped:
    alive.pop(name).kill()
    state = trial.State.SKIPPED if isinstance(error, SubjectSkipped) else trial.State.FAILED
    return trial.Dropped(name, state, stage, error.message, error.hint)
