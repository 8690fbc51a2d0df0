"""Tests of sysbench, of our own probe, and of a published study."""

from __future__ import annotations

from dataclasses import dataclass

# Default bytes of a memory test's block.
BLOCK = 64 * 2**20
# For the first run of a sysbench test: filling a large block takes most of a second.
FIRST_BLOCK = 2**20
# Long enough for its resolution of 0.1 ms.
SYSBENCH_BATCH_S = 0.1
SYSBENCH, PROBE = "sysbench", "probe"
_FILES = ("--file-num=1", "--file-total-size=64M")


@dataclass(frozen=True)
class HostTest:
    """One test.

    Attributes:
        name: its level.
        words: arguments; `{count}` is the number of operations, `{block}` the bytes of a memory block, `{bytes}` of
            all blocks, `{longest}` the time limit in seconds.
        threads: their number; None if not checked.
        events: its count of events: `operations`, `threads` or `anything`.
        prepare: arguments to create its files; empty for none.
        program: `sysbench` or `probe`.
        clock_s: time limit of a study's command.
        known_s: approximate time of a study's command.
    """

    name: str
    words: tuple[str, ...]
    threads: int | None = 1
    events: str = "operations"
    prepare: tuple[str, ...] = ()
    program: str = SYSBENCH
    clock_s: float | None = None
    known_s: float | None = None

    @property
    def takes_one_processor(self) -> bool:
        """Whether it can stay on one processor, as the probe's threads do."""
        return self.program == PROBE or self.threads == 1

    @property
    def as_published(self) -> bool:
        return self.events == "anything"

    def arguments(self, count: int, block: int, longest_s: int) -> tuple[str, ...]:
        return tuple(
            word.format(count=count, block=block, bytes=count * block, longest=longest_s) for word in self.words
        )

    def wanted_events(self, count: int) -> int | None:
        """Expected number of events; None for any."""
        if self.as_published:
            return None
        return self.threads if self.events == "threads" else count


def _sysbench(
    name: str, *words: str, threads: int = 1, events: str = "operations", prepare: tuple[str, ...] = ()
) -> HostTest:
    whole = (*words, f"--threads={threads}", "--time={longest}", "run")
    return HostTest(f"{SYSBENCH}-{name}", whole, threads, events, prepare)


def _memory(kind: str, access: str) -> HostTest:
    return _sysbench(
        f"memory-{kind}" if access == "seq" else f"memory-random-{kind}",
        *("memory", "--memory-block-size={block}", "--memory-total-size={bytes}", f"--memory-oper={kind}"),
        f"--memory-access-mode={access}",
    )


def _files(name: str, *words: str) -> HostTest:
    always = ("fileio", *_FILES, "--events={count}", "--file-fsync-end=off")
    return _sysbench(name, *always, *words, prepare=("fileio", *_FILES, "prepare"))


def _probe(name: str, threads: int = 1) -> HostTest:
    return HostTest(name, (name, "{count}", "{block}"), threads, program=PROBE)


# The same work as our probe's, for comparison, and for hosts on which the probe does not run.
SYSBENCH_TESTS = (
    _sysbench("cpu", "cpu", "--cpu-max-prime=10000", "--events={count}"),
    _memory("write", "seq"),
    _memory("read", "seq"),
    _memory("write", "rnd"),
    _memory("read", "rnd"),
    _files("fileio", "--file-test-mode=rndrw", "--file-fsync-freq=0"),
    _files("fileio-sync", "--file-test-mode=rndwr", "--file-fsync-all=on"),
    _files("fileio-direct", "--file-test-mode=rndrd", "--file-fsync-freq=0", "--file-extra-flags=direct"),
    _sysbench("threads", "threads", "--thread-yields=100", "--thread-locks=4", "--events={count}", threads=2),
    _sysbench(
        *("mutex", "mutex", "--mutex-num=16", "--mutex-loops=100", "--mutex-locks={count}"), threads=2, events="threads"
    ),
)

# With the work of one operation.
PROBE_TESTS = (
    _probe("cpu"),  # all primes up to 10,000
    _probe("memory-write"),  # 1 MiB written in order, past the cache
    _probe("memory-read"),  # 1 MiB read in order, past the cache
    _probe("fileio"),  # 16 KiB read or written at random, cached
    _probe("fileio-sync"),  # 16 KiB written at random and synced
    _probe("fileio-direct"),  # 16 KiB read at random past the page cache
    _probe("threads", threads=2),  # 100 times a lock and a yield, by one of two threads
    _probe("mutex", threads=2),  # one lock taken by each of two threads
    _probe("syscalls"),  # one system call (getppid)
    _probe("context-switch"),  # a byte to another process on the same processor, and back
    _probe("clock-read"),  # one clock_gettime
    _probe("page-fault"),  # the first touch of a page of 4 KiB
    _probe("memory-latency"),  # one load that needs the one before, past the cache
    _probe("loopback"),  # a byte over TCP to 127.0.0.1, and back
    _probe("fsync"),  # 4 KiB written and synced
    _probe("process-start"),  # a process started and waited for
    _probe("rdtsc"),  # one read of the processor's counter
    _probe("cpuid"),  # one CPUID instruction
)

TESTS = {test.name: test for test in (*PROBE_TESTS, *SYSBENCH_TESTS)}

_STUDYS_FILES = ("fileio", "--file-total-size=5G", "--file-test-mode=rndrw", "--time=300", "--max-requests=0")
# sysbench's default.
_USUAL_CLOCK_S = 10.0


def _published(name: str, clock_s: float, *words: str, known_s: float = 0.0, prepare: tuple[str, ...] = ()) -> HostTest:
    return HostTest(name, words, None, "anything", prepare=prepare, clock_s=clock_s, known_s=known_s or clock_s)


# The unchanged commands of the published study, with the names of our similar tests.
PUBLISHED_TESTS = {
    test.name: test
    for test in (
        _published("cpu", _USUAL_CLOCK_S, "cpu", "run", "--max-requests=10000", "--num-threads=4", known_s=2.4),
        _published("memory-write", _USUAL_CLOCK_S, "memory", "run"),
        _published("fileio", 300.0, *_STUDYS_FILES, "run", prepare=(*_STUDYS_FILES, "prepare")),
        _published(
            "threads", _USUAL_CLOCK_S, "threads", "--threads=500", "--thread-yields=100", "--thread-locks=4", "run"
        ),
        _published(
            *("mutex", _USUAL_CLOCK_S),
            *("mutex", "--threads=100", "--mutex-num=1000", "--mutex-locks=100000", "--mutex-loops=10000", "run"),
            known_s=31.4,
        ),
    )
}
