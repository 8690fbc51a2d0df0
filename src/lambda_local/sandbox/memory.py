"""The memory of an instance: allocations of its processes, and mapped pages of files, each once.

A control group charges a page of a file to its first reader, so pages that another instance or the server read before
would be free. On AWS instances share nothing. So mapped pages are counted by the page tables, and the kernel's limit is
lowered by those that are charged elsewhere. Pss is not suitable, since it divides pages among all instances that map
them; nor is the sum of Rss, which counts shared pages of forked processes repeatedly.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# Tmpfs, which the group counts as shmem.
_IN_MEMORY = ("/dev/shm/", "/memfd:", "/dev/zero", "/SYSV")  # noqa: S108 - paths inside, as the kernel writes them
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Limit of the server's reads: a process may have 65,530 mappings of 700 bytes each in smaps.
_SMAPS_BYTES = 8 * 2**20


class MemoryUsage(NamedTuple):
    """Current memory in bytes.

    Attributes:
        resident: allocated and mapped.
        peak: highest resident set of one process so far.
        elsewhere: the part that is not charged to the group.
    """

    resident: int
    peak: int
    elsewhere: int


def measure(pids: Iterable[int], stat: str, sockets: int, proc: Path = Path("/proc")) -> MemoryUsage:
    """Return the memory of these processes.

    Args:
        stat: their group's `memory.stat`, of cgroup v1 or v2.
        sockets: bytes in buffers of sockets that `memory.stat` does not include, as in v1.
    """
    processes = [status for pid in pids if (status := _status(proc / str(pid)))]
    own = _own(stat)
    mapped = processes[0]["RssFile"] if len(processes) == 1 else _mapped(processes, proc)
    shared = sum(process["RssShmem"] for process in processes)
    # The group's mapped memory includes tmpfs, which counts as allocated here.
    allocated = own.get("rss", own.get("anon", 0)) + own.get("shmem", 0)
    charged = max(0, own.get("mapped_file", own.get("file_mapped", 0)) - shared)
    peak = max((process["VmHWM"] for process in processes), default=0)
    return MemoryUsage(allocated + mapped, peak, max(0, mapped - charged) + sockets)


def resident_pages(statm: bytes) -> int:
    """Return the resident set in `/proc/PID/statm` in bytes, a cheap check for growth."""
    words = statm.split(maxsplit=2)
    return int(words[1]) * _PAGE if len(words) > 1 else 0


def _status(process: Path) -> dict[str, int]:
    """Return amounts of `/proc/PID/status` in bytes, and the `Pid`; empty if the process is gone."""
    amounts: dict[str, int] = {}
    with contextlib.suppress(OSError):
        for line in (process / "status").read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in ("VmHWM", "RssFile", "RssShmem"):
                amounts[name] = int(value.split()[0]) << 10
        if amounts:  # kernel threads and zombies have none
            amounts["Pid"] = int(process.name)
    return amounts


def _own(stat: str) -> dict[str, int]:
    return {words[0]: int(words[1]) for line in stat.splitlines() if len(words := line.split()) == 2}


def _mapped(processes: Iterable[dict[str, int]], proc: Path) -> int:
    """Return the bytes of files that several processes map: per file the maximum of all processes.

    For processes with too many mappings the whole RssFile is added.
    """
    most: dict[str, int] = {}
    unparsed, left = 0, _SMAPS_BYTES
    for process in processes:
        text = b""
        with contextlib.suppress(OSError), open(proc / str(process["Pid"]) / "smaps", "rb") as smaps:
            text = smaps.read(left + 1)
        if len(text) > left:
            unparsed, left = unparsed + process["RssFile"], 0
            continue
        left -= len(text)
        own: dict[str, int] = {}
        file = ""
        for line in text.decode(errors="replace").splitlines():
            words = line.split(maxsplit=5)
            if words[0].endswith(":"):
                if file and words[0] in ("Rss:", "Anonymous:"):  # Anonymous are copies, which are allocated
                    own[file] = own.get(file, 0) + (int(words[1]) << 10) * (1 if words[0] == "Rss:" else -1)
            else:  # address, permissions, offset, device, inode, path
                on_disk = words[4] != "0" and not words[-1].startswith(_IN_MEMORY)
                file = f"{words[3]} {words[4]}" if on_disk else ""
        for name, amount in own.items():
            most[name] = max(most.get(name, 0), amount)
    return sum(most.values()) + unparsed
