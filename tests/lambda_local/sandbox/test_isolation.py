"""What a program in an instance cannot do. Each attempt that the machine itself would allow is made there as well."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_local.sandbox import Instance
from tests.lambda_local.sandbox.inside import ATTEMPT, INTERPRETER, attempt, ended, instance, needs_root, run

pytestmark = needs_root


@pytest.fixture(scope="module")
def box() -> Iterator[Instance]:
    with instance(name="isolation") as box:
        yield box


@pytest.fixture(scope="module")
def neighbour() -> Iterator[Instance]:
    with instance(name="neighbour") as box:
        yield box


def outside(code: str, *arguments: object) -> str:
    """The same attempt on the machine itself."""
    argv = [sys.executable, "-c", ATTEMPT + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def test_the_root_holds_the_system_and_nothing_of_the_machines_users(box: Instance) -> None:
    ran = run(box, "import os; print(*sorted(os.listdir('/')))")

    seen = set(ran.text.split())
    assert {"usr", "bin", "lib", "etc", "dev", "proc", "tmp"} <= seen
    # The way to the test's own interpreter, which is mounted, may lead through /root or /home.
    interpreter = {Path(sys.base_prefix).parts[1]}
    assert not (seen - interpreter) & {"home", "root", "run", "var", "boot", "mnt", "work", "srv", "opt", "media"}


def test_a_file_of_the_machine_is_not_there(box: Instance, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("kept outside")
    secret.chmod(0o644)
    code = "print(attempt(open, sys.argv[1]))"

    assert outside(code, secret) == "done"
    assert attempt(box, code, secret) == "ENOENT"


def test_the_way_to_a_mount_shows_nothing_beside_it(box: Instance) -> None:
    place = Path(INTERPRETER[0].target)

    assert run(box, "import os, sys; print(*os.listdir(sys.argv[1]))", place.parent).text == place.name


def test_instances_do_not_see_each_other_s_files(box: Instance, neighbour: Instance) -> None:
    assert attempt(box, "print(attempt(open, '/tmp/mine', 'w'), attempt(open, '/dev/shm/mine', 'w'))") == "done done"

    code = "print(attempt(os.stat, '/tmp/mine'), attempt(os.stat, '/dev/shm/mine'))"
    assert attempt(box, code) == "done done"
    assert attempt(neighbour, code) == "ENOENT ENOENT"


NEW = ("/x", "/usr/x", "/usr/local/x", "/usr/bin/x", "/etc/x", "/dev/x", "/proc/x", "/root/x", "/bin/x", "/lib/x")
THERE = ("/etc/passwd", "/etc/hosts", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches")


@pytest.mark.parametrize(("path", "mode"), [*((path, "w") for path in NEW), *((path, "r+") for path in THERE)])
def test_nothing_outside_tmp_can_be_made_or_changed(box: Instance, path: str, mode: str) -> None:
    result = attempt(box, "print(attempt(open, *sys.argv[1:]))", path, mode)

    # Read-only, in the permissions' way, or no such folder.
    assert result in ({"EROFS", "EACCES", "ENOENT"} if path in NEW else {"EROFS", "EACCES"})


def test_the_root_cannot_be_made_writable(box: Instance) -> None:
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    for flags in 0x20 | 0x1000, 0x20:  # MS_REMOUNT, with and without MS_BIND
        libc.mount(None, b"/", None, ctypes.c_ulong(flags), None)
        print(errno.errorcode[ctypes.get_errno()])
    libc.mount(b"tmpfs", b"/tmp", b"tmpfs", ctypes.c_ulong(0), None)
    print(errno.errorcode[ctypes.get_errno()])
    libc.umount2(b"/usr", 2)
    print(errno.errorcode[ctypes.get_errno()])
    """

    assert attempt(box, code).split() == ["EPERM"] * 4


def test_it_sees_init_and_its_own_processes_only(box: Instance) -> None:
    ran = run(box, "import os; print(os.getpid(), *sorted(int(n) for n in os.listdir('/proc') if n.isdigit()))")

    own, *seen = map(int, ran.text.split())
    assert seen == [1, own]


def test_it_cannot_signal_or_trace_a_process_of_the_machine(box: Instance) -> None:
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    pid = int(sys.argv[1])
    status = libc.ptrace(16, pid, None, None)  # PTRACE_ATTACH
    print(attempt(os.kill, pid, 0), "done" if status == 0 else errno.errorcode[ctypes.get_errno()])
    """
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            assert outside(code, sleeper.pid) == "done done"
            assert attempt(box, code, sleeper.pid) == "ESRCH ESRCH"
        finally:
            sleeper.kill()


def test_it_cannot_signal_trace_or_look_into_init(box: Instance) -> None:
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace(16, 1, None, None)
    print(errno.errorcode[ctypes.get_errno()])
    for action, path in (os.listdir, "/proc/1/root/"), (os.listdir, "/proc/1/fd"), (open, "/proc/1/mem"):
        print(attempt(action, path))
    print(attempt(os.kill, 1, 9))
    """

    assert set(attempt(box, code).split()) <= {"EPERM", "EACCES"}


def test_the_loopback_of_the_machine_is_out_of_reach(box: Instance) -> None:
    code = """
    import socket
    print(attempt(socket.create_connection, (sys.argv[1], int(sys.argv[2])), 5))
    """
    with socket.create_server(("0.0.0.0", 0)) as server:  # noqa: S104 - so that it answers at every address
        port = server.getsockname()[1]

        assert outside(code, "127.0.0.1", port) == "done"
        assert attempt(box, code, "127.0.0.1", port) == "ECONNREFUSED"
        assert attempt(box, code, "192.0.2.1", port) == "ENETUNREACH"


