"""Telemetry says what the kernel knows of a process; what cannot be read is missing, never zero."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sectax.hosts.process.child import Child
from sectax.hosts.process.telemetry import TelemetryReader, TelemetryReading, difference
from tests.hosts.processes import soon
from tests.hosts.trees import Tree

PID = 4_194_305  # larger than Linux allows, so that only the tree is read


def between(tree: Tree, change: Callable[[], object]) -> dict[str, float]:
    with closing(TelemetryReader(PID, tree.root)) as reader:
        before = reader.read()
        change()
        return difference(before, reader.read())


def test_a_busy_process_uses_cpu_and_a_sleeping_one_does_not() -> None:
    program = """
import sys, time
for line in sys.stdin:
    until = time.process_time() + float(line)
    while time.process_time() < until:
        pass
    time.sleep(0.001)
    print(flush=True)
"""
    with Child([sys.executable, "-I", "-S", "-c", program]) as child, closing(TelemetryReader(child.pid)) as reader:
        readings = []
        for seconds in (b"0\n", b"0.05\n", b"0\n"):
            child.send(seconds, soon())
            child.receive_line(soon())
            readings.append(reader.read())

    busy, idle = difference(*readings[:2]), difference(*readings[1:])
    assert 0.045 < busy["cpu_time_s"] < 1
    assert idle["cpu_time_s"] < 0.04
    assert busy["voluntary_switches"] >= 1
    assert busy["run_queue_delay_s"] >= 0
    assert busy.keys() == idle.keys()


def test_threads_that_come_and_go_are_followed() -> None:
    program = (
        "import sys, threading\n"
        "for line in sys.stdin:\n"
        " work = [threading.Thread(target=sum, args=(range(200_000),)) for _ in range(4)]\n"
        " [worker.start() for worker in work]\n"
        " [worker.join() for worker in work]\n"
        " print(threading.active_count(), flush=True)\n"
    )
    with Child([sys.executable, "-I", "-c", program]) as child, closing(TelemetryReader(child.pid)) as reader:
        before = reader.read()
        for _ in range(3):
            child.send(b"go\n", soon())
            child.receive_line(soon())
            after = reader.read()

    change = difference(before, after)
    assert change["cpu_time_s"] > 0.005
    assert change["voluntary_switches"] > 0
    assert after.threads is not None
    assert child.pid in after.threads
    assert len(after.threads) < 1 + 3 * 4  # those of the first rounds are forgotten


def test_the_figures_of_all_threads_are_summed(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.thread(PID, 10, run_ns=5, delay_ns=1000, voluntary=1, involuntary=2, threads=2)
    tree.thread(PID, 11, run_ns=5, delay_ns=2000, voluntary=1, involuntary=2, threads=2)

    def _run() -> None:
        tree.thread(PID, 10, run_ns=6, delay_ns=4000, voluntary=4, involuntary=2, threads=3)
        tree.thread(PID, 11, run_ns=9, delay_ns=2500, voluntary=2, involuntary=7, threads=3)
        tree.thread(PID, 12, run_ns=3, delay_ns=100, voluntary=1, involuntary=0, threads=3)

    change = between(tree, _run)

    assert change["run_queue_delay_s"] == pytest.approx(3600e-9)
    assert change["voluntary_switches"] == 5
    assert change["involuntary_switches"] == 5


def test_a_thread_number_that_is_used_again_does_not_count_backwards(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.thread(PID, 10, run_ns=500, delay_ns=9000, voluntary=50, involuntary=50)

    change = between(tree, lambda: tree.thread(PID, 10, run_ns=20, delay_ns=300, voluntary=2, involuntary=1))

    assert change["run_queue_delay_s"] == pytest.approx(300e-9)
    assert (change["voluntary_switches"], change["involuntary_switches"]) == (2, 1)


def test_without_schedstat_only_the_delay_is_missing(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    status = "Threads:\t1\nvoluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t4\n"
    tree.write(f"proc/{PID}/task/10/status", status.format(3))

    change = between(tree, lambda: tree.write(f"proc/{PID}/task/10/status", f"Name:\tx\n{status.format(5)}"))

    assert "run_queue_delay_s" not in change
    assert change["voluntary_switches"] == 2
    assert change["involuntary_switches"] == 0


@pytest.mark.parametrize(
    ("version", "folder", "before", "after"),
    [
        (1, "sys/fs/cgroup/cpu", "nr_throttled 1\nthrottled_time 100\n", "nr_throttled 3\nthrottled_time 2000000100\n"),
        (2, "sys/fs/cgroup", "nr_throttled 1\nthrottled_usec 1\n", "nr_throttled 3\nthrottled_usec 2000001\n"),
    ],
    ids=["cgroup v1", "cgroup v2"],
)
@pytest.mark.parametrize("group", ["outer/inner", "outer"], ids=["own group", "ancestor"])
def test_throttling_of_the_group_and_its_ancestors_is_seen(
    tmp_path: Path, version: int, folder: str, before: str, after: str, group: str
) -> None:
    tree = Tree(tmp_path)
    tree.process(PID, version, "cpu", "/outer/inner")
    # The root group of version 2 has a cpu.stat without throttling.
    tree.write(f"{folder}/cpu.stat", "usage_usec 12\n")
    for text in ("outer/inner", "outer"):
        tree.write(f"{folder}/{text}/cpu.stat", f"nr_periods 10\n{before}")

    change = between(tree, lambda: tree.write(f"{folder}/{group}/cpu.stat", f"nr_periods 20\n{after}"))

    assert change["throttled_s"] == pytest.approx(2.0)
    assert change["throttled_periods"] == 2


def test_steal_is_counted_in_ticks(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 9 9 9 9 9 9 9 99 0 0\n")

    change = between(tree, lambda: tree.write("proc/stat", "cpu  1 2 3 4 5 6 7 11 0 0\n"))

    assert change["steal_s"] == pytest.approx(3 / os.sysconf("SC_CLK_TCK"))


def test_the_frequency_is_that_of_the_cpu_of_the_busiest_thread(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for cpu, khz in enumerate((1_000_000, 2_500_000)):
        tree.write(f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq", f"{khz}\n")
    for tid, cpu in ((10, 0), (11, 1)):
        tree.thread(PID, tid, run_ns=1, delay_ns=0, voluntary=0, involuntary=0, threads=2)
        fields = ["S", *["0"] * 35, str(cpu), "0"]
        tree.write(f"proc/{PID}/task/{tid}/stat", f"{tid} (a (strange) name) {' '.join(fields)}\n")

    change = between(tree, lambda: tree.thread(PID, 11, run_ns=90, delay_ns=0, voluntary=0, involuntary=0, threads=2))

    assert change["frequency_hz"] == 2.5e9


def test_what_cannot_be_read_is_missing_not_zero(tmp_path: Path) -> None:
    assert between(Tree(tmp_path), lambda: None) == {}


def test_of_a_process_that_is_gone_nothing_is_read() -> None:
    with Child(["cat"]) as child:
        reader = TelemetryReader(child.pid)
        before = reader.read()
    after = reader.read()
    reader.close()

    assert not difference(before, after).keys() & {"cpu_time_s", "run_queue_delay_s", "voluntary_switches"}


def test_a_closed_reader_reads_nothing_and_keeps_no_file_open() -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    reader = TelemetryReader(os.getpid())
    reader.read()
    reader.close()
    reader.close()

    assert reader.read() == TelemetryReading(None, None, None, None, None, None)
    assert len(os.listdir("/proc/self/fd")) == open_before
