"""A reader says in words what is wrong with a damaged run, within its memory and time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.record.damaged import damage, faults_of
from sectax.cli.present import RunReport, render
from sectax.run.analyse import analyse_file
from tests.record.runs import calibrated, create, plan, record_block


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.full)])
def test_damaged_values_are_read_or_refused_in_words(tmp_path: Path, count: int) -> None:
    path = tmp_path / "run.sectax"
    with create(path) as writer:
        writer.calibrate(calibrated(plan()))
        for _ in range(6):
            record_block(writer)
        writer.finish("finished")
    whole = path.read_bytes()
    render(RunReport(analyse_file(path), str(path)), "terminal")  # imports once what every fork needs

    paths = [tmp_path / f"{seed}.sectax" for seed in range(count)]
    for seed, damaged in enumerate(paths):
        damage(damaged, whole, random.Random(seed))

    assert faults_of(path, path, [("show", str(damaged)) for damaged in paths]) == []
