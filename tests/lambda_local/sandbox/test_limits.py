"""The limits that the kernel holds an instance to, and the counters."""

from __future__ import annotations

import pytest

from lambda_local.sandbox import VCPU_MB, vcpus
from tests.lambda_local.sandbox.inside import instance, needs_root, run


def test_memory_buys_vcpus_in_proportion_up_to_the_machines() -> None:
    assert vcpus(VCPU_MB, machine=2) == 1.0
    assert vcpus(128, machine=2) == pytest.approx(0.0724, abs=1e-4)
    assert vcpus(2 * VCPU_MB, machine=4) == 2.0
    assert vcpus(10240, machine=2) == 2.0


@needs_root
def test_files_in_memory_count_as_memory() -> None:
    with instance(64) as box:
        written = run(box, "f = open('/dev/shm/x', 'wb')\nfor _ in range(40): f.write(bytes(1 << 20))")
        another = run(box, "x = bytearray(30 << 20)")

    assert written.status == 0
    assert another.status == -9  # the first program is gone, its file is not


@needs_root
def test_a_fork_bomb_ends_at_the_number_of_processes() -> None:
    with instance(processes=20, name="bomb") as box:
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


@needs_root
def test_programs_find_the_limits_at_the_usual_place_and_cannot_change_them() -> None:
    with instance(256) as box:
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

    limit, refused = ran.text.split()
    assert limit == str(256 << 20)
    assert refused in {"EROFS", "EACCES"}
