"""Which system calls a program in an instance may make, that runtimes start all the same, and that it has no keys."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_local.inside.syscall_filter import ALLOWED, call_filter
from lambda_local.sandbox import Instance, Limits, Mount
from tests.lambda_local.sandbox.inside import attempt, instance, needs_root, output, owner, run
from tests.needs import needs

X86_64, I386 = 0xC000_003E, 0x4000_0003
ALLOW, ERROR = 0x7FFF_0000, 0x0005_0000
TIOCSTI, TIOCLINUX, FIONREAD = 0x5412, 0x541C, 0x541B
CLONE_THREAD, CLONE_NEWUSER, CLONE_NEWCGROUP = 0x1_0000, 0x1000_0000, 0x0200_0000


def verdict(number: int, *arguments: int, architecture: int = X86_64, machine: str = "x86_64") -> str:
    """What the filter makes of a call, by a small machine for its few instructions."""
    data = struct.pack("=IIQ6Q", number & 0xFFFF_FFFF, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    lines = list(struct.iter_unpack("=HBBI", call_filter(machine)))
    at, value = 0, 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("=I", data, operand)[0]
            case 0x15:
                at += yes if value == operand else no
            case 0x25:
                at += yes if value > operand else no
            case 0x35:
                at += yes if value >= operand else no
            case 0x45:
                at += yes if value & operand else no
            case 0x06:
                return "allowed" if operand == ALLOW else errno.errorcode[operand - ERROR]


def call(name: str, *arguments: int) -> str:
    number = ALLOWED[name][0]
    assert number is not None
    return verdict(number, *arguments)


@pytest.mark.parametrize(("machine", "architecture", "column"), [("x86_64", X86_64, 0), ("aarch64", 0xC000_00B7, 1)])
def test_every_number_is_judged_as_the_list_says(machine, architecture, column):
    special = {ALLOWED[name][column] for name in ("socket", "socketpair", "clone", "clone3", "personality", "ioctl")}
    allowed = {numbers[column] for numbers in ALLOWED.values()} - special
    newest = max(number for number in allowed if number is not None)

    for number in range(newest + 100):
        if number not in special:
            other = "EPERM" if number < newest else "ENOSYS"
            found = verdict(number, architecture=architecture, machine=machine)
            assert found == ("allowed" if number in allowed else other), number


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (verdict(0), "allowed"),  # read
        (verdict(250), "EPERM"),  # keyctl
        (verdict(248), "EPERM"),  # add_key
        (verdict(249), "EPERM"),  # request_key
        (verdict(425), "EPERM"),  # io_uring_setup
        (verdict(321), "EPERM"),  # bpf
        (verdict(272), "EPERM"),  # unshare
        (verdict(0x4000_0000), "ENOSYS"),  # x32's read
        (verdict(-1), "ENOSYS"),
        (verdict(3, architecture=I386), "ENOSYS"),
        (call("clone3"), "ENOSYS"),
        (call("clone", CLONE_THREAD), "allowed"),
        (call("clone", CLONE_NEWUSER | 17), "EPERM"),
        (call("clone", CLONE_NEWCGROUP), "EPERM"),
        (call("socket", 2), "allowed"),
        (call("socket", 40), "EAFNOSUPPORT"),
        (call("socketpair", 38), "EAFNOSUPPORT"),
        (call("personality", 0), "allowed"),
        (call("personality", 0xFFFF_FFFF), "allowed"),
        (call("personality", 0x0004_0000), "EPERM"),  # ADDR_NO_RANDOMIZE
        (call("ioctl", 0, FIONREAD), "allowed"),
        (call("ioctl", 0, TIOCSTI), "EPERM"),
        (call("ioctl", 0, TIOCSTI | 1 << 32), "EPERM"),  # the kernel reads the lower half alone
        (call("ioctl", 0, TIOCLINUX), "EPERM"),
    ],
)
def test_arguments_decide_where_the_name_does_not(found, expected):
    assert found == expected


def test_an_architecture_without_a_list_gets_no_instance():
    with pytest.raises(OSError, match="riscv64"):
        call_filter("riscv64")


@pytest.fixture(scope="module")
def box() -> Iterator[Instance]:
    with instance(name="calls") as box:
        yield box


@needs_root
def test_the_kernel_rejects_unlisted_calls(box):
    numbers = {"keyctl": 250, "add_key": 248, "io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "kcmp": 312}
    if os.uname().machine == "aarch64":
        numbers = {"keyctl": 219, "add_key": 217, "io_uring_setup": 425, "bpf": 280, "userfaultfd": 282, "kcmp": 272}
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    for number in sys.argv[1:]:
        libc.syscall(int(number), 0, 0, 0, 0, 0)
        print(errno.errorcode[ctypes.get_errno()])
    """

    assert attempt(box, code, *numbers.values()).split() == ["EPERM"] * len(numbers)


@needs_root
@needs("keyrings")
def test_keys_of_the_server_s_session_are_not_visible():
    numbers = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
    add_key, keyctl = (ctypes.c_long(number) for number in numbers)
    libc = ctypes.CDLL(None, use_errno=True)
    name, session = b"sectax-test-secret", ctypes.c_int(-3)
    key = libc.syscall(add_key, b"user", name, b"secret", ctypes.c_size_t(6), session)
    assert key >= 0, os.strerror(ctypes.get_errno())
    box = instance(name="keys")
    try:
        assert name.decode() in Path("/proc/keys").read_text()
        assert name.decode() not in run(box, "print(open('/proc/keys').read())").text
    finally:
        libc.syscall(keyctl, ctypes.c_long(9), ctypes.c_int(key), session)  # KEYCTL_UNLINK
        box.destroy()


def output_of(argv: list[str], *mounts: Mount) -> str:
    """What a program prints in an instance of its own."""
    with Instance.create(owner(), "runtime", Limits(1024, 2.0), mounts) as box:
        ran = output(box, argv)
    assert ran.status == 0, ran.text
    return ran.text


@needs_root
def test_python_starts_threads_and_processes(box):
    code = """
    import multiprocessing, subprocess, threading
    thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
    print(subprocess.run(["/bin/echo", "process"], capture_output=True, text=True).stdout.strip())
    """

    assert run(box, code).text.split() == ["thread", "process"]


@needs_root
@needs("Node")
def test_node_starts_threads_and_processes():
    code = """
    const { Worker } = require("worker_threads");
    const { execFileSync } = require("child_process");
    require("fs").readFile("/etc/passwd", () => console.log("file"));
    console.log(execFileSync("/bin/echo", ["process"]).toString().trim());
    new Worker("console.log('thread')", { eval: true });
    """

    assert set(output_of(["/usr/bin/node", "-e", code]).split()) == {"file", "process", "thread"}


@needs_root
@needs("Go")
def test_go_starts(tmp_path):
    source = """
    package main
    import ("fmt"; "net")
    func main() {
        done := make(chan int)
        go func() { done <- 7 }()
        listener, err := net.Listen("tcp", "127.0.0.1:0")
        fmt.Println("go", <-done, listener != nil, err)
    }
    """
    (tmp_path / "main.go").write_text(source)
    subprocess.run(["go", "build", "-o", "out/program", "main.go"], cwd=tmp_path, check=True)

    assert output_of(["/code/program"], Mount(tmp_path / "out", "/code")) == "go 7 true <nil>"
