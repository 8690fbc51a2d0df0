"""An instance is stopped and goes on, and one that is frozen can still be ended."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_local.sandbox import Instance
from lambda_local.sandbox.freezer import Freezer, thaw
from lambda_local.sandbox.hierarchies import lineage
from tests.hosts.processes import eventually
from tests.lambda_local.sandbox.inside import PYTHON, instance, needs_root
from tests.needs import needs

_BUSY = "while True: pass"
_FRESH = 0.05  # seconds: far longer than a freeze takes to reach every process


@pytest.fixture
def name() -> str:
    return f"frozen-{secrets.token_hex(4)}"


def _cpu_ns(box: Instance) -> int:
    used = box.groups.counters().cpu_time_ns
    assert used is not None
    return used


@needs_root
def test_a_frozen_instance_uses_no_processor_until_it_is_thawed(name: str) -> None:
    with instance(name=name) as box:
        box.start([PYTHON, "-I", "-S", "-c", _BUSY], {}, "/tmp", 1, 2)
        box.groups.freezer.freeze()
        time.sleep(_FRESH)
        frozen = _cpu_ns(box)
        time.sleep(_FRESH)
        later = _cpu_ns(box)
        box.groups.freezer.thaw()
        works_again = eventually(lambda: _cpu_ns(box) > later)

    assert later == frozen
    assert works_again


@pytest.fixture
def v2_group(name: str) -> Iterator[Path]:
    """A real group of v2, which needs no controller for the freezer."""
    groups = lineage("none-of-v1")
    folder = groups.top / name
    folder.mkdir()
    yield folder
    folder.rmdir()


@needs("freezer of cgroup v2")
def test_the_freezer_of_v2_does_the_same(v2_group: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _BUSY])
    (v2_group / "cgroup.procs").write_text(str(process.pid))
    freezer, state = Freezer(v2_group), v2_group / "cgroup.events"
    try:
        freezer.freeze()
        frozen = eventually(lambda: "frozen 1" in state.read_text())
        thaw(v2_group)
        thawed = eventually(lambda: "frozen 0" in state.read_text())
    finally:
        freezer.close()
        process.kill()
        process.wait()

    assert frozen
    assert thawed


def test_a_group_without_a_freezer_is_left_alone(tmp_path: Path) -> None:
    assert Freezer(tmp_path).handle() is None
    thaw(tmp_path)


def _states(name: str) -> dict[str, str]:
    """Of the groups in the freezer of v1 whose names begin so, whether each is frozen."""
    groups = lineage("freezer")
    return {
        path.parent.name: path.read_text().strip() for path in groups.top.glob(f"lambda-local/*.{name}.*/freezer.state")
    }


@needs_root
@needs("freezer of cgroup v1")
def test_a_group_stays_frozen_as_long_as_the_instance_lives(name: str) -> None:
    """Without one every freeze and every thaw makes the kernel rewrite code on all processors."""
    with instance(name=name) as box:
        states = [_states(name)]
        box.groups.freezer.freeze()
        box.groups.freezer.thaw()
        states.append(_states(name))

    for seen in states:
        (still,) = (group for group in seen if group.endswith(".still"))
        assert seen.pop(still) == "FROZEN"
        assert list(seen.values()) == ["THAWED"]
    assert _states(name) == {}
