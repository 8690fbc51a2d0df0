"""What varies: the tests of every preset, and how a person calls them."""

from __future__ import annotations

from sectax.model.advice_rules import Group
from sectax.model.environment import LOCAL_HOST
from sectax.subjects.sysbench import PUBLISHED_TESTS, TESTS

# What is measured where the user names no hosts: this machine, and isolation that it can have.
PLAIN = "plain"
DEFAULT = {
    PLAIN: LOCAL_HOST,
    "runc": "oci:runc",
    "runc-seccomp": "oci:runc+seccomp",
    "runc-apparmor": "oci:runc+apparmor",
    "gvisor": "oci:runsc",
}
# By preset. The study compared one pair.
HOSTS = {
    "default": DEFAULT,
    "quick": {name: DEFAULT[name] for name in (PLAIN, "runc", "gvisor")},
    "published": {name: DEFAULT[name] for name in (PLAIN, "gvisor")},
}

TEST, COMMANDS = "test", "commands"
# With --published: our tests by a fixed count, and the study's own commands beside them.
BY_COUNT, AS_PUBLISHED = "by-count", "as-published"

_QUICK_TESTS = ("cpu", "memory-write", "fileio", "threads", "mutex")
_DEFAULT_TESTS = (
    *("cpu", "memory-write", "memory-read", "fileio", "fileio-sync", "threads", "mutex"),
    *("syscalls", "context-switch", "page-fault", "memory-latency", "loopback", "process-start"),
)
PRESETS: dict[str, tuple[str, ...]] = {
    "quick": _QUICK_TESTS,
    "default": _DEFAULT_TESTS,
    "published": tuple(PUBLISHED_TESTS),
}

# Where only some comparisons can share the error level of the answer, those of the first tests do: one of each kind.
_FIRST = ("cpu", "memory-latency", "syscalls", "fileio")
ORDER = (*_FIRST, *(name for name in TESTS if name not in _FIRST))

# Kinds of work, for the profile and for a mix of one's own (`sectax advise --mix`): the tests that stand for each.
GROUPS = (
    Group("cpu", "computing", ("cpu",)),
    Group(
        "memory",
        "memory past the cache",
        (
            *("memory-write", "memory-read", "memory-random-write", "memory-random-read"),
            *("memory-bandwidth", "memory-latency"),
        ),
    ),
    Group("page-faults", "fresh memory", ("page-fault",)),
    Group("syscalls", "system calls", ("syscalls",)),
    Group("switches", "switches between processes", ("context-switch", "threads", "mutex")),
    Group("processes", "starting processes", ("process-start",)),
    Group("clock", "reading the clock", ("clock-read", "rdtsc")),
    Group("cpuid", "CPUID", ("cpuid",)),
    Group("files", "files through the cache", ("fileio",)),
    Group("disk", "files on the disk", ("fileio-sync", "fileio-direct", "fsync")),
    Group("network", "TCP on the machine itself", ("loopback",)),
)

WORDS = {f"{TEST}={name}": f"in {name}" for name in TESTS} | {
    f"{COMMANDS}={BY_COUNT}": "by a fixed count",
    f"{COMMANDS}={AS_PUBLISHED}": "by the study's command",
    "metric=time": "time",
    "metric=cpu": "CPU time",
}

PUBLISHED_CHOICES = (
    "the study does not name its machine type: these are the hosts that you name",
    "it shows one trial of each command: each runs once on every host, which gives a ratio and no interval",
    "its commands are run word by word, by the sysbench that each host has; the oldest of their options are still read",
    "beside each of them stands a test of the same kind that does a fixed number of operations, in blocks",
    "its memory test, which writes blocks of 1 KiB, is called memory-write as ours is, whose blocks are past the cache",
)
