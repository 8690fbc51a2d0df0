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


@pytest.mark.parametrize(
    ("mount", "group", "seen"),
    [
        # In a container only what is mounted is seen, and a group outside the view is not guessed.
        ("/docker/abc /sys/fs/cgroup/cpu", "/docker/abc/inner", ["sys/fs/cgroup/cpu/inner", "sys/fs/cgroup/cpu"]),
        ("/docker /sys/fs/cgroup/cpu", "/../other", []),
        ("/docker /sys/fs/cgroup/cpu", "/elsewhere", []),
        ("/ /my\\040groups", "/a", ["my groups/a", "my groups"]),
    ],
)
def test_groups_are_seen_through_what_is_mounted(tmp_path: Path, mount: str, group: str, seen: list[str]) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/self/mountinfo", f"33 32 0:29 {mount} ro - cgroup cgroup rw,cpu\n")
    tree.write("proc/7/cgroup", f"2:cpu:{group}\n")

    assert folders(tree) == seen


def test_without_control_groups_there_are_none(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/7/cgroup", "")

    assert folders(tree) == []
    assert folders(tree, pid=8) == []


def test_on_this_machine_every_folder_exists() -> None:
    assert all(folder.is_dir() for folder in cgroup_folders(1, "cpu"))
