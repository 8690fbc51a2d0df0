"""One registry of parts: a family is an entry point, a probe says what must be made of it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sectax.experiments import registry as experiments
from sectax.model.errors import WrongUse
from sectax.parts import probes, registry
from sectax.parts.installer import SetUpFailed
from sectax.parts.probes import Manifest, Probe, SetUp
from tests.needs import needs

KNOWN = {"probe", "system", "runsc", "function", "lambda", "lambda-runtime", "s3", "secrets", "confidential"}


def test_every_requirement_of_every_experiment_is_a_part_of_its_own_name() -> None:
    names = [name for experiment in experiments.names() for name in experiments.load(experiment).requirements()]

    parts = {name: registry.load(name) for name in names}

    assert {name.partition(":")[0] for name in names} <= set(registry.families())
    assert len({part.id for part in parts.values()}) == len(parts)
    assert set(registry.families()) >= KNOWN


@pytest.mark.parametrize("name", ["rocket:moon", "s3:moon", "secrets:moon", "confidential:moon", "probe:moon", ""])
def test_a_part_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(WrongUse):
        registry.load(name)


def compiled(folder: Path, command: list[str], kind: str = "build") -> Probe:
    settings = None if kind == "none" else SetUp("build", command=command)
    return Probe(folder, Manifest("compiled", "Compiled", ["{out}/probe", "-x"], setup=settings))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "main.src").write_text("the program\n")
    return tmp_path / "sources"


def test_a_probe_of_kind_build_is_built_once_and_again_where_its_sources_change(folder: Path) -> None:
    probe = compiled(folder, ["cp", "main.src", "{out}/probe"])
    before = probes.missing(probe)

    probes.set_up(probe)

    assert before.makable
    assert probes.missing(probe, thorough=True) is None
    program, option = probe.command()
    assert (Path(program).read_text(), option) == ("the program\n", "-x")
    (folder / "main.src").write_text("another program\n")
    assert probes.missing(probe) is not None


def test_a_probe_that_two_set_up_at_once_is_built_once(folder: Path) -> None:
    log = folder.parent / "log"
    script = f"echo built >>{log}; sleep 0.05; cp main.src $0/probe"
    probe = compiled(folder, ["sh", "-c", script, "{out}"])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(probes.set_up, [probe, probe]))

    assert log.read_text() == "built\n"
    assert probes.missing(probe, thorough=True) is None


def test_a_built_probe_that_was_damaged_is_missing(folder: Path) -> None:
    probe = compiled(folder, ["cp", "main.src", "{out}/probe"])
    probes.set_up(probe)
    Path(probe.command()[0]).write_text("not the program\n")

    lack = probes.missing(probe, thorough=True)

    assert "damaged" in lack.reason


def test_a_build_that_fails_leaves_nothing_that_counts_as_built(folder: Path) -> None:
    probe = compiled(folder, ["false"])

    with pytest.raises(SetUpFailed):
        probes.set_up(probe)

    assert probes.missing(probe) is not None


@needs("Go")
def test_a_probe_in_go_is_built_from_its_folder(folder: Path) -> None:
    (folder / "go.mod").write_text("module mine\n\ngo 1.18.0\n")
    (folder / "main.go").write_text('package main\n\nfunc main() { println("hello") }\n')
    probe = Probe(folder, Manifest("mine", "Mine", ["{out}/probe"], setup=SetUp("go")))

    probes.set_up(probe)

    assert probes.missing(probe, thorough=True) is None
    assert subprocess.run(probe.command(), capture_output=True, check=True).stderr == b"hello\n"
