"""A child that the kernel kills for memory is told from one that someone else kills."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sectax.hosts.process.cgroups import MemoryKills
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildDied
from tests.hosts.groups import little_memory
from tests.hosts.processes import soon
from tests.hosts.trees import Tree
from tests.needs import needs


def test_a_kill_anywhere_on_the_machine_is_seen(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/vmstat", "pgfault 1\noom_kill 3\n")
    kills = MemoryKills(1, tmp_path)
    assert not kills.have_grown()

    tree.write("proc/vmstat", "pgfault 1\noom_kill 4\n")

    assert kills.have_grown()


@pytest.mark.parametrize(
    ("version", "file"), [(1, "memory.oom_control"), (2, "memory.events")], ids=["cgroup v1", "cgroup v2"]
)
@pytest.mark.parametrize("group", ["a/b", "a"], ids=["own group", "ancestor"])
def test_a_kill_in_a_control_group_is_seen(tmp_path: Path, version: int, file: str, group: str) -> None:
    tree = Tree(tmp_path)
    tree.process(7, version, "memory", "/a/b")
    counter = f"sys/fs/cgroup/{'memory/' if version == 1 else ''}{group}/{file}"
    tree.write(counter, "oom 0\noom_kill 0\noom_group_kill 0\n")
    kills = MemoryKills(7, tmp_path)
    assert not kills.have_grown()

    tree.write(counter, "oom 1\noom_kill 1\noom_group_kill 0\n")

    assert kills.have_grown()


def test_where_nothing_can_be_read_nothing_is_claimed(tmp_path: Path) -> None:
    assert not MemoryKills(1, tmp_path).have_grown()


def test_a_child_killed_by_someone_was_not_killed_for_memory() -> None:
    with Child(["sh", "-c", "kill -KILL $$"]) as child, pytest.raises(ChildDied) as caught:
        child.receive_line(soon())

    assert caught.value.exit_status == -9
    assert not caught.value.out_of_memory


@needs("control groups")
def test_a_child_that_outgrows_its_group_was_killed_for_memory() -> None:
    with little_memory(30 * 2**20) as group:
        hungry = f"echo $$ > {group}/cgroup.procs; exec {sys.executable} -c 'b\"x\" * 200_000_000'"
        with Child(["sh", "-c", hungry]) as child, pytest.raises(ChildDied) as caught:
            child.receive_line(soon())

    assert caught.value.out_of_memory
