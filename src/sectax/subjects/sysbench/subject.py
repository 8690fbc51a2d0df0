"""A subject that runs one test of sysbench on a host, as often as it is asked, through one shell there.

The shell is started once per block and test, so neither a login nor the start of a container is in any figure. Times
are those that sysbench takes itself: no clock of sectax, and none of another host, enters them.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from dataclasses import dataclass

from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.printable import printable
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.sandboxes import facts
from sectax.sandboxes.hosts import Host, Telemetry, host
from sectax.sandboxes.process.child import Child
from sectax.sandboxes.process.errors import ChildDied, ChildError, ChildNotStarted, ChildSilent
from sectax.sandboxes.process.telemetry import difference
from sectax.subjects.sysbench.output import GRANULARITY_S, MOST_BYTES, Result, UnknownOutput, read_result
from sectax.subjects.sysbench.tests import BLOCK, TESTS

TOTAL_TIME = "total_time"

# What one execution may take beyond the time after which sysbench ends itself: a slow disk, a slow login.
_GRACE_S = 20.0
_CLOSE_S = 5.0
_LINE_LIMIT = 8 * 1024
# That the test works is shown with a small block: filling a large one takes most of a second.
_FIRST_BLOCK = 2**20
# Reads words line by line and runs sysbench with them, in a folder of its own. The mark, which nobody can guess, ends
# each answer. When stdin ends, so does the shell, and its folder is removed.
_SHELL = r"""
set -f
folder=$(mktemp -d "/var/tmp/$0-XXXXXX") || exit 3
trap 'cd / && rm -rf "$folder"' EXIT
trap 'exit 4' HUP INT TERM
cd "$folder" || exit 3
while IFS= read -r words; do
  sysbench $words </dev/null 2>&1
  printf '\n%s %s\n' "$0" "$?"
