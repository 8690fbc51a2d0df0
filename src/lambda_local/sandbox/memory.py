"""The memory that an instance holds: what its processes have allocated, and what they map of files, each page once.

A control group counts a page of a file for whoever read it first: what another instance, or the server, had in memory
before would be free, for Max Memory Used and for the limit. On AWS each instance is a machine of its own and shares
nothing. So mapped pages are counted by the page tables, and the kernel's limit is lowered by those that it counts
elsewhere. Not by Pss, which divides a page by everybody who maps it: an instance would shrink with each neighbour. Not
by the sum of Rss, which counts what forked processes share again and again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# Tmpfs: what is mapped of it the group counts as shmem.
_IN_MEMORY = ("/dev/shm/", "/memfd:", "/dev/zero", "/SYSV")  # noqa: S108 - paths inside, as the kernel writes them
_PAGE = os.sysconf("SC_PAGE_SIZE")
# A process may have 65,530 mappings, and the kernel writes 700 bytes of each: the server reads no more than this.
_SMAPS_BYTES = 8 * 2**20


class Held(NamedTuple):
    """Bytes at one moment.

    Attributes:
        resident: allocated and mapped.
        peak: the most that one process had resident at once, up to now.
        elsewhere: of what it holds, what the group is not charged for.
    """

    resident: int
    peak: int
    elsewhere: int


def held(pids: Iterable[int], stat: str, sockets: int, proc: Path = Path("/proc")) -> Held:
    """What these processes hold.

    Args:
        stat: their group's `memory.stat`, of cgroup v1 or v2.
        sockets: bytes in buffers of sockets that `memory.stat` does not know of, as in v1.
    """
    processes = [status for pid in pids if (status := _status(proc / str(pid)))]
    own = _own(stat)
    mapped = processes[0]["RssFile"] if len(processes) == 1 else _mapped(processes, proc)
    shared = sum(process["RssShmem"] for process in processes)
    # What the group calls mapped includes mapped pages of tmpfs, which are allocated here.
    allocated = own.get("rss", own.get("anon", 0)) + own.get("shmem", 0)
    charged = max(0, own.get("mapped_file", own.get("file_mapped", 0)) - shared)
    peak = max((process["VmHWM"] for process in processes), default=0)
    return Held(allocated + mapped, peak, max(0, mapped - charged) + sockets)


def resident_pages(statm: bytes) -> int:
    """The resident set in `/proc/PID/statm`, in bytes: cheap, and enough to see that it has grown."""
    words = statm.split(maxsplit=2)
    return int(words[1]) * _PAGE if len(words) > 1 else 0


def _status(process: Path) -> dict[str, int]:
    """Amounts of `/proc/PID/status` in bytes, and the `Pid`; empty where the process is gone."""
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
    """Bytes that several processes map of files: of each file as much as the one that maps most of it.

    Of processes with too many mappings all counts by itself: nothing hides behind their number.
    """
    most: dict[str, int] = {}
    apart, left = 0, _SMAPS_BYTES
    for process in processes:
        text = b""
        with contextlib.suppress(OSError), open(proc / str(process["Pid"]) / "smaps", "rb") as smaps:
            text = smaps.read(left + 1)
        if len(text) > left:
            apart, left = apart + process["RssFile"], 0
            continue
        left -= len(text)
        own: dict[str, int] = {}
        file = ""
        for line in text.decode(errors="replace").splitlines():
            words = line.split(maxsplit=5)
            if words[0].endswith(":"):
                if file and words[0] in ("Rss:", "Anonymous:"):  # the second are copies, which are allocated
                    own[file] = own.get(file, 0) + (int(words[1]) << 10) * (1 if words[0] == "Rss:" else -1)
            else:  # address, permissions, offset, device, inode, path
                on_disk = words[4] != "0" and not words[-1].startswith(_IN_MEMORY)
                file = f"{words[3]} {words[4]}" if on_disk else ""
        for name, amount in own.items():
            most[name] = max(most.get(name, 0), amount)
    return sum(most.values()) + apart
