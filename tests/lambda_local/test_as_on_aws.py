"""What Duration and bill depend on, in real sandboxes: frozen between events, boosted in init, extensions billed."""

from __future__ import annotations

import re
import time

import pytest

from tests.lambda_local.serving import CALLS_API, PYTHON, create, extension_layer, invoke, measured
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)


_LEFT_OVER = """
import threading, time
used = 0.0
def burn():
    global used
    began = time.thread_time()
    while used < 1.0:
        used = time.thread_time() - began
def handler(event, context):
    global thread
    if event == "begin":
        thread = threading.Thread(target=burn)
        thread.start()
    if event == "join":
        thread.join()
    return used
"""


def test_work_left_over_waits_for_the_next_event_and_counts_into_it(real):
    create(real, "left-over", _LEFT_OVER, MemorySize=1769)

    begun = invoke(real, "left-over", "begin").value
    time.sleep(1)
    looked = invoke(real, "left-over", "look").value
    joined = invoke(real, "left-over", "join")

    assert begun <= looked < 0.7  # a second later, and 1 s of work not done: the server may be late to freeze it
    assert joined.value >= 1.0
    assert joined.measured["duration_s"] > 0.2


_HEAVY = """
import glob, time
began = time.process_time()
while time.process_time() - began < 0.1:
    pass
for path in glob.glob("/sys/fs/cgroup/cpu*/cpu.stat") or ["/sys/fs/cgroup/cpu.stat"]:
    throttled = int(open(path).read().partition("nr_throttled ")[2].split()[0])
def handler(event, context):
    return throttled
"""


def test_an_init_phase_runs_on_more_than_the_memory_buys_and_the_first_event_finds_a_full_quota(real):
    create(real, "heavy", _HEAVY, MemorySize=512)

    answer = invoke(real, "heavy")

    first = measured(answer.raw)
    assert first.init_s is not None
    assert answer.value == 0  # 0.1 s on the share of 512 MB would be held back in 17 periods
    assert first.cpu_quota == pytest.approx(512 / 1769, rel=0.01)
    assert first.throttled_periods == 0


def test_work_of_an_extension_after_the_answer_is_billed(real):
    slow = f"""#!/var/lang/bin/{PYTHON} -IS
{CALLS_API}
identifier, _ = call("POST", "register", '{{"events": ["INVOKE"]}}', **{{"Lambda-Extension-Name": "slow"}})
while True:
    call("GET", "event/next", **{{"Lambda-Extension-Identifier": identifier}})
    time.sleep(0.2)
"""
    layers = [extension_layer(real, "slow", slow)]
    create(real, "billed", "def handler(event, context):\n    return 1\n", Layers=layers, MemorySize=1769)
    invoke(real, "billed")

    warm = invoke(real, "billed")

    billed = int(warm.log.partition("Billed Duration: ")[2].split()[0])
    assert warm.measured["duration_s"] >= 0.2
    assert warm.measured["after_answer_s"] > warm.measured["extensions_s"] > 0
    assert billed >= 200


_FILLS = """
import errno, os
def handler(event, context):
    block, written = bytes(2**20), 0
    try:
        with open("/tmp/full", "wb") as file:
            while written < 1000:
                file.write(block)
                written += 1
    except OSError as error:
        return [written, errno.errorcode[error.errno], os.listdir("/tmp")]
"""


@pytest.mark.more
def test_a_full_tmp_is_a_full_disk_and_no_want_of_memory(real):
    create(real, "fills", _FILLS, MemorySize=128, EphemeralStorage={"Size": 512})

    answer = invoke(real, "fills")

    assert answer.error is None, answer.text
    written, error, listed = answer.value
    assert error == "ENOSPC"
    assert listed == ["full"]
    assert 505 <= written <= 535
    assert answer.measured["memory_kills"] == 0


_SEES = """
import os, socket
def handler(event, context):
    names = ("AWS_LAMBDA_LOG_STREAM_NAME", "AWS_XRAY_CONTEXT_MISSING", "AWS_XRAY_DAEMON_ADDRESS")
    memory = dict(line.split()[:2] for line in open("/proc/meminfo"))
    return [int(memory["MemTotal:"]), [os.environ.get(name) for name in names], context.log_stream_name,
            socket.gethostbyname("sandbox.localdomain")]
"""


def test_a_function_sees_its_own_memory_and_lambda_s_names(real):
    create(real, "sees", _SEES, MemorySize=256)

    total_kb, (stream, missing, daemon), stream_in_context, address = invoke(real, "sees").value

    assert total_kb == 256 * 1024
    assert re.fullmatch(r"\d{4}/\d\d/\d\d/\[\$LATEST\][0-9a-f]{32}", stream)
    assert stream_in_context == stream
    assert address == "127.0.0.1"
    assert (missing, daemon) == ("LOG_ERROR", "169.254.79.129:2000")