done
"""


@dataclass(frozen=True)
class SysbenchSpec:
    """One test on one host, as data.

    Attributes:
        host: the name of a host (`sectax.sandboxes.hosts`).
        test: one of `TESTS`.
        block: bytes of a block of the memory tests.
        longest_s: seconds after which an execution counts as hung.
    """

    host: str
    test: str
    block: int = BLOCK
    longest_s: int = 60

    def subject(self) -> SysbenchSubject:
        return SysbenchSubject(self, host(self.host))


class SysbenchSubject:
    """Implements `sectax.model.subject.Subject`; the very first operation is not timed apart."""

    def __init__(self, spec: SysbenchSpec, at: Host) -> None:
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._test = TESTS[spec.test]
        self._host = at
        self._mark = f"sectax-{secrets.token_hex(8)}"
        self._child: Child | None = None
        self._telemetry: Telemetry | None = None
        self._stage = "open"

    def start(self) -> None:
        if self._child is None:
            try:
                self._child = self._host.start(("/bin/sh", "-c", _SHELL, self._mark), line_limit=_LINE_LIMIT)
            except ChildNotStarted as error:
                raise self._failure(error.reason) from error

    def open(self) -> Witnesses:
        """Make the files of the test where it has any, and run it once.

        Returns:
            what the host says of itself (`isolation`, `memory_encryption`, `kernel`, `mitigations`, …), `sysbench`,
            its version, and the granularity of its clock.
        """
        self.start()
        witnesses = self._says()
        version = self._run("--version")
        if not version.startswith("sysbench "):
            self.kill()
            raise SubjectSkipped(
                f"there is no sysbench on {self._spec.host}: {printable(version.strip(), 120)}",
                "apt-get install sysbench there",
            )
        if self._test.prepare:
            said = self._run(*self._test.prepare)
            if "FATAL" in said:
                raise self._failure(f"its files could not be made: {printable(_fatal(said), 200)}")
        result = self._execute(1, _FIRST_BLOCK)
        assert self._child is not None
        self._telemetry = self._host.telemetry(self._child)
        self._stage = "visit"
        return witnesses | {
            "sysbench": result.version,
            "clock": "sysbench",
            "clock_granularity_s": GRANULARITY_S,
            "clock_read_s": 0.0,
        }

    def visit(self, work: Work) -> Visit:
        """Run the test once with all operations. Raises ValueError for operations one by one."""
        if work.each:
            raise ValueError("sysbench does not tell its operations apart")
        if work.settle:
            self._execute(work.settle)
        telemetry = self._telemetry
        before = None if telemetry is None else telemetry.read()
        result = self._execute(work.count + work.extra)
        after = None if telemetry is None else telemetry.read()
        ridden = {} if before is None or after is None else difference(before, after)
        shared = {name: value for name, value in ridden.items() if name == "steal_s"}
        return Visit((Observation(TOTAL_TIME, result.total_s, "s", "sysbench", work.count),), shared)

    def close(self) -> Witnesses:
        self._stage = "close"
        self.kill()
        return {}

    def kill(self) -> None:
        """End the shell, which removes its files; never raises."""
        if self._telemetry is not None:
            self._telemetry.close()
            self._telemetry = None
        if self._child is not None:
            child, self._child = self._child, None
            with contextlib.suppress(ChildError, OSError):
                if child.close(grace=0.0 if self._stage == "hung" else _CLOSE_S) < 0:
                    self._tidy()

    def _tidy(self) -> None:
        """Remove the files of a shell that had to be killed. Raises `ChildError`."""
        with self._host.start(("/bin/sh", "-c", 'rm -rf "/var/tmp/$0"-*', self._mark)) as child:
            child.wait(time.monotonic() + _CLOSE_S)

    def _says(self) -> Witnesses:
        try:
            said = self._host.identity()
            if self._spec.host == LOCAL_HOST:
                said = said | local_facts()
        except ChildNotStarted as error:
            raise self._failure(error.reason) from error
        except ChildError as error:
            raise self._failure(f"it does not say what it is: {error}") from error
        names = ("isolation", "memory_encryption", "kernel", "cpu_model", "clock_source", "mitigations", "runtime")
        witnesses: Witnesses = {name: said[f"host.{name}"] for name in names if f"host.{name}" in said}
        if "memory_encryption" in witnesses:
            witnesses["confidential"] = witnesses["memory_encryption"] in facts.TECHNOLOGIES
        return witnesses

    def _execute(self, count: int, block: int | None = None) -> Result:
        text = self._run(*self._test.arguments(count, block or self._spec.block, self._spec.longest_s))
        try:
            result = read_result(text)
        except UnknownOutput as error:
            raise self._failure(str(error)) from error
        wanted = self._test.wanted_events(count)
        if result.events != wanted or result.threads != self._test.threads:
            raise self._failure(f"it did {result.events} of {wanted} events within {self._spec.longest_s} s")
        return result

    def _run(self, *words: str) -> str:
        """All that sysbench prints; its exit status is 0 even where its output says otherwise, so that is not asked."""
        child = self._child
        if child is None:
            raise self._failure("its shell has ended")
        deadline = time.monotonic() + self._spec.longest_s + _GRACE_S
        mark = self._mark.encode()
        lines: list[bytes] = []
        size = 0
        try:
            child.send(" ".join(words).encode() + b"\n", deadline)
            while not (line := child.receive_line(deadline)).startswith(mark):
                size += len(line)
                if size > MOST_BYTES:
                    raise self._failure("it prints without end")
                lines.append(line)
        except ChildSilent as error:
            self._stage = "hung"
            raise self._failure(f"no answer within {error.seconds:.0f} s", stage="visit") from error
        except ChildDied as error:
            said = error.stderr_tail.decode(errors="replace").strip().splitlines()
            last = f": {printable(said[-1], 200)}" if said else ""
            raise self._failure(f"its shell ended ({error}){last}") from error
        except ChildError as error:
            raise self._failure(str(error)) from error
        return b"".join(lines).decode(errors="replace").removesuffix("\n")

    def _failure(self, why: str, *, stage: str | None = None) -> SubjectFailed:
        stage = stage or self._stage
        self.kill()
        message = f"sysbench {self._spec.test} on {self._spec.host}: {why}"
        by_hand = " ".join(self._test.arguments(1, self._spec.block, self._spec.longest_s))
        return SubjectFailed(printable(message, 400), f"try by hand there: sysbench {by_hand}", stage)


_local: dict[str, str] = {}


def local_facts() -> dict[str, str]:
    """What this machine says of itself by the script that all hosts are asked by; asked once. Raises `ChildError`."""
    if not _local:
        _local.update(facts.ask(host()))
    return dict(_local)


def _fatal(said: str) -> str:
    return next((line for line in said.splitlines() if "FATAL" in line), said)
