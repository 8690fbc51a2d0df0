"""The limits that the kernel holds an instance to, and the counters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lambda_local.sandbox import PERIOD_US, VCPU_MB, InstanceFailed, Limits, Mount, vcpus
from lambda_local.sandbox.instance import Instance
from lambda_local.sandbox.scratch import scratch
from tests.lambda_local.sandbox.inside import instance, needs_root, run
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
        in_force = box.in_force()
    finally:
        box.destroy()

    expected = min(memory_mb / 1769, len(os.sched_getaffinity(0)))
    assert in_force.cpu_quota == pytest.approx(expected, abs=1 / PERIOD_US)
    assert in_force.period_us == PERIOD_US
    assert in_force.memory_bytes == memory_mb * 1024 * 1024
    assert in_force.cgroup in {"v1", "v2"}


@needs_root
def test_a_used_up_quota_shows_in_the_counters() -> None:
    box = instance(128, vcpus(128))
    try:
        before = box.counters()
        assert run(box, _BURN, 0.05).status == 0
        after = box.counters()
    finally:
        box.destroy()

    assert before.throttled_periods == 0
    assert after.throttled_periods is not None
    assert after.throttled_periods >= 1  # alone on a machine 34; beside others it may get less than its quota for long
    assert after.periods is not None
    assert after.periods >= after.throttled_periods
    assert after.throttled_ns is not None
    assert after.throttled_ns > 0
    assert after.cpu_time_ns is not None
    assert after.cpu_time_ns >= 50_000_000


@needs_root
def test_who_takes_more_memory_than_promised_is_killed_and_counted() -> None:
    box = instance(128)
    try:
        fits = run(box, "x = bytearray(60 << 20)")
        kills_before = box.counters().oom_kills
        does_not = run(box, "x = bytearray(200 << 20); print('lives')")
        counters = box.counters()
    finally:
        box.destroy()

    assert fits.status == 0
    assert kills_before == 0
    assert does_not == (-9, "")
    assert counters.oom_kills == 1


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
        assert box.counters().oom_kills == 0
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
        Instance.create("x", Limits(128, 1.0), [Mount(Path("/no/such/code"), "/var/task")])


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
