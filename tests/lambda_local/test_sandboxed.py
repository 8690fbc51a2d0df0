"""All of it with real sandboxes: a server in a process of its own, functions with limits that the kernel holds."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lambda_local.runtimes import python
from lambda_local.runtimes import registry as found
from lambda_local.sandbox import Instance, Limits
from tests.hosts.processes import wait_until_gone
from tests.lambda_local.sandbox.inside import INTERPRETER, owner, run
from tests.lambda_local.serving import PYTHON, create, invoke, measured
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)


def test_a_function_runs_under_the_limits_that_its_memory_buys(real):
    create(real, "limits", "def handler(event, context):\n    return event\n", MemorySize=512)

    answer = invoke(real, "limits", {"a": 1})

    assert answer.value == {"a": 1}
    measurement = measured(answer.raw)
    assert measurement.cpu_quota == pytest.approx(512 / 1769, rel=0.01)
    assert measurement.period_us == 20_000
    assert measurement.memory_limit_bytes == 512 * 2**20
    assert measurement.cgroup in ("v1", "v2")
    assert 5 * 2**20 < measurement.max_memory_bytes < 512 * 2**20
    assert measurement.memory_kills == 0


def test_work_past_the_quota_is_throttled_and_the_throttling_is_reported(real):
    source = """
import time
def handler(event, context):
    began = time.process_time()
    while time.process_time() - began < 0.05:
        pass
"""
    create(real, "throttled", source, MemorySize=256)

    # On a busy machine an invocation may get less than its quota all by itself.
    seen = next(seen for _ in range(50) if (seen := measured(invoke(real, "throttled").raw)).throttled_s)

    assert seen.cpu_time_s >= 0.05
    assert seen.throttled_periods >= 1  # alone on the machine 17: 50 ms at 2.9 ms in each period
    assert seen.throttled_s is not None
    assert seen.duration_s > max(0.05, seen.throttled_s)


@pytest.mark.more
def test_out_of_memory_is_an_exit_error_with_the_kill_that_the_kernel_counted(real):
    create(real, "hungry", "def handler(event, context):\n    return len(bytearray(event))\n", MemorySize=256)

    answer = invoke(real, "hungry", 500 * 2**20)
    again = invoke(real, "hungry", 1000)

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "Runtime.ExitError"
    assert answer.value["errorMessage"].endswith("Runtime exited with error: signal: killed")
    assert "Max Memory Used: 256 MB" in answer.log
    assert answer.measured["memory_kills"] >= 1
    assert again.value == 1000


@pytest.mark.more
def test_the_server_stops_with_its_parent_process():
    source = """
import time
from tests.lambda_local.serving import LocalLambda
from tests.lambda_local.serving import create, invoke
local = LocalLambda().__enter__()
lambda_ = local.client()
create(lambda_, "left", "import os\\ndef handler(event, context):\\n    return os.getpid()\\n", MemorySize=1769)
invoke(lambda_, "left")
print(local.pid, flush=True)
time.sleep(1000)
"""
    starter = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    server = int(starter.stdout.readline())
    sandboxes = set(children(server))
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()

    assert sandboxes
    assert all(wait_until_gone(pid) for pid in (server, *sandboxes))


def children(pid: int) -> list[int]:
    """Of all its threads: the kernel counts a child to the thread that made it."""
    lists = [path / "children" for path in Path(f"/proc/{pid}/task").iterdir()]
    return [int(child) for path in lists for child in path.read_text().split()]


_SEES = """
import os
def handler(event, context):
    folders = [folder for folder in os.environ["PATH"].split(":") if os.path.isdir(folder)]
    programs = [name for folder in folders for name in os.listdir(folder)]
    mounts = open("/proc/self/mountinfo").read()
    return {"programs": programs, "mounts": mounts, "listed": os.popen("ls /var/task").read()}
"""


def test_a_function_finds_a_shell_but_no_tools_of_the_machine_and_no_paths_of_its(real):
    create(real, "sees", _SEES)

    seen = invoke(real, "sees").value

    assert {"sh", "ls", "cat", PYTHON} <= set(seen["programs"])
    assert not {"apt-get", "mount", "su", "perl", "git", "gcc", "systemctl", "ip"} & set(seen["programs"])
    assert "f.py" in seen["listed"]
    assert not [
        word
        for word in ("lambda_local", "lambda-local", "/.cache", "/code/", str(Path.home()))
        if word in seen["mounts"]
    ]


def test_an_interpreter_of_the_system_brings_no_programs_of_the_machine(monkeypatch):
    executable, prefix, version = python._find_interpreter(PYTHON)
    python._client(executable, prefix, PYTHON, version)
    # As where Python is Debian's own: everything below /usr is below /var/lang then.
    monkeypatch.setattr(python, "_find_interpreter", lambda name: (executable, Path("/usr"), version))
    runtime = found.find(PYTHON)
    listed = "import os\nfor top in ('bin', 'sbin', 'games', 'local/bin', 'local/sbin'):\n" + (
        "    path = '/var/lang/' + top\n    print(top, *sorted(os.listdir(path)) if os.path.isdir(path) else [])"
    )
    with Instance.create(owner(), "system", Limits(256, 1.0), [*runtime.mounts, *INTERPRETER]) as box:
        seen = {line.split()[0]: line.split()[1:] for line in run(box, listed).text.splitlines()}

    assert seen == {"bin": ["python3", PYTHON], "sbin": [], "games": [], "local/bin": [], "local/sbin": []}
