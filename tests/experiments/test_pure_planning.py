"""A plan is a function of the request and the machine: it starts nothing, opens nothing, needs nothing installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments import registry
from sectax.experiments.interface import RunRequest
from sectax.model.errors import SectaxError
from sectax.model.machine import Machine, ProbeState
from sectax.run.machine import take
from tests.machines import complete, request_for

# Python's own audit events: files, folders, processes, the network.
FILES = ("open", "os.listdir", "os.scandir", "import")
TOUCHES = (*FILES, "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect")
ALL = [
    "command", "confidential", "database", "function", "hmac", "honesty", "http", "jwt", "primitives", "s3",
    "secrets", "tls", "waf",
]  # fmt: skip
OPTIONS = {
    "command": {"baseline": ("no-such-program -1",), "treatment": ("more=no-such-program -9",), "input": ("nowhere",)},
    "function": {"baseline": ("gone.zip",), "treatment": ("more=gone-too.zip",), "event": ("gone.json",)},
    "http": {
        "baseline": ("https://nowhere.example/",),
        "treatment": ("new=https://127.0.0.1:$PORT/",),
        "start": ("new=no-such-program $PORT",),
        "header": ("@gone.txt",),
        "body": ("gone.json",),
        "ca": ("gone.pem",),
    },
    "s3": {"endpoint": ("https://s3.example.org",), "ca": ("gone.pem",)},
}
_touched: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _touched is not None and event in TOUCHES:
        _touched.append(f"{event} {arguments[:1]}")


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[str]]:
    global _touched  # noqa: PLW0603 - an audit hook stays for ever, so it looks where nothing is watched
    _touched = touched = []
    try:
        yield touched
    finally:
        _touched = None


def requests(name: str) -> list[RunRequest]:
    presets = registry.load(name).presets
    return [request_for(preset, {}, OPTIONS.get(name, {})) for preset in presets]


def test_all_installed_experiments_are_tested() -> None:
    assert set(ALL) == set(registry.names())


@pytest.mark.parametrize("name", ALL)
def test_planning_touches_nothing(name: str) -> None:
    experiment = registry.load(name)
    for request in requests(name):
        machine = complete(experiment, request)
        before = experiment.plan(request, machine)  # what is imported is imported now

        with watched() as touched:
            plan = experiment.plan(request, machine)

        assert touched == []
        assert plan == before
        assert plan.comparisons


def test_the_watcher_sees_a_file() -> None:
    with watched() as touched, open(__file__):
        pass

    assert len(touched) == 1


@pytest.mark.parametrize("name", ["command", "function", "s3"])
def test_a_bench_looks_for_the_files_of_the_options_and_planning_does_not(name: str, tmp_path: Path) -> None:
    experiment, request = registry.load(name), requests(name)[0]
    plan = experiment.plan(request, replace(complete(experiment, request), folder=str(tmp_path / "nothing")))

    with pytest.raises(SectaxError):
        experiment.bench(plan)


def test_a_snapshot_has_only_the_wanted_facts() -> None:
    jwt = registry.load("jwt")
    wanted = jwt.wants(request_for("quick", {"language": ("python",)}))

    assert wanted.probes == ("python",)
    assert (wanted.parts, wanted.hosts) == ((), ())
    command = registry.load("command")
    assert take(command.wants(requests("command")[0])).parts == {}


def test_unwanted_facts_are_not_available() -> None:
    machine = Machine(probes={"php": ProbeState("PHP")})

    with pytest.raises(LookupError, match="`wants`"):
        machine.probe("python")
    with pytest.raises(LookupError, match="'s3:minio'"):
        machine.lacks("s3:minio")
