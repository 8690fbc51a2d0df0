"""Made-up /proc and /sys trees, for kernels that this machine does not run."""

from __future__ import annotations

from pathlib import Path

_V1 = "33 32 0:29 / /sys/fs/cgroup/{controller} rw,relatime shared:9 - cgroup cgroup rw,{controller}\n"
_V2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"


class Tree:
    """A file system below a temporary folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("proc/self/mountinfo", "23 1 0:4 / /proc rw - proc proc rw\n")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def process(self, pid: int, version: int, controller: str, group: str) -> None:
        """A process in a control group, and the mount that makes the group visible."""
        if version == 1:
            self.write("proc/self/mountinfo", _V1.format(controller=controller))
            self.write(f"proc/{pid}/cgroup", f"3:{controller}:{group}\n0::/elsewhere\n")
        else:
            self.write("proc/self/mountinfo", _V2)
            self.write(f"proc/{pid}/cgroup", f"0::{group}\n")

    def thread(
        self, pid: int, tid: int, *, run_ns: int, delay_ns: int, voluntary: int, involuntary: int, threads: int = 1
    ) -> None:
        folder = f"proc/{pid}/task/{tid}"
        self.write(f"{folder}/schedstat", f"{run_ns} {delay_ns} 17\n")
        self.write(
            f"{folder}/status",
            f"Name:\tfake\nThreads:\t{threads}\nvoluntary_ctxt_switches:\t{voluntary}\n"
            f"nonvoluntary_ctxt_switches:\t{involuntary}\n",
        )
