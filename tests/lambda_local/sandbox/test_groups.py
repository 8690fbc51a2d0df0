"""Control groups of kernels that this machine does not run, on made-up trees."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_local.inside.root import make_places
from lambda_local.sandbox import Counters, InForce, Limits, SandboxMissing
from lambda_local.sandbox.groups import Groups
from lambda_local.sandbox.hierarchies import hierarchy
from tests.hosts.trees import Tree

_OFFERED = "cpuset cpu io memory pids\n"
_TOP = "sys/fs/cgroup"


def _unified(root: Path, own: str, *, top_is_the_machines: bool = True, offered: str = _OFFERED) -> Tree:
    """A machine with v2 alone; the kernel's files that are there before anyone writes."""
    tree = Tree(root)
    tree.process(os.getpid(), 2, "cpu", own)
    for folder in {
        _TOP,
        f"{_TOP}{own}".rstrip("/"),
        f"{_TOP}/lambda-local",
        f"{_TOP}{own}/lambda-local".replace("//", "/"),
    }:
        tree.write(f"{folder}/cgroup.controllers", offered)
        tree.write(f"{folder}/cgroup.subtree_control", "")
        tree.write(f"{folder}/cgroup.procs", "")
        if folder != _TOP or not top_is_the_machines:
            tree.write(f"{folder}/cgroup.type", "domain\n")
    return tree


def _instance_folder(tree: Tree, folder: str) -> Path:
    """What the kernel would put into a new group."""
    for file, text in {
        "cgroup.procs": "",
        "cpu.max": "max 100000\n",
        "memory.max": "max\n",
        "memory.swap.max": "max\n",
        "pids.max": "max\n",
        "cpu.stat": "usage_usec 1500\nuser_usec 1000\nnr_periods 12\nnr_throttled 7\nthrottled_usec 90000\n",
        "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n",
    }.items():
        tree.write(f"{folder}/{file}", text)
    return tree.root / folder


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[Groups]:
    """Those of an instance of v2."""
    tree = _unified(tmp_path, "/")
    folder = _instance_folder(tree, f"{_TOP}/lambda-local/box")
    (folder / "cgroup.freeze").write_text("0")
    groups = Groups("box", tmp_path)
    groups.make(Limits(128, 128 / 1769, processes=64))
    yield groups
    groups.close()


