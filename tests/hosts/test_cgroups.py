"""The control groups of a process are found whatever version is mounted wherever."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.hosts.process.cgroups import cgroup_folders
from tests.hosts.trees import Tree


def folders(tree: Tree, pid: int = 7, controller: str = "cpu") -> list[str]:
    return [str(folder.relative_to(tree.root)) for folder in cgroup_folders(pid, controller, tree.root)]


@pytest.mark.parametrize(("version", "root"), [(1, "sys/fs/cgroup/cpu"), (2, "sys/fs/cgroup")])
def test_every_version_gives_the_group_and_its_ancestors(tmp_path: Path, version: int, root: str) -> None:
    tree = Tree(tmp_path)
    tree.process(7, version, "cpu", "/docker/abc")

    assert folders(tree) == [f"{root}/docker/abc", f"{root}/docker", root]


def test_a_controller_of_version_1_wins_where_both_are_mounted(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write(
        "proc/self/mountinfo",
        "40 32 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
    )
    tree.write("proc/7/cgroup", "2:cpu,cpuacct:/a\n0::/b\n")

    assert folders(tree) == ["sys/fs/cgroup/cpu,cpuacct/a", "sys/fs/cgroup/cpu,cpuacct"]
    assert folders(tree, controller="memory") == ["sys/fs/cgroup/unified/b", "sys/fs/cgroup/unified"]


def test_in_a_container_only_what_is_mounted_is_seen(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/self/mountinfo", "33 32 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n")
    tree.write("proc/7/cgroup", "2:cpu:/docker/abc/inner\n")

    assert folders(tree) == ["sys/fs/cgroup/cpu/inner", "sys/fs/cgroup/cpu"]


@pytest.mark.parametrize("path", ["/../other", "/elsewhere"])
def test_a_group_outside_the_view_is_not_guessed(tmp_path: Path, path: str) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/self/mountinfo", "33 32 0:29 /docker /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n")
    tree.write("proc/7/cgroup", f"2:cpu:{path}\n")

    assert folders(tree) == []


def test_a_mount_point_with_a_space_is_found(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/self/mountinfo", "31 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n")
    tree.write("proc/7/cgroup", "0::/a\n")

    assert folders(tree) == ["my groups/a", "my groups"]


def test_without_control_groups_there_are_none(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/7/cgroup", "")

    assert folders(tree) == []
    assert folders(tree, pid=8) == []


def test_on_this_machine_every_folder_exists() -> None:
    assert all(folder.is_dir() for folder in cgroup_folders(1, "cpu"))
