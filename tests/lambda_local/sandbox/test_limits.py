"""The limits that the kernel holds an instance to, and the counters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lambda_local.sandbox import PERIOD_US, VCPU_MB, InstanceFailed, Limits, Mount, vcpus
from lambda_local.sandbox.instance import Instance
from lambda_local.sandbox.scratch import scratch
from tests.lambda_local.sandbox.inside import instance, needs_root, owner, run
from tests.needs import needs

_BURN = """
import sys, time
while time.process_time() < float(sys.argv[1]):
    pass
"""


def test_memory_buys_vcpus_in_proportion_up_to_the_machines() -> None:
    assert vcpus(VCPU_MB, machine=2) == 1.0
    assert vcpus(128, machine=2) == pytest.approx(0.0724, abs=1e-4)
    assert vcpus(2 * VCPU_MB, machine=4) == 2.0
    assert vcpus(10240, machine=2) == 2.0


@needs_root
@pytest.mark.parametrize("memory_mb", [128, 512, 1024, 1769, 3008])
def test_the_limits_in_force_are_those_that_were_promised(memory_mb: int) -> None:
    box = instance(memory_mb, vcpus(memory_mb))
    try:
        in_force = box.groups.in_force()
    finally:
        box.destroy()

    expected = min(memory_mb / 1769, len(os.sched_getaffinity(0)))
    assert in_force.cpu_quota == pytest.approx(expected, abs=1 / PERIOD_US)
    assert in_force.period_us == PERIOD_US
    assert in_force.memory_bytes == memory_mb * 1024 * 1024
    assert in_force.cgroup in {"v1", "v2"}


@needs_root
def test_files_in_memory_count_as_memory() -> None:
    box = instance(64)
    try:
        written = run(box, "f = open('/dev/shm/x', 'wb')\nfor _ in range(40): f.write(bytes(1 << 20))")
        another = run(box, "x = bytearray(30 << 20)")
    finally:
        box.destroy()

    assert written.status == 0
    assert another.status == -9  # the first program is gone, its file is not


@needs_root
@needs("loop devices")
def test_tmp_is_a_disk_that_may_hold_more_than_the_memory() -> None:
    mounted = scratch(4)
    assert mounted is not None
    os.close(mounted)
    box = instance(64, tmp_mb=128)
    try:
        code = "f = open('/tmp/x', 'wb')\nfor _ in range(100): f.write(bytes(1 << 20))\nprint('written')"
        assert run(box, code).text == "written"
        assert box.groups.counters().oom_kills == 0
    finally:
        box.destroy()


@needs_root
def test_a_fork_bomb_ends_at_the_number_of_processes() -> None:
    box = instance(processes=20, name="bomb")
    try:
        code = """
        import os, time
        made = 0
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(60)
                made += 1
        except OSError as error:
            print(error.errno, made)
        os.kill(-1, 9)  # all that it may: its children
        """
        assert run(box, code) == (0, "11 19")
        # The next program finds room again.
        assert run(box, "print('here')").text == "here"
    finally:
        box.destroy()


@needs_root
def test_a_mount_that_does_not_exist_is_named() -> None:
    with pytest.raises(InstanceFailed, match="/no/such/code"):
        Instance.create(owner(), "x", Limits(128, 1.0), [Mount(Path("/no/such/code"), "/var/task")])


@needs_root
def test_programs_find_the_limits_at_the_usual_place_and_cannot_change_them() -> None:
    box = instance(256)
    try:
        code = """
        import errno, glob, os
        (path,) = glob.glob("/sys/fs/cgroup/memory*/memory.limit_in_bytes") or glob.glob("/sys/fs/cgroup/memory.max")
        print(open(path).read().strip())
        try:
            os.open(path, os.O_WRONLY)
        except OSError as error:
            print(errno.errorcode[error.errno])
        """
        ran = run(box, code)
    finally:
        box.destroy()

    limit, refused = ran.text.split()
    assert limit == str(256 << 20)
    assert refused in {"EROFS", "EACCES"}


@needs_root
@needs("Java")
def test_java_takes_no_more_than_a_share_of_the_instances_memory() -> None:
    box = instance(512)
    reading, writing = os.pipe()
    try:
        argv = ["/usr/bin/java", "-XX:+PrintFlagsFinal", "-version"]
        box.start(argv, {"PATH": "/usr/bin:/bin"}, "/tmp", writing, writing)
        os.close(writing)
        with os.fdopen(reading) as output:
            flags = {words[1]: words[3] for line in output if len(words := line.split()) > 3 and words[2] == "="}
    finally:
        box.destroy()

    assert int(flags["MaxHeapSize"]) <= 256 << 20
