"""What an instance holds, by files as the kernel writes them under cgroup v1 and v2."""

from __future__ import annotations

from pathlib import Path

from lambda_local.instances.lifecycle import Lifecycle
from lambda_local.sandbox import memory
from lambda_local.sandbox.limits import Limits, limit_settings, memory_settings
from lambda_local.sandbox.memory import measure

MB = 1 << 20
# Recorded, without the lines that nobody reads.
V1 = "cache 20971520\nrss 31457280\nrss_huge 0\nshmem 2097152\nmapped_file 6291456\n"
V2 = "anon 31457280\nfile 20971520\nsock 4096\nshmem 2097152\nfile_mapped 6291456\nfile_dirty 0\n"


def process(proc: Path, pid: int, *, anon: int, file: int, shared: int = 0, peak: int = 0, smaps: str = "") -> None:
    (proc / str(pid)).mkdir()
    status = f"Name:\tpython\nVmHWM:\t{peak >> 10} kB\nRssAnon:\t{anon >> 10} kB\nRssFile:\t{file >> 10} kB\n"
    (proc / str(pid) / "status").write_text(f"{status}RssShmem:\t{shared >> 10} kB\nThreads:\t1\n")
    (proc / str(pid) / "smaps").write_text(smaps)


def mapping(inode: int, resident: int, copied: int = 0, path: str = "/var/lang/lib/libpython.so") -> str:
    head = f"7f00-7fff r-xp 00000000 fd:01 {inode}    {path}\nSize: 99 kB\n"
    return head + f"Rss: {resident >> 10} kB\nPss: 0 kB\nAnonymous: {copied >> 10} kB\nVmFlags: rd ex\n"


def test_code_that_others_had_in_memory_counts_and_is_reported_as_counted_elsewhere(tmp_path):
    process(tmp_path, 7, anon=30 * MB, file=46 * MB, peak=90 * MB)

    for stat in (V1, V2):
        seen = measure([7], stat, sockets=0, proc=tmp_path)

        assert seen.resident == (30 + 2 + 46) * MB
        assert seen.elsewhere == (46 - 6) * MB
        assert seen.peak == 90 * MB


def test_v1_socket_buffers_count_as_charged_elsewhere(tmp_path):
    process(tmp_path, 7, anon=30 * MB, file=6 * MB)

    assert measure([7], V1, sockets=9 * MB, proc=tmp_path).elsewhere == 9 * MB


def test_pages_shared_by_forked_processes_count_once(tmp_path):
    for pid in (7, 8, 9):
        others = mapping(0, 30 * MB, path="[heap]") + mapping(12, MB, path="/dev/shm/x")
        smaps = mapping(11, 20 * MB, copied=2 * MB) + others
        process(tmp_path, pid, anon=30 * MB, file=18 * MB, smaps=smaps)
    process(tmp_path, 10, anon=MB, file=5 * MB, smaps=mapping(13, 5 * MB))

    seen = measure([7, 8, 9, 10], V1, sockets=0, proc=tmp_path)

    assert seen.resident == (30 + 2 + 18 + 5) * MB


def test_no_memory_hides_behind_many_mappings_and_they_cost_the_server_little(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_SMAPS_BYTES", 1000)
    process(tmp_path, 7, anon=MB, file=5 * MB, smaps=mapping(11, 5 * MB))
    process(tmp_path, 8, anon=MB, file=40 * MB, smaps=mapping(12, MB) * 1000)
    process(tmp_path, 9, anon=MB, file=6 * MB, smaps=mapping(11, 6 * MB))

    assert measure([7, 8, 9], V1, sockets=0, proc=tmp_path).resident == (32 + 5 + 40 + 6) * MB


def test_a_process_that_is_gone_holds_nothing(tmp_path):
    assert measure([7], V1, sockets=0, proc=tmp_path).peak == 0


def test_the_limit_moves_in_the_order_that_the_kernel_takes():
    lower, higher = (memory_settings(1, 5, lower=lower) for lower in (True, False))

    assert [file for file, _ in lower] == ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
    assert higher == lower[::-1]
    assert memory_settings(2, 5, lower=True) == [("memory.max", "5")]


def test_buffers_of_sockets_have_a_limit_in_v1_and_are_memory_in_v2():
    sockets = ("memory.kmem.tcp.limit_in_bytes", str(128 * MB))

    assert sockets in limit_settings(1, Limits(128, 1.0))["memory"]
    assert [file for file, _ in limit_settings(2, Limits(128, 1.0))["memory"]] == ["memory.max", "memory.swap.max"]


def test_slow_memory_checks_are_made_rarely():
    class Slow:
        """A clock that a look moves by 0.3 s."""

        _watch_from, now, looks = 0.0, 100.0, 0

        def __init__(self):
            self._loop = self

        def time(self):
            return self.now

        def check_memory(self, *, always):
            self.looks += always
            self.now += 0.3

    slow = Slow()
    for _ in range(600):
        slow.now += 0.05
        Lifecycle.watch(slow)

    assert slow.looks == 3  # in half a minute