def test_a_name_in_the_abstract_namespace_is_out_of_reach(box: Instance) -> None:
    code = r"""
    import socket
    print(attempt(socket.socket(socket.AF_UNIX).connect, "\0" + sys.argv[1]))
    """
    name = f"sectax-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()

        assert outside(code, name) == "done"
        assert attempt(box, code, name) == "ECONNREFUSED"


def test_only_loopback_is_there_and_it_is_up(box: Instance) -> None:
    ran = run(box, "import socket; print(*(name for _, name in socket.if_nameindex()))")

    assert ran.text == "lo"
    code = """
    import socket
    for host in "127.0.0.1", "::1":
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host, 0), family=family)
        print(attempt(socket.create_connection, server.getsockname()[:2], 5))
    """
    assert attempt(box, code).split() == ["done", "done"]


@pytest.mark.parametrize(("family", "name"), [(40, "vsock"), (17, "packet"), (38, "alg"), (16, "netlink"), (1, "unix")])
def test_only_families_that_end_in_the_namespace_can_be_opened(box: Instance, family: int, name: str) -> None:
    kind = {"packet": 3, "alg": 5, "netlink": 3}.get(name, 1)
    result = attempt(box, "import socket; print(attempt(socket.socket, *map(int, sys.argv[1:])))", family, kind)

    assert result == ("done" if name in {"netlink", "unix"} else "EAFNOSUPPORT")


def test_a_port_is_an_instances_own(box: Instance, neighbour: Instance) -> None:
    code = "import socket; print(attempt(socket.create_connection, ('127.0.0.1', 9001), 5))"
    with box.listen("127.0.0.1", 9001):
        assert attempt(box, code) == "done"
        assert attempt(neighbour, code) == "ECONNREFUSED"
        assert outside(code) == "ECONNREFUSED"
        with neighbour.listen("127.0.0.1", 9001):
            assert attempt(neighbour, code) == "done"


def test_it_has_no_privileges_and_no_way_to_any(box: Instance) -> None:
    status = dict(
        line.split(":\t")
        for line in run(box, "print(open('/proc/self/status').read())").text.splitlines()
        if ":\t" in line
    )

    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert status["Uid"].split() == ["993"] * 4
    assert status["Gid"].split() == ["990"] * 4
    assert status["Groups"].strip() == ""


def test_each_instance_has_a_unique_user_on_the_machine(box: Instance, neighbour: Instance) -> None:
    users = []
    for instance_ in box, neighbour:
        process = instance_.start(["sleep", "60"], {"PATH": "/bin"}, "/", 1, 2)
        users.append(Path(f"/proc/{process.pid}").stat().st_uid)
        process.kill()
        assert ended(process) == -9

    assert users[0] != users[1]
    assert min(users) > 1_000_000


def test_no_namespace_can_be_left_or_made(box: Instance) -> None:
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    def call(function, *arguments):
        if function(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "")
    for flags in 0x10000000, 0x20000, 0x40000000, 0x20000000, 0x2000000, 0x10020000:
        print(attempt(call, libc.unshare, flags))
    for kind in "mnt", "net", "pid", "user", "cgroup":
        print(attempt(os.open, f"/proc/1/ns/{kind}", os.O_RDONLY))
        print(attempt(call, libc.setns, os.open(f"/proc/self/ns/{kind}", os.O_RDONLY), 0))
    print(attempt(os.chroot, "/tmp"), attempt(os.setuid, 0), attempt(os.mknod, "/tmp/d", 0o20666, os.makedev(1, 3)))
    """

    # ENOSPC: no user namespace may be made. EINVAL: one's own cannot be entered again.
    assert set(attempt(box, code).split()) <= {"EPERM", "EACCES", "ENOSPC", "EINVAL"}


def test_its_own_control_groups_alone_are_seen_and_cannot_be_changed(box: Instance) -> None:
    code = """
    import glob
    print(open("/proc/self/mountinfo").read(), open("/proc/self/cgroup").read())
    print("others:", glob.glob("/sys/fs/cgroup/**/*.procs", recursive=True))
    """
    seen, _, others = run(box, code).text.partition("others:")
    mounts = [line.split() for line in seen.splitlines() if " - cgroup" in line]

    assert "isolation" not in seen
    assert mounts
    assert {(words[3], words[5].partition(",")[0]) for words in mounts} == {("/", "ro")}
    assert others.count("cgroup.procs") == len(mounts)  # no group below its own
    refused = attempt(box, f"print(attempt(open, '{mounts[0][4]}/cgroup.procs', 'w'))")
    assert refused in {"EROFS", "EACCES"}


def test_its_own_rlimits_cannot_be_raised(box: Instance) -> None:
    code = """
    import resource
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit[0], limit[1] + 1))
    except (ValueError, OSError) as error:
        print(limit, "refused")
    """

    assert attempt(box, code) == "(1024, 1024) refused"


def test_it_inherits_no_descriptors_and_no_environment(box: Instance) -> None:
    ran = run(box, "import os; print(*sorted(os.listdir('/proc/self/fd')), *os.environ)")

    # The fourth is the folder that is being listed. LC_CTYPE is set by Python itself.
    assert [word for word in ran.text.split() if word != "LC_CTYPE"] == ["0", "1", "2", "3", "PATH"]
