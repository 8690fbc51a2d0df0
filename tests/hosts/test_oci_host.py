"""Containers as hosts: real ones of runc and of gVisor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sectax.experiments.on_host.containers import oci_host
from sectax.hosts.containers import oci_host as oci_module
from sectax.hosts.containers import runtime_word
from sectax.hosts.containers.bundle import configuration
from sectax.hosts.process.errors import ChildNotStarted
from sectax.hosts.process.host import NotFound
from tests.hosts.processes import eventually, running_with, soon
from tests.needs import needs

HOSTS = ("oci:runc", "oci:runc+seccomp", "oci:runsc")


@pytest.fixture(params=[pytest.param(name, marks=needs(runtime_word(name))) for name in HOSTS])
def inside(request):
    host = oci_host(request.param)
    yield host
    if host._folder is not None:
        host._end(host._folder, os.getpid())


def groups(name: str) -> list[Path]:
    return [*Path("/sys/fs/cgroup").glob(f"{name}*"), *Path("/sys/fs/cgroup").glob(f"*/{name}*")]


def processes(mark: str) -> list[int]:
    return [pid for pid in running_with(mark) if pid != os.getpid()]


ISOLATION = {"oci:runc": "container", "oci:runc+seccomp": "container+seccomp", "oci:runsc": "gvisor"}


def test_it_is_the_isolation_that_its_name_says(inside):
    said = inside.identity()

    assert said["host.isolation"] == ISOLATION[inside.name]
    assert said["host.runtime"].startswith(runtime_word(inside.name))
    assert "sha256" in said["host.runtime"]


def test_a_program_there_has_its_words_its_environment_its_folder_and_its_stdin(inside, tmp_path):
    script = 'read line; printf "%s|%s|%s|%s\\n" "$0" "$PWD" "$SECRET" "$line"; echo "$line" > kept'

    env = {"PATH": "/usr/bin:/bin", "SECRET": "s"}
    with inside.start(["sh", "-c", script, "a 'b' \"c\" $d"], cwd=tmp_path, env=env) as child:
        child.send(b"hello\n", soon())
        said = child.receive_line(soon()).decode()
        assert child.wait(soon()) == 0

    assert said == f"a 'b' \"c\" $d|{tmp_path}|s|hello\n"
    assert (tmp_path / "kept").read_text() == "hello\n"


def test_the_rest_of_this_machine_cannot_be_written_to_and_the_exit_status_says_so(inside):
    with inside.start(["sh", "-c", "touch /etc/sectax-was-here || exit 7"]) as child:
        assert child.wait(soon()) == 7

    assert not Path("/etc/sectax-was-here").exists()


def test_a_program_that_is_sent_can_be_run_and_one_that_is_missing_is_missed(inside, tmp_path):
    script = tmp_path / "hello"
    script.write_text("#!/bin/sh\necho sent\n")
    script.chmod(0o755)

    path = inside.put(script)
    with inside.start([path]) as child:
        assert child.receive_line(soon()) == b"sent\n"

    assert inside.find_program("sh", None, {}).endswith("/sh")
    with pytest.raises(NotFound, match="oci:"):
        inside.find_program("no-such-program", None, {})


def test_a_killed_container_leaves_no_process_no_group_and_no_folder(inside):
    mark = f"sectax-test-{os.getpid()}-{time.monotonic_ns()}"
    child = inside.start(["sh", "-c", f"echo up; : {mark}; setsid sleep 1000 & sleep 1000"])
    assert child.receive_line(soon()) == b"up\n"
    folder = inside._folder

    child.kill()
    inside._end(folder, os.getpid())

    assert eventually(lambda: not processes(str(folder)))
    assert processes(mark) == []
    assert groups(folder.name) == []
    assert not folder.exists()


def test_a_container_ends_when_sectax_is_killed(inside):
    code = (
        "import time; from sectax.experiments.on_host.containers import oci_host\n"
        f"host = oci_host({inside.name!r})\n"
        "child = host.start(['sh', '-c', 'echo up; sleep 1000'])\n"
        "child.receive_line(time.monotonic() + 60)\n"
        "print(host._folder, flush=True)\n"
        "time.sleep(1000)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        folder = Path(program.stdout.readline().strip())
        assert folder.exists()
        assert processes(str(folder))
        program.send_signal(signal.SIGKILL)

    assert eventually(lambda: not processes(str(folder)))
    # What a killed one leaves in the file systems goes with the next start.
    with inside.start(["true"]) as child:
        child.wait(soon())
    assert not folder.exists()
    assert groups(folder.name) == []


def test_apparmor_is_asked_for_in_the_configuration():
    described = configuration(["true"], "/", {}, name="c", writable={}, seccomp=False, apparmor="docker-default")

    assert described["process"]["apparmorProfile"] == "docker-default"


@needs("runc")
@pytest.mark.parametrize(
    ("enabled", "profiles", "missing"),
    [
        (None, None, "AppArmor"),
        ("N", None, "AppArmor"),
        ("Y", "other (enforce)", "docker-default"),
        ("Y", "docker-default (complain)", "docker-default"),
        ("Y", "docker-default (enforce)", None),
    ],
)
def test_without_apparmor_or_its_profile_nothing_is_started(tmp_path, monkeypatch, enabled, profiles, missing):
    for name, text in (("_APPARMOR_ON", enabled), ("_APPARMOR_PROFILES", profiles)):
        file = tmp_path / name
        if text is not None:
            file.write_text(f"{text}\n")
        monkeypatch.setattr(oci_module, name, file)

    if missing is None:
        assert oci_host("oci:runc+apparmor")._runtime().endswith("runc")
        return
    with pytest.raises(ChildNotStarted, match=missing):
        oci_host("oci:runc+apparmor").start(["true"])
