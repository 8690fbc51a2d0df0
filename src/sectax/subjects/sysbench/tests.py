"""The tests of sysbench, each by a number of operations: what stops by the clock says nothing of time."""

from __future__ import annotations

from dataclasses import dataclass

# Bytes of a block of the memory tests where the plan does not say.
BLOCK = 64 * 2**20
_FILES = ("--file-num=1", "--file-total-size=64M")


@dataclass(frozen=True)
class Test:
    """One test.

    Attributes:
        name: as a level.
        operation: what one operation is, for a person.
        words: the arguments of sysbench; `{count}` is the number of operations, `{block}` the bytes of a block
            of the memory tests, `{bytes}` of all its blocks.
        threads: that sysbench starts.
        events: how many events sysbench counts: one for each operation, or one for each thread.
        prepare: arguments that make its files; empty where it has none.
    """

    name: str
    operation: str
    words: tuple[str, ...]
    threads: int = 1
    events: str = "operations"
    prepare: tuple[str, ...] = ()

    def arguments(self, count: int, block: int, longest_s: int) -> tuple[str, ...]:
        """The arguments for so many operations; after *longest_s* it ends, and has then too few events."""
        filled = [word.format(count=count, block=block, bytes=count * block) for word in self.words]
        return (*filled, f"--threads={self.threads}", f"--time={longest_s}", "run")

    def wanted_events(self, count: int) -> int:
        return self.threads if self.events == "threads" else count


def _memory(kind: str, access: str) -> Test:
    words = ("memory", "--memory-block-size={block}", "--memory-total-size={bytes}", f"--memory-oper={kind}")
    return Test(
        f"memory-{kind}" if access == "seq" else f"memory-random-{kind}",
        f"one block {'written' if kind == 'write' else 'read'}"
        + (" in order" if access == "seq" else " in random order"),
        (*words, f"--memory-access-mode={access}"),
    )


def _files(name: str, operation: str, *words: str) -> Test:
    always = ("fileio", *_FILES, "--events={count}", "--file-fsync-end=off")
    return Test(name, operation, (*always, *words), prepare=("fileio", *_FILES, "prepare"))


TESTS = {
    test.name: test
    for test in (
        Test("cpu", "all primes up to 10,000", ("cpu", "--cpu-max-prime=10000", "--events={count}")),
        _memory("write", "seq"),
        _memory("read", "seq"),
        _memory("write", "rnd"),
        _files("fileio", "16 KiB read or written at random, cached", "--file-test-mode=rndrw", "--file-fsync-freq=0"),
        _files("fileio-sync", "16 KiB written at random and synced", "--file-test-mode=rndwr", "--file-fsync-all=on"),
        Test(
            "threads",
            "100 times a lock and a yield",
            ("threads", "--thread-yields=100", "--thread-locks=4", "--events={count}"),
            threads=2,
        ),
        Test(
            "mutex",
            "one lock taken by each of two threads",
            ("mutex", "--mutex-num=16", "--mutex-loops=100", "--mutex-locks={count}"),
            threads=2,
            events="threads",
        ),
    )
}