def test_v2_limits_are_written_to_one_folder_and_read_back(groups: Groups, tmp_path: Path) -> None:
    (folder,) = groups.folders

    assert (folder / "cpu.max").read_text().split() == ["1447", "20000"]
    assert (folder / "memory.max").read_text() == "134217728"
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "pids.max").read_text() == "64"
    assert (tmp_path / _TOP / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert (tmp_path / _TOP / "lambda-local/cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert groups.made == [folder] == [tmp_path / _TOP / "lambda-local/box"]
    assert groups.in_force() == InForce(1447 / 20000, 20000, 128 << 20, "v2")


def test_v2_counters_are_in_the_units_of_v1(groups: Groups) -> None:
    counters = groups.counters()
    groups.close()

    assert counters == Counters(
        cpu_time_ns=1_500_000, throttled_periods=7, throttled_ns=90_000_000, periods=12, oom_kills=1
    )
    assert groups.counters() == Counters(None, None, None, None, None)


def test_v2_quota_and_freezer_change_during_an_instance_s_life(groups: Groups) -> None:
    quota, freezer = (groups.folders[0] / file for file in ("cpu.max", "cgroup.freeze"))
    seen = []

    groups.set_quota(2.0)  # for the init phase
    seen.append(quota.read_text())
    groups.set_quota(0.5)
    seen.append(quota.read_text())
    groups.freezer.freeze()
    seen.append(freezer.read_text())
    groups.freezer.thaw()
    seen.append(freezer.read_text())
    groups.lift_quota()
    seen.append(quota.read_text())

    assert seen == ["40000 20000", "10000 20000", "1", "0", "max"]


def test_a_process_joins_the_folder_of_v2_once(groups: Groups) -> None:
    (joining,) = groups.procs()
    os.write(joining, b"0")
    os.close(joining)

    assert (groups.folders[0] / "cgroup.procs").read_text() == "0"


@pytest.mark.parametrize(
    ("own", "places"),
    [
        ("0::/user.slice/run-1.scope\n", [("/sys/fs/cgroup", "cgroup2", None)]),
        (
            "12:hugetlb:/\n4:cpu,cpuacct:/docker/x\n3:memory:/docker/x\n0::/\n",
            [("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "cpu,cpuacct"), ("/sys/fs/cgroup/memory", "cgroup", "memory")],
        ),
    ],
    ids=["v2", "v1 beside an empty v2"],
)
def test_an_instance_is_shown_its_own_groups_where_runtimes_look(tmp_path, monkeypatch, own, places) -> None:
    (tmp_path / "own").write_text(own)
    monkeypatch.chdir(tmp_path)

    assert make_places("own") == places
    for target, _, _ in places:
        assert (tmp_path / target.lstrip("/")).is_dir()


def test_in_a_delegated_group_the_owner_makes_room_first(tmp_path: Path) -> None:
    own = "/user.slice/run-1.scope"
    tree = _unified(tmp_path, own, top_is_the_machines=False)
    tree.write(f"{_TOP}{own}/lambda-local-owner/cgroup.procs", "")
    folder = _instance_folder(tree, f"{_TOP}{own}/lambda-local/box")

    groups = Groups("box", tmp_path)
    groups.make(Limits(128, 0.5))
    groups.close()

    assert (tmp_path / f"{_TOP}{own}/lambda-local-owner/cgroup.procs").read_text() == str(os.getpid())
    assert (tmp_path / f"{_TOP}{own}/cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert groups.folders == [folder]


def test_an_owner_that_has_moved_finds_the_same_place_again(tmp_path: Path) -> None:
    _unified(tmp_path, "/user.slice/run-1.scope", top_is_the_machines=False)
    tree = Tree(tmp_path)
    tree.process(os.getpid(), 2, "cpu", "/user.slice/run-1.scope/lambda-local-owner")

    assert hierarchy("cpu", tmp_path).parent == tmp_path / f"{_TOP}/user.slice/run-1.scope/lambda-local"


def test_a_controller_that_was_not_delegated_is_missing_with_a_reason(tmp_path: Path) -> None:
    own = "/user.slice/run-1.scope"
    tree = _unified(tmp_path, own, top_is_the_machines=False, offered="memory pids\n")
    tree.write(f"{_TOP}{own}/lambda-local-owner/cgroup.procs", "")
    _instance_folder(tree, f"{_TOP}{own}/lambda-local/box")

    groups = Groups("box", tmp_path)
    with pytest.raises(SandboxMissing, match=r"\bcpu\b") as raised:
        groups.make(Limits(128, 0.5))
    assert "systemd-run" in raised.value.hint
    groups.close()


def test_without_control_groups_there_is_no_instance(tmp_path: Path) -> None:
    Tree(tmp_path)

    groups = Groups("box", tmp_path)
    with pytest.raises(SandboxMissing, match=r"\bcpu\b"):
        groups.make(Limits(128, 0.5))

    assert groups.folders == []
    assert groups.counters() == Counters(None, None, None, None, None)


def test_an_empty_unified_mount_beside_v1_has_no_controllers(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.process(os.getpid(), 2, "cpu", "/")
    tree.write(f"{_TOP}/cgroup.controllers", "\n")

    with pytest.raises(SandboxMissing, match=r"\bcpu\b"):
        hierarchy("cpu", tmp_path)


def test_v1_is_limited_per_hierarchy(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.process(os.getpid(), 1, "cpu,memory", "/some/session")
    kernel = {
        "cpu.cfs_period_us": "100000\n",
        "cpu.cfs_quota_us": "-1\n",
        "memory.limit_in_bytes": "9223372036854771712\n",
        "memory.memsw.limit_in_bytes": "9223372036854771712\n",
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    }
    for file, text in kernel.items():
        tree.write(f"{_TOP}/cpu,memory/lambda-local/box/{file}", text)

    groups = Groups("box", tmp_path)
    groups.make(Limits(128, 0.5))

    assert groups.folders == [tmp_path / f"{_TOP}/cpu,memory/lambda-local/box"]
    assert groups.in_force() == InForce(0.5, 20_000, 128 << 20, "v1")
    counters = groups.counters()
    assert counters.oom_kills == 2
    groups.close()


@pytest.fixture
def inside() -> Iterator[int]:
    """The ID of a process of known size that is up: this one has mapped whatever earlier tests did."""
    code = "import sys; print(1, flush=True); sys.stdin.read()"
    words = [sys.executable, "-I", "-S", "-c", code]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process.pid


def _with_memory(root: Path, version: int, inside: int, kills: int) -> tuple[Groups, Path]:
    """Groups of 512 MB with a process in them, and the file of their limit."""
    tree = Tree(root)
    tree.process(os.getpid(), version, "cpu,memory", "/")
    top = f"{_TOP}/cpu,memory" if version == 1 else _TOP
    limit = "memory.limit_in_bytes" if version == 1 else "memory.max"
    if version == 2:
        for folder in (_TOP, f"{_TOP}/lambda-local"):
            tree.write(f"{folder}/cgroup.controllers", "cpu memory pids")
            tree.write(f"{folder}/cgroup.subtree_control", "cpu memory pids")
    for file, text in {
        limit: "0\n",
        "memory.oom_control": f"oom_kill {kills}\n",
        "memory.events": f"oom_kill {kills}\n",
        "memory.stat": "anon 1048576\nrss 1048576\n",
        "cgroup.procs": f"{inside}\n",
        "pids.max": "",
        "memory.swap.max": "",
        **dict.fromkeys(("cpu.cfs_period_us", "cpu.cfs_quota_us") if version == 1 else ("cpu.max",), ""),
    }.items():
        tree.write(f"{top}/lambda-local/box/{file}", text)
    groups = Groups("box", root)
    groups.make(Limits(512, 0.5))
    return groups, root / f"{top}/lambda-local/box/{limit}"


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_is_lowered_by_memory_charged_elsewhere_and_reported_unchanged(
    tmp_path: Path, version: int, inside: int
) -> None:
    groups, limit = _with_memory(tmp_path, version, inside, kills=0)

    peak, over = groups.measure_memory()

    assert not over
    assert 1 << 20 < peak < 512 << 20  # this process maps code
    assert 0 < int(limit.read_text()) < 512 << 20
    assert groups.in_force().memory_bytes == 512 << 20
    groups.close()


@pytest.mark.parametrize("version", [1, 2])
def test_where_the_kernel_killed_for_memory_all_of_it_was_used(tmp_path: Path, version: int, inside: int) -> None:
    groups, _ = _with_memory(tmp_path, version, inside, kills=1)

    assert groups.measure_memory() == (512 << 20, False)
    groups.close()
